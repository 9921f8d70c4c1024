//! Sizes, and members behind typedefs and anonymous members.

use engine_btf::write::Builder;
use engine_btf::{Endian, Error, Int, Kind, TypeId};

use crate::all::{INT, LONG, ORDERS, all, bits, id, member, read};

#[test]
fn sizes() {
    let bytes = all(Endian::Little);
    let btf = read(&bytes);
    let size = |number| btf.size_of(TypeId(number), 4);
    assert_eq!(size(1), Ok(8), "integer");
    assert_eq!(size(3), Ok(20), "array");
    assert_eq!(size(4), Ok(4), "pointer");
    assert_eq!(btf.size_of(TypeId(4), 8), Ok(8), "pointer");
    assert_eq!(size(14), Ok(40), "qualified typedef of a struct");
    assert_eq!(size(9), Ok(4), "enumeration");
    assert_eq!(size(15), Ok(8), "float");
    assert_eq!(size(20), Ok(40), "variable");
    assert_eq!(size(25), Ok(40), "tagged");
    for number in [0, 7, 16, 18, 24] {
        assert_eq!(size(number), Err(Error::NoSize(TypeId(number))));
    }
    assert_eq!(size(28), Err(Error::NoType(TypeId(28))));
}

#[test]
fn arrays_of_arrays_are_multiplied_with_care() {
    let mut b = Builder::new(Endian::Little);
    let int = b.int("int", INT);
    let matrix = b.array(TypeId(3), int, 3);
    b.array(int, int, 7);
    let mut huge = int;
    for _ in 0..3 {
        huge = b.array(huge, int, u32::MAX);
    }
    let endless = b.next_id();
    b.array(endless, int, 1);
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    assert_eq!(btf.size_of(matrix, 8), Ok(84));
    assert_eq!(btf.size_of(huge, 8), Err(Error::Huge(huge)));
    assert_eq!(btf.size_of(endless, 8), Err(Error::Endless(endless)));
}

#[test]
fn typedefs_that_define_themselves() {
    let mut b = Builder::new(Endian::Little);
    let first = b.typedef("a", TypeId(2));
    let second = b.constant(first);
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    for id in [first, second] {
        assert_eq!(btf.resolve(id).unwrap_err(), Error::Endless(id));
        assert_eq!(btf.size_of(id, 8), Err(Error::Endless(id)));
        assert_eq!(btf.members(id).unwrap_err(), Error::Endless(id));
    }
}

#[test]
fn members_by_name() {
    for order in ORDERS {
        let bytes = all(order);
        let btf = read(&bytes);
        let found = |name| btf.member(id::RESTRICT, name).unwrap();
        let half = found("half").unwrap();
        assert_eq!((half.target, half.bit_offset), (id::INT, 32 * 8));
        assert_eq!(found("numbers").unwrap().bit_offset, 64);
        assert_eq!(found("absent"), None);
        assert_eq!(found(""), None);
        let high = btf.member(id::FLAGS, "high").unwrap().unwrap();
        assert_eq!((high.bit_offset, high.bit_size), (3, 29));
        let tagged = btf.member(id::TAGGED, "word").unwrap().unwrap();
        assert_eq!(tagged.bit_offset, 256);
        let fault = btf.member(id::INT, "x").unwrap_err();
        assert_eq!(fault, Error::NoMembers(id::INT));
    }
}

/// Before there was a flag for it, a bit-field had an integer of its own.
#[test]
fn bit_fields_of_the_older_kind() {
    let mut b = Builder::new(Endian::Little);
    let part = |bits, offset| Int {
        bits,
        offset,
        ..INT
    };
    let three = b.int("int", part(3, 0));
    let four = b.int("int", part(4, 8));
    let named = b.typedef("four", four);
    let whole = b.int("long", LONG);
    let fields = [
        bits("three", three, 5, 0),
        bits("four", named, 8, 0),
        member("whole", whole, 8),
    ];
    let id = b.structure("old", 16, &fields);
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    let Kind::Struct { members, .. } = btf.get(id).unwrap().kind else {
        panic!("no struct");
    };
    let places: Vec<_> = members
        .map(|found| (found.bit_offset, found.bit_size))
        .collect();
    assert_eq!(places, [(5, 3), (16, 4), (64, 0)]);
}

/// Each anonymous struct has the next one twice: a search without a bound would take 2^60 steps.
#[test]
fn anonymous_members_that_multiply() {
    let mut b = Builder::new(Endian::Little);
    for number in 1..=60 {
        let next = TypeId(number + 1);
        b.structure("", 8, &[member("", next, 0), member("", next, 4)]);
    }
    let last = b.structure("", 4, &[]);
    let own = b.next_id();
    b.structure("own", 4, &[member("", own, 0)]);
    let bytes = b.finish().unwrap();
    let btf = read(&bytes);
    let fault = btf.member(TypeId(1), "x").unwrap_err();
    assert_eq!(fault, Error::Endless(TypeId(1)));
    assert_eq!(btf.member(last, "x"), Ok(None));
    assert_eq!(btf.member(own, "x").unwrap_err(), Error::Endless(own));
}
