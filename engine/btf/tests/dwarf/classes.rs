//! Types that several units have: the same, declared in some, or different.

use engine_btf::{Btf, Class, Kind};

use super::build::linked;
use super::show::{converted, members, show};

fn count(btf: &Btf<'_>, class: Class, name: &str) -> usize {
    btf.all_named(class, name).count()
}

/// The type of the first member of a variable's struct, and so on along `->`.
fn follow(btf: &Btf<'_>, variable: &str, path: &[&str]) -> String {
    let mut id = btf.variable(variable).unwrap().target;
    for name in path {
        if let Kind::Pointer(target) = btf.resolve(id).unwrap().kind {
            id = target;
        }
        id = btf.member(id, name).unwrap().unwrap().target;
    }
    show(btf, id)
}

#[test]
fn the_same_type_is_there_once() {
    let header = "struct b; struct a { struct a *next; struct b *b; }; struct b { struct a a[2]; };
        typedef struct a a_t; typedef struct { int x; a_t *up; } anon_t; enum e { ONE };";
    let unit = |name: &str| {
        format!("{header} a_t *{name}_1; struct b *{name}_2; anon_t {name}_3; enum e {name}_4;")
    };
    let btf = converted(&linked(&[&unit("first"), &unit("second"), &unit("third")]));
    assert_eq!(count(&btf, Class::Struct, "a"), 1);
    assert_eq!(count(&btf, Class::Struct, "b"), 1);
    assert_eq!(count(&btf, Class::Typedef, "anon_t"), 1);
    assert_eq!(count(&btf, Class::Enum, "e"), 1);
    let targets = ["first_1", "second_1", "third_1"].map(|name| btf.variable(name).unwrap().target);
    assert_eq!((targets[0], targets[1]), (targets[1], targets[2]));
    assert_eq!(members(&btf, Class::Struct, "b"), "0 [2]struct a a\n");
}

#[test]
fn declarations_are_the_one_definition() {
    let user =
        "struct hidden; union never; struct user { struct hidden *h; union never *n; } user;";
    let owner = "struct hidden { int secret; } hidden;";
    let btf = converted(&linked(&[user, owner]));
    assert_eq!(count(&btf, Class::Forward, "hidden"), 0);
    assert_eq!(follow(&btf, "user", &["h", "secret"]), "int");
    assert_eq!(
        members(&btf, Class::Struct, "user"),
        "0 struct hidden * h\n8 union never; * n\n"
    );
}

#[test]
fn an_enumeration_that_is_never_defined() {
    let btf = converted(&linked(&["enum later; struct s { enum later *e; } s;"]));
    assert_eq!(members(&btf, Class::Struct, "s"), "0 enum later * e\n");
}

#[test]
fn different_types_of_one_name_are_kept_apart() {
    let first = "struct slot { int number; } first;";
    let second = "struct slot { char *name; } second;";
    let btf = converted(&linked(&[first, second]));
    assert_eq!(count(&btf, Class::Struct, "slot"), 2);
    assert_eq!(members(&btf, Class::Struct, "slot"), "0 int number\n");
    assert_eq!(follow(&btf, "first", &["number"]), "int");
    assert_eq!(follow(&btf, "second", &["name"]), "char *");
}

/// `outer` is written alike in both units, and so are `middle` and the typedef.
#[test]
fn what_contains_a_different_type_is_different() {
    let common = "typedef struct inner *inner_t; struct middle { inner_t inner; };
        struct outer { struct middle *middle; struct outer *next; }; struct apart { int x; };";
    let first =
        format!("struct inner {{ int a; }}; {common} struct outer *first; struct apart one;");
    let second =
        format!("struct inner {{ long b; }}; {common} struct outer *second; struct apart two;");
    let btf = converted(&linked(&[&first, &second]));
    assert_eq!(
        follow(&btf, "first", &["next", "middle", "inner", "a"]),
        "int"
    );
    assert_eq!(
        follow(&btf, "second", &["next", "middle", "inner", "b"]),
        "long int"
    );
    for name in ["inner", "middle", "outer"] {
        assert_eq!(count(&btf, Class::Struct, name), 2, "{name}");
    }
    assert_eq!(count(&btf, Class::Typedef, "inner_t"), 2);
    assert_eq!(count(&btf, Class::Struct, "apart"), 1);
}

/// The third unit does not say which `chan` it means, so its `device` is the one of the second.
#[test]
fn a_declaration_does_not_make_another_type() {
    let common = "struct chan; struct device { struct chan *chan; };";
    let first = "struct chan { int lock; } first;";
    let second = format!("{common} struct chan {{ void *ops; }}; struct device second;");
    let third = format!("{common} struct device third;");
    let only = format!("{common} struct other {{ struct chan *chan; }} only;");
    let btf = converted(&linked(&[first, &third, &second, &only]));
    assert_eq!(count(&btf, Class::Struct, "chan"), 2);
    assert_eq!(count(&btf, Class::Struct, "device"), 1);
    assert_eq!(follow(&btf, "third", &["chan", "ops"]), "void *");
    assert_eq!(follow(&btf, "only", &["chan"]), "struct chan; *");
}

#[test]
fn types_of_functions_do_not_hide_those_of_files() {
    let source =
        "int f(void) { struct s { char c; struct s *self; } s = {0}; return s.c + (s.self != 0); }
        struct s { long l; } s; int g(struct s *p) { return p->l; }";
    let btf = converted(&linked(&[source]));
    assert_eq!(follow(&btf, "s", &["l"]), "long int");
    let all: Vec<_> = btf.all_named(Class::Struct, "s").collect();
    assert_eq!(all.len(), 2);
    let own = all
        .iter()
        .filter_map(|id| btf.member(*id, "self").unwrap())
        .next()
        .unwrap();
    let Kind::Pointer(target) = btf.get(own.target).unwrap().kind else {
        panic!("no pointer");
    };
    assert!(
        btf.member(target, "self").unwrap().is_some(),
        "it refers to itself"
    );
}
