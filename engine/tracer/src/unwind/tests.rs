//! Steps over stacks made by hand, and over random ones.

use std::collections::BTreeMap;
use std::vec;
use std::vec::Vec;

use engine_abi::{FrameRule, UnwindRow};
use proptest::collection;
use proptest::prelude::*;

use super::*;
use crate::platform::FrameRecord;

const PUSHES: FrameLayout = FrameLayout {
    word: 8,
    has_link: false,
    record: FrameRecord::Pair,
    mask: u64::MAX,
};

/// With a link register and two instruction sets.
const LINKS: FrameLayout = FrameLayout {
    word: 4,
    has_link: true,
    record: FrameRecord::Unknown,
    mask: !1,
};

/// Words by address, and one table for the addresses from 0x1000 on.
#[derive(Default)]
struct Made {
    words: BTreeMap<u64, u64>,
    rows: BTreeMap<u64, UnwindRow>,
    is_short: bool,
}

impl Stack for Made {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let size = if self.is_short { 4 } else { 8 };
        for (address, bytes) in (address..).step_by(size).zip(bytes.chunks_mut(size)) {
            let word = self.words.get(&address)?;
            bytes.copy_from_slice(&word.to_ne_bytes()[..size]);
        }
        Some(())
    }

    fn row(&mut self, address: u64) -> Option<UnwindRow> {
        let (_, row) = self.rows.range(..=address).next_back()?;
        Some(*row)
    }
}

/// The frames of a stack, at most `limit`, and why there are no more.
fn walk(
    stack: &mut impl Stack,
    layout: FrameLayout,
    first: Frame,
    limit: usize,
) -> (Vec<Frame>, Option<End>) {
    let mut frames = vec![first];
    while frames.len() < limit {
        match caller(stack, layout, &frames[frames.len() - 1]) {
            Ok(frame) => frames.push(frame),
            Err(end) => return (frames, Some(end)),
        }
    }
    (frames, None)
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
    rows: [(u64, UnwindRow); R],
    words: [(u64, u64); W],
) -> Made {
    Made {
        words: words.into(),
        rows: rows.into(),
        is_short: false,
    }
}

fn frame(pc: u64, sp: u64, fp: u64) -> Frame {
    Frame {
        pc,
        sp,
        fp,
        lr: None,
        at: At::Instruction,
    }
}

fn called(pc: u64, sp: u64, fp: u64) -> Frame {
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
    let found = caller(&mut stack, PUSHES, &frame(0x1004, 0x100, 7));
    assert_eq!(found, Ok(called(0x2000, 0x118, 0x900)));
}

#[test]
fn a_row_relative_to_the_frame_pointer() {
    let row = row(FrameRule::Fp, 4, -2, -4);
    let mut stack = made([(0x1000, row)], [(0x208, 0x2000), (0x200, 0x900)]);
    let found = caller(&mut stack, PUSHES, &frame(0x1004, 0x100, 0x200));
    assert_eq!(found, Ok(called(0x2000, 0x210, 0x900)));
    let inverted = caller(&mut stack, PUSHES, &frame(0x1004, 0x300, 0x200));
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
    let found = caller(&mut stack, PUSHES, &frame(0x1004, 0x100, 0x200));
    assert_eq!(found, Ok(called(0x3000, 0x400, 0x900)));
    let found = caller(&mut stack, PUSHES, &frame(0x2004, 0x100, 0));
    assert_eq!(found, Ok(called(0x3004, 0x508, 0x904)));
}

#[test]
fn an_entry_of_a_linkage_table_may_have_pushed() {
    let plt = UnwindRow {
        extra: 11,
        ..row(FrameRule::Plt, 2, -2, KEPT)
    };
    let mut stack = made([(0x1000, plt)], [(0x100, 0x2000), (0x108, 0x3000)]);
    let mut at = |pc| caller(&mut stack, PUSHES, &frame(pc, 0x100, 7));
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
    let found = caller(&mut stack, LINKS, &innermost).unwrap();
    assert_eq!(found, called(0x1100, 0x100, 7), "without Thumb's bit");
    assert_eq!(caller(&mut stack, LINKS, &found), Err(End::Lost));
}

#[test]
fn a_function_without_frame_needs_no_row() {
    let entry = Frame {
        at: At::Bare,
        lr: Some(0x2001),
        ..frame(0x1000, 0x100, 7)
    };
    let mut stack = made([], [(0x100, 0x3000)]);
    let linked = caller(&mut stack, LINKS, &entry);
    assert_eq!(linked, Ok(called(0x2000, 0x100, 7)));
    let pushed = caller(&mut stack, PUSHES, &entry);
    assert_eq!(pushed, Ok(called(0x3000, 0x108, 7)));
}

