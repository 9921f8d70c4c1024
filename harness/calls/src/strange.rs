//! Calls by numbers that are in no table, and through int 0x80.

use rustix::process::WaitStatus;

use crate::Error;
use crate::answer;
use crate::board::Board;
use crate::cell;
use crate::raw::{self, FAULT, Return};
use crate::table;

/// How far beyond the end of the kernel's table.
const BEYOND: [usize; 4] = [0, 1, 4, 9];

/// Beyond any kernel's table; the ends of ARM's private calls; with x32's bit; and extreme values.
const NUMBERS: [usize; 18] = [
    511,
    512,
    547,
    548,
    1023,
    0xffff,
    0xf_0000,
    0xf_0007,
    0xf_0800,
    0x4000_0000,
    0x4000_0027,
    0x4000_0200,
    0x4000_ffff,
    0x7fff_ffff,
    0x8000_0000,
    isize::MAX as usize,
    usize::MAX - 1,
    usize::MAX,
];

/// A call that only machines with int 0x80 have.
const INT80_MARKER: &str = "arch_prctl";
/// In the 32-bit table: `getpid`, an obsolete call, and one that does not exist. That table ends where the other does.
const INT80_NUMBERS: [u32; 3] = [20, 17, 0x7fff_ffff];

/// Makes each in a child of its own, and prints its result. `end` is the first number that the kernel's table
/// does not have.
pub fn strange(end: usize) -> Result<(), Error> {
    let beyond = BEYOND.iter().map(|distance| end.saturating_add(*distance));
    let numbers: Vec<usize> = beyond.chain(NUMBERS).collect();
    let board = raw::board()?;
    let mut old = Vec::new();
    if table::has(INT80_MARKER) {
        old.push(end as u32);
        old.extend(INT80_NUMBERS);
    }
    let ends: &Board = raw::board()?;
    cell::inside(|| {
        for (place, &number) in numbers.iter().enumerate() {
            let work = || raw::run(number, &[[0; 6]], 0, Return::Once, (board, place));
            record_end(ends, place, cell::child(work, || board.of(place).begun())?);
        }
        for (place, number) in (numbers.len()..).zip(&old) {
            let work = || int80(*number, board, place);
            record_end(ends, place, cell::child(work, || board.of(place).begun())?);
        }
        Ok(())
    })?;
    let names = numbers.iter().map(|number| format!("{number:#x}"));
    let names = names.chain(old.iter().map(|number| format!("int 0x80 {number:#x}")));
    for (place, name) in names.enumerate() {
        println!("{name}: {}", describe(board, ends, place));
    }
    Ok(())
}

/// `mov eax, number; int 0x80; ret`
fn int80(number: u32, board: &Board, place: usize) -> u8 {
    let [a, b, c, d] = number.to_le_bytes();
    board.begin(place, 0);
    match raw::execute(&[0xb8, a, b, c, d, 0xcd, 0x80, 0xc3]) {
        Ok(answer) => {
            board.of(place).end(0, answer as i32 as isize as usize);
            0
        }
        Err(_) => 1,
    }
}

/// Records how the child ended.
fn record_end(ends: &Board, place: usize, status: Option<WaitStatus>) {
    let ended = status.and_then(WaitStatus::exit_status);
    ends.begin(place, 0);
    ends.of(place).end(0, ended.unwrap_or(0) as usize);
}

fn describe(board: &Board, ends: &Board, place: usize) -> String {
    let first = |board: &Board| board.of(place).answers().first().copied().flatten();
    match (first(board), first(ends)) {
        (None, Some(status)) if status > FAULT => format!("signal {}", status - FAULT),
        (answer, _) => answer::text(answer),
    }
}
