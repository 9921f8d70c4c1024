//! The command line.

use std::ffi::{CStr, OsString};

use lexopt::{Arg, Parser, ValueExt};

use crate::Error;

/// The argument that makes this program exit at once.
pub const NOTHING: &CStr = c"nothing";

/// The parsed command line.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Print the table.
    List,
    /// Make every call.
    Every {
        /// Seed of the pseudo-random arguments.
        seed: u64,
        /// Whether to print the results.
        results: bool,
    },
    /// Make calls outside the table.
    Strange(usize),
    /// Make a call that seccomp denies.
    Denied,
    /// Make this many processes and threads.
    Storm(usize),
    /// Exec without capabilities.
    Bare(Vec<OsString>),
    /// Exec with CAP_SYS_ADMIN alone.
    Admin(Vec<OsString>),
    /// Exec as a user that owns nothing.
    Nobody(Vec<OsString>),
    /// Exec as a real-time thread.
    RealTime(Vec<OsString>),
    /// Exec from the second thread.
    Second(Vec<OsString>),
    /// Exec, and execute so many instructions one at a time.
    Stepped(usize, Vec<OsString>),
    /// Send a fatal signal to the init of a PID namespace.
    Unkillable,
    /// Exit.
    Nothing,
}

impl Command {
    /// Parses the arguments, of which the first is the program's name.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut parser = Parser::from_iter(words);
        let mut command = match parser.next()? {
            Some(Arg::Value(word)) => Self::named(&word.string()?)?,
            Some(other) => return Err(other.unexpected().into()),
            None => return Err(Error::Command(String::new())),
        };
        if let Self::Bare(words)
        | Self::Admin(words)
        | Self::Nobody(words)
        | Self::RealTime(words)
        | Self::Second(words) = &mut command
        {
            words.extend(parser.raw_args()?);
        }
        if let Self::Stepped(instructions, words) = &mut command {
            *instructions = parser.value()?.parse()?;
            words.extend(parser.raw_args()?);
        }
        if let Self::Strange(end) = &mut command {
            *end = parser.value()?.parse()?;
        }
        while let Some(argument) = parser.next()? {
            match (&mut command, argument) {
                (Self::Every { seed, .. }, Arg::Long("seed")) => *seed = parser.value()?.parse()?,
                (Self::Every { results, .. }, Arg::Long("results")) => *results = true,
                (Self::Storm(count), Arg::Long("processes")) => *count = parser.value()?.parse()?,
                (_, other) => return Err(other.unexpected().into()),
            }
        }
        Ok(command)
    }

    fn named(word: &str) -> Result<Self, Error> {
        let every = Self::Every {
            seed: 1,
            results: false,
        };
        let commands = [
            ("list", Self::List),
            ("every", every),
            ("strange", Self::Strange(0)),
            ("denied", Self::Denied),
            ("storm", Self::Storm(10_000)),
            ("bare", Self::Bare(Vec::new())),
            ("admin", Self::Admin(Vec::new())),
            ("nobody", Self::Nobody(Vec::new())),
            ("real-time", Self::RealTime(Vec::new())),
            ("second", Self::Second(Vec::new())),
            ("stepped", Self::Stepped(0, Vec::new())),
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
        let (seed, results) = (7, true);
        let every = Command::Every { seed, results };
        assert_eq!(read("every --seed 7 --results").unwrap(), every);
        assert_eq!(read("storm --processes 5").unwrap(), Command::Storm(5));
        let words = || ["ls", "-l"].map(OsString::from).to_vec();
        assert_eq!(read("bare ls -l").unwrap(), Command::Bare(words()));
        assert_eq!(read("admin ls -l").unwrap(), Command::Admin(words()));
        assert_eq!(read("second ls -l").unwrap(), Command::Second(words()));
        assert_eq!(
            read("stepped 9 ls -l").unwrap(),
            Command::Stepped(9, words())
        );
        assert_eq!(read("strange 451").unwrap(), Command::Strange(451));
        assert!(read("strange").is_err());
        assert!(read("stepped ls -l").is_err());
        assert!(read("list --seed 7").is_err());
        assert!(read("").is_err());
    }
}
