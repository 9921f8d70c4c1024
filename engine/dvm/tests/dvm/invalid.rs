//! Blocks that are no programs: what is wrong is found, and said. Code that is none is with the
//! vectors.

use engine_abi::{ClauseRow, Span};
use engine_dvm::limits::{CODE_MAX, RECORD_MAX, SCRATCH_MAX, TARGETS_MAX};
use engine_dvm::{Op, Verified, Why};

use crate::assemble::assemble;
use engine_testkit::block::Tables;

/// A program that has a row in every table.
fn sound() -> Tables {
    let lines = [
        "var x scalar",
        "var a[scalar, text] bytes 12",
        "aggregation @n[bytes 3] sum",
        "field scalar 4",
        "field text 64",
        "    open",
        "action",
        "    sets \"hello\", %r1",
        "    rec  %r1, 1",
        "action",
        "    ret",
    ];
    assemble(&lines).tables
}

/// What spoils a program, and what is said of it then.
type Case = (fn(&mut Tables), &'static str);

/// What is said of a block.
fn said(block: Vec<u64>) -> String {
    match Verified::new(block) {
        Ok(_) => "nothing".to_owned(),
        Err(invalid) => invalid.to_string(),
    }
}

/// What is said of the sound program once it was spoilt.
fn spoilt(spoil: impl FnOnce(&mut Tables)) -> String {
    let mut tables = sound();
    spoil(&mut tables);
    said(tables.block())
}

#[test]
fn a_sound_program_is_one() {
    assert_eq!(spoilt(|_| {}), "nothing");
}

#[test]
fn a_header_is_checked() {
    let cases: &[Case] = &[
        (
            |tables| tables.header.magic += 1,
            "the program has the magic of no program, or of another version's",
        ),
        (
            |tables| tables.header.reserved = 1,
            "the program has a value where zero is reserved",
        ),
        (
            |tables| tables.header.string_size = 7,
            "the program gives strings a size that is out of bounds",
        ),
        (
            |tables| tables.header.string_size = 65537,
            "the program gives strings a size that is out of bounds",
        ),
        (
            |tables| tables.header.scratch = SCRATCH_MAX + 1,
            "the program asks for more scratch memory than there may be",
        ),
        (
            |tables| tables.strings.push(b'x'),
            "the program has strings that do not end with a NUL",
        ),
        (
            |tables| tables.strings.clear(),
            "variable 0 has a name that is not among the strings",
        ),
    ];
    for (spoil, expected) in cases {
        assert_eq!(spoilt(spoil), *expected);
    }
}

#[test]
fn a_block_of_another_length_is_none() {
    let block = sound().block();
    for length in 0..block.len() {
        let expected = match length {
            ..6 => "the program is shorter than a program's header",
            _ => "the program gives its tables another length than they have",
        };
        assert_eq!(said(block[..length].to_vec()), expected, "{length} words");
    }
    let longer = [block, vec![0]].concat();
    let expected = "the program gives its tables another length than they have";
    assert_eq!(said(longer), expected);
    let expected = "the program is longer than a program may be";
    assert_eq!(said(vec![0; (2 << 20) + 1]), expected);
}

#[test]
fn counts_that_overflow_are_none() {
    for at in 1..6 {
        let mut block = sound().block();
        block[at] |= 0xffff_ffff_ffff_ffff;
        assert_ne!(said(block), "nothing", "word {at}");
    }
}

#[test]
fn rows_are_checked() {
    let cases: &[Case] = &[
        (
            |tables| tables.keys[0].kind = 4,
            "key part 0 has a code that stands for nothing",
        ),
        (
            |tables| tables.keys[0].reserved[1] = 4,
            "key part 0 has a value where zero is reserved",
        ),
        (
            |tables| tables.keys[1].size = 56,
            "key part 1 has a size that its kind cannot have",
        ),
        (
            |tables| tables.keys[2].size = 12,
            "key part 2 has a size that its kind cannot have",
        ),
        (
            |tables| tables.keys[2].size = 8200,
            "key part 2 has a size that its kind cannot have",
        ),
        (
            |tables| tables.variables[0].size = 4,
            "variable 0 has a size that its kind cannot have",
        ),
        (
            |tables| tables.variables[1].size = 65537,
            "variable 1 has a size that its kind cannot have",
        ),
        (
            |tables| tables.variables[1].size = 0,
            "variable 1 has a size that its kind cannot have",
        ),
        (
            |tables| tables.variables[0].scope = 3,
            "variable 0 has a code that stands for nothing",
        ),
        (
            |tables| tables.variables[0].kind = 3,
            "variable 0 has a code that stands for nothing",
        ),
        (
            |tables| tables.variables[0].reserved = 3,
            "variable 0 has a value where zero is reserved",
        ),
        (
            |tables| tables.variables[1].name = 1000,
            "variable 1 has a name that is not among the strings",
        ),
        (
            |tables| tables.variables[1].keys.first = 2,
            "variable 1 names rows that are not there",
        ),
        (
            |tables| tables.variables[1].keys.count = 17,
            "variable 1 has a key that is too long",
        ),
        (
            |tables| tables.aggregations[0].function = 9,
            "aggregation 0 has a code that stands for nothing",
        ),
        (
            |tables| tables.aggregations[0].reserved[2] = 9,
            "aggregation 0 has a value where zero is reserved",
        ),
        (
            |tables| tables.aggregations[0].parameters[3] = 9,
            "aggregation 0 has parameters that its function cannot be given",
        ),
        (
            |tables| tables.aggregations[0].name = 1000,
            "aggregation 0 has a name that is not among the strings",
        ),
        (
            |tables| tables.fields[0].kind = 9,
            "field 0 has a code that stands for nothing",
        ),
        (
            |tables| tables.fields[0].size = 3,
            "field 0 has a size that its kind cannot have",
        ),
        (
            |tables| tables.fields[0].reserved[6] = 3,
            "field 0 has a value where zero is reserved",
        ),
        (
            |tables| tables.fields[0].offset = 2,
            "field 0 lies beyond its record, over another, or across its alignment",
        ),
        (
            |tables| tables.fields[1].offset = 3,
            "field 1 lies beyond its record, over another, or across its alignment",
        ),
        (
            |tables| tables.fields[1].offset = 9,
            "field 1 lies beyond its record, over another, or across its alignment",
        ),
        (
            |tables| tables.fields[1].offset = u32::MAX,
            "field 1 lies beyond its record, over another, or across its alignment",
        ),
    ];
    for (spoil, expected) in cases {
        assert_eq!(spoilt(spoil), *expected);
    }
}

#[test]
fn clauses_are_checked() {
    let cases: &[Case] = &[
        (
            |tables| tables.clauses[0].reserved = 1,
            "clause 0 has a value where zero is reserved",
        ),
        (
            |tables| tables.clauses[0].record_size = 76,
            "clause 0 has a record whose size is out of bounds",
        ),
        (
            |tables| tables.clauses[0].record_size = RECORD_MAX + 8,
            "clause 0 has a record whose size is out of bounds",
        ),
        (
            |tables| tables.clauses[0].code.count += 1,
            "clause 0 names rows that are not there",
        ),
        (
            |tables| tables.clauses[0].actions.first = u32::MAX,
            "clause 0 names rows that are not there",
        ),
        (
            |tables| tables.clauses[0].fields.first = 1,
            "clause 0 names rows that are not there",
        ),
        (
            |tables| tables.clauses.push(tables.clauses[0]),
            "clause 1 names rows that belong to an earlier one",
        ),
        (
            |tables| tables.clauses.push(ClauseRow::default()),
            "instruction 0 of clause 1 has code that does not end with a ret",
        ),
        (
            |tables| tables.actions[1] = 0,
            "action 1 begins outside its clause, or before an earlier one",
        ),
        (
            |tables| tables.actions[1] = 4,
            "action 1 begins outside its clause, or before an earlier one",
        ),
    ];
    for (spoil, expected) in cases {
        assert_eq!(spoilt(spoil), *expected);
    }
}

#[test]
fn instructions_are_checked() {
    let cases: &[Case] = &[
        (
            |tables| tables.code[0].op = 0xff,
            "instruction 0 of clause 0 has an op that there is not",
        ),
        (
            |tables| tables.code[0].b = 1,
            "instruction 0 of clause 0 has a value in a field that its op does not use",
        ),
        (
            |tables| tables.code[0].immediate = 1,
            "instruction 0 of clause 0 has a value in a field that its op does not use",
        ),
        (
            |tables| tables.code[1].a = 1,
            "instruction 1 of clause 0 has a value in a field that its op does not use",
        ),
    ];
    for (spoil, expected) in cases {
        assert_eq!(spoilt(spoil), *expected);
    }
}

#[test]
fn a_field_of_another_clause_is_not_recorded() {
    let said = spoilt(|tables| {
        let first = tables.code.len() as u32;
        tables.code.extend_from_within(..);
        tables.clauses.push(ClauseRow {
            code: Span {
                first,
                count: first,
            },
            ..ClauseRow::default()
        });
    });
    let expected = "instruction 2 of clause 1 has an immediate that names nothing of the kind that its \
                    op needs";
    assert_eq!(said, expected);
}

/// As many branches as are asked for, each to a target of its own.
fn branches(count: usize) -> String {
    let mut lines: Vec<String> = (0..count)
        .map(|number| format!("    bz %r0, l{number}"))
        .collect();
    lines.extend((0..count).map(|number| format!("l{number}:\n    exit")));
    lines.push("    ret".to_owned());
    let text = lines.join("\n");
    said(assemble(&text.lines().collect::<Vec<_>>()).tables.block())
}

#[test]
fn so_many_branches_can_be_followed_at_once() {
    assert_eq!(branches(TARGETS_MAX), "nothing");
    let expected = "instruction 64 of clause 0 has more branches over it than can be followed";
    assert_eq!(branches(TARGETS_MAX + 1), expected);
}

#[test]
fn a_clause_has_so_many_instructions() {
    let said_of = |count: u32| {
        let exits = (1..count).map(|_| "    exit");
        let lines: Vec<&str> = exits.chain(["    ret"]).collect();
        said(assemble(&lines).tables.block())
    };
    assert_eq!(said_of(CODE_MAX), "nothing");
    let expected = "clause 0 has more instructions or actions than a clause may have";
    assert_eq!(said_of(CODE_MAX + 1), expected);
}

#[test]
fn a_clause_has_so_many_actions() {
    let said_of = |count: u32| {
        spoilt(|tables| {
            tables.actions = vec![1; count as usize];
            tables.clauses[0].actions.count = count;
        })
    };
    assert_eq!(said_of(CODE_MAX), "nothing");
    let expected = "clause 0 has more instructions or actions than a clause may have";
    assert_eq!(said_of(CODE_MAX + 1), expected);
}

#[test]
fn every_code_that_is_no_op_is_refused() {
    for code in 0..=u8::MAX {
        let known = Op::ALL.iter().any(|op| op.code() == code);
        let said = spoilt(|tables| tables.code[0].op = code);
        let is_refused = said.ends_with("has an op that there is not");
        assert_eq!(is_refused, !known, "{code:#x}: {said}");
    }
}

/// What tests expect stands in their text, and they hold.
#[test]
fn every_reason_is_expected_somewhere() {
    let texts = [
        include_str!("invalid.rs"),
        include_str!("../vectors/invalid.txt"),
    ];
    let is_expected = |why: &&Why| texts.iter().any(|text| text.contains(why.sentence()));
    let missed: Vec<&Why> = Why::ALL.iter().filter(|why| !is_expected(why)).collect();
    assert!(missed.is_empty(), "nothing expects {missed:?}");
}
