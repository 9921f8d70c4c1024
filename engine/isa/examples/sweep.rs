//! Plans for every word of an instruction set, and compares how many belong to
//! each row of its table, and what the plans are, with what is kept in
//! `tests/<set>/sweep.txt`; `--update` keeps what was counted instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use engine_isa::{Plan, Row, Why, arm, arm64};

/// How many parts the words are counted in, each by a thread that is free.
const PARTS: u64 = 256;
const WORDS: u64 = 1 << 32;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (set, rest) = arguments
        .split_first()
        .map_or(("", &[][..]), |(set, rest)| (*set, rest));
    let set = SETS.iter().find(|known| known.name == set);
    match (set, rest) {
        (Some(set), []) => compare(set),
        (Some(set), ["--update"]) => update(set),
        _ => {
            eprintln!("usage: sweep arm|arm64 [--update]");
            ExitCode::from(2)
        }
    }
}

/// An instruction set whose instructions are words.
struct Set {
    name: &'static str,
    rows: &'static [Row],
    /// Adds a word to its row's counts.
    count: fn(u32, &mut [Counts]),
}

const SETS: &[Set] = &[
    Set {
        name: "arm",
        rows: arm::ROWS,
        count: |word, counts| counts[arm::row(word)].count(arm::plan(word)),
    },
    Set {
        name: "arm64",
        rows: arm64::ROWS,
        count: |word, counts| counts[arm64::row(word)].count(arm64::plan(word)),
    },
];

/// How many words belong to a row, by what their plan is.
#[derive(Clone, Default)]
struct Counts {
    emulate: u64,
    relocate: u64,
    refuse: [u64; Why::ALL.len()],
}

impl Counts {
    fn count<E, R>(&mut self, plan: Plan<E, R>) {
        match plan {
            Plan::Emulate(_) => self.emulate += 1,
            Plan::Relocate(_) => self.relocate += 1,
            Plan::Refuse(why) => self.refuse[why as usize] += 1,
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

/// Counts all words, on as many threads as there are processors.
fn count_all(set: &Set) -> Vec<Counts> {
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut sums = vec![Counts::default(); set.rows.len()];
    thread::scope(|scope| {
        let parts = |thread| (thread..PARTS).step_by(threads as usize);
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || count(set, parts(thread))))
            .collect();
        for worker in workers {
            let counts = worker.join().expect("no word makes the planner panic");
            for (sum, count) in sums.iter_mut().zip(&counts) {
                sum.add(count);
            }
        }
    });
    sums
}

/// Counts the words of these parts.
fn count(set: &Set, parts: impl Iterator<Item = u64>) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); set.rows.len()];
    for part in parts {
        let size = WORDS / PARTS;
        for word in part * size..(part + 1) * size {
            (set.count)(word as u32, &mut counts);
        }
    }
    counts
}

/// One line for each row, one for each kind of plan, and one for all words.
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

fn kept(set: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/{set}/sweep.txt"))
}

fn swept(set: &Set) -> (String, bool) {
    let begun = Instant::now();
    let counts = count_all(set);
    eprintln!("{:.1} s", begun.elapsed().as_secs_f64());
    let rows = set.rows;
    let empty = rows
        .iter()
        .zip(&counts)
        .filter(|(_, counts)| counts.total() == 0);
    let empty: Vec<_> = empty.map(|(row, _)| row.name).collect();
    for name in &empty {
        eprintln!("no word belongs to `{name}`: other rows have them all");
    }
    (report(rows, &counts), empty.is_empty())
}

fn compare(set: &Set) -> ExitCode {
    let (text, all_hit) = swept(set);
    print!("{text}");
    let kept = fs::read_to_string(kept(set.name)).unwrap_or_default();
    for difference in differences(&kept, &text) {
        eprintln!("{difference}");
    }
    if text == kept && all_hit {
        return ExitCode::SUCCESS;
    }
    let set = set.name;
    eprintln!("tests/{set}/sweep.txt differs; to keep this instead: sweep {set} --update");
    ExitCode::FAILURE
}

/// The lines that only one of the two has.
fn differences(kept: &str, seen: &str) -> Vec<String> {
    let only = |one: &str, other: &str, sign: char| {
        let other: Vec<&str> = other.lines().collect();
        let lines = one.lines().filter(|line| !other.contains(line));
        lines
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    [only(kept, seen, '-'), only(seen, kept, '+')].concat()
}

fn update(set: &Set) -> ExitCode {
    let (text, all_hit) = swept(set);
    if !all_hit {
        return ExitCode::FAILURE;
    }
    if let Err(error) = fs::write(kept(set.name), text) {
        eprintln!("{}: {error}", kept(set.name).display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
