//! Layouts of types that are made here.

use std::sync::Arc;

use engine_abi::Description;
use engine_btf::write::Builder;
use engine_btf::{Endian, Int};
use engine_dlang::kernel::Symbol;

use super::*;

#[derive(Debug)]
struct Small {
    types: Arc<Btf<'static>>,
    module: Arc<Btf<'static>>,
}

impl Kernel for Small {
    fn types(&self, module: Option<&str>) -> Result<Arc<Btf<'static>>, String> {
        match module {
            None => Ok(self.types.clone()),
            Some("toy") => Ok(self.module.clone()),
            Some(other) => Err(format!("there are no types of module {other}")),
        }
    }

    fn modules(&self) -> Vec<String> {
        vec!["gone".into(), "toy".into()]
    }

    fn symbol(&self, _: Option<&str>, _: &str) -> Option<Symbol> {
        None
    }

    fn probes(&self, _: &Description) -> Vec<Description> {
        Vec::new()
    }
}

fn int(b: &mut Builder<'_>, name: &str, size: u32) -> TypeId {
    let int = Int {
        size,
        bits: (size * 8) as u8,
        is_signed: !name.contains("unsigned"),
        ..Int::default()
    };
    b.int(name, int)
}

fn member(name: &str, target: TypeId, bit_offset: u32, bit_size: u8) -> Member<'_> {
    Member {
        name,
        target,
        bit_offset,
        bit_size,
    }
}

fn small() -> Small {
    let mut b = Builder::new(Endian::Little);
    let char_ = int(&mut b, "char", 1);
    let word = int(&mut b, "unsigned int", 4);
    let long = int(&mut b, "long unsigned int", 8);
    b.typedef("size_t", long);
    let iter = [
        member("bi_sector", long, 0, 0),
        member("bi_size", word, 64, 0),
    ];
    let iter = b.structure("bvec_iter", 16, &iter);
    let union = b.union(
        "",
        4,
        &[member("one", word, 0, 0), member("first", char_, 0, 0)],
    );
    let name = b.array(char_, long, 3);
    let bio = b.next_id();
    let after = TypeId(bio.0 + 1);
    let members = [
        member("next", after, 0, 0),
        member("", union, 64, 0),
        member("low", word, 96, 4),
        member("high", word, 100, 1),
        member("bi_iter", iter, 128, 0),
        member("name", name, 256, 0),
    ];
    b.structure("bio", 40, &members);
    assert_eq!(b.pointer(bio), after);
    b.typedef("bio_t", bio);
    b.forward("nowhere", false);
    let value = |name, value| Enumerator { name, value };
    b.enumeration("state", 4, true, &[value("IDLE", 0), value("LOST", -1)]);
    let types = Arc::new(Btf::read(b.finish().unwrap()).unwrap());
    let mut b = Builder::split(&types);
    b.structure("toy", 40, &[member("bio", bio, 0, 0)]);
    let module = Btf::read_split(b.finish().unwrap(), types.clone()).unwrap();
    Small {
        module: Arc::new(module),
        types,
    }
}

#[test]
fn a_structure_is_listed_with_all_members() {
    let expected = "\
struct bio: 40 bytes
   OFFSET       SIZE NAME    TYPE
        0    8 bytes next    struct bio *
        8    4 bytes -       union {...}
        8    4 bytes   one   unsigned int
        8     1 byte   first char
     12:0     4 bits low     unsigned int
     12:4      1 bit high    unsigned int
       16   16 bytes bi_iter struct bvec_iter
       32    3 bytes name    char [3]
";
    assert_eq!(describe(&small(), "struct bio").unwrap(), expected);
    let named = describe(&small(), " bio_t ").unwrap();
    assert!(
        named.starts_with("bio_t: 40 bytes, struct bio\n   OFFSET"),
        "{named}"
    );
    let scoped = describe(&small(), "struct vmlinux`bio").unwrap();
    assert!(
        scoped.starts_with("struct vmlinux`bio: 40 bytes\n"),
        "{scoped}"
    );
}

#[test]
fn a_member_is_listed_alone() {
    for (path, expected) in [
        (
            "struct bio.bi_iter.bi_size",
            "       24    4 bytes bi_iter.bi_size unsigned int",
        ),
        ("struct bio.high", "     12:4      1 bit high unsigned int"),
        ("struct bio.first", "        8     1 byte first char"),
        (
            "bio_t.bi_iter",
            "       16   16 bytes bi_iter struct bvec_iter",
        ),
        (
            "struct toy.bio.bi_iter.bi_sector",
            "       16    8 bytes bio.bi_iter.bi_sector long unsigned int",
        ),
        (
            "struct toy`toy.bio.next",
            "        0    8 bytes bio.next struct bio *",
        ),
    ] {
        let found = describe(&small(), path).unwrap();
        assert_eq!(found.lines().last(), Some(expected), "{path}");
        assert_eq!(found.lines().count(), 2, "{path}");
    }
}

#[test]
fn other_types_have_their_size() {
    for (name, expected) in [
        ("size_t", "size_t: 8 bytes, long unsigned int\n"),
        ("unsigned int", "unsigned int: 4 bytes\n"),
        (
            "enum state",
            "enum state: 4 bytes\n        0 IDLE\n       -1 LOST\n",
        ),
    ] {
        assert_eq!(describe(&small(), name).unwrap(), expected);
    }
}

#[test]
fn what_is_not_there_is_told() {
    for (name, expected) in [
        (
            "struct bvec_itre",
            "there is no type struct bvec_itre: did you mean struct bvec_iter?",
        ),
        ("bio", "there is no type bio: did you mean struct bio?"),
        (
            "union bio",
            "there is no type union bio: did you mean struct bio?",
        ),
        ("sise_t", "there is no type sise_t: did you mean size_t?"),
        (
            "enum stat",
            "there is no type enum stat: did you mean enum state?",
        ),
        ("struct elsewhere", "there is no type struct elsewhere"),
        ("struct nowhere", "there is no type struct nowhere"),
        ("", "the name of a type is missing"),
        ("struct toy`", "the name of a type is missing"),
        ("struct ", "there is no type struct"),
        ("struct gone`bio", "there are no types of module gone"),
        (
            "struct bio.bi_iter.bi_sise",
            "bi_sise is not a member of struct bvec_iter: did you mean bi_size?",
        ),
        ("struct bio.onr", "onr is not a member of struct bio"),
        ("struct bio.", "the name of a member is missing"),
        ("struct bio.next.low", "struct bio * has no members"),
        ("size_t.low", "size_t has no members"),
    ] {
        assert_eq!(describe(&small(), name).unwrap_err(), expected, "{name}");
    }
}

#[test]
fn a_type_without_end_is_cut() {
    let mut b = Builder::new(Endian::Little);
    let own = b.next_id();
    b.structure("own", 8, &[member("", own, 0, 0), member("", own, 0, 0)]);
    let types = Arc::new(Btf::read(b.finish().unwrap()).unwrap());
    let module = types.clone();
    let kernel = Small { types, module };
    // A member of a tagged type has no name here, as only a made file can have it.
    let found = describe(&kernel, "struct own").unwrap();
    assert_eq!(found.lines().count(), 2 + ROWS_MAX);
}
