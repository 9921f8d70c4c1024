//! `trapline-frames` calls functions of its own in ways that are hard on a tracer, checks that they
//! still do what they are for, and prints how often each was entered and has returned, as pid probes
//! should count it: a line `FUNCTION PROBE COUNT` for each probe that fires.
//!
//! - `recurse DEPTH` calls functions that call themselves.
//! - `unwind DEPTH ROUNDS` throws exceptions through calls, which therefore do not return.
//! - `longjmp DEPTH ROUNDS` leaves calls as longjmp(3) does.
//! - `stacks SWITCHES` switches between stacks of its own.
//! - `threads THREADS CALLS` calls a function from several threads.
//! - `timed CALLS` calls a function, and prints on standard error how long that took.
//! - `special CALLS` calls a function of instructions that only some processors have: of AVX on x86-64, of pointer
//!   authentication on arm64.
//! - `unsigned CALLS` does so without pointer authentication, on arm64.
//! - `guarded CALLS` calls functions where indirect branches are checked, on arm64.
//! - `hardened CALLS` reads a line and calls a function, forbids itself to change its text, and does it again.
//! - `masked CALLS` calls a function while all signals are blocked, and as often in a handler, by system calls whose
//!   number is computed.
//! - `kept CALLS` calls a function with all registers in use, on arm64, and prints on standard error which.
//! - `place FUNCTION` prints where in its file the program has a function, and no counts.
//! - `forks COUNT` makes children while a thread runs: so many of their own, and so many that share
//!   the memory until they execute.
//! - `spawned COUNT` makes children without handlers of signals, and with them where that is refused, and prints on
//!   standard error how often it was.
//! - `faults COUNT` handles signals of loads that fault, and has them executed again.
//! - `alarms COUNT` is interrupted so often in a loop.
//! - `maps CALLS` replaces the page of a function by others.
//! - `privileged` reads a line, and executes an instruction that only the kernel may; its exit status is 0 if a signal
//!   comes from there. It prints nothing.
//! - `trapped` executes a trap, and ends in the handler, which says so.
//!
//! The functions are named `frames_*`. Those that no compiler makes are in `arch`.

mod alarms;
mod arch;
mod calls;
mod counts;
mod dive;
mod faults;
mod forks;
mod guarded;
mod hardened;
mod kept;
mod maps;
mod masked;
mod options;
mod pages;
mod place;
mod privileged;
mod signals;
mod spawned;
mod special;
mod stacks;
mod threads;
mod timed;
mod trapped;

use std::io;
use std::process::ExitCode;

use counts::Counts;
use options::Command;

/// Why it failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: {USAGE}")]
    Usage(#[from] lexopt::Error),
    #[error("no such command: {0:?}; usage: {USAGE}")]
    Command(String),
    #[error(transparent)]
    System(#[from] io::Error),
    #[error("{0}")]
    Wrong(String),
}

const USAGE: &str = "trapline-frames recurse DEPTH | unwind DEPTH ROUNDS | longjmp DEPTH ROUNDS | stacks SWITCHES | skewed | threads THREADS CALLS | timed CALLS | special CALLS | unsigned CALLS | guarded CALLS | hardened CALLS | kept CALLS | masked CALLS | place FUNCTION | forks COUNT | spawned COUNT | faults COUNT | alarms COUNT | maps CALLS | privileged | trapped";

fn main() -> ExitCode {
    match Command::parse(std::env::args_os()).and_then(|command| run(&command)) {
        Ok(counts) => {
            print!("{counts}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("trapline-frames: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<Counts, Error> {
    match *command {
        Command::Recurse { depth } => dive::recurse(depth),
        Command::Unwind { depth, rounds } => dive::unwind(depth, rounds),
        Command::Longjmp { depth, rounds } => dive::longjmp(depth, rounds),
        Command::Stacks { switches } => stacks::switch(switches),
        Command::Skewed => stacks::skew(),
        Command::Threads { threads, calls } => threads::call(threads, calls),
        Command::Timed { calls } => timed::time(calls),
        Command::Special { calls } => special::add(calls),
        Command::Unsigned { calls } => special::unsigned(calls),
        Command::Guarded { calls } => guarded::call(calls),
        Command::Hardened { calls } => hardened::call(calls),
        Command::Kept { calls } => kept::call(calls),
        Command::Masked { calls } => masked::call(calls),
        Command::Place { ref function } => place::print(function),
        Command::Forks { count } => forks::fork(count),
        Command::Spawned { count } => spawned::spawn(count),
        Command::Faults { count } => faults::fault(count),
        Command::Alarms { count } => alarms::ring(count),
        Command::Maps { calls } => maps::map(calls),
        Command::Privileged => privileged::execute(),
        Command::Trapped => trapped::execute(),
        Command::Nothing => Ok(Counts::default()),
    }
}

/// An error unless what was found is what it should be.
fn check<T: PartialEq + std::fmt::Debug>(what: &str, found: T, right: T) -> Result<(), Error> {
    if found == right {
        return Ok(());
    }
    Err(Error::Wrong(format!("{what}: {found:?}, not {right:?}")))
}
