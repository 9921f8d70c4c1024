//! `dtrace`: compiles D programs, enables their probes, and prints what they record until they end, or
//! are told to.
//!
//! Options, output and exit codes are those of dtrace(1): the status that a program gave to `exit()`, 1
//! for a run that failed, 2 for a command line that makes no sense.

mod aggregation;
mod compile;
mod consume;
mod device;
mod drops;
mod enable;
mod engine;
mod error;
mod event;
mod fault;
mod firing;
mod flow;
mod list;
mod local;
mod options;
mod output;
mod print;
mod setting;
mod symbols;
mod target;
mod trace;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use error::Error;
use options::{Mode, Options, USAGE};
use output::{Output, say, tell};
use setting::Settings;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(error) = target::stand_in(&arguments) {
        return fail(&error);
    }
    match run(arguments) {
        Ok(status) => ExitCode::from(status),
        Err(error) => fail(&error),
    }
}

fn run(arguments: Vec<OsString>) -> Result<u8, Error> {
    let mut settings = Settings::default();
    settings.set_from(|variable| std::env::var(variable).ok());
    let options = Options::parse(arguments, settings)?;
    match options.mode {
        Mode::Version => version(),
        Mode::List | Mode::Trace => trace::run(&options),
    }
}

fn version() -> Result<u8, Error> {
    let mut output = Output::open(None)?;
    let version = env!("CARGO_PKG_VERSION");
    output.line(format_args!("dtrace: Trapline D {version}"));
    output.flush().map(|()| 0)
}

fn fail(error: &Error) -> ExitCode {
    match error {
        Error::Usage(None) => {}
        Error::Write { why, .. } if why.kind() == ErrorKind::BrokenPipe => {}
        error => tell(error),
    }
    if let Error::Usage(_) = error {
        say(format_args!("Usage: dtrace {USAGE}"));
    }
    ExitCode::from(error.exit_code())
}
