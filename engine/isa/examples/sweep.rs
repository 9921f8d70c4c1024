//! Plans for every word of an instruction set, and compares how many belong to
//! each row of its table, and what the plans are, with what is kept in
//! `tests/<set>/sweep.txt`; `--update` keeps what was counted instead.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use engine_isa::{Plan, Row, Why, arm};

/// How many parts the words are counted in, each by a thread that is free.
const PARTS: u64 = 256;
const WORDS: u64 = 1 << 32;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["arm"] => compare("arm", arm::ROWS, count_all),
        ["arm", "--update"] => update("arm", arm::ROWS, count_all),
        _ => {
            eprintln!("usage: sweep arm [--update]");
            ExitCode::from(2)
        }
    }
}

/// How many words belong to a row, by what their plan is.
#[derive(Clone, Default)]
struct Counts {
    emulate: u64,
    relocate: u64,
    refuse: [u64; Why::ALL.len()],
}

impl Counts {
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
fn count_all() -> Vec<Counts> {
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut sums = vec![Counts::default(); arm::ROWS.len()];
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || count((thread..PARTS).step_by(threads as usize))))
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
fn count(parts: impl Iterator<Item = u64>) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); arm::ROWS.len()];
    for part in parts {
        let size = WORDS / PARTS;
        for word in part * size..(part + 1) * size {
            let word = word as u32;
            let counts = &mut counts[arm::row(word)];
            match arm::plan(word) {
                Plan::Emulate(_) => counts.emulate += 1,
                Plan::Relocate(_) => counts.relocate += 1,
                Plan::Refuse(why) => counts.refuse[why as usize] += 1,
            }
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

fn swept(rows: &[Row], count_all: fn() -> Vec<Counts>) -> (String, bool) {
    let begun = Instant::now();
    let counts = count_all();
    eprintln!("{:.1} s", begun.elapsed().as_secs_f64());
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

fn compare(set: &str, rows: &[Row], count_all: fn() -> Vec<Counts>) -> ExitCode {
    let (text, all_hit) = swept(rows, count_all);
    print!("{text}");
    let kept = fs::read_to_string(kept(set)).unwrap_or_default();
    for difference in differences(&kept, &text) {
        eprintln!("{difference}");
    }
    if text == kept && all_hit {
        return ExitCode::SUCCESS;
    }
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

fn update(set: &str, rows: &[Row], count_all: fn() -> Vec<Counts>) -> ExitCode {
    let (text, all_hit) = swept(rows, count_all);
    if !all_hit {
        return ExitCode::FAILURE;
    }
    if let Err(error) = fs::write(kept(set), text) {
        eprintln!("{}: {error}", kept(set).display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
