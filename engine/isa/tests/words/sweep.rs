//! Sweeps over every word of an instruction set: each is compared with the second reading, and the
//! number of words and of each plan per row is compared with `tests/<set>/sweep.txt`.
//! `TRAPLINE_SWEEP=update` updates that file.

use std::env;
use std::fs;
use std::path::Path;
use std::thread;

use engine_isa::{Row, Why};

use super::{Table, Verdict};

/// The number of parts that the words are divided into, for the threads.
const PARTS: u64 = 256;
const WORDS: u64 = 1 << 32;

/// The number of words of a row, by plan.
#[derive(Clone, Default)]
struct Counts {
    emulate: u64,
    relocate: u64,
    refuse: [u64; Why::ALL.len()],
}

impl Counts {
    fn count(&mut self, plan: Verdict) {
        match plan {
            Verdict::Emulate => self.emulate += 1,
            Verdict::Relocate => self.relocate += 1,
            Verdict::Refuse(why) => self.refuse[why as usize] += 1,
        }
    }

    fn add(&mut self, other: &Self) {
        self.emulate += other.emulate;
        self.relocate += other.relocate;
        for (sum, count) in self.refuse.iter_mut().zip(other.refuse) {
            *sum += count;
        }
    }

    fn total(&self) -> u64 {
        self.emulate + self.relocate + self.refuse.iter().sum::<u64>()
    }

    /// `emulate 12, refuse unpredictable 4`.
    fn described(&self) -> String {
        let refused = Why::ALL.iter().zip(self.refuse);
        let refused = refused.map(|(why, count)| (format!("refuse {}", why.word()), count));
        [
            ("emulate".to_owned(), self.emulate),
            ("relocate".to_owned(), self.relocate),
        ]
        .into_iter()
        .chain(refused)
        .filter(|&(_, count)| count != 0)
        .map(|(plan, count)| format!("{plan} {count}"))
        .collect::<Vec<_>>()
        .join(", ")
    }
}

/// Sweeps over the words of `set` with this table, and fails on any disagreement.
pub fn walk(set: &str, table: &Table) {
    let counts = count_all(table);
    let none = |(row, counts): (&Row, &Counts)| (counts.total() == 0).then_some(row.name);
    let empty: Vec<_> = table.rows.iter().zip(&counts).filter_map(none).collect();
    assert!(
        empty.is_empty(),
        "other rows have all words of these: {empty:?}"
    );
    let text = report(table.rows, &counts);
    println!("{text}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{set}/sweep.txt"));
    if env::var("TRAPLINE_SWEEP").is_ok_and(|how| how == "update") {
        fs::write(path, text).unwrap();
        return;
    }
    let kept = fs::read_to_string(path).unwrap();
    assert!(
        text == kept,
        "tests/{set}/sweep.txt differs:\n{}\nto keep this instead: cargo xtask sweep {set} --update",
        differences(&kept, &text)
    );
}

/// Counts all words, with a thread for each processor.
fn count_all(table: &Table) -> Vec<Counts> {
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut sums = vec![Counts::default(); table.rows.len()];
    thread::scope(|scope| {
        let parts = |thread| (thread..PARTS).step_by(threads as usize);
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || count(table, parts(thread))))
            .collect();
        for worker in workers {
            let counts = worker.join().expect("each word is read as it is answered");
            for (sum, count) in sums.iter_mut().zip(&counts) {
                sum.add(count);
            }
        }
    });
    sums
}

/// Counts the words of these parts.
fn count(table: &Table, parts: impl Iterator<Item = u64>) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); table.rows.len()];
    for part in parts {
        let size = WORDS / PARTS;
        let words = part * size..(part + 1) * size;
        let step = (table.step)(words.start as u32) as usize;
        for word in words.step_by(step) {
            let word = word as u32;
            let answer = (table.answer)(word);
            let read = (table.reading)(word);
            assert_eq!(read.unwrap_or(answer), answer, "{word:08x}");
            (table.also)(word);
            counts[(table.row)(word)].count(answer);
        }
    }
    counts
}

/// A line for each row, one for each kind of plan, and one for all words.
fn report(rows: &[Row], counts: &[Counts]) -> String {
    let mut text = String::new();
    let mut sum = Counts::default();
    for (row, counts) in rows.iter().zip(counts) {
        let (total, plans) = (counts.total(), counts.described());
        text += &format!("{total:>10} {:<12} {} | {plans}\n", row.section, row.name);
        sum.add(counts);
    }
    for part in sum.described().split(", ") {
        let (plan, count) = part.rsplit_once(' ').expect("a plan and a count");
        text += &format!("{plan} {count}\n");
    }
    text + &format!("total {}\n", sum.total())
}

/// The lines that are in only one of the two.
fn differences(kept: &str, seen: &str) -> String {
    let only = |one: &str, other: &str, sign: char| {
        let other: Vec<&str> = other.lines().collect();
        let lines = one.lines().filter(|line| !other.contains(line));
        lines
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    [only(kept, seen, '-'), only(seen, kept, '+')]
        .concat()
        .join("\n")
}
