//! Makes every call of the table, in every variant of its row.

use fastrand::Rng;

use crate::Error;
use crate::answer;
use crate::board::Board;
use crate::cell;
use crate::raw::{self, Return};
use crate::rows::{self, Row};
use crate::stage::{self, Stage};
use crate::table::{self, Call};
use crate::variants::{self, Arguments};
use crate::words;

/// Calls that do not return exactly once.
const RETURNS: [(&str, Return); 6] = [
    ("clone", Return::Twice),
    ("clone3", Return::Twice),
    ("fork", Return::Twice),
    ("rt_sigreturn", Return::Frame),
    ("sigreturn", Return::Frame),
    ("vfork", Return::Twice),
];
/// Words that need the files of [`stage::scenery`]: names of files, and descriptors opened on them.
const FILE_WORDS: [&str; 3] = ["s:", "-fd", "inotify"];

/// Makes the calls and prints how many were made, and with `results` what they returned. Returns
/// whether all were made.
pub fn every(seed: u64, results: bool) -> Result<bool, Error> {
    let calls = table::calls();
    let board = raw::board()?;
    let ended = cell::inside(|| {
        for (place, call) in calls.iter().enumerate() {
            if let Some(row) = rows::of(call.name) {
                let it = CallRow {
                    board,
                    place,
                    call,
                    row,
                    seed,
                };
                it.all()?;
            }
        }
        Ok(())
    });
    if results {
        print_results(&calls, board);
    }
    ended?;
    Ok(print_sum(&calls, board))
}

/// Prints how many calls were made, and which were not.
fn print_sum(calls: &[Call], board: &Board) -> bool {
    let missing = (0..)
        .zip(calls)
        .filter(|(place, _)| board.of(*place).begun() == 0);
    let missing: Vec<_> = missing.map(|(_, call)| call.name).collect();
    println!(
        "calls {} of {} made",
        calls.len() - missing.len(),
        calls.len()
    );
    for name in &missing {
        let why = rows::of(name).map_or("no row", |_| "its child died before it");
        println!("not made: {name}: {why}");
    }
    missing.is_empty()
}

/// Prints the results of each call, and the total number of calls made.
fn print_results(calls: &[Call], board: &Board) {
    for (place, call) in calls.iter().enumerate() {
        let answers = board.of(place).answers().into_iter().map(answer::text);
        println!("{}: {}", call.name, answers.collect::<Vec<_>>().join(", "));
    }
    println!("made {} times in all", board.made());
}

/// One call of the table, with its row.
struct CallRow<'a> {
    board: &'static Board,
    place: usize,
    call: &'a Call,
    row: &'static Row,
    seed: u64,
}

impl CallRow<'_> {
    /// Makes all variants. A child that dies in one is replaced by another, which starts behind it.
    fn all(&self) -> Result<(), Error> {
        let progress = self.board.of(self.place);
        let mut from = 0;
        loop {
            let failed = || self.some(from).map_or(1, |never| never);
            cell::child(failed, || progress.begun())?;
            from = progress.begun().max(from + 1);
            if progress.is_done_with(from) {
                return Ok(());
            }
        }
    }

    /// Makes the variants from `from` on; runs in a child.
    fn some(&self, from: usize) -> Result<u8, Error> {
        if self.needs_files() {
            stage::scenery(&format!("/{}-{from}", self.call.name))?;
        }
        let variants = self.variants()?;
        self.board.of(self.place).expect(variants.len());
        let (number, place) = (self.call.number as usize, (self.board, self.place));
        raw::run(number, &variants, from, self.returns(), place)
    }

    fn variants(&self) -> Result<Vec<Arguments>, Error> {
        let mut stage = Stage::build()?;
        let lines = words::lines(self.row.lines).ok_or(Error::Row(self.row.name))?;
        let lines = stage.lines(&lines);
        let mut rng = Rng::with_seed(self.seed ^ (self.call.number as u64) << 32);
        Ok(variants::of(
            &lines,
            self.row.scope,
            &stage.places(),
            &mut rng,
        ))
    }

    fn returns(&self) -> Return {
        let found = RETURNS.iter().find(|(name, _)| *name == self.row.name);
        found.map_or(Return::Once, |(_, returns)| *returns)
    }

    fn needs_files(&self) -> bool {
        let mut words = FILE_WORDS.iter();
        words.any(|word| self.row.lines.contains(word))
    }
}
