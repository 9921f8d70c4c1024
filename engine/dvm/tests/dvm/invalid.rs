//! Invalid blocks are rejected with the right reason. Invalid code is in the vectors.

use engine_abi::{ClauseRow, Span};
use engine_dvm::limits::{CODE_MAX, RECORD_MAX, SCRATCH_MAX, TARGETS_MAX};
use engine_dvm::{Op, Verified, Why};

use crate::assemble::assemble;
use engine_testkit::block::Tables;

/// A valid program with a row in every table.
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

/// A modification of a valid program, and the expected error.
type Case = (fn(&mut Tables), &'static str);

/// The error of a block.
fn said(block: Vec<u64>) -> String {
    match Verified::new(block) {
        Ok(_) => "nothing".to_owned(),
        Err(invalid) => invalid.to_string(),
    }
}

/// The error of the valid program after a modification.
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
            "the program has a wrong magic number or version",
        ),
        (
            |tables| tables.header.heap = SCRATCH_MAX + 1,
            "the program requests too much scratch memory",
        ),
        (
            |tables| tables.header.flags = 2,
            "the program has a nonzero reserved field",
        ),
        (
            |tables| tables.header.reserved = 1,
            "the program has a nonzero reserved field",
        ),
        (
            |tables| tables.header.string_size = 1,
            "the program has a string size that is out of range",
        ),
        (
            |tables| tables.header.string_size = 65537,
            "the program has a string size that is out of range",
        ),
        (
            |tables| tables.header.scratch = SCRATCH_MAX + 1,
            "the program requests too much scratch memory",
        ),
        (
            |tables| tables.strings.push(b'x'),
            "the program has a string table that does not end with a NUL",
        ),
        (
            |tables| tables.strings.clear(),
            "variable 0 has a name that is not in the string table",
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
            ..7 => "the program is shorter than the program header",
            _ => "the program has a length that does not match its tables",
        };
        assert_eq!(said(block[..length].to_vec()), expected, "{length} words");
    }
    let longer = [block, vec![0]].concat();
    let expected = "the program has a length that does not match its tables";
    assert_eq!(said(longer), expected);
    let expected = "the program exceeds the maximum program size";
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
            |tables| tables.keys[0].kind = 5,
            "key part 0 has an undefined code",
        ),
        (
            |tables| tables.keys[0].reserved[1] = 4,
            "key part 0 has a nonzero reserved field",
        ),
        (
            |tables| tables.keys[1].size = 56,
            "key part 1 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.keys[2].size = 12,
            "key part 2 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.keys[2].size = 8200,
            "key part 2 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.variables[0].size = 4,
            "variable 0 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.variables[1].size = 65537,
            "variable 1 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.variables[1].size = 0,
            "variable 1 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.variables[0].scope = 3,
            "variable 0 has an undefined code",
        ),
        (
            |tables| tables.variables[0].kind = 3,
            "variable 0 has an undefined code",
        ),
        (
            |tables| tables.variables[0].reserved = 3,
            "variable 0 has a nonzero reserved field",
        ),
        (
            |tables| tables.variables[1].name = 1000,
            "variable 1 has a name that is not in the string table",
        ),
        (
            |tables| tables.variables[1].keys.first = 2,
            "variable 1 refers to rows that do not exist",
        ),
        (
            |tables| tables.variables[1].keys.count = 17,
            "variable 1 has a key that is too long",
        ),
        (
            |tables| tables.aggregations[0].function = 9,
            "aggregation 0 has an undefined code",
        ),
        (
            |tables| tables.aggregations[0].reserved[2] = 9,
            "aggregation 0 has a nonzero reserved field",
        ),
        (
            |tables| tables.aggregations[0].parameters[3] = 9,
            "aggregation 0 has parameters that are invalid for its function",
        ),
        (
            |tables| tables.aggregations[0].name = 1000,
            "aggregation 0 has a name that is not in the string table",
        ),
        (
            |tables| tables.fields[0].kind = 9,
            "field 0 has an undefined code",
        ),
        (
            |tables| tables.fields[0].size = 3,
            "field 0 has a size that is invalid for its kind",
        ),
        (
            |tables| tables.fields[0].reserved[6] = 3,
            "field 0 has a nonzero reserved field",
        ),
        (
            |tables| tables.fields[0].offset = 2,
            "field 0 is outside its record, overlaps another, or is misaligned",
        ),
        (
            |tables| tables.fields[1].offset = 3,
            "field 1 is outside its record, overlaps another, or is misaligned",
        ),
        (
            |tables| tables.fields[1].offset = 9,
            "field 1 is outside its record, overlaps another, or is misaligned",
        ),
        (
            |tables| tables.fields[1].offset = u32::MAX,
            "field 1 is outside its record, overlaps another, or is misaligned",
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
            "clause 0 has a nonzero reserved field",
        ),
        (
            |tables| tables.clauses[0].record_size = 76,
            "clause 0 has a record size that is out of range",
        ),
        (
            |tables| tables.clauses[0].record_size = RECORD_MAX + 8,
            "clause 0 has a record size that is out of range",
        ),
        (
            |tables| tables.clauses[0].code.count += 1,
            "clause 0 refers to rows that do not exist",
        ),
        (
            |tables| tables.clauses[0].actions.first = u32::MAX,
            "clause 0 refers to rows that do not exist",
        ),
        (
            |tables| tables.clauses[0].fields.first = 1,
            "clause 0 refers to rows that do not exist",
        ),
        (
            |tables| tables.clauses.push(tables.clauses[0]),
            "clause 1 refers to rows that an earlier row owns",
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
            "instruction 0 of clause 0 has an undefined opcode",
        ),
        (
            |tables| tables.code[0].b = 1,
            "instruction 0 of clause 0 sets a field that its opcode does not use",
        ),
        (
            |tables| tables.code[0].immediate = 1,
            "instruction 0 of clause 0 sets a field that its opcode does not use",
        ),
        (
            |tables| tables.code[1].a = 1,
            "instruction 1 of clause 0 sets a field that its opcode does not use",
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
    let expected = "instruction 2 of clause 1 has an immediate that is invalid for its opcode";
    assert_eq!(said, expected);
}

/// Branches, each to a target of its own.
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
    let expected = "instruction 64 of clause 0 has too many branches across it";
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
    let expected = "clause 0 has too many instructions or actions";
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
    let expected = "clause 0 has too many instructions or actions";
    assert_eq!(said_of(CODE_MAX + 1), expected);
}

#[test]
fn every_code_that_is_no_op_is_refused() {
    for code in 0..=u8::MAX {
        let known = Op::ALL.iter().any(|op| op.code() == code);
        let said = spoilt(|tables| tables.code[0].op = code);
        let is_refused = said.ends_with("has an undefined opcode");
        assert_eq!(is_refused, !known, "{code:#x}: {said}");
    }
}

/// The expected errors are literals in these tests; every reason must occur.
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
