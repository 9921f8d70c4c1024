//! The BTF of a module, which continues its kernel's.

use std::sync::Arc;

use engine_btf::write::Builder;
use engine_btf::{Btf, Class, Endian, Error, Kind, Linkage, SectionEntry, TypeId};

use crate::all::{INT, ORDERS, all, id, member, read};
use crate::judge::compare;

/// A struct with a member of the kernel's type, a function, a variable, and a name the kernel has.
pub fn module(base: &Btf<'_>) -> Vec<u8> {
    let mut b = Builder::split(base);
    let own = b.structure(
        "private",
        48,
        &[member("node", id::NODE, 0), member("own", id::INT, 40)],
    );
    b.structure("flags", 1, &[]);
    let pointer = b.pointer(own);
    let variable = b.variable("table", pointer, Linkage::Static);
    let entry = SectionEntry {
        variable,
        offset: 8,
        size: 8,
    };
    b.section(".bss", 16, &[entry]);
    b.function("module_init", TypeId(16), Linkage::Static);
    b.finish().unwrap()
}

#[test]
fn ids_and_strings_continue() {
    for order in ORDERS {
        let base_bytes = all(order);
        let base = Arc::new(read(&base_bytes));
        let bytes = module(&base);
        let btf = Btf::read_split(&bytes[..], base.clone()).unwrap();
        let own = TypeId(base.count());
        assert_eq!(btf.own_ids().next(), Some(own));
        assert_eq!(btf.named(Class::Struct, "private"), Some(own));
        let found = btf.member(own, "node").unwrap().unwrap();
        assert_eq!((found.name, found.target), ("node", id::NODE));
        assert_eq!(btf.size_of(own, 8), Ok(48));
        assert_eq!(btf.get(id::NODE).unwrap().name, "node");
        assert_eq!(btf.variable("table").unwrap().place.unwrap().origin, ".bss");
        assert_eq!(
            btf.variable("first").unwrap().place.unwrap().origin,
            "_stext"
        );
        assert_eq!(btf.pointer_size(), Some(8));
        assert!(btf.enumerator("BLUE").is_some());
        let function = btf.function("module_init").unwrap();
        assert!(matches!(
            btf.get(function).unwrap().kind,
            Kind::Function { .. }
        ));
        assert!(
            !bytes.windows(5).any(|part| part == b"node\0"),
            "a string twice"
        );
        let other = btf_rs::Btf::from_bytes(&base_bytes).unwrap();
        compare(
            &btf,
            &btf_rs::Btf::from_split_bytes(&bytes, &other).unwrap(),
        );
    }
}

#[test]
fn its_own_names_come_first() {
    let base_bytes = all(Endian::Little);
    let base = Arc::new(read(&base_bytes));
    let bytes = module(&base);
    let btf = Btf::read_split(&bytes[..], base.clone()).unwrap();
    let both: Vec<_> = btf.all_named(Class::Struct, "flags").collect();
    assert_eq!(both, [TypeId(base.count() + 1), id::FLAGS]);
    assert_eq!(base.named(Class::Struct, "flags"), Some(id::FLAGS));
}

#[test]
fn it_is_nothing_without_its_base() {
    let base_bytes = all(Endian::Little);
    let bytes = module(&read(&base_bytes));
    assert_eq!(Btf::read(&bytes[..]).unwrap_err(), Error::Strings);
    let big = all(Endian::Big);
    let fault = Btf::read_split(&bytes[..], Arc::new(read(&big))).unwrap_err();
    assert_eq!(fault, Error::BaseOrder);
    let mut b = Builder::new(Endian::Little);
    b.int("int", INT);
    let small = b.finish().unwrap();
    let fault = Btf::read_split(&bytes[..], Arc::new(read(&small))).unwrap_err();
    assert!(matches!(
        fault,
        Error::Name { .. } | Error::Reference { .. }
    ));
}
