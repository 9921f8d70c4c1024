//! Disassembly: an example, and the round trip through the assembler.

use engine_dvm::{Listing, Verified};

use crate::assemble::assemble;
use crate::vectors::each_case;

const PROGRAM: &[&str] = &[
    "size 16",
    "var self->name text",
    "var a[scalar, text] scalar",
    "aggregation @[text] count",
    "field scalar 4",
    "    ldb  %r0, execname, %r1",
    "    sets \"init\", %r2",
    "    scmp %r1, %r2, %r3",
    "    bnz  %r3, end",
    "    open",
    "action",
    "    seti -1, %r4",
    "    seth %r4, 0x10, %r4",
    "    ldx  [%r4], %r5",
    "    rec  %r5, 0",
    "    stv  %r1, self->name",
    "    push %r5",
    "    pushs %r1",
    "    sta  %r5, a",
    "    push %r1",
    "    call strlen, %r6",
    "    seti 8, %r7",
    "    push %r7",
    "    call alloca, %r8",
    "    stw  %r6, [%r8]",
    "    pushs %r2",
    "    agg  %r0, %r7, @",
    "end:",
    "    ret",
];

const LISTING: &str = include_str!("../listing.txt");

fn listing(lines: &[&str]) -> (Vec<u64>, String) {
    let block = assemble(lines).tables.block();
    let program = Verified::new(block.clone()).unwrap();
    let clause = program.clause(0).unwrap();
    (block, Listing(clause).to_string())
}

#[test]
fn a_listing_names_what_instructions_name() {
    let listing = listing(PROGRAM).1;
    assert_eq!(listing, LISTING, "seen:\n{listing}");
}

#[test]
fn what_is_listed_is_what_was_assembled() {
    let (block, listing) = listing(PROGRAM);
    let declarations = PROGRAM
        .iter()
        .copied()
        .filter(|line| !line.starts_with(' '));
    let declarations = declarations.filter(|line| *line != "end:" && *line != "action");
    let instructions = listing.lines().skip(1).map(|line| &line[24..]);
    let lines: Vec<&str> = declarations.chain(instructions).collect();
    let mut again = assemble(&lines).tables;
    // Listings do not include the beginnings of actions, nor unreferenced strings.
    again.actions = assemble(PROGRAM).tables.actions;
    again.clauses[0].actions.count = again.actions.len() as u32;
    again.strings = assemble(PROGRAM).tables.strings;
    assert_eq!(again.block(), block);
}

#[test]
fn every_case_is_listed_as_it_was_assembled() {
    each_case(|file, case| {
        let tables = case.assembly().tables;
        let Ok(program) = Verified::new(tables.block()) else {
            return;
        };
        let listing = Listing(program.clause(0).unwrap()).to_string();
        let lines: Vec<&str> = listing.lines().skip(1).map(|line| &line[24..]).collect();
        assert_eq!(
            assemble(&lines).tables.code,
            tables.code,
            "{file}: {}",
            case.title
        );
    });
}
