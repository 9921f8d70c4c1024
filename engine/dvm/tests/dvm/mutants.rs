//! Every seeded defect is detected by the test that its row names, which passes without it.

use std::env;
use std::process::Command;

use engine_dvm::mutant::VARIABLE;

/// A defect, its effect, and the test that detects it.
const MUTANTS: [(&str, &str, &str); 20] = [
    // The verifier.
    ("branch-back", "a branch may go back", VECTORS),
    (
        "destructive-undeclared",
        "any program may change the system",
        VECTORS,
    ),
    ("falls-off", "code may run into what follows it", VECTORS),
    (
        "field-of-another",
        "a clause may record another's field",
        "invalid::a_field_of_another_clause_is_not_recorded",
    ),
    (
        "fields-overlap",
        "two fields of a record may overlap",
        "invalid::rows_are_checked",
    ),
    (
        "key-of-another",
        "a key need not have its variable's parts",
        VECTORS,
    ),
    (
        "open-on-some",
        "a record may be written that is open on some paths only",
        VECTORS,
    ),
    (
        "scratch-unbounded",
        "a program may ask for any amount of scratch memory",
        "invalid::a_header_is_checked",
    ),
    (
        "unset-read",
        "a register may be read that was not written",
        VECTORS,
    ),
    // The interpreter.
    (
        "free-scratch-written",
        "memory of the heap can be written that was not allocated",
        VECTORS,
    ),
    ("key-kept", "an aggregation leaves its key pushed", VECTORS),
    ("low-half-tested", "a branch tests the low 32 bits", VECTORS),
    (
        "part-unchecked",
        "an address beyond a variable is as good as one in it",
        VECTORS,
    ),
    (
        "order-unsigned",
        "signed numbers are ordered as unsigned ones",
        VECTORS,
    ),
    (
        "overlap-forward",
        "an overlapping copy reads what it has written",
        VECTORS,
    ),
    (
        "padding-kept",
        "a key has what was in memory before",
        RANDOM,
    ),
    (
        "shift-unsigned",
        "a signed shift to the right brings zeros",
        VECTORS,
    ),
    (
        "text-unpadded",
        "a recorded string has what was in memory before behind it",
        RANDOM,
    ),
    ("unaligned", "a number is loaded from any address", VECTORS),
    ("zero-written", "r0 can be written", VECTORS),
];

/// Enough random programs to detect each of these defects, by experience.
const CASES: &str = "4096";

const RANDOM: &str = "random::random_programs_run_as_their_tables_say";
const VECTORS: &str = "vectors::every_program_does_what_its_case_says";

/// Whether a test passes, with a defect or without.
fn passes(test: &str, mutant: &str) -> bool {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test])
        .env(VARIABLE, mutant)
        .env("PROPTEST_CASES", CASES)
        // An intended failure is not a regression to record.
        .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("running 1 test\n"), "there is no test {test}");
    output.status.success()
}

#[test]
fn each_mutant_is_caught_by_its_test() {
    let missed: Vec<&str> = MUTANTS
        .iter()
        .filter(|(mutant, _, test)| passes(test, mutant))
        .map(|(mutant, _, _)| *mutant)
        .collect();
    assert!(missed.is_empty(), "not caught: {missed:?}");
}

#[test]
fn without_a_mutant_those_tests_pass() {
    for (_, _, test) in MUTANTS {
        assert!(passes(test, ""), "{test}");
    }
}
