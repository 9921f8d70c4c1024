//! Plans every word that there is and counts what came of it, row by row: `sweep <set>` compares
//! the counts with those that are kept in `examples/sweep/<set>.txt`, `sweep <set> --update` keeps
//! them. Ends with 1 if a row has no word, or if the counts are others.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::{fs, thread};

use engine_isa::{Plan, Row, Why, arm};

/// An instruction set whose instructions are words.
struct Set {
    name: &'static str,
    rows: &'static [Row],
    /// The row of a word, and what is planned for it.
    answer: fn(u32) -> (usize, Answer),
}

/// A plan without what it would do.
#[derive(Clone, Copy)]
enum Answer {
    Emulate,
    Relocate,
    Refuse(Why),
}

const SETS: &[Set] = &[Set {
    name: "arm",
    rows: arm::ROWS,
    answer: |word| (arm::row(word), answer(arm::plan(word))),
}];

fn answer<E, R>(plan: Plan<E, R>) -> Answer {
    match plan {
        Plan::Emulate(_) => Answer::Emulate,
        Plan::Relocate(_) => Answer::Relocate,
        Plan::Refuse(why) => Answer::Refuse(why),
    }
}

/// How many words there are of a row, or of all: emulated, relocated and refused.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Count([u64; 3]);

/// What all words came to.
struct Counts {
    rows: Vec<Count>,
    refused: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn of_none(set: &Set) -> Self {
        Self {
            rows: vec![Count::default(); set.rows.len()],
            refused: BTreeMap::new(),
        }
    }

    fn add(&mut self, other: Self) {
        for (Count(row), Count(more)) in self.rows.iter_mut().zip(other.rows) {
            row.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
        for (why, more) in other.refused {
            *self.refused.entry(why).or_default() += more;
        }
    }

    /// A line for each row and each reason, and the sums.
    fn text(&self, set: &Set) -> String {
        let mut text = format!("{:>11}{:>11}{:>11}\n", "emulate", "relocate", "refuse");
        let mut line = |Count([emulate, relocate, refuse]): Count, name: &str| {
            writeln!(text, "{emulate:>11}{relocate:>11}{refuse:>11}  {name}")
        };
        let mut sum = [0; 3];
        for (row, count) in set.rows.iter().zip(&self.rows) {
            line(*count, row.name).expect("a string takes it");
            sum.iter_mut()
                .zip(count.0)
                .for_each(|(sum, more)| *sum += more);
        }
        line(Count(sum), "all rows").expect("a string takes it");
        for (why, count) in &self.refused {
            writeln!(text, "{count:>33}  refused as {why}").expect("a string takes it");
        }
        writeln!(text, "total {}", sum.iter().sum::<u64>()).expect("a string takes it");
        text
    }
}

/// Counts some words: those of one condition, or of none.
fn count(set: &Set, top: u32) -> Counts {
    let mut counts = Counts::of_none(set);
    let mut refused = [0_u64; Why::ALL.len()];
    for word in top << 28..=top << 28 | 0x0fff_ffff {
        let (row, answer) = (set.answer)(word);
        let Count(count) = &mut counts.rows[row];
        match answer {
            Answer::Emulate => count[0] += 1,
            Answer::Relocate => count[1] += 1,
            Answer::Refuse(why) => {
                count[2] += 1;
                refused[why as usize] += 1;
            }
        }
    }
    let by_word = Why::ALL
        .iter()
        .map(|why| (why.word(), refused[*why as usize]));
    counts.refused = by_word.filter(|(_, count)| *count != 0).collect();
    counts
}

/// Counts all words, on every core.
fn count_all(set: &Set) -> Counts {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u32);
    let mut sum = Counts::of_none(set);
    thread::scope(|scope| {
        let shares = (0..threads).map(|share| {
            scope.spawn(move || {
                let mut counts = Counts::of_none(set);
                (share..16)
                    .step_by(threads as usize)
                    .for_each(|top| counts.add(count(set, top)));
                counts
            })
        });
        for share in shares.collect::<Vec<_>>() {
            sum.add(share.join().expect("no word makes a plan panic"));
        }
    });
    sum
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let set = words
        .first()
        .and_then(|name| SETS.iter().find(|set| set.name == name));
    let update = words.get(1).is_some_and(|word| word == "--update");
    let Some(set) = set.filter(|_| words.len() == 1 || update) else {
        eprintln!("usage: sweep <set> [--update]");
        return ExitCode::from(2);
    };
    let counts = count_all(set);
    let text = counts.text(set);
    print!("{text}");
    judge(set, &counts, &text, update)
}

fn judge(set: &Set, counts: &Counts, text: &str, update: bool) -> ExitCode {
    let rows = set.rows.iter().zip(&counts.rows);
    let empty = rows.filter(|(_, count)| **count == Count::default());
    let empty: Vec<&str> = empty.map(|(row, _)| row.name).collect();
    if !empty.is_empty() {
        eprintln!("no word belongs to: {}", empty.join(", "));
        return ExitCode::FAILURE;
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let kept = here.join(format!("examples/sweep/{}.txt", set.name));
    if update {
        fs::write(&kept, text).expect("the checkout can be written to");
    }
    if fs::read_to_string(&kept).is_ok_and(|kept| kept == text) {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "these are not the counts that are kept in {}",
        kept.display()
    );
    eprintln!("cargo xtask sweep {} --update keeps them", set.name);
    ExitCode::FAILURE
}
