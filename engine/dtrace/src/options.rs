//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::error::Error;

/// What is printed under a command line that makes no sense.
pub const USAGE: &str = "\
Usage: dtrace [-lqV] [-c cmd] [-o output] [-n [[[provider:] module:] func:] name] ...

    -c  run the command, and stop tracing when it exits
    -l  list the probes that match, instead of tracing
    -n  enable or list the probes that match a description; may be repeated
    -o  append output to this file
    -q  quiet: print only what was asked to be traced
    -V  print the version
";

/// What the command is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// `-V`
    Version,
    /// `-l`
    List,
    /// Neither.
    Trace,
}

/// A command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// What to do.
    pub action: Action,
    /// The arguments of `-n`, in order.
    pub specifiers: Vec<String>,
    /// `-q`
    pub quiet: bool,
    /// `-c`
    pub command: Option<String>,
    /// `-o`
    pub output: Option<PathBuf>,
}

impl Options {
    /// The options in `args`, the program's name first.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let options =
            Self::read(Parser::from_iter(args)).map_err(|e| Error::Usage(e.to_string()))?;
        if options.action == Action::Trace && options.specifiers.is_empty() {
            return Err(Error::NoProbes);
        }
        Ok(options)
    }

    fn read(mut parser: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            action: Action::Trace,
            specifiers: Vec::new(),
            quiet: false,
            command: None,
            output: None,
        };
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Short('c') => options.command = Some(parser.value()?.string()?),
                Arg::Short('l') => options.choose(Action::List)?,
                Arg::Short('n') => options.specifiers.push(parser.value()?.string()?),
                Arg::Short('o') => options.output = Some(parser.value()?.into()),
                Arg::Short('q') => options.quiet = true,
                Arg::Short('V') => options.choose(Action::Version)?,
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(options)
    }

    fn choose(&mut self, action: Action) -> Result<(), lexopt::Error> {
        if ![Action::Trace, action].contains(&self.action) {
            return Err("only one of the [-lV] options can be specified at a time".into());
        }
        self.action = action;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, Error> {
        Options::parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn options_are_read_in_order() {
        let options = parse("dtrace -q -n a -nb:c -o out -c ls").unwrap();
        assert_eq!(options.action, Action::Trace);
        assert_eq!(options.specifiers, ["a", "b:c"]);
        assert!(options.quiet);
        assert_eq!(options.command.as_deref(), Some("ls"));
        assert_eq!(options.output, Some("out".into()));
    }

    #[test]
    fn lists_need_no_description_but_traces_do() {
        assert_eq!(parse("dtrace -l").unwrap().action, Action::List);
        assert!(matches!(parse("dtrace -q"), Err(Error::NoProbes)));
        assert!(matches!(parse("dtrace -l -V"), Err(Error::Usage(_))));
    }

    #[test]
    fn what_is_not_an_option_is_said() {
        for (line, word) in [("dtrace -Z", "-Z"), ("dtrace x", "x"), ("dtrace -n", "-n")] {
            let Err(Error::Usage(why)) = parse(line) else {
                panic!("{line} passed")
            };
            assert!(why.contains(word), "{why}");
        }
    }
}
