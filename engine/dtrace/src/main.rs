//! `dtrace`: enables probes, and prints what they record until it is told to stop.
//!
//! Options, output and exit codes are those of dtrace(1): 0 for a run that went well, 1 for one
//! that failed, 2 for a command line that makes no sense.

mod device;
mod error;
mod options;
mod output;
mod specifier;
mod trace;
mod workload;

use std::process::ExitCode;

use error::Error;
use options::{Action, Options};

fn main() -> ExitCode {
    match Options::parse(std::env::args_os()).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(&error);
            error.exit_code()
        }
    }
}

fn run(options: Options) -> Result<(), Error> {
    match options.action {
        Action::Version => output::version(),
        Action::List => trace::list(&options),
        Action::Trace => trace::trace(&options),
    }
}
