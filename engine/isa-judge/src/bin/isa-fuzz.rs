//! Checks an instruction set's plans with random cases until a limit. Exits with 1 if there is a
//! disagreement.

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine_isa_judge::arm::set::A32;
use engine_isa_judge::arm64::places::A64;
use engine_isa_judge::execution::{self, Limit};
use engine_isa_judge::set::Set;
use engine_isa_judge::t32::set::T32;
use engine_isa_judge::x86::set::{Ia32, X86};
use engine_isa_judge::{arm, arm64, spelling, t32, x86};
use lexopt::prelude::*;

const USAGE: &str = "usage: isa-fuzz [arm|t32|arm64|x86|ia32]... [--minutes N] [--cases N] [--seed S] [--threads N] [--text FILE...]";

/// An instruction set, and the entry point of its checks.
struct Judged {
    name: &'static str,
    judge: fn(&Options) -> bool,
}

/// The available sets.
const SETS: [Judged; 5] = [
    Judged {
        name: A32::NAME,
        judge: |options| judge::<A32>(options, &arm::spelling::SET),
    },
    Judged {
        name: T32::NAME,
        judge: |options| judge::<T32>(options, &t32::spelling::SET),
    },
    Judged {
        name: A64::NAME,
        judge: |options| judge::<A64>(options, &arm64::spelling::SET),
    },
    Judged {
        name: X86::NAME,
        judge: |options| take_text(options) & judge::<X86>(options, &x86::spelling::SET),
    },
    Judged {
        name: Ia32::NAME,
        judge: |options| judge::<Ia32>(options, &x86::spelling::IA32),
    },
];

/// The command line.
struct Options {
    sets: Vec<String>,
    minutes: Option<u64>,
    cases: Option<u64>,
    seed: u64,
    threads: u64,
    /// x86-64 files whose text cases are made from.
    text: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match options() {
        Ok(options) => all(&options),
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
        sets: Vec::new(),
        minutes: None,
        cases: None,
        seed: now.as_secs(),
        threads,
        text: Vec::new(),
    };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("minutes") => options.minutes = Some(parser.value()?.parse()?),
            Long("cases") => options.cases = Some(parser.value()?.parse()?),
            Long("seed") => options.seed = parser.value()?.parse()?,
            Long("threads") => options.threads = parser.value()?.parse::<u64>()?.max(1),
            Long("text") => options.text.extend(parser.values()?.map(PathBuf::from)),
            Value(name) => options.add_set(name.string()?)?,
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

impl Options {
    fn add_set(&mut self, name: String) -> Result<(), lexopt::Error> {
        if SETS.iter().any(|set| set.name == name) {
            self.sets.push(name);
            return Ok(());
        }
        Err(format!("there is no instruction set `{name}`").into())
    }

    fn is_asked_for(&self, set: &Judged) -> bool {
        self.sets.is_empty() || self.sets.iter().any(|name| name == set.name)
    }

    /// The deadline, if `part` percent of the time is to be used.
    fn until(&self, part: u64) -> Option<Instant> {
        let minutes = match (self.minutes, self.cases) {
            (None, None) => Some(1),
            (minutes, _) => minutes,
        };
        minutes.map(|minutes| Instant::now() + Duration::from_millis(minutes * 600 * part))
    }

