//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// What it asks for.
pub struct Options {
    /// How long.
    pub time: Duration,
    /// The module that comes and goes; without it none does.
    pub module: Option<PathBuf>,
    /// What is added to the nice value, so that others get more of the CPU.
    pub nice: i32,
}

impl Options {
    /// Reads it; its first word is the program's own name.
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
