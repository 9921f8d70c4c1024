//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The parsed command line.
pub struct Options {
    /// How long to run.
    pub time: Duration,
    /// The module to load and unload; none if absent.
    pub module: Option<PathBuf>,
    /// Added to the nice value, to leave CPU time to others.
    pub nice: i32,
}

impl Options {
    /// Parses the arguments, of which the first is the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut options = Self {
            time: Duration::from_secs(10),
            module: None,
            nice: 0,
        };
        let mut parser = Parser::from_iter(words);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("seconds") => {
                    options.time = Duration::from_secs(parser.value()?.parse()?);
                }
                Arg::Long("nice") => options.nice = parser.value()?.parse()?,
                Arg::Long("module") => options.module = Some(parser.value()?.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}
