//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The parsed command line.
pub struct Options {
    /// Number of requests.
    pub requests: u64,
    /// Seed of the pseudo-random generator: the same seed makes the same requests.
    pub seed: u64,
    /// D programs to mutate.
    pub programs: Vec<PathBuf>,
    /// The process to ask for probes of, instead of all that.
    pub process: Option<u32>,
}

impl Options {
    /// Parses the arguments, of which the first is the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut options = Self {
            requests: 100_000,
            seed: 1,
            programs: Vec::new(),
            process: None,
        };
        let mut parser = Parser::from_iter(words);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("requests") => options.requests = parser.value()?.parse()?,
                Arg::Long("seed") => options.seed = parser.value()?.parse()?,
                Arg::Long("process") => options.process = Some(parser.value()?.parse()?),
                Arg::Value(path) => options.programs.push(path.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}