    /// Each thread's share of `cases`.
    fn share(&self, cases: u64) -> u64 {
        cases.div_ceil(self.threads)
    }
}

/// The percentage of the time for disassembly; the rest is for execution.
const READING: u64 = 15;

fn all(options: &Options) -> ExitCode {
    println!("seed {}", options.seed);
    let asked = SETS.iter().filter(|set| options.is_asked_for(set));
    let disagreeing = asked.filter(|set| !(set.judge)(options)).count();
    if disagreeing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether all checks of a set agree.
fn judge<S: Set>(options: &Options, reader: &spelling::Set<S::Instruction>) -> bool {
    println!("== {}", S::NAME);
    let kept = replay::<S>();
    let read = read(options, reader);
    let executed = execute::<S>(options);
    kept && read && executed
}

/// Loads the text that cases are made from, and checks it with capstone; whether that agrees and
/// all requested files were loaded.
fn take_text(options: &Options) -> bool {
    println!("the host's processor: {}", x86::known::host());
    let usual = x86::text::USUAL.map(PathBuf::from);
    let asked = !options.text.is_empty();
    let files = if asked { &options.text[..] } else { &usual };
    let mut text = x86::text::Text::default();
    for file in files {
        match text.add(file) {
            Err(error) if asked => {
                println!("{}: {error}", file.display());
                return false;
            }
            _ => {}
        }
    }
    let mut judge = spelling::Judge::new(&x86::spelling::SET);
    text.kept().for_each(|bytes| judge.judge(*bytes));
    let rows = text.rows.iter().filter(|count| **count > 0).count();
    println!(
        "real text: {} instructions of {rows} rows",
        text.instructions()
    );
    x86::text::take(text);
    report_reading("real text", &judge.tally)
}

/// Whether every regression case agrees.
fn replay<S: Set>() -> bool {
    let disagreeing = execution::replay::<S>();
    for (case, what) in &disagreeing {
        println!("DISAGREES again: {case}\n  {what}");
    }
    disagreeing.is_empty()
}

/// Runs a closure on each thread with that thread's own seed, and returns the results.
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

/// Compares random words with the disassembler; whether every difference has an explanation.
fn read<I: Copy + Send + 'static>(options: &Options, set: &spelling::Set<I>) -> bool {
    let words = options
        .cases
        .map_or(u64::MAX, |cases| options.share(cases / 2));
    let until = options.until(READING);
    let mut sum = spelling::Tally::default();
    for tally in on_threads(options, |seed| spelling::run(set, seed, words, until)) {
        sum.add(tally);
    }
    report_reading(set.name, &sum)
}

/// Prints the result of disassembly; whether every difference has an explanation.
fn report_reading(what: &str, sum: &spelling::Tally) -> bool {
    println!(
        "capstone of {what}: {} read, {} the same, {} refused, {} explained, {} unexplained",
        sum.words,
        sum.same,
        sum.refused,
        sum.explained.values().map(|(count, _)| count).sum::<u64>(),
        sum.unexplained.len()
    );
    for (reason, (count, word)) in &sum.explained {
        println!("{count:>10}  {reason} ({word})");
    }
    for line in sum.unexplained.iter().take(2 * TOLD) {
        println!("DIFFERS: {line}");
    }
    sum.unexplained.is_empty()
}

/// Executes random cases on the reference processors; whether all agree. The host's own processor,
/// if it is one of them, takes part in the first half of the cases only, as it is slow.
fn execute<S: Set>(options: &Options) -> bool {
    let all: Vec<_> = S::PROCESSORS
        .iter()
        .chain(S::MORE_PROCESSORS)
        .copied()
        .collect();
    let mut sum = if S::MORE_PROCESSORS.is_empty() {
        execute_on::<S>(options, &all, 1)
    } else {
        let mut sum = execute_on::<S>(options, &all, 2);
        sum.add(execute_on::<S>(options, S::PROCESSORS, 2).of_some());
        sum
    };
    let unrepresented = sum.unrepresented().len();
    execution::complete(&all, options.seed, &mut sum);
    println!("{unrepresented} rows were left to instructions of their own");
    tell(&sum);
    for (why, rows) in sum.excused() {
        println!("{rows:>10}  rows not compared: {why}");
    }
    let only_in_text = sum.only_in_text();
    for (line, _) in &only_in_text {
        println!("IN REAL TEXT, AND EXECUTED BY NONE: {line}");
    }
    let (unknown, unrepresented) = (sum.unknown(), sum.unrepresented());
    for line in &unknown {
        println!("ACCEPTED, AND NO PROCESSOR HAS IT: {line}");
    }
    for row in &unrepresented {
        println!("ACCEPTED, AND NOTHING WAS COMPARED: {}", S::rows()[*row]);
    }
    if sum.is_unsteady() {
        println!("TOO MANY are not confirmed");
    }
    sum.disagreements.is_empty()
        && unknown.is_empty()
        && unrepresented.is_empty()
        && only_in_text.iter().all(|(_, is_known)| *is_known)
        && !sum.is_unsteady()
}

/// One of `parts` shares of the cases, on these processors.
fn execute_on<S: Set>(
    options: &Options,
    processors: &[&'static str],
    parts: u64,
) -> execution::Tally<S> {
    let cases = options.cases.map(|cases| options.share(cases / parts));
    let limit = Limit {
        until: options.until((100 - READING) / parts),
        cases: cases.unwrap_or(u64::MAX),
        disagreements: 20,
    };
    let mut sum = execution::Tally::<S>::default();
    for tally in on_threads(options, |seed| execution::run(processors, seed, limit)) {
        sum.add(tally);
    }
    sum
}

fn tell<S: Set>(sum: &execution::Tally<S>) {
    tell_rows(sum);
    for (why, count) in &sum.skipped {
        println!("{count:>10}  not compared: {why}");
    }
    for (one, what) in sum.unconfirmed.iter().take(TOLD) {
        println!("not confirmed: {}: {what}", S::text(*one));
    }
    let mut disagreements: Vec<_> = sum.disagreements.iter().collect();
    disagreements.sort_by_key(|(case, _)| S::row(case.instruction));
    for (case, what) in disagreements {
        println!("DISAGREES: {case}\n  {what}");
    }
    for (processor, count) in &sum.processors {
        println!("{count:>10}  agreed on {processor}");
    }
    println!(
        "processors: {} cases, {} disagreements, {} not confirmed by a new processor",
        sum.compared(),
        sum.disagreements.len(),
        sum.unconfirmed.len()
    );
}

/// How many unconfirmed disagreements are printed individually.
const TOLD: usize = 10;

fn tell_rows<S: Set>(sum: &execution::Tally<S>) {
    let rows = S::rows().into_iter().zip(&sum.rows);
    for (name, count) in rows.filter(|(_, count)| count.words > 0) {
        let execution::Count { words, agreed, .. } = count;
        let (unknown, _) = &count.unknown;
        let reason = if *agreed == 0 {
            S::why_none(name)
        } else {
            S::why_not_known(name)
        };
        let why = reason.map_or_else(String::new, |why| format!(", {unknown} not known: {why}"));
        println!("{agreed:>10}  {name} ({words} words{why})");
    }
}
