//! `trapline-calls` makes every system call of the machine's kernel, with valid, invalid and
//! hostile arguments, for a tracer to see.
//!
//! - `list` prints number and name of each.
//! - `every [--seed N] [--results]` makes them in sandboxed children; `--results` prints what each
//!   returned.
//! - `strange END` makes calls whose numbers are in no table; the kernel's own ends before END.
//! - `denied` makes a call that seccomp denies.
//! - `storm [--processes N]` makes processes and threads, by every call that can.
//! - `bare COMMAND...` execs without any capability, `admin COMMAND...` with CAP_SYS_ADMIN alone,
//!   `nobody COMMAND...` as a user that owns nothing, `real-time COMMAND...` as a SCHED_FIFO thread,
//!   `second COMMAND...` from a thread that is not the group leader.
//! - `stepped N COMMAND...` execs, and executes N instructions one at a time.
//! - `unkillable` sends SIGTERM to the init of a PID namespace, which has no handler for it.
//!
//! How a call is made is data: a row per call (`rows`), written in a small language (`words`) and
//! expanded to `variants`, with arguments and prerequisites set up by `stage` and `rigs`. `every`
//! makes the variants in children of a sandbox (`cell`) that record their progress in shared memory
//! (`board`), so a call that kills or blocks its child costs only that child. All unsafe code is in
//! `raw`.
//!
//! `every` and `strange` belong in a guest: a kernel bug that they trigger takes the machine down.

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
mod stepped;
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

/// Why it failed.
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
    #[error("invalid row for {0}")]
    Row(&'static str),
    #[error("a machine without single steps, or with unknown registers")]
    Registers,
    #[error("this program has no path")]
    Path,
    #[error("a thread died")]
    Worker,
    #[error("{0}: {1}")]
    Spawn(&'static str, syscalls::Errno),
    #[error("{0}: {1}")]
    Demand(&'static str, syscalls::Errno),
    #[error("a child of {0} ended with {1:?}")]
    Child(&'static str, Option<WaitStatus>),
    #[error("the process that starts the calls ended with {0:?}")]
    Warden(Option<WaitStatus>),
}

const USAGE: &str = "trapline-calls list | every [--seed N] [--results] | strange END | denied | storm [--processes N] | bare COMMAND... | admin COMMAND... | nobody COMMAND... | real-time COMMAND... | second COMMAND... | stepped N COMMAND... | unkillable";

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

/// Whether every call that should be made was made.
fn run(command: &Command) -> Result<bool, Error> {
    match command {
        Command::List => list(),
        Command::Every { seed, results } => return every::every(*seed, *results),
        Command::Strange(end) => strange::strange(*end)?,
        Command::Denied => denied::denied()?,
        Command::Storm(processes) => storm::storm(*processes)?,
        Command::Bare(words) => match states::bare(words)? {},
        Command::Admin(words) => match states::admin(words)? {},
        Command::Nobody(words) => match states::nobody(words)? {},
        Command::RealTime(words) => match states::real_time(words)? {},
        Command::Second(words) => match states::second(words)? {},
        Command::Stepped(instructions, words) => stepped::stepped(*instructions, words)?,
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
