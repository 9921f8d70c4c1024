//! `trapline-markers` fires USDT probes of its own, of the provider `trapline`, and prints a line for
//! each that it fires: the probe's name in D, and what it passed, as signed numbers of 64 bits.
//!
//! - `forms` fires a probe for each form that an operand can have: `form-*`, with one argument each.
//! - `arguments` fires probes with arguments of each size: `sizes`, `words`, `text`, `many`, `none`.
//! - `sites COUNT` fires `two-sites`, at two sites, and `in-line`, in an inlined function at three; each
//!   so often. It prints how often each was fired.
//! - `enabled ROUNDS` fires `costly` in each round in which it is enabled, and prints how often.
//! - `watch MILLISECONDS` prints `costly`'s semaphore whenever it changes, and fires it while it is
//!   enabled. `seal MILLISECONDS` also makes it read-only for that time.
//! - `forks COUNT` fires `child` in so many children, and then itself. Each prints its number, and
//!   whether the probe is enabled there.
//! - `fire COUNT` fires `fire` so often in each of five loops, and prints on standard error how many nanoseconds a loop
//!   took at least. `idle COUNT` does so without the probe.
//! - `place PROBE` prints the offset in its file of a probe's site.
//!
//! The probes are in C: `forms.c` has a note of its own for each form, the others are macros of
//! `trapline.h`, which `dtrace -h` has made of `trapline.d`.

mod options;
mod place;
mod probes;

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use options::Command;

/// Why it failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: {USAGE}")]
    Usage(#[from] lexopt::Error),
    #[error("no such command: {0:?}; usage: {USAGE}")]
    Command(String),
    #[error("{0}")]
    Place(String),
    #[error("a child failed: {0}")]
    Child(io::Error),
    #[error("the semaphore cannot be made read-only: {0}")]
    Seal(io::Error),
}

const USAGE: &str = "trapline-markers forms | arguments | sites COUNT | enabled ROUNDS | watch MILLISECONDS | seal MILLISECONDS | forks COUNT | fire COUNT | idle COUNT | place PROBE";

fn main() -> ExitCode {
    match Command::parse(std::env::args_os()).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("trapline-markers: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Error> {
    match command {
        Command::Forms => probes::forms(),
        Command::Arguments => probes::arguments(),
        Command::Sites { count } => probes::sites(count),
        Command::Enabled { rounds } => probes::enabled(rounds),
        Command::Watch {
            milliseconds,
            seals,
        } => return probes::watch(milliseconds, seals).map_err(Error::Seal),
        Command::Forks { count } => return probes::forks(count).map_err(Error::Child),
        Command::Fire { count } => time(|| probes::fire(count)),
        Command::Idle { count } => time(|| probes::idle(count)),
        Command::Place { probe } => println!("{}", place::of(&probe)?),
    }
    Ok(())
}

/// Prints the least time of several, as a tick of the clock falls into some.
fn time(work: impl Fn()) {
    const ROUNDS: usize = 5;
    let took = || -> Duration {
        let before = Instant::now();
        work();
        before.elapsed()
    };
    let least = (0..ROUNDS).map(|_| took()).min().unwrap_or_default();
    eprintln!("{}", least.as_nanos());
}
