//! The accessors of a verified program.

use engine_abi::{FieldKind, Scope, Span, ValueKind};
use engine_dvm::aggregate::Aggregate;
use engine_dvm::{Aggregation, Brief, Builtin, Field, KeyPart, Source, Variable, Verified};

use crate::assemble::assemble;

fn program(lines: &[&str]) -> Verified<Vec<u64>> {
    Verified::new(assemble(lines).tables.block()).unwrap()
}

#[test]
fn rows_are_told_as_they_were_declared() {
    let program = program(&[
        "size 12",
        "var x scalar",
        "var self->a[scalar, text] bytes 3",
        "aggregation @n[stack 2] max",
        "field scalar 2",
        "field text 12",
        "    open",
        "    ret",
    ]);
    let array = Variable {
        name: 2,
        size: 3,
        scope: Scope::Thread,
        kind: ValueKind::Bytes,
        keys: Span { first: 0, count: 2 },
    };
    assert_eq!(program.variable(1), Some(array));
    let aggregation = Aggregation {
        name: 4,
        aggregate: Aggregate::Max,
        keys: Span { first: 2, count: 1 },
    };
    assert_eq!(program.aggregation(0), Some(aggregation));
    let parts: Vec<KeyPart> = program.keys(array.keys).collect();
    let kinds = [(8, FieldKind::Scalar), (16, FieldKind::Text)];
    assert_eq!(parts, kinds.map(|(size, kind)| KeyPart { size, kind }));
    assert_eq!(program.key_size(array.keys), 24);
    let clause = program.clause(0).unwrap();
    let fields: Vec<Field> = clause.fields().collect();
    let kinds = [(0, 2, FieldKind::Scalar), (2, 12, FieldKind::Text)];
    assert_eq!(
        fields,
        kinds.map(|(offset, size, kind)| Field { offset, size, kind })
    );
    assert_eq!(
        (clause.record_size(), clause.instructions().count()),
        (16, 2)
    );
}

#[test]
fn what_is_not_there_is_not_told() {
    let program = program(&["var x scalar", "aggregation @n[scalar] max", "    ret"]);
    assert!(program.clause(0).is_some() && program.clause(1).is_none());
    assert!(program.variable(0).is_some() && program.variable(1).is_none());
    assert!(program.aggregation(0).is_some() && program.aggregation(1).is_none());
    assert_eq!(program.string(0), Some(&b"x"[..]));
    assert_eq!(program.string(3), Some(&b""[..]));
    assert_eq!(program.string(4), None);
}

#[test]
fn there_is_room_for_the_longest_key_and_for_arguments() {
    assert_eq!(program(&["    ret"]).key_size_max(), 24);
    let long = [
        "var a[bytes 30, scalar] scalar",
        "aggregation @[stack 3] max",
        "    ret",
    ];
    assert_eq!(program(&long).key_size_max(), 40);
    let longer = ["aggregation @[stack 7] max", "    ret"];
    assert_eq!(program(&longer).key_size_max(), 56);
}

