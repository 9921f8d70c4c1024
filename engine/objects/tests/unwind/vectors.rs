//! Descriptions made by hand.

use engine_abi::{FrameRule, UnwindRow};
use engine_objects::{Fault, UnwindTable};

use super::image::{CONTENTS, frames, with_eh_frame, with_exidx};

/// A row with its offsets; none for one that was not saved.
type Row = (u32, FrameRule, i16, Option<i16>, Option<i16>);

fn rows(table: &UnwindTable) -> Vec<Row> {
    let kept = |at: i16| (at != UnwindRow::KEPT).then_some(at);
    let rows = table.rows().iter();
    rows.map(|row| {
        let rule = FrameRule::from_code(row.rule).unwrap();
        (row.start, rule, row.cfa, kept(row.ra), kept(row.fp))
    })
    .collect()
}

/// A number relative to where it is, in words from the contents' begin.
fn relative(to: u32, at: u32) -> u32 {
    let at = u32::try_from(CONTENTS).unwrap() + 4 * at;
    to.wrapping_sub(at) & 0x7fff_ffff
}

/// An entry's address in the contents, in words.
fn contents(word: u32) -> u32 {
    u32::try_from(CONTENTS).unwrap() + 4 * word
}

fn index(is_big: bool) -> UnwindTable {
    let words = [
        // push {r4, lr}, in the entry itself
        relative(0x10, 0),
        0x80a8_b0b0,
        // In `.ARM.extab`, for the second routine and for one of a language
        relative(0x20, 2),
        relative(contents(12), 3),
        relative(0x30, 4),
        relative(contents(14), 5),
        // No description, then a routine that is not standard
        relative(0x40, 6),
        1,
        relative(0x60, 8),
        0x8300_0000,
        relative(0x70, 10),
        0x80b0_b0b0,
        // push {r4-r11, lr}; sub sp, sp, #0x408
        0x8101_b281,
        0x01af_b0b0,
        relative(0x80, 14),
        // push {fp, lr}; add fp, sp, #4
        0x019b_4084,
        0x80b0_b0b0,
    ];
    let file = with_exidx(&words, 12, is_big);
    UnwindTable::of_bytes(&file).unwrap().1
}

#[test]
fn an_index_of_functions() {
    use FrameRule::{Fp, None as NoTable, Sp, Stop};
    for is_big in [false, true] {
        let table = index(is_big);
        assert_eq!(
            rows(&table),
            [
                (0x10, Sp, 2, Some(-1), None),
                (0x20, Sp, 129 + 129 + 9, Some(-1), Some(-2)),
                (0x30, Fp, 1, Some(-1), Some(-2)),
                (0x40, NoTable, 0, Some(0), Some(0)),
                (0x60, Stop, 0, Some(0), Some(0)),
                (0x70, Sp, 0, None, None),
                (contents(17), NoTable, 0, Some(0), Some(0)),
            ]
        );
    }
}

#[test]
fn an_index_must_be_sorted_and_inside_the_file() {
    let words = [relative(0x20, 0), 1, relative(0x10, 2), 1];
    let unsorted = with_exidx(&words, 4, false);
    let outside = with_exidx(&words, 5, false);
    for (file, why) in [(unsorted, "not sorted"), (outside, "outside the file")] {
        let table = UnwindTable::of_bytes(&file).unwrap().1;
        assert_eq!(table.rows(), []);
        assert_eq!(table.faults().last(), Some(&Fault::Exidx(why)));
    }
}

/// The first row of a function of 16 bytes at 0x10, by its instructions.
fn first(augmentation: &str, instructions: &[u8]) -> Row {
    // Before them, the CFA is rsp + 8 and the return address at CFA - 8.
    let frames = frames(augmentation, &[0x0c, 7, 8, 0x90, 1], instructions);
    let table = UnwindTable::of_bytes(&with_eh_frame(&frames)).unwrap().1;
    let is_own = |fault: &&Fault| !matches!(fault, Fault::NoSections | Fault::SectionHeaders);
    assert_eq!(table.faults().iter().find(is_own), None);
    let rows = rows(&table);
    assert_eq!(
        rows.last().map(|row| (row.0, row.1)),
        Some((0x20, FrameRule::None))
    );
    assert_eq!(rows[0].0, 0x10);
    rows[0]
}

#[test]
fn call_frame_instructions() {
    use FrameRule::{AtFp, AtSp, End, Fp, Plt, Signal, Sp, Stop};
    let stop = (0x10, Stop, 0, Some(0), Some(0));
    let of = |instructions: &[u8]| first("zR", instructions);
    assert_eq!(of(&[]), (0x10, Sp, 2, Some(-2), None));
    // CFA = rbp + 16, rbp at CFA - 16
    assert_eq!(
        of(&[0x0c, 6, 16, 0x86, 2]),
        (0x10, Fp, 4, Some(-2), Some(-4))
    );
    assert_eq!(of(&[0x0c, 3, 16]), stop, "another register");
    assert_eq!(of(&[0x0e, 6]), stop, "no multiple of a unit");
    assert_eq!(of(&[0x0e, 0x80, 0x80, 0x08]), stop, "128 KiB");
    assert_eq!(of(&[0x07, 16]), (0x10, End, 0, Some(0), Some(0)));
    assert_eq!(
        of(&[0x08, 16]),
        stop,
        "a return address that was not pushed"
    );
    assert_eq!(of(&[0x09, 16, 2]), stop, "in another register");
    assert_eq!(
        of(&[0x09, 6, 9]),
        stop,
        "the frame pointer in another register"
    );
    // CFA = *(rsp + 152) + 8
    let at_sp = [0x0f, 6, 0x77, 0x98, 1, 0x06, 0x23, 8];
    assert_eq!(of(&at_sp), (0x10, AtSp, 38, Some(-2), None));
    // CFA = *(rbp - 8), rbp at *rbp
    let at_fp = [0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0];
    assert_eq!(of(&at_fp), (0x10, AtFp, -2, Some(-2), Some(0)));
    // CFA = rsp + 8 + ((rip & 15 >= 11) << 3)
    let plt = [
        0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
    ];
    assert_eq!(of(&plt), (0x10, Plt, 2, Some(-2), None));
    assert_eq!(of(&[0x0f, 2, 0x77, 8]), (0x10, Sp, 2, Some(-2), None));
    // CFA = *(rsp + 160), rip at rsp + 168, rbp at rsp + 120
    let signal = [
        0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xa8, 1, 0x10, 6, 3, 0x77, 0xf8, 0,
    ];
    assert_eq!(
        first("zRS", &signal),
        (0x10, Signal, 40, Some(42), Some(30))
    );
    assert_eq!(of(&signal), stop, "not from a signal");
    assert_eq!(first("zRS", &[]), stop, "a trampoline of another form");
}
