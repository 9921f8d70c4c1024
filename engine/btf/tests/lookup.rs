//! Types, functions and variables by name.

use engine_btf::write::Builder;
use engine_btf::{Class, Endian, TypeId};

use crate::all::{INT, ORDERS, all, id, read};

#[test]
fn each_class_has_its_names() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        let found = |class, name| btf.named(class, name).map(|id| id.0);
        assert_eq!(found(Class::Struct, "node"), Some(5));
        assert_eq!(found(Class::Typedef, "node"), None);
        assert_eq!(found(Class::Typedef, "node_t"), Some(11));
        assert_eq!(found(Class::Union, "unknown"), None);
        assert_eq!(found(Class::Forward, "unknown"), Some(7));
        assert_eq!(found(Class::Enum, "colour"), Some(9));
        assert_eq!(found(Class::Enum, "wide"), Some(10));
        assert_eq!(found(Class::Base, "int"), Some(2));
        assert_eq!(found(Class::Base, "double"), Some(15));
        assert_eq!(found(Class::Section, "_stext"), Some(23));
        assert_eq!(found(Class::Struct, ""), None);
        assert_eq!(btf.function("walk"), Some(id::FUNCTION));
        assert_eq!(btf.function("first"), None);
        assert_eq!(btf.pointer_size(), Some(8));
    }
}

#[test]
fn variables_have_places() {
    let bytes = all(Endian::Little);
    let btf = read(&bytes);
    let first = btf.variable("first").unwrap();
    assert_eq!((first.id, first.target), (id::VARIABLE, id::NODE));
    let place = first.place.unwrap();
    assert_eq!(
        (place.origin, place.offset, place.size),
        ("_stext", 4096, 40)
    );
    assert!(!place.is_per_cpu());
    let mine = btf.variable("mine").unwrap();
    let place = mine.place.unwrap();
    assert_eq!((place.offset, place.is_per_cpu()), (16, true));
    assert_eq!(btf.variable("walk"), None);
}

#[test]
fn enumerators() {
    let bytes = all(Endian::Big);
    let btf = read(&bytes);
    let (owner, found) = btf.enumerator("BLUE").unwrap();
    assert_eq!((owner, found.value), (TypeId(9), 7));
    let (owner, found) = btf.enumerator("TOP").unwrap();
    assert_eq!((owner, found.value), (TypeId(10), i64::MIN));
    assert!(btf.enumerator("GREEN").is_none());
}

#[test]
fn the_first_of_several_is_found_first() {
    let mut b = Builder::new(Endian::Little);
    let int = b.int("int", INT);
    let first = b.structure("ring", 4, &[]);
    b.typedef("ring", int);
    let second = b.structure("ring", 8, &[]);
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    assert_eq!(btf.named(Class::Struct, "ring"), Some(first));
    let all: Vec<_> = btf.all_named(Class::Struct, "ring").collect();
    assert_eq!(all, [first, second]);
}

/// Each of a thousand names leads to its own type only.
#[test]
fn many_names() {
    let mut b = Builder::new(Endian::Little);
    let names: Vec<String> = (0..1000).map(|number| format!("type_{number}")).collect();
    let ids: Vec<_> = names.iter().map(|name| b.structure(name, 0, &[])).collect();
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    for (name, id) in names.iter().zip(ids) {
        assert_eq!(btf.all_named(Class::Struct, name).collect::<Vec<_>>(), [id]);
    }
    assert_eq!(btf.named(Class::Struct, "type_1000"), None);
}
