//! Steps over stacks made by hand, and over random ones.

use std::collections::BTreeMap;
use std::vec::Vec;

use engine_abi::{FrameRule, UnwindRow};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const PUSHES: Convention = Convention {
    word: 8,
    address: usize::MAX,
    call_pushes: true,
    chain: Some(Chain {
        fp: 0,
        ra: 8,
        end: 16,
    }),
};

/// With a link register and two instruction sets.
const LINKS: Convention = Convention {
    word: 4,
    address: !1,
    call_pushes: false,
    chain: None,
};

/// Words by address, and one table for the addresses from 0x1000 on.
#[derive(Default)]
struct Made {
    words: BTreeMap<usize, usize>,
    rows: BTreeMap<usize, UnwindRow>,
}

impl Stack for Made {
    fn word(&mut self, address: usize) -> Option<usize> {
        self.words.get(&address).copied()
    }

    fn row(&mut self, address: usize) -> Option<UnwindRow> {
        let (_, row) = self.rows.range(..=address).next_back()?;
        Some(*row)
    }
}

fn row(rule: FrameRule, cfa: i16, ra: i16, fp: i16) -> UnwindRow {
    UnwindRow {
        rule: rule.code(),
        cfa,
        ra,
        fp,
        ..UnwindRow::default()
    }
}

fn made<const R: usize, const W: usize>(
    rows: [(usize, UnwindRow); R],
    words: [(usize, usize); W],
) -> Made {
    Made {
        words: words.into(),
        rows: rows.into(),
    }
}

fn frame(pc: usize, sp: usize, fp: usize) -> Frame {
    Frame {
        pc,
        sp,
        fp,
        lr: None,
        at: At::Instruction,
    }
}

fn called(pc: usize, sp: usize, fp: usize) -> Frame {
    Frame {
        at: At::Call,
        ..frame(pc, sp, fp)
    }
}

const KEPT: i16 = UnwindRow::KEPT;

#[test]
fn a_row_relative_to_the_stack_pointer() {
    let row = row(FrameRule::Sp, 6, -2, -4);
    let mut stack = made([(0x1000, row)], [(0x110, 0x2000), (0x108, 0x900)]);
    let found = caller(&mut stack, &PUSHES, &frame(0x1004, 0x100, 7));
    assert_eq!(found, Ok(called(0x2000, 0x118, 0x900)));
}

#[test]
fn a_row_relative_to_the_frame_pointer() {
    let row = row(FrameRule::Fp, 4, -2, -4);
    let mut stack = made([(0x1000, row)], [(0x208, 0x2000), (0x200, 0x900)]);
    let found = caller(&mut stack, &PUSHES, &frame(0x1004, 0x100, 0x200));
    assert_eq!(found, Ok(called(0x2000, 0x210, 0x900)));
    let inverted = caller(&mut stack, &PUSHES, &frame(0x1004, 0x300, 0x200));
    assert_eq!(inverted, Err(End::NotGrowing));
}

#[test]
fn rows_with_a_stored_address() {
    let at_fp = row(FrameRule::AtFp, -2, -2, 0);
    let at_sp = UnwindRow {
        extra: 2,
        ..row(FrameRule::AtSp, 38, -2, -4)
    };
    let words = [
        (0x1f8, 0x400),
        (0x200, 0x900),
        (0x3f8, 0x3000),
        (0x100 + 152, 0x500),
        (0x500, 0x3004),
        (0x4f8, 0x904),
    ];
    let mut stack = made([(0x1000, at_fp), (0x2000, at_sp)], words);
    let found = caller(&mut stack, &PUSHES, &frame(0x1004, 0x100, 0x200));
    assert_eq!(found, Ok(called(0x3000, 0x400, 0x900)));
    let found = caller(&mut stack, &PUSHES, &frame(0x2004, 0x100, 0));
    assert_eq!(found, Ok(called(0x3004, 0x508, 0x904)));
}

