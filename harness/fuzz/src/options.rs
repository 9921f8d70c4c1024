//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// What it asks for.
pub struct Options {
    /// How many requests.
    pub requests: u64,
    /// What chance begins with: the same seed makes the same requests.
    pub seed: u64,
    /// D programs to begin with.
    pub programs: Vec<PathBuf>,
}

impl Options {
    /// Reads it; its first word is the program's own name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut options = Self {
            requests: 100_000,
            seed: 1,
            programs: Vec::new(),
        };
        let mut parser = Parser::from_iter(words);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("requests") => options.requests = parser.value()?.parse()?,
                Arg::Long("seed") => options.seed = parser.value()?.parse()?,
                Arg::Value(path) => options.programs.push(path.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}