#[test]
fn there_is_scratch_memory_for_what_one_instruction_needs() {
    let cases: [(&[&str], u32); 5] = [
        (&["size 20", "scratch 100", "    ret"], 148),
        (&["size 20", "var b bytes 90", "    ret"], 96),
        (&["size 20", "field stack 160", "    ret"], 160),
        (&["size 20", "field bytes 90", "    ret"], 96),
        (
            &["size 20", "field scalar 8", "var x scalar", "    ret"],
            48,
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(program(lines).scratch(), expected, "{lines:?}");
    }
}

#[test]
fn what_can_be_counted_later_is_told_apart() {
    const NAMED: &str = "aggregation @n[text] count";
    let tallies: [(&[&str], bool); 14] = [
        (&[COUNTS, "    agg  %r0, %r0, @n", "    ret"], true),
        (
            &[
                NAMED,
                "    ldb  %r0, probefunc, %r1",
                "    pushs %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            true,
        ),
        (
            &[
                KEYED,
                "    seti 5, %r1",
                "    push %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            true,
        ),
        (
            &[
                KEYED,
                "    ldb  %r0, id, %r1",
                "    push %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            true,
        ),
        (
            &[
                KEYED,
                "    ldb  %r0, tid, %r1",
                "    push %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            false,
        ),
        (
            &[
                KEYED,
                "    ldb  %r0, arg, %r1",
                "    push %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            false,
        ),
        (
            &[
                NAMED,
                "    ldb  %r0, probefunc, %r1",
                "    seti 5, %r1",
                "    pushs %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            false,
        ),
        (
            &[NAMED, "    pushs %r0", "    agg  %r0, %r0, @n", "    ret"],
            false,
        ),
        (&[SUMS, "    agg  %r0, %r0, @n", "    ret"], false),
        (&["    open", "    ret"], false),
        (&["    exit", "    ret"], false),
        (
            &[
                COUNTS,
                "    ldb  %r0, timestamp, %r1",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            false,
        ),
        (
            &[
                COUNTS,
                "    bz   %r0, end",
                "    agg  %r0, %r0, @n",
                "end:",
                "    ret",
            ],
            false,
        ),
        (
            &[
                COUNTS,
                "var x scalar",
                "    stv  %r0, x",
                "    agg  %r0, %r0, @n",
                "    ret",
            ],
            false,
        ),
    ];
    for (lines, expected) in tallies {
        let program = program(lines);
        assert_eq!(program.clause(0).unwrap().is_tally(), expected, "{lines:?}");
        let exits = lines.iter().any(|line| line.contains("exit"));
        assert_eq!(program.clause(0).unwrap().may_exit(), exits, "{lines:?}");
    }
}

#[test]
fn what_needs_no_machine_is_told_apart() {
    let briefs: [(&[&str], Option<Brief>); 9] = [
        (&["    open", "    ret"], Some(Brief::Mark)),
        (
            &[COUNTS, "    agg  %r0, %r0, @n", "    ret"],
            Some(Brief::Count(0)),
        ),
        (&["    ret"], None),
        (
            &["field scalar 8", "    open", "    rec  %r0, 0", "    ret"],
            None,
        ),
        (&["field scalar 8", "    open", "    ret"], None),
        (&["    open", "    exit", "    ret"], None),
        (&[SUMS, "    agg  %r0, %r0, @n", "    ret"], None),
        (
            &[
                COUNTS,
                "    seti 1, %r1",
                "    agg  %r1, %r0, @n",
                "    ret",
            ],
            None,
        ),
        (
            &[KEYED, "    push %r0", "    agg  %r0, %r0, @n", "    ret"],
            None,
        ),
    ];
    for (lines, brief) in briefs {
        let program = program(lines);
        assert_eq!(program.clause(0).unwrap().brief(), brief, "{lines:?}");
    }
}

#[test]
fn what_only_records_is_told_with_what_it_records() {
    let told = |lines: &[&str]| {
        let program = program(lines);
        let mut recorded = Vec::new();
        let is_so = program.clause(0).unwrap().is_recorded(|it| {
            recorded.push((it.offset, it.size, it.source));
        });
        is_so.then_some(recorded)
    };
    let time = Source::Builtin(Builtin::Timestamp, 0);
    let both = &[
        "field scalar 8",
        "field scalar 4",
        "    seti 1, %r2",
        "    ldb  %r2, arg, %r1",
        "    open",
        "    rec  %r1, 0",
        "    seti -2, %r3",
        "    mov  %r3, %r3",
        "    rec  %r3, 1",
        "    ret",
    ];
    let recorded = vec![
        (0, 8, Source::Builtin(Builtin::Arg, 1)),
        (8, 4, Source::Number(-2i64 as u64)),
    ];
    assert_eq!(told(both), Some(recorded));
    assert_eq!(told(&["    open", "    ret"]), Some(vec![]));
    let one = |lines: &[&'static str]| {
        let all = [&["field scalar 8", "var x scalar"], lines, &["    ret"]].concat();
        told(&all)
    };
    let timed = [
        "    ldb  %r0, timestamp, %r1",
        "    open",
        "    rec  %r1, 0",
    ];
    assert_eq!(one(&timed), Some(vec![(0, 8, time)]));
    let high = [
        "    seti 3, %r1",
        "    seth %r1, 4, %r1",
        "    open",
        "    rec  %r1, 0",
    ];
    assert_eq!(one(&high), Some(vec![(0, 8, Source::Number(4 << 32 | 3))]));
    let more: [&[&str]; 7] = [
        &["    open", "    rec  %r0, 0", "    rec  %r0, 0"],
        &["    open", "    rec  %r0, 0", "    stv  %r0, x"],
        &["    open", "    rec  %r0, 0", "    exit"],
        &[
            "    ldb  %r0, vtimestamp, %r1",
            "    open",
            "    rec  %r1, 0",
        ],
        &[
            "    ldb  %r0, ustackdepth, %r1",
            "    open",
            "    rec  %r0, 0",
        ],
        &["    ldv  x, %r1", "    open", "    rec  %r1, 0"],
        &["    opens %r0", "    rec  %r0, 0"],
    ];
    for lines in more {
        assert_eq!(one(lines), None, "{lines:?}");
    }
    assert_eq!(told(&["    ret"]), None, "it records nothing");
    let text = ["field text 8", "    open", "    rec  %r0, 0", "    ret"];
    assert_eq!(told(&text), None);
    let under = [
        "field scalar 8",
        "    ldb  %r0, pid, %r1",
        "    bz   %r1, end",
        "    open",
        "    rec  %r1, 0",
        "end:",
        "    ret",
    ];
    assert_eq!(told(&under), None);
}

const COUNTS: &str = "aggregation @n count";
const SUMS: &str = "aggregation @n sum";
const KEYED: &str = "aggregation @n[scalar] count";
