//! Loads a guest's kernel in many ways at once, for a given number of seconds: processes, pipes,
//! signals, files, loopback networking, a module that is loaded and unloaded, and OOM kills in a
//! cgroup.
//!
//! Each kind of work is a thread that repeats a round until time is up, at least one, and checks
//! the results, so a kernel that misbehaves under the tracer fails here. At the end each kind
//! prints a line: its rounds, or its first error.

mod files;
mod memory;
mod modules;
mod network;
mod options;
mod pipes;
mod programs;
mod signals;

use std::env;
use std::io;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use options::Options;

/// Why a round or the program failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-storm [--seconds N] [--module FILE] [--nice N]")]
    Usage(#[from] lexopt::Error),
    #[error(transparent)]
    System(#[from] io::Error),
    #[error(transparent)]
    Kernel(#[from] rustix::io::Errno),
    #[error("{0}")]
    Wrong(String),
}

/// A kind of work, repeated until time is up.
struct Kind {
    name: &'static str,
    round: fn(&Options) -> Result<(), Error>,
    /// Pause after each round.
    rest: Duration,
}

const KINDS: [Kind; 7] = [
    Kind::new("programs", programs::round, 0),
    Kind::new("pipes", pipes::round, 0),
    Kind::new("signals", signals::round, 0),
    Kind::new("files", files::round, 0),
    Kind::new("network", network::round, 0),
    Kind::new("modules", modules::round, 200),
    Kind::new("memory", memory::round, 1000),
];

impl Kind {
    const fn new(
        name: &'static str,
        round: fn(&Options) -> Result<(), Error>,
        milliseconds: u64,
    ) -> Self {
        let rest = Duration::from_millis(milliseconds);
        Self { name, round, rest }
    }

    /// Runs rounds until `end`, at least one; returns their number.
    fn repeat(&self, options: &Options, end: Instant) -> Result<u64, Error> {
        let mut rounds = 0;
        while rounds == 0 || Instant::now() < end {
            (self.round)(options)?;
            rounds += 1;
            thread::sleep(self.rest);
        }
        Ok(rounds)
    }
}

fn main() -> ExitCode {
    if env::args_os()
        .nth(1)
        .is_some_and(|word| word == memory::EAT)
    {
        memory::eat();
    }
    match Options::parse(env::args_os()) {
        Ok(options) => match rustix::process::nice(options.nice) {
            Ok(_) => run(&options),
            Err(why) => {
                eprintln!("trapline-storm: --nice {}: {why}", options.nice);
                ExitCode::FAILURE
            }
        },
        Err(why) => {
            eprintln!("trapline-storm: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all kinds concurrently and prints a line for each.
fn run(options: &Options) -> ExitCode {
    let end = Instant::now() + options.time;
    let results = thread::scope(|scope| {
        let running = KINDS.map(|kind| (kind.name, scope.spawn(move || kind.repeat(options, end))));
        running.map(|(name, thread)| {
            let panicked = |_| Err(Error::Wrong("its thread died".into()));
            (name, thread.join().unwrap_or_else(panicked))
        })
    });
    let mut status = ExitCode::SUCCESS;
    for (name, rounds) in results {
        match rounds {
            Ok(rounds) => println!("{name} {rounds}"),
            Err(why) => {
                println!("{name}: {why}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