#[test]
fn an_entry_of_a_linkage_table_may_have_pushed() {
    let plt = UnwindRow {
        extra: 11,
        ..row(FrameRule::Plt, 2, -2, KEPT)
    };
    let mut stack = made([(0x1000, plt)], [(0x100, 0x2000), (0x108, 0x3000)]);
    let mut at = |pc| caller(&mut stack, &PUSHES, &frame(pc, 0x100, 7));
    assert_eq!(at(0x101a), Ok(called(0x2000, 0x108, 7)));
    assert_eq!(at(0x101b), Ok(called(0x3000, 0x110, 7)));
}

#[test]
fn a_return_address_in_the_link_register_is_known_once() {
    let leaf = row(FrameRule::Sp, 0, KEPT, KEPT);
    let mut stack = made([(0x1000, leaf)], []);
    let innermost = Frame {
        lr: Some(0x1101),
        ..frame(0x1004, 0x100, 7)
    };
    let found = caller(&mut stack, &LINKS, &innermost).unwrap();
    assert_eq!(found, called(0x1100, 0x100, 7), "without Thumb's bit");
    assert_eq!(caller(&mut stack, &LINKS, &found), Err(End::Lost));
}

#[test]
fn the_entry_of_a_function_needs_no_row() {
    let entry = Frame {
        at: At::Entry,
        lr: Some(0x2001),
        ..frame(0x1000, 0x100, 7)
    };
    let mut stack = made([], [(0x100, 0x3000)]);
    let linked = caller(&mut stack, &LINKS, &entry);
    assert_eq!(linked, Ok(called(0x2000, 0x100, 7)));
    let pushed = caller(&mut stack, &PUSHES, &entry);
    assert_eq!(pushed, Ok(called(0x3000, 0x108, 7)));
}

#[test]
fn a_return_address_belongs_to_the_call_before_it() {
    let rows = [
        (0x1000, row(FrameRule::Sp, 2, -2, KEPT)),
        (0x1100, row(FrameRule::Stop, 0, 0, 0)),
    ];
    let mut stack = made(rows, [(0x100, 0x2000)]);
    let behind = caller(&mut stack, &PUSHES, &called(0x1100, 0x100, 7));
    assert_eq!(behind, Ok(called(0x2000, 0x108, 7)));
    let there = caller(&mut stack, &PUSHES, &frame(0x1100, 0x100, 7));
    assert_eq!(there, Err(End::NotExpressible));
}

#[test]
fn a_signal_frame_has_all_registers_of_what_it_interrupted() {
    let signal = UnwindRow {
        extra: -1,
        ..row(FrameRule::Signal, 21, 23, 19)
    };
    let words = [(0x154, 0x80), (0x15c, 0x3002), (0x14c, 9), (0x158, 0x4001)];
    let mut stack = made([(0x1000, signal)], words);
    let found = caller(&mut stack, &LINKS, &called(0x1004, 0x100, 7));
    let interrupted = Frame {
        lr: Some(0x4001),
        ..frame(0x3002, 0x80, 9)
    };
    assert_eq!(found, Ok(interrupted), "its stack may be another one");
}

#[test]
fn without_a_row_the_frame_pointer_leads_on() {
    let words = [(0x200, 0x300), (0x208, 0x2000), (0x300, 0), (0x308, 0)];
    let mut stack = made([], words);
    let found = caller(&mut stack, &PUSHES, &frame(0x1004, 0x100, 0x200)).unwrap();
    assert_eq!(found, called(0x2000, 0x210, 0x300));
    assert_eq!(caller(&mut stack, &PUSHES, &found), Err(End::Outermost));
    let elsewhere = caller(&mut stack, &PUSHES, &frame(0x1004, 0x100, 0x90));
    assert_eq!(elsewhere, Err(End::NoTable));
    let none = caller(&mut stack, &LINKS, &frame(0x1004, 0x100, 0x200));
    assert_eq!(none, Err(End::NoTable));
}

