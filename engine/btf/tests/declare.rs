//! Types as declarations in C.

use engine_btf::write::Builder;
use engine_btf::{Btf, Endian, Int, Linkage, Parameter, TypeId};

use crate::all::{all, id, read};

fn char_type(builder: &mut Builder<'_>) -> TypeId {
    let int = Int {
        size: 1,
        bits: 8,
        is_signed: true,
        ..Int::default()
    };
    builder.int("char", int)
}

fn parameter(name: &str, target: TypeId) -> Parameter<'_> {
    Parameter { name, target }
}

#[test]
fn declarators_are_spelt_inside_out() {
    let mut b = Builder::new(Endian::Little);
    let char_ = char_type(&mut b);
    let fixed = b.constant(char_);
    let text = b.pointer(fixed);
    let always = b.constant(text);
    let only = b.restrict(text);
    let texts = b.array(text, char_, 3);
    let to_texts = b.pointer(texts);
    let bio = b.forward("bio", false);
    let to_bio = b.pointer(bio);
    let prototype = b.prototype(TypeId::VOID, &[parameter("", to_bio)], false);
    let end_io = b.pointer(prototype);
    let handlers = b.array(end_io, char_, 2);
    let tagged = b.type_tag("user", char_);
    let user = b.pointer(tagged);
    let size = b.typedef("size_t", char_);
    let bytes = b.finish().expect("it is valid");
    let btf = Btf::read(bytes).expect("it is valid");
    for (id, name, expected) in [
        (char_, "c", "char c"),
        (char_, "", "char"),
        (text, "", "const char *"),
        (always, "s", "const char *const s"),
        (always, "", "const char *const"),
        (only, "s", "const char *restrict s"),
        (texts, "names", "const char *names[3]"),
        (to_texts, "names", "const char *(*names)[3]"),
        (to_texts, "", "const char *(*)[3]"),
        (end_io, "bi_end_io", "void (*bi_end_io)(struct bio *)"),
        (end_io, "", "void (*)(struct bio *)"),
        (handlers, "all", "void (*all[2])(struct bio *)"),
        (user, "buf", "char *buf"),
        (size, "", "size_t"),
        (TypeId::VOID, "", "void"),
    ] {
        assert_eq!(btf.declaration(id, name), expected);
    }
}

#[test]
fn functions_have_their_parameters() {
    let mut b = Builder::new(Endian::Little);
    let char_ = char_type(&mut b);
    let text = b.pointer(char_);
    let none = b.prototype(TypeId::VOID, &[], false);
    let schedule = b.function("schedule", none, Linkage::Global);
    let both = [parameter("format", text), parameter("level", char_)];
    let print = b.prototype(text, &both, true);
    let print = b.function("print", print, Linkage::Global);
    let bytes = b.finish().expect("it is valid");
    let btf = Btf::read(bytes).expect("it is valid");
    let spelt = |id, name| btf.declaration(id, name);
    assert_eq!(spelt(schedule, "schedule"), "void schedule(void)");
    assert_eq!(
        spelt(print, "print"),
        "char *print(char *format, char level, ...)"
    );
}

#[test]
fn anonymous_types_have_their_keyword() {
    let mut b = Builder::new(Endian::Little);
    let structure = b.structure("", 4, &[]);
    let union = b.union("", 4, &[]);
    let values = b.enumeration("", 4, true, &[]);
    let bytes = b.finish().expect("it is valid");
    let btf = Btf::read(bytes).expect("it is valid");
    for (id, expected) in [
        (structure, "struct {...} it"),
        (union, "union {...} it"),
        (values, "enum {...} it"),
    ] {
        assert_eq!(btf.declaration(id, "it"), expected);
    }
}

#[test]
fn a_declaration_without_end_is_cut() {
    let mut b = Builder::new(Endian::Little);
    let own = b.next_id();
    let pair = [parameter("", own), parameter("", own)];
    b.prototype(own, &pair, false);
    let bytes = b.finish().expect("it is valid");
    let btf = Btf::read(bytes).expect("it is valid");
    let found = btf.declaration(own, "f");
    assert!(found.starts_with("... f("), "{found}");
    assert!(found.len() < 1 << 14, "{}", found.len());
}

#[test]
fn every_kind_has_a_declaration() {
    let bytes = all(Endian::Little);
    let btf = read(&bytes);
    assert_eq!(btf.declaration(id::NODE, ""), "struct node");
    for id in btf.own_ids() {
        assert!(!btf.declaration(id, "it").is_empty(), "{id:?}");
    }
}
