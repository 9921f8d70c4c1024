//! A storm of processes: programs, pipes, signals, files, the network to oneself, a module that comes and
//! goes, and programs that are killed for want of memory, all at once, for so many seconds. Each kind looks at
//! what came of it, so a kernel that does something wrong is told of here.

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

/// What went wrong.
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

/// One kind of work: a round of it, again and again, until the storm is over.
struct Kind {
    name: &'static str,
    round: fn(&Options) -> Result<(), Error>,
    /// How long it rests after a round.
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

    /// How many rounds there were. There is at least one.
    fn rage(&self, options: &Options, end: Instant) -> Result<u64, Error> {
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

/// All kinds at once, each of which has a line to itself at the end.
fn run(options: &Options) -> ExitCode {
    let end = Instant::now() + options.time;
    let told = thread::scope(|scope| {
        let raging = KINDS.map(|kind| (kind.name, scope.spawn(move || kind.rage(options, end))));
        raging.map(|(name, thread)| {
            let lost = |_| Err(Error::Wrong("its thread died".into()));
            (name, thread.join().unwrap_or_else(lost))
        })
    });
    let mut status = ExitCode::SUCCESS;
    for (name, rounds) in told {
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