#[test]
fn ends() {
    let rows = [
        (0x1000, row(FrameRule::End, 0, 0, 0)),
        (0x2000, row(FrameRule::Sp, 2, -2, KEPT)),
        (0x3000, row(FrameRule::Sp, -2, KEPT, KEPT)),
        (
            0x4000,
            UnwindRow {
                rule: 200,
                ..UnwindRow::default()
            },
        ),
        (0x5000, row(FrameRule::Sp, 0, -2, KEPT)),
    ];
    let mut stack = made(rows, []);
    let mut end = |pc| {
        let frame = Frame {
            lr: Some(0x1000),
            ..frame(pc, 0x100, 0x200)
        };
        caller(&mut stack, &PUSHES, &frame).unwrap_err()
    };
    assert_eq!(end(0x1000), End::Outermost);
    assert_eq!(end(0x2000), End::Unreadable);
    assert_eq!(end(0x3000), End::NotGrowing);
    assert_eq!(end(0x4000), End::NotExpressible);
    assert_eq!(end(0x5000), End::NotGrowing);
}

#[test]
fn a_walk_has_a_limit_and_an_end() {
    let rows = [
        (0x1000, row(FrameRule::Sp, 2, -2, KEPT)),
        (0x2000, row(FrameRule::End, 0, 0, 0)),
    ];
    let mut stack = made(rows, [(0x100, 0x1100), (0x108, 0x2000 + 1)]);
    let first = frame(0x1000, 0x100, 0);
    let mut walk = Walk::new(&mut stack, &PUSHES, first, 9);
    let pcs: Vec<_> = walk.by_ref().map(|frame| frame.pc).collect();
    assert_eq!(pcs, [0x1000, 0x1100, 0x2001]);
    assert_eq!(walk.end(), Some(End::Outermost));
    assert_eq!(Walk::new(&mut stack, &PUSHES, first, 2).count(), 2);
}

/// Any bytes as a table, and a memory whose words are near the stack and the code.
struct Random {
    table: Vec<u8>,
    words: Vec<usize>,
}

impl Stack for Random {
    fn word(&mut self, address: usize) -> Option<usize> {
        self.words.get(address % (self.words.len() + 1)).copied()
    }

    fn row(&mut self, address: usize) -> Option<UnwindRow> {
        Table::new(&self.table).row(u32::try_from(address).ok()?)
    }
}

fn some_rows() -> impl Strategy<Value = Vec<u8>> {
    let number = || prop_oneof![-8_i16..8, any::<i16>(), Just(KEPT)];
    let row = (
        0_u32..64,
        0_u8..10,
        any::<i8>(),
        number(),
        number(),
        number(),
    );
    let bytes = row.prop_map(|(start, rule, extra, cfa, ra, fp)| {
        use zerocopy::IntoBytes;
        let row = UnwindRow {
            start,
            rule,
            extra,
            cfa,
            ra,
            fp,
        };
        row.as_bytes().to_vec()
    });
    prop_oneof![
        vec(any::<u8>(), 0..99),
        vec(bytes, 0..16).prop_map(|rows| rows.concat())
    ]
}

fn some_word() -> impl Strategy<Value = usize> {
    prop_oneof![
        0_usize..99,
        any::<usize>(),
        (0_usize..9).prop_map(|less| usize::MAX - less)
    ]
}

proptest! {
    #[test]
    fn any_table_and_any_stack_end_a_walk(
        table in some_rows(),
        words in vec(some_word(), 0..32),
        [pc, sp, fp, lr] in [some_word(), some_word(), some_word(), some_word()],
        is_entry: bool,
        pushes: bool,
    ) {
        let at = if is_entry { At::Entry } else { At::Instruction };
        let first = Frame { pc, sp, fp, lr: Some(lr), at };
        let convention = if pushes { PUSHES } else { LINKS };
        let mut stack = Random { table, words };
        let mut walk = Walk::new(&mut stack, &convention, first, 1000);
        let frames: Vec<_> = walk.by_ref().collect();
        prop_assert!(frames.len() <= 1000);
        for pair in frames.windows(2) {
            let is_leaf = pair[0].lr.is_some();
            let is_interrupted = pair[1].at == At::Instruction;
            prop_assert!(is_interrupted || pair[0].sp < pair[1].sp || is_leaf && pair[0].sp == pair[1].sp);
        }
    }
}
