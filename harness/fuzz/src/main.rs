//! Fuzzes `/dev/dtrace` with requests that no dtrace command sends: any number and size, verified
//! programs with a few bytes changed, bad pointers, on several consumers whose probes fire
//! meanwhile.
//!
//! Each request must succeed or fail with an errno that the interface uses (`tally`), and a run
//! must have met every one of them, since a path never taken is a path not tested. Damage to the
//! kernel is for the caller to detect. A run is reproducible from its seed, except for what depends
//! on timing. Most requests are nearly valid (`request`): random bytes are refused before they
//! reach anything.
//!
//! `--process PID` makes one request instead, for probes of a process that the caller may not be allowed
//! to trace, and prints the answer: the dtrace command would not ask.

mod cliff;
mod device;
mod options;
mod request;
mod seeds;
mod tally;

use std::env;
use std::io;
use std::process::ExitCode;

use fastrand::Rng;

use cliff::Cliff;
use device::Consumer;
use options::Options;
use request::Maker;
use seeds::Seeds;
use tally::Tally;

/// Number of concurrent consumers.
const CONSUMERS: usize = 4;

/// A consumer is closed and reopened, on average, after this many of its requests.
const LIFETIME: u32 = 60;

/// Every this many requests chdir is called twice, to make its probes fire.
const CHDIR_INTERVAL: u64 = 100;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-fuzz [--requests N] [--seed N] PROGRAM.d... | --process PID")]
    Usage(#[from] lexopt::Error),
    #[error("{name}: {why}")]
    File { name: String, why: io::Error },
    #[error("none of {0} files compiles")]
    NoSeeds(usize),
    #[error("{doing}: {why}")]
    System {
        doing: &'static str,
        why: rustix::io::Errno,
    },
    #[error("{0}")]
    Wrong(String),
}

fn main() -> ExitCode {
    match Options::parse(env::args_os()).and_then(|options| run(&options)) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("trapline-fuzz: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<String, Error> {
    if let Some(pid) = options.process {
        let answer = Consumer::open()?.ask_for_probes(pid);
        return Ok(answer.map_or_else(|errno| errno.to_string(), |()| "accepted".into()));
    }
    device::check_consumer_limit()?;
    let cliff = Cliff::new()?;
    let mut consumers: [Option<Consumer>; CONSUMERS] = [const { None }; CONSUMERS];
    let pointer = Consumer::open()?.conf()?.pointer;
    let seeds = Seeds::compile(&options.programs, pointer)?;
    let mut prng = Rng::with_seed(options.seed);
    let mut maker = Maker::new(&seeds, &cliff);
    let mut tally = Tally::default();
    for number in 0..options.requests {
        let slot = &mut consumers[prng.usize(..CONSUMERS)];
        if prng.u32(..LIFETIME) == 0 {
            *slot = None;
        }
        let consumer = match slot {
            Some(consumer) => consumer,
            None => slot.insert(open_consumer(&mut maker, &mut prng)?),
        };
        let mut request = maker.request(&mut prng);
        let answer = consumer.ask(&mut request);
        tally.add(&request, answer)?;
        if number % CHDIR_INTERVAL == 0 {
            change_directory()?;
        }
    }
    tally.check_coverage()?;
    Ok(format!(
        "{} requests, each accepted or rejected as expected",
        options.requests
    ))
}

/// A new consumer. Every other one starts with a valid program enabled on some probes, since after
/// a refused first request it would arm nothing.
fn open_consumer(maker: &mut Maker<'_>, prng: &mut Rng) -> Result<Consumer, Error> {
    let consumer = Consumer::open()?;
    if prng.bool() {
        for mut request in maker.valid_start(prng) {
            consumer.ask(&mut request).ok();
        }
    }
    Ok(consumer)
}

fn change_directory() -> Result<(), Error> {
    for place in ["/", "/tmp"] {
        let gone = env::set_current_dir(place);
        gone.map_err(|why| Error::File {
            name: place.into(),
            why,
        })?;
    }
    Ok(())
}
