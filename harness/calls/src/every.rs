//! Every call, in every variant of its row.

use fastrand::Rng;

use crate::Error;
use crate::answer;
use crate::board::Board;
use crate::cell;
use crate::raw::{self, Way};
use crate::rows::{self, Row};
use crate::stage::{self, Stage};
use crate::table::{self, Call};
use crate::variants::{self, Arguments};
use crate::words;

/// Calls that do not simply come back.
const WAYS: [(&str, Way); 6] = [
    ("clone", Way::Birth),
    ("clone3", Way::Birth),
    ("fork", Way::Birth),
    ("rt_sigreturn", Way::Frame),
    ("sigreturn", Way::Frame),
    ("vfork", Way::Birth),
];
/// Words that need the scenery: names of files in it, and what is opened by them.
const SCENIC: [&str; 3] = ["s:", "-fd", "inotify"];

/// Makes them, and says how many; whether all were.
pub fn every(seed: u64, tells: bool) -> Result<bool, Error> {
    let calls = table::calls();
    let board = raw::board()?;
    let ended = cell::inside(|| {
        for (place, call) in calls.iter().enumerate() {
            if let Some(row) = rows::of(call.name) {
                let turn = Turn {
                    board,
                    place,
                    call,
                    row,
                    seed,
                };
                turn.all()?;
            }
        }
        Ok(())
    });
    if tells {
        tell(&calls, board);
    }
    ended?;
    Ok(sum(&calls, board))
}

/// Says what was made, and what was not.
fn sum(calls: &[Call], board: &Board) -> bool {
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

/// Says what each call answered, each time, and how many times there were.
fn tell(calls: &[Call], board: &Board) {
    for (place, call) in calls.iter().enumerate() {
        let answers = board.of(place).answers().into_iter().map(answer::text);
        println!("{}: {}", call.name, answers.collect::<Vec<_>>().join(", "));
    }
    println!("made {} times in all", board.made());
}

/// One call's turn.
struct Turn<'a> {
    board: &'static Board,
    place: usize,
    call: &'a Call,
    row: &'static Row,
    seed: u64,
}

impl Turn<'_> {
    /// Makes all variants: what a call ends is begun anew behind it.
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

    /// In a child: those from this one on.
    fn some(&self, from: usize) -> Result<u8, Error> {
        if self.is_scenic() {
            stage::scenery(&format!("/{}-{from}", self.call.name))?;
        }
        let variants = self.variants()?;
        self.board.of(self.place).expect(variants.len());
        let (number, place) = (self.call.number as usize, (self.board, self.place));
        raw::run(number, &variants, from, self.way(), place)
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

    fn way(&self) -> Way {
        let way = WAYS.iter().find(|(name, _)| *name == self.row.name);
        way.map_or(Way::Plain, |(_, way)| *way)
    }

    fn is_scenic(&self) -> bool {
        let mut words = SCENIC.iter();
        words.any(|word| self.row.lines.contains(word))
    }
}
