//! The command line.

use std::ffi::{OsString, c_ulong};

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The parsed command line.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Fire a probe for each form of operand.
    Forms,
    /// Fire probes with arguments of each size.
    Arguments,
    /// Fire probes with several sites.
    Sites { count: c_ulong },
    /// Fire a probe while it is enabled.
    Enabled { rounds: c_ulong },
    /// Print when a probe is enabled; with `seals`, its semaphore is read-only then.
    Watch { milliseconds: c_ulong, seals: bool },
    /// Fire in children.
    Forks { count: c_ulong },
    /// Fire in a loop.
    Fire { count: c_ulong },
    /// Run the loop without a probe.
    Idle { count: c_ulong },
    /// Print where a probe's site is.
    Place { probe: String },
}

impl Command {
    /// Parses the arguments, of which the first is the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut parser = Parser::from_iter(words);
        let word = match parser.next()? {
            Some(Arg::Value(word)) => word.string()?,
            Some(other) => return Err(other.unexpected().into()),
            None => String::new(),
        };
        let mut number = || -> Result<c_ulong, lexopt::Error> { parser.value()?.parse() };
        let command = match word.as_str() {
            "forms" => Self::Forms,
            "arguments" => Self::Arguments,
            "sites" => Self::Sites { count: number()? },
            "enabled" => Self::Enabled { rounds: number()? },
            "watch" | "seal" => Self::Watch {
                milliseconds: number()?,
                seals: word == "seal",
            },
            "forks" => Self::Forks { count: number()? },
            "fire" => Self::Fire { count: number()? },
            "idle" => Self::Idle { count: number()? },
            "place" => Self::Place {
                probe: parser.value()?.string()?,
            },
            _ => return Err(Error::Command(word)),
        };
        match parser.next()? {
            Some(more) => Err(more.unexpected().into()),
            None => Ok(command),
        }
    }
}
