//! Throws requests at `/dev/dtrace` that no command would send: of any number and size, with programs
//! that were sound before a few of their bytes changed, on several consumers whose probes fire meanwhile.
//! Each must be granted, or refused with an errno that `engine_abi` has a use for; what it does to the
//! kernel beyond that is for whoever started it to find out.

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

/// How many consumers there are at a time.
const CONSUMERS: usize = 4;

/// A consumer is closed, and another opened in its place, once in so many requests to it.
const LIFE: u32 = 60;

/// Once in so many requests the current directory is set, twice, for probes on that to fire.
const STEPS: u64 = 100;

/// What ended a run before its time.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-fuzz [--requests N] [--seed N] PROGRAM.d...")]
    Usage(#[from] lexopt::Error),
    #[error("{name}: {why}")]
    File { name: String, why: io::Error },
    #[error("of {0} files none is a program that compiles")]
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
        Ok(told) => {
            println!("{told}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("trapline-fuzz: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<String, Error> {
    device::is_full_at_some_time()?;
    let cliff = Cliff::new()?;
    let mut consumers: [Option<Consumer>; CONSUMERS] = [const { None }; CONSUMERS];
    let pointer = Consumer::open()?.conf()?.pointer;
    let seeds = Seeds::compile(&options.programs, pointer)?;
    let mut chance = Rng::with_seed(options.seed);
    let mut maker = Maker::new(&seeds, &cliff);
    let mut tally = Tally::default();
    for number in 0..options.requests {
        let slot = &mut consumers[chance.usize(..CONSUMERS)];
        if chance.u32(..LIFE) == 0 {
            *slot = None;
        }
        let consumer = match slot {
            Some(consumer) => consumer,
            None => slot.insert(begun(&mut maker, &mut chance)?),
        };
        let mut request = maker.request(&mut chance);
        let answer = consumer.ask(&mut request);
        tally.add(&request, answer)?;
        if number % STEPS == 0 {
            step()?;
        }
    }
    tally.is_of_everything()?;
    Ok(format!(
        "{} requests, each granted or refused as it may be",
        options.requests
    ))
}

/// A new consumer, every other one with a sound program that some probes have: nothing is armed for one
/// that begins with what is refused.
fn begun(maker: &mut Maker<'_>, chance: &mut Rng) -> Result<Consumer, Error> {
    let consumer = Consumer::open()?;
    if chance.bool() {
        for mut request in maker.sound_start(chance) {
            consumer.ask(&mut request).ok();
        }
    }
    Ok(consumer)
}

fn step() -> Result<(), Error> {
    for place in ["/", "/tmp"] {
        let gone = env::set_current_dir(place);
        gone.map_err(|why| Error::File {
            name: place.into(),
            why,
        })?;
    }
    Ok(())
}
