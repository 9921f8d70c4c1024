//! `dtrace`: compiles D programs, enables their probes, and prints what they record until they exit
//! or are interrupted. Options, output and exit codes are those of dtrace(1): the status given to
//! `exit()`, 1 for a failed run, 2 for an invalid command line.
//!
//! - [`options`] and [`setting`] parse the command line and the options of `-x` and `#pragma`.
//! - [`sources`] reads programs and [`libraries`], and has [`preprocess`] run the C preprocessor.
//! - [`compile`] compiles all programs into one; [`enable`] loads it and starts tracing.
//! - [`engine`] is the interface to an engine, and [`requests`] what carries it: [`device`] is the
//!   kernel's, by ioctl; [`inside`] is one in the traced process, by a socket. [`local`] runs in this
//!   process, for programs that have no probes but those of `dtrace` and `profile`.
//! - [`doctor`] reports what a system lacks for tracing.
//! - [`generate`] writes the manual page and what completes words in shells.
//! - [`header`] writes C headers of the providers that scripts define.
//! - [`trace`] is the main loop; it waits for [`event`]s, and has [`consume`] drain the engine.
//! - [`firing`], [`aggregation`] and [`print`] print records and aggregations; messages about
//!   faults and drops go to standard error. [`symbols`] and [`user_symbols`] name addresses.
//!
//! The main thread does all of this. Other threads wait for signals and target processes, and fire
//! the timers of the in-process engine.

mod aggregation;
mod compile;
mod consume;
mod device;
mod doctor;
mod drops;
mod enable;
mod engine;
mod entry_point;
mod error;
mod event;
mod fault;
mod firing;
mod flow;
mod generate;
mod header;
mod inside;
mod kernel;
mod layout;
mod libraries;
mod list;
mod local;
mod options;
mod output;
mod path;
mod preprocess;
mod print;
mod process_probes;
mod registers;
mod requests;
mod setting;
mod shell;
mod sources;
mod symbols;
mod target;
mod trace;
mod unwind;
mod user_symbols;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use error::Error;
use kernel::Running;
use options::{Mode, Options, usage};
use output::{Output, print_stderr, report};
use setting::Settings;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(error) = target::run_placeholder(&arguments) {
        return fail(&error);
    }
    match run(arguments) {
        Ok(status) => ExitCode::from(status),
        Err(error) => fail(&error),
    }
}

fn run(arguments: Vec<OsString>) -> Result<u8, Error> {
    let mut settings = Settings::default();
    settings.set_from(std::env::vars_os());
    let options = Options::parse(arguments, settings)?;
    match &options.mode {
        Mode::Complete(word) => generate::complete::write(word),
        Mode::Doctor => doctor::run(&options.arguments),
        Mode::Generate(what) => generate::write(*what),
        Mode::Header => header::write(&options),
        Mode::Help => help(),
        Mode::Link => header::link(&options),
        Mode::Version => version(),
        Mode::Types => types(&options),
        Mode::Path => path::record(&options),
        Mode::Report => {
            let mut output = Output::open(options.output.as_deref())?;
            path::report(&options.path, &options.report, &mut output)
        }
        Mode::List | Mode::Trace => trace::run(&options),
    }
}

fn help() -> Result<u8, Error> {
    let mut output = Output::open(None)?;
    output.buffer().extend_from_slice(usage().as_bytes());
    output.flush().map(|()| 0)
}

fn version() -> Result<u8, Error> {
    let mut output = Output::open(None)?;
    let version = env!("CARGO_PKG_VERSION");
    output.line(format_args!("dtrace: Trapline D {version}"));
    output.flush().map(|()| 0)
}

/// `--type`: the layouts of types of the running kernel.
fn types(options: &Options) -> Result<u8, Error> {
    let mut output = Output::open(options.output.as_deref())?;
    let kernel = Running::new(None, options.settings.types.clone());
    for type_ in &options.types {
        let text =
            layout::describe(&kernel, type_).map_err(|why| Error::Layout(type_.clone(), why))?;
        output.buffer().extend_from_slice(text.as_bytes());
    }
    output.flush().map(|()| 0)
}

fn fail(error: &Error) -> ExitCode {
    match error {
        Error::Usage(None) => {}
        Error::Write { why, .. } if why.kind() == ErrorKind::BrokenPipe => {}
        error => report(error),
    }
    if let Error::Usage(_) = error {
        print_stderr(format_args!("{}", usage()));
    }
    ExitCode::from(error.exit_code())
}
