//! Each way to be malformed has its error.

use engine_btf::write::{Builder, WriteError};
use engine_btf::{Btf, Endian, Error, TypeId};

use crate::all::{INT, bits, member, parameter};

fn small() -> Vec<u8> {
    let mut b = Builder::new(Endian::Little);
    let int = b.int("int", INT);
    b.structure("s", 4, &[member("m", int, 0)]);
    b.finish().unwrap()
}

/// Of a small BTF with one word replaced, by its offset.
fn fault(offset: usize, word: u32) -> String {
    let mut bytes = small();
    bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
    Btf::read(bytes).unwrap_err().to_string()
}

#[test]
fn headers() {
    assert_eq!(
        Btf::read(&b""[..]).unwrap_err().to_string(),
        "not BTF: 0 bytes are too few for its header"
    );
    assert_eq!(fault(0, 0x464c_457f), "not BTF: it begins with [7f, 45]");
    assert_eq!(
        fault(0, 0x0002_eb9f),
        "BTF of version 2 with flags 0x0; only version 1 without flags is known"
    );
    assert_eq!(fault(4, 20), "not BTF: 20 bytes are too few for its header");
    assert_eq!(
        fault(12, 0x100),
        "the types at 0x0, 256 bytes, do not fit into 73 bytes"
    );
    assert_eq!(
        fault(8, 2),
        "the types at 0x2, 40 bytes, do not fit into 73 bytes"
    );
    assert_eq!(
        fault(20, u32::MAX),
        "the strings at 0x28, 4294967295 bytes, do not fit into 73 bytes"
    );
    assert_eq!(fault(16, 0), "the strings do not begin and end with NUL");
}

#[test]
fn types() {
    let behind = 24;
    assert_eq!(fault(behind + 4, 20 << 24), "type 1 is of unknown kind 20");
    assert_eq!(fault(behind + 4, 0), "type 1 is of unknown kind 0");
    assert_eq!(
        fault(behind, 400),
        "type 1 has a name at 0x190, outside the strings"
    );
    assert_eq!(fault(behind + 20, 4 << 24 | 2), "type 2 is cut off");
    assert_eq!(
        fault(behind + 28, 99),
        "type 2 has a name at 0x63, outside the strings"
    );
    assert_eq!(fault(behind + 32, 3), "type 2 refers to type 3, of 3");
}

#[test]
fn strings() {
    let mut bytes = small();
    let end = bytes.len();
    bytes[end - 2] = 0xff;
    assert_eq!(Btf::read(&bytes[..]).unwrap_err(), Error::Utf8(7), "a name");
    bytes[end - 2..].fill(b'x');
    assert_eq!(Btf::read(&bytes[..]).unwrap_err(), Error::Strings);
}

#[test]
fn no_types_at_all() {
    let bytes = Builder::new(Endian::Big).finish().unwrap();
    let btf = Btf::read(bytes).unwrap();
    assert_eq!(btf.count(), 1);
    assert!(btf.function("x").is_none() && btf.variable("x").is_none());
    assert_eq!(btf.get(TypeId(1)).unwrap_err(), Error::NoType(TypeId(1)));
}

#[test]
fn what_cannot_be_written() {
    let mut b = Builder::new(Endian::Little);
    b.structure("far", 8, &[bits("m", TypeId::VOID, 1 << 24, 1)]);
    let fault = b.finish().unwrap_err();
    assert_eq!(fault, WriteError::FarBits("far".to_owned()));
    let mut b = Builder::new(Endian::Little);
    b.prototype(
        TypeId::VOID,
        &vec![parameter("", TypeId(1)); 1 << 16],
        false,
    );
    let fault = b.finish().unwrap_err().to_string();
    assert_eq!(fault, "`` has 65536 elements, at most 65535 can be written");
    let mut b = Builder::new(Endian::Little);
    b.pointer(TypeId(2));
    let fault = b.finish().unwrap_err().to_string();
    assert_eq!(fault, "written badly: type 1 refers to type 2, of 2");
    let mut b = Builder::new(Endian::Little);
    b.float("a\0b", 4);
    assert!(matches!(b.finish().unwrap_err(), WriteError::Nul(_)));
}
