//! Throws cases by chance at an instruction set's plans until a limit. Ends with 1 if there is a
//! disagreement.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine_isa::arm::ROWS;
use engine_isa_judge::arm;
use engine_isa_judge::arm::execution::{self, Limit};
use engine_isa_judge::spelling;
use lexopt::prelude::*;

const USAGE: &str = "usage: isa-fuzz [--minutes N] [--cases N] [--seed S] [--threads N]";

/// What was asked for.
struct Options {
    minutes: Option<u64>,
    cases: Option<u64>,
    seed: u64,
    threads: u64,
}

fn main() -> ExitCode {
    match options() {
        Ok(options) => judge(&options),
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, lexopt::Error> {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut options = Options {
        minutes: None,
        cases: None,
        seed: now.as_secs(),
        threads,
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("minutes") => options.minutes = Some(parser.value()?.parse()?),
            Long("cases") => options.cases = Some(parser.value()?.parse()?),
            Long("seed") => options.seed = parser.value()?.parse()?,
            Long("threads") => options.threads = parser.value()?.parse::<u64>()?.max(1),
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

impl Options {
    /// When to stop, if `part` of a hundred of the time is to be used.
    fn until(&self, part: u64) -> Option<Instant> {
        let minutes = match (self.minutes, self.cases) {
            (None, None) => Some(1),
            (minutes, _) => minutes,
        };
        minutes.map(|minutes| Instant::now() + Duration::from_millis(minutes * 600 * part))
    }

    /// The share that each thread has of `cases`.
    fn share(&self, cases: u64) -> u64 {
        cases.div_ceil(self.threads)
    }
}

/// How many hundredths of the time go to reading words; the rest goes to executing them.
const READING: u64 = 15;

fn judge(options: &Options) -> ExitCode {
    println!("seed {}", options.seed);
    let kept = replay();
    let read = read(options);
    let executed = execute(options);
    if kept && read && executed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether every kept case agrees.
fn replay() -> bool {
    let disagreeing = execution::replay();
    for (case, what) in &disagreeing {
        println!("DISAGREES again: {case}\n  {what}");
    }
    disagreeing.is_empty()
}

/// Runs one closure on each thread, given that thread's own seed, and gives back what they found.
fn on_threads<T: Send>(options: &Options, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let seeds = (0..options.threads).map(|thread| options.seed.wrapping_add(thread << 32));
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = seeds.map(|seed| scope.spawn(move || work(seed))).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Reads words as another disassembler does; whether nothing differs that has no explanation.
fn read(options: &Options) -> bool {
    let words = options
        .cases
        .map_or(u64::MAX, |cases| options.share(cases / 2));
    let until = options.until(READING);
    let set = &arm::spelling::SET;
    let mut sum = spelling::Tally::default();
    for tally in on_threads(options, |seed| spelling::run(set, seed, words, until)) {
        sum.add(tally);
    }
    println!(
        "capstone: {} words, {} the same, {} refused, {} explained, {} unexplained",
        sum.words,
        sum.same,
        sum.refused,
        sum.explained.values().map(|(count, _)| count).sum::<u64>(),
        sum.unexplained.len()
    );
    for (reason, (count, word)) in &sum.explained {
        println!("{count:>10}  {reason} ({word:08x})");
    }
    for line in &sum.unexplained {
        println!("DIFFERS: {line}");
    }
    sum.unexplained.is_empty()
}

/// Executes cases on another processor; whether it agrees on all of them.
fn execute(options: &Options) -> bool {
    let cases = options.cases.map_or(u64::MAX, |cases| options.share(cases));
    let limit = Limit {
        until: options.until(100 - READING),
        cases,
        disagreements: 20,
    };
    let mut sum = execution::Tally::default();
    for tally in on_threads(options, |seed| execution::run(seed, limit)) {
        sum.add(tally);
    }
    tell(&sum);
    let (unknown, unrepresented) = (sum.unknown(), sum.unrepresented());
    for line in &unknown {
        println!("ACCEPTED, AND NO PROCESSOR HAS IT: {line}");
    }
    for name in &unrepresented {
        println!("ACCEPTED, AND NOTHING WAS COMPARED: {name}");
    }
    if sum.is_unsteady() {
        println!("TOO MANY are not confirmed");
    }
    sum.disagreements.is_empty()
        && unknown.is_empty()
        && unrepresented.is_empty()
        && !sum.is_unsteady()
}

fn tell(sum: &execution::Tally) {
    tell_rows(sum);
    for (why, count) in &sum.skipped {
        println!("{count:>10}  not compared: {why}");
    }
    for (word, what) in sum.unconfirmed.iter().take(TOLD) {
        println!("not confirmed: {word:08x}: {what}");
    }
    for (case, what) in &sum.disagreements {
        println!("DISAGREES: {case}\n  {what}");
    }
    println!(
        "Unicorn: {} cases, {} disagreements, {} not confirmed by a new processor",
        sum.compared(),
        sum.disagreements.len(),
        sum.unconfirmed.len()
    );
}

/// How many of what was not confirmed are told one by one.
const TOLD: usize = 10;

fn tell_rows(sum: &execution::Tally) {
    let rows = ROWS.iter().zip(&sum.rows);
    for (row, count) in rows.filter(|(_, count)| count.words > 0) {
        let execution::Count { words, agreed, .. } = count;
        let (unknown, _) = count.unknown;
        let why = execution::why_not_known(row.name)
            .map_or_else(String::new, |why| format!(", {unknown} not known: {why}"));
        println!("{agreed:>10}  {} ({words} words{why})", row.name);
    }
}