#[test]
fn a_return_address_belongs_to_the_call_before_it() {
    let rows = [
        (0x1000, row(FrameRule::Sp, 2, -2, KEPT)),
        (0x1100, row(FrameRule::Stop, 0, 0, 0)),
    ];
    let mut stack = made(rows, [(0x100, 0x2000)]);
    let behind = caller(&mut stack, PUSHES, &called(0x1100, 0x100, 7));
    assert_eq!(behind, Ok(called(0x2000, 0x108, 7)));
    let there = caller(&mut stack, PUSHES, &frame(0x1100, 0x100, 7));
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
    stack.is_short = true;
    let found = caller(&mut stack, LINKS, &called(0x1004, 0x100, 7));
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
    let found = caller(&mut stack, PUSHES, &frame(0x1004, 0x100, 0x200)).unwrap();
    assert_eq!(found, called(0x2000, 0x210, 0x300));
    assert_eq!(caller(&mut stack, PUSHES, &found), Err(End::Outermost));
    let elsewhere = caller(&mut stack, PUSHES, &frame(0x1004, 0x100, 0x90));
    assert_eq!(elsewhere, Err(End::NoTable));
    let none = caller(&mut stack, LINKS, &frame(0x1004, 0x100, 0x200));
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
        caller(&mut stack, PUSHES, &frame).unwrap_err()
    };
    assert_eq!(end(0x1000), End::Outermost);
    assert_eq!(end(0x2000), End::Unreadable);
    assert_eq!(end(0x3000), End::NotGrowing);
    assert_eq!(end(0x4000), End::NotExpressible);
    assert_eq!(end(0x5000), End::NotGrowing);
}

#[test]
fn a_walk_ends() {
    let rows = [
        (0x1000, row(FrameRule::Sp, 2, -2, KEPT)),
        (0x2000, row(FrameRule::End, 0, 0, 0)),
    ];
    let mut stack = made(rows, [(0x100, 0x1100), (0x108, 0x2000 + 1)]);
    let first = frame(0x1000, 0x100, 0);
    let (frames, end) = walk(&mut stack, PUSHES, first, 9);
    let pcs: Vec<_> = frames.iter().map(|frame| frame.pc).collect();
    assert_eq!(pcs, [0x1000, 0x1100, 0x2001]);
    assert_eq!(end, Some(End::Outermost));
    let (frames, end) = walk(&mut stack, PUSHES, first, 2);
    assert_eq!((frames.len(), end), (2, None));
}

/// Any bytes as a table, and a memory whose words are near the stack and the code.
struct Random {
    table: Vec<u8>,
    words: Vec<u64>,
}

impl Stack for Random {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Option<()> {
        let places = self.words.len() as u64 + 1;
        let word = self.words.get((address % places) as usize)?.to_ne_bytes();
        let words = bytes.chunks_mut(word.len());
        words.for_each(|bytes| bytes.copy_from_slice(&word[..bytes.len()]));
        Some(())
    }

    fn row(&mut self, address: u64) -> Option<UnwindRow> {
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
        collection::vec(any::<u8>(), 0..99),
        collection::vec(bytes, 0..16).prop_map(|rows| rows.concat())
    ]
}

fn some_word() -> impl Strategy<Value = u64> {
    prop_oneof![
        0_u64..99,
        any::<u64>(),
        (0_u64..9).prop_map(|less| u64::MAX - less)
    ]
}

proptest! {
    #[test]
    fn any_table_and_any_stack_end_a_walk(
        table in some_rows(),
        words in collection::vec(some_word(), 0..32),
        [pc, sp, fp, lr] in [some_word(), some_word(), some_word(), some_word()],
        at in prop_oneof![Just(At::Bare), Just(At::Instruction)],
        layout in prop_oneof![Just(PUSHES), Just(LINKS)],
    ) {
        let first = Frame { pc, sp, fp, lr: Some(lr), at };
        let mut stack = Random { table, words };
        let (frames, _) = walk(&mut stack, layout, first, 1000);
        for pair in frames.windows(2) {
            let is_leaf = pair[0].lr.is_some();
            let is_interrupted = pair[1].at == At::Instruction;
            prop_assert!(is_interrupted || pair[0].sp < pair[1].sp || is_leaf && pair[0].sp == pair[1].sp);
        }
    }
}
