//! `trapline-calls` makes every system call that the machine's kernel has, with arguments that are valid, invalid and
//! hostile, so that whoever traces them sees each.
//!
//! - `list` prints them, number and name.
//! - `every [--seed N] [--results]` makes them, in children that have nothing to lose; with `--results` it says what each answered.
//! - `strange` makes calls that no table has.
//! - `storm [--processes N]` makes processes and threads, by every call that makes one.
//! - `bare COMMAND...` becomes that program without a capability, `real-time COMMAND...` as a real-time thread, `second COMMAND...`
//!   by a thread that is not the first.
//! - `unkillable` takes a signal that is fatal to others, as the first process of a PID namespace.
//!
//! `every` and `strange` are for a guest: what the kernel does wrong, it does wrong there.

mod answer;
mod board;
mod cell;
mod denied;
mod every;
mod options;
mod raw;
mod rigs;
mod rows;
mod stage;
mod states;
mod storm;
mod strange;
mod table;
mod variants;
mod words;

use std::env;
use std::io;
use std::process::ExitCode;

use rustix::process::WaitStatus;

use options::Command;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: {USAGE}")]
    Usage(#[from] lexopt::Error),
    #[error("no such command: {0:?}; usage: {USAGE}")]
    Command(String),
    #[error(transparent)]
    System(#[from] io::Error),
    #[error(transparent)]
    Kernel(#[from] rustix::io::Errno),
    #[error("the row of {0} makes no sense")]
    Row(&'static str),
    #[error("this program has no path")]
    Path,
    #[error("a thread died")]
    Worker,
    #[error("{0}: {1}")]
    Birth(&'static str, syscalls::Errno),
    #[error("{0}: {1}")]
    Demand(&'static str, syscalls::Errno),
    #[error("a child of {0} ended with {1:?}")]
    Child(&'static str, Option<WaitStatus>),
    #[error("what starts the calls ended with {0:?}")]
    Warden(Option<WaitStatus>),
}

const USAGE: &str = "trapline-calls list | every [--seed N] [--results] | strange | denied | storm [--processes N] | bare COMMAND... | real-time COMMAND... | second COMMAND... | unkillable";

fn main() -> ExitCode {
    match Command::parse(env::args_os()).and_then(|command| run(&command)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("trapline-calls: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything went as intended.
fn run(command: &Command) -> Result<bool, Error> {
    match command {
        Command::List => list(),
        Command::Every { seed, tells } => return every::every(*seed, *tells),
        Command::Strange => strange::strange()?,
        Command::Denied => denied::denied()?,
        Command::Storm(processes) => storm::storm(*processes)?,
        Command::Bare(words) => match states::bare(words)? {},
        Command::RealTime(words) => match states::real_time(words)? {},
        Command::Second(words) => match states::second(words)? {},
        Command::Unkillable => states::unkillable()?,
        Command::Nothing => {}
    }
    Ok(true)
}

fn list() {
    for table::Call { number, name } in table::calls() {
        println!("{number} {name}");
    }
}
