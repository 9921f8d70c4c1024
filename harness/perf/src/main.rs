//! `trapline-perf EVENT... -- COMMAND...` counts events on all CPUs while a command runs, through
//! perf_event_open(2), and prints each event with its count. It stands in for perf, whose Debian
//! package depends on Python and Perl.
//!
//! An event is `kprobe:FUNCTION[+OFFSET]`, `kretprobe:FUNCTION`, `tracepoint:GROUP/NAME`, or
//! `samples:HERTZ`, which samples call chains on every CPU at that frequency.

mod counter;
mod event;

use std::env;
use std::io;
use std::num::ParseIntError;
use std::process::{Command, ExitCode};
use std::thread;

use counter::Counter;
use event::Event;

/// Why it failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("usage: trapline-perf EVENT... -- COMMAND...")]
    Usage,
    #[error("no such event: {0}")]
    Event(String),
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error("{0}: {1}")]
    Number(String, ParseIntError),
    #[error("{0} cannot be counted: {1}")]
    Refused(String, io::Error),
    #[error("{0}: {1}")]
    Command(String, io::Error),
}

fn main() -> ExitCode {
    match run(env::args().skip(1).collect()) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("trapline-perf: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: Vec<String>) -> Result<ExitCode, Error> {
    let mut parts = words.splitn(2, |word| word == "--");
    let (Some(events), Some([program, arguments @ ..])) = (parts.next(), parts.next()) else {
        return Err(Error::Usage);
    };
    let counted = events.iter().map(|text| Ok((text, count(text)?)));
    let counted = counted.collect::<Result<Vec<_>, Error>>()?;
    let ended = Command::new(program).args(arguments).status();
    let ended = ended.map_err(|why| Error::Command(program.clone(), why))?;
    for (text, counters) in counted {
        let counts = counters.iter().map(Counter::read);
        let sum = counts.sum::<io::Result<u64>>();
        let sum = sum.map_err(|why| Error::Refused(text.clone(), why))?;
        println!("{text} counted {sum}");
    }
    Ok(if ended.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Starts counting on every CPU.
fn count(text: &str) -> Result<Vec<Counter>, Error> {
    let event = Event::parse(text)?;
    let refused = |why| Error::Refused(text.to_owned(), why);
    let cpus = thread::available_parallelism().map_err(refused)?.get();
    let counters = (0..cpus).map(|cpu| Counter::open(&event, cpu));
    counters.collect::<io::Result<_>>().map_err(refused)
}
