//! The command line.

use std::ffi::{CStr, OsString};

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The word by which this program is told to end at once.
pub const NOTHING: &CStr = c"nothing";

/// What it asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// To say which calls there are.
    List,
    /// To make all of them.
    Every {
        /// What chance begins with.
        seed: u64,
        /// Whether it says what each answered.
        tells: bool,
    },
    /// To make calls that there are not.
    Strange,
    /// To make a call that is denied.
    Denied,
    /// To make so many processes.
    Storm(usize),
    /// To become that program without a capability.
    Bare(Vec<OsString>),
    /// To become that program as a real-time thread.
    RealTime(Vec<OsString>),
    /// To become that program by the second thread.
    Second(Vec<OsString>),
    /// To take a signal that is fatal to others.
    Unkillable,
    /// To end.
    Nothing,
}

impl Command {
    /// Reads it; its first word is the program's own name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut parser = Parser::from_iter(words);
        let mut command = match parser.next()? {
            Some(Arg::Value(word)) => Self::named(&word.string()?)?,
            Some(other) => return Err(other.unexpected().into()),
            None => return Err(Error::Command(String::new())),
        };
        if let Self::Bare(words) | Self::RealTime(words) | Self::Second(words) = &mut command {
            words.extend(parser.raw_args()?);
        }
        while let Some(argument) = parser.next()? {
            match (&mut command, argument) {
                (Self::Every { seed, .. }, Arg::Long("seed")) => *seed = parser.value()?.parse()?,
                (Self::Every { tells, .. }, Arg::Long("results")) => *tells = true,
                (Self::Storm(count), Arg::Long("processes")) => *count = parser.value()?.parse()?,
                (_, other) => return Err(other.unexpected().into()),
            }
        }
        Ok(command)
    }

    fn named(word: &str) -> Result<Self, Error> {
        let every = Self::Every {
            seed: 1,
            tells: false,
        };
        let commands = [
            ("list", Self::List),
            ("every", every),
            ("strange", Self::Strange),
            ("denied", Self::Denied),
            ("storm", Self::Storm(10_000)),
            ("bare", Self::Bare(Vec::new())),
            ("real-time", Self::RealTime(Vec::new())),
            ("second", Self::Second(Vec::new())),
            ("unkillable", Self::Unkillable),
            ("nothing", Self::Nothing),
        ];
        let found = commands.into_iter().find(|(name, _)| *name == word);
        found
            .map(|(_, command)| command)
            .ok_or_else(|| Error::Command(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Command, Error> {
        let words = format!("trapline-calls {words}");
        Command::parse(words.split_whitespace().map(OsString::from))
    }

    #[test]
    fn a_command_has_its_own_options() {
        let (seed, tells) = (7, true);
        let every = Command::Every { seed, tells };
        assert_eq!(read("every --seed 7 --results").unwrap(), every);
        assert_eq!(read("storm --processes 5").unwrap(), Command::Storm(5));
        let words = || ["ls", "-l"].map(OsString::from).to_vec();
        assert_eq!(read("bare ls -l").unwrap(), Command::Bare(words()));
        assert_eq!(read("second ls -l").unwrap(), Command::Second(words()));
        assert!(read("list --seed 7").is_err());
        assert!(read("").is_err());
    }
}
