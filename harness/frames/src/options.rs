//! The command line.

use std::ffi::{CStr, OsString};

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The command that makes this program exit at once.
pub const NOTHING: &CStr = c"nothing";

/// The parsed command line.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Call functions that call themselves.
    Recurse { depth: usize },
    /// Throw exceptions through calls.
    Unwind { depth: usize, rounds: usize },
    /// Leave calls as longjmp(3) does.
    Longjmp { depth: usize, rounds: usize },
    /// Switch stacks.
    Stacks { switches: usize },
    /// Switch to a stack that is not aligned.
    Skewed,
    /// Call from threads.
    Threads { threads: usize, calls: usize },
    /// Time calls.
    Timed { calls: usize },
    /// Call a function of special instructions.
    Special { calls: usize },
    /// Call it without pointer authentication.
    Unsigned { calls: usize },
    /// Call functions where branches are checked.
    Guarded { calls: usize },
    /// Call before and after changes of text are forbidden.
    Hardened { calls: usize },
    /// Call with all registers in use.
    Kept { calls: usize },
    /// Call while signals are blocked.
    Masked { calls: usize },
    /// Tell where a function is.
    Place { function: String },
    /// Make children.
    Forks { count: usize },
    /// Make children without handlers of signals.
    Spawned { count: usize },
    /// Handle faults.
    Faults { count: usize },
    /// Handle alarms.
    Alarms { count: usize },
    /// Replace a function's page.
    Maps { calls: usize },
    /// Execute what only the kernel may.
    Privileged,
    /// Execute a trap.
    Trapped,
    /// Exit.
    Nothing,
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
        let mut number = || -> Result<usize, lexopt::Error> { parser.value()?.parse() };
        let command = match word.as_str() {
            "recurse" => Self::Recurse { depth: number()? },
            "unwind" => {
                let (depth, rounds) = (number()?, number()?);
                Self::Unwind { depth, rounds }
            }
            "longjmp" => {
                let (depth, rounds) = (number()?, number()?);
                Self::Longjmp { depth, rounds }
            }
            "stacks" => {
                let switches = number()?;
                Self::Stacks { switches }
            }
            "skewed" => Self::Skewed,
            "threads" => {
                let (threads, calls) = (number()?, number()?);
                Self::Threads { threads, calls }
            }
            "timed" => Self::Timed { calls: number()? },
            "special" => Self::Special { calls: number()? },
            "unsigned" => Self::Unsigned { calls: number()? },
            "guarded" => Self::Guarded { calls: number()? },
            "hardened" => Self::Hardened { calls: number()? },
            "kept" => Self::Kept { calls: number()? },
            "masked" => Self::Masked { calls: number()? },
            "place" => Self::Place {
                function: parser.value()?.string()?,
            },
            "forks" => Self::Forks { count: number()? },
            "spawned" => Self::Spawned { count: number()? },
            "faults" => Self::Faults { count: number()? },
            "alarms" => Self::Alarms { count: number()? },
            "maps" => Self::Maps { calls: number()? },
            "privileged" => Self::Privileged,
            "trapped" => Self::Trapped,
            "nothing" => Self::Nothing,
            _ => return Err(Error::Command(word)),
        };
        match parser.next()? {
            Some(other) => Err(other.unexpected().into()),
            None => Ok(command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Command, Error> {
        let words = format!("trapline-frames {words}");
        Command::parse(words.split_whitespace().map(OsString::from))
    }

    #[test]
    fn a_command_has_its_numbers_and_no_others() {
        let (depth, rounds) = (7, 2);
        let unwind = Command::Unwind { depth, rounds };
        assert_eq!(read("unwind 7 2").unwrap(), unwind);
        assert_eq!(read("recurse 7").unwrap(), Command::Recurse { depth });
        for wrong in ["", "fly 1", "unwind 7", "recurse -1", "recurse 7 2", "--x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
