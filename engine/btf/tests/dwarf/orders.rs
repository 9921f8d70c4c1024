//! Debug information of both byte orders, written by hand: the host's compiler has but one.

use engine_btf::{Class, Endian};
use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

use super::show::{converted, members};

/// A unit, a type with name, size and encoding, a struct with name and size, and members with
/// name, type, offset, size of the storage unit, bits, and the bits above.
const ABBREVIATIONS: [u8; 43] = [
    1, 0x11, 1, 0, 0, //
    2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0, //
    3, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0, //
    4, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0x0b, 0x0b, 0x0d, 0x0b, 0x0c, 0x0b, 0,
    0, //
    0,
];

fn entries(order: Endianness) -> Vec<u8> {
    let word = |word: u32| match order {
        Endianness::Little => word.to_le_bytes(),
        Endianness::Big => word.to_be_bytes(),
    };
    let version: [u8; 2] = match order {
        Endianness::Little => [3, 0],
        Endianness::Big => [0, 3],
    };
    let mut behind = version.to_vec();
    behind.extend(word(0));
    behind.extend([4, 1]);
    // The type begins at 12: behind the length, the header and the unit.
    behind.extend(b"\x02int\0\x04\x05");
    behind.extend(b"\x03s\0\x08");
    for (name, offset, bits, above) in [("a", 0, 3, 0), ("b", 0, 7, 3), ("c", 4, 20, 12)] {
        behind.push(4);
        behind.extend(name.bytes().chain([0]));
        behind.extend(word(12));
        behind.extend([offset, 4, bits, above]);
    }
    behind.extend([0, 0]);
    [&word(behind.len() as u32)[..], &behind].concat()
}

fn file(order: Endianness) -> Vec<u8> {
    let mut file = Object::new(BinaryFormat::Elf, Architecture::Arm, order);
    for (name, content) in [
        (".debug_info", entries(order)),
        (".debug_abbrev", ABBREVIATIONS.to_vec()),
    ] {
        let id = file.add_section(Vec::new(), name.into(), SectionKind::Debug);
        file.append_section_data(id, &content, 1);
    }
    file.write().unwrap()
}

/// The older attribute counts from the most significant bit of the storage unit. BTF counts from
/// the beginning, which is that bit in one order, and the least significant one in the other.
#[test]
fn bit_fields_of_the_older_kind() {
    let big = converted(&file(Endianness::Big));
    assert_eq!(big.endian(), Endian::Big);
    let expected = "0 int a :3\n0.3 int b :7\n5.4 int c :20\n";
    assert_eq!(members(&big, Class::Struct, "s"), expected);
    let little = converted(&file(Endianness::Little));
    assert_eq!(little.endian(), Endian::Little);
    let expected = "3.5 int a :3\n2.6 int b :7\n4 int c :20\n";
    assert_eq!(members(&little, Class::Struct, "s"), expected);
}
