//! Functions: those with code, by what the source says of them.

use super::build::{built, linked, object};
use super::show::{converted, functions};

#[test]
fn functions_of_one_name() {
    let first = "static int helper(int a) { return a; } int (*one)(int) = helper;";
    let second = "static long helper(char *b) { return *b; } long (*two)(char *) = helper;";
    let third = "static int helper(int a) { return a + 1; } int (*three)(int) = helper;";
    let btf = converted(&linked(&[first, second, third]));
    let expected = ["helper(int a) int", "helper(char * b) long int"];
    assert_eq!(functions(&btf, "helper"), expected);
}

#[test]
fn declared_and_inlined_functions_are_none() {
    let source = "int elsewhere(int); static inline int small(int x) { return x + 1; }
        int user(int x) { return elsewhere(small(x)); }";
    let btf = converted(&object(source));
    assert_eq!(functions(&btf, "user"), ["user(int x) int"]);
    assert!(functions(&btf, "small").is_empty());
    assert!(functions(&btf, "elsewhere").is_empty());
}

/// Inlined somewhere, called elsewhere: its code's own entry has no name.
#[test]
fn functions_that_are_also_inlined() {
    let source = "int twice(int x, char *unused) { return 2 * x; }
        int user(int x) { return twice(x, 0); }";
    let btf = converted(&built(&[source], &["-O2"], None));
    assert_eq!(
        functions(&btf, "twice"),
        ["twice(int x, char * unused) int"]
    );
}

/// Assembly has no types; the header that declares it does.
#[test]
fn assembly_is_as_declared() {
    let source = r#"__asm__(".text\n.globl fast_copy\n.type fast_copy, %function\nfast_copy:\n.byte 0\n");
        void fast_copy(void *to, const void *from, unsigned long size);
        void user(void *p) { fast_copy(p, p, 8); }"#;
    let btf = converted(&linked(&[source]));
    let found = functions(&btf, "fast_copy");
    assert_eq!(
        found,
        ["fast_copy(void *, void const *, long unsigned int) void"]
    );
}

/// A copy with other arguments has another symbol, and is not the function.
#[test]
fn copies_with_other_arguments_are_not_the_function() {
    let source = "static __attribute__((noinline)) int copied(int a, int b) { return a * b + a; }
        int one(int x) { return copied(x, 3); } int two(int x) { return copied(x + 1, 3); }";
    let file = built(&[source], &["-O2", "-fipa-cp", "-fipa-sra"], Some(&[]));
    let has_copy = file.windows(7).any(|bytes| bytes == b"copied.");
    let btf = converted(&file);
    assert_eq!(functions(&btf, "copied").is_empty(), has_copy);
}

/// Some architectures have the code begin behind room for patching, but not the symbol.
#[test]
fn room_for_patching_may_come_first() {
    let source = "int traced(int x) { return x; } int other(int x) { return x + 1; }";
    let flags = ["-fpatchable-function-entry=4,2"];
    let btf = converted(&built(&[source], &flags, Some(&[])));
    assert_eq!(functions(&btf, "traced"), ["traced(int x) int"]);
    assert_eq!(functions(&btf, "other"), ["other(int x) int"]);
}
