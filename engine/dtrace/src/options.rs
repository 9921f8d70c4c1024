//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::error::Error;
use crate::setting::Settings;

/// The usage message, printed after the command's name.
pub const USAGE: &str = "\
[-eFlqSvVwZ] [-b bufsz] [-c cmd] [-o output] [-p pid]
\t[-s script] [-x opt[=val]] [-X a|c|s|t]

\t[-P provider [[ predicate ] action ]]
\t[-m [ provider: ] module [[ predicate ] action ]]
\t[-f [[ provider: ] module: ] func [[ predicate ] action ]]
\t[-n [[[ provider: ] module: ] func: ] name [[ predicate ] action ]]
\t[ args ... ]

\tpredicate -> '/' D-expression '/'
\t   action -> '{' D-statements '}'

\t-b  set trace buffer size
\t-c  run specified command and exit upon its completion
\t-e  exit after compiling request but prior to enabling probes
\t-f  enable or list probes matching the specified function name
\t-F  coalesce trace output by function
\t-l  list probes matching specified criteria
\t-m  enable or list probes matching the specified module name
\t-n  enable or list probes matching the specified probe name
\t-o  set output file
\t-p  trace until the specified process exits; $target is its process-ID
\t-P  enable or list probes matching the specified provider name
\t-q  set quiet mode (only output explicitly traced data)
\t-s  enable or list probes according to the specified D script
\t-S  print D compiler intermediate code
\t-v  set verbose mode (report clauses and their sizes)
\t-V  report DTrace API version
\t-w  permit destructive actions (none are supported yet)
\t-x  enable or modify compiler and tracing options
\t-X  specify ISO C conformance settings for preprocessor (not supported yet)
\t-Z  permit probe descriptions that match zero probes
";

/// What the command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `-V`
    Version,
    /// `-l`
    List,
    /// Neither of these.
    Trace,
}

/// A program on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// The argument of `-n`, or of `-P`, `-m` or `-f` completed to one.
    Specifier(String),
    /// The file of `-s`.
    Script(String),
}

/// A target process; tracing ends when the last one exits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `-c`
    Command(String),
    /// `-p`
    Process(String),
}

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The command's name as it was invoked.
    pub name: String,
    /// The mode.
    pub mode: Mode,
    /// The programs in order.
    pub programs: Vec<Program>,
    /// Values of the macro arguments; the first is `$1`.
    pub arguments: Vec<String>,
    /// The options of `-x` and of letters with the same effect.
    pub settings: Settings,
    /// The targets of `-c` and `-p`, in order.
    pub targets: Vec<Target>,
    /// `-o`
    pub output: Option<PathBuf>,
    /// `-e`: only compiles the programs.
    pub only_compile: bool,
    /// `-v`
    pub verbose: bool,
}

impl Options {
    /// Parses `arguments`, the command's name first; options are set on top of `settings`.
    pub fn parse(
        arguments: impl IntoIterator<Item = OsString>,
        settings: Settings,
    ) -> Result<Self, Error> {
        let mut parser = Parser::from_iter(arguments);
        let mut options = Self {
            name: parser.bin_name().unwrap_or("dtrace").to_owned(),
            mode: Mode::Trace,
            programs: Vec::new(),
            arguments: Vec::new(),
            settings,
            targets: Vec::new(),
            output: None,
            only_compile: false,
            verbose: false,
        };
        let mut any = false;
        while let Some(argument) = parser.next().map_err(misuse)? {
            any = true;
            match argument {
                Arg::Short(letter) => options.option(letter, &mut parser)?,
                Arg::Value(value) => options.arguments.push(text(Ok(value))?),
                Arg::Long(name) => return Err(misuse(Arg::Long(name).unexpected())),
            }
        }
        any.then_some(options).ok_or(Error::Usage(None))
    }

    fn option(&mut self, letter: char, parser: &mut Parser) -> Result<(), Error> {
        let mut value = || text(parser.value());
        match letter {
            'b' => self.set('b', "bufsize", value()?)?,
            'c' => self.targets.push(Target::Command(value()?)),
            'e' => self.only_compile = true,
            'f' => self.specifier(&value()?, 2),
            'F' => self.settings.flow_indent = true,
            'l' => self.choose(Mode::List)?,
            'm' => self.specifier(&value()?, 1),
            'n' => self.programs.push(Program::Specifier(value()?)),
            'o' => self.output = Some(value()?.into()),
            'p' => self.targets.push(Target::Process(value()?)),
            'P' => self.specifier(&value()?, 0),
            'q' => self.settings.quiet = true,
            's' => self.programs.push(Program::Script(value()?)),
            'S' => self.settings.disassemble = true,
            'v' => self.verbose = true,
            'V' => self.choose(Mode::Version)?,
            'w' => self.settings.destructive = true,
            'x' => self.extended(&value()?)?,
            'X' => self.set('X', "stdc", value()?)?,
            'Z' => self.settings.zero_matches = true,
            _ => return Err(refused(letter)),
        }
        Ok(())
    }

    fn choose(&mut self, mode: Mode) -> Result<(), Error> {
        if ![Mode::Trace, mode].contains(&self.mode) {
            return Err(Error::Modes);
        }
        self.mode = mode;
        Ok(())
    }

    /// `-x name` or `-x name=value`.
    fn extended(&mut self, option: &str) -> Result<(), Error> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let set = self.settings.set(name, value);
        set.map_err(|why| Error::Setting(format!("-x {name}"), why))
    }

    fn set(&mut self, letter: char, name: &str, value: String) -> Result<(), Error> {
        let set = self.settings.set(name, Some(&value));
        set.map_err(|why| Error::Setting(format!("-{letter} {value}"), why))
    }

    /// Adds a program whose descriptions end with `field`, counted from the provider, by appending
    /// the missing colons.
    fn specifier(&mut self, argument: &str, field: usize) {
        let end = argument.find(['/', '{', ';']).unwrap_or(argument.len());
        let (descriptions, clause) = argument.split_at(end);
        let whole: Vec<String> = descriptions
            .split(',')
            .map(|it| format!("{}{}", it.trim(), ":".repeat(3 - field)))
            .collect();
        let source = whole.join(",") + clause;
        self.programs.push(Program::Specifier(source));
    }
}

fn text(value: Result<OsString, lexopt::Error>) -> Result<String, Error> {
    value.and_then(ValueExt::string).map_err(misuse)
}

/// A usage error in the wording of getopt.
fn misuse(error: lexopt::Error) -> Error {
    let letter = |option: &str| option.trim_start_matches('-').chars().next().unwrap_or('-');
    Error::Usage(Some(match &error {
        lexopt::Error::UnexpectedOption(option) if option.starts_with("--") => {
            "invalid option -- '-'".into()
        }
        lexopt::Error::UnexpectedOption(option) => {
            format!("invalid option -- '{}'", letter(option))
        }
        lexopt::Error::MissingValue {
            option: Some(option),
        } => format!("option requires an argument -- '{}'", letter(option)),
        _ => error.to_string(),
    }))
}

/// The error for an unknown or unsupported option.
fn refused(letter: char) -> Error {
    let why = match letter {
        'a' | 'A' => "anonymous tracing is not supported",
        'B' => "buffered output is not supported",
        'C' | 'D' | 'H' | 'I' | 'U' => "the C preprocessor is not supported yet",
        'G' | 'h' => "providers in programs (USDT) are not supported yet",
        'L' => "D libraries are not supported",
        'i' => "name the probe with -n instead",
        '3' | '6' => "programs always use the kernel's data model",
        _ => return misuse(lexopt::Error::UnexpectedOption(format!("-{letter}"))),
    };
    Error::Unsupported(letter, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Error> {
        let words = ["dtrace"].iter().chain(words);
        Options::parse(words.map(OsString::from), Settings::default())
    }

    fn message(words: &[&str]) -> String {
        parse(words).unwrap_err().to_string()
    }

    #[test]
    fn options_are_read_in_order() {
        let options = parse(&[
            "-qFw", "-n", "a{}", "-sb.d", "-o", "out", "-c", "ls -l", "-p7", "one", "-b", "4k",
            "two",
        ])
        .unwrap();
        assert_eq!(options.mode, Mode::Trace);
        assert_eq!(
            options.programs,
            [
                Program::Specifier("a{}".into()),
                Program::Script("b.d".into())
            ]
        );
        assert_eq!(options.arguments, ["one", "two"]);
        assert_eq!(options.output, Some("out".into()));
        let targets = [Target::Command("ls -l".into()), Target::Process("7".into())];
        assert_eq!(options.targets, targets);
        let Settings {
            quiet,
            flow_indent,
            destructive,
            buffer_size,
            ..
        } = options.settings;
        assert!(quiet && flow_indent && destructive);
        assert_eq!(buffer_size, 4096);
    }

    #[test]
    fn an_interpreter_line_has_options_and_the_script() {
        let options = parse(&["-qs", "/tmp/x.d", "5"]).unwrap();
        assert_eq!(options.programs, [Program::Script("/tmp/x.d".into())]);
        assert_eq!(options.arguments, ["5"]);
    }

    #[test]
    fn partial_specifiers_are_completed() {
        for (words, specifier) in [
            (["-P", "fbt"], "fbt:::"),
            (["-m", "fbt:ext4"], "fbt:ext4::"),
            (
                ["-f", "sys_chdir/arg0/{trace(1)}"],
                "sys_chdir:/arg0/{trace(1)}",
            ),
            (["-f", "a, b {}"], "a:,b:{}"),
        ] {
            let options = parse(&words).unwrap();
            assert_eq!(options.programs, [Program::Specifier(specifier.into())]);
        }
    }

    #[test]
    fn usage_errors_have_getopts_wording() {
        let usage = |words: &[&str]| match parse(words) {
            Err(Error::Usage(Some(why))) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(usage(&["-z"]), "invalid option -- 'z'");
        assert_eq!(usage(&["--help"]), "invalid option -- '-'");
        assert_eq!(usage(&["-n"]), "option requires an argument -- 'n'");
        assert!(matches!(parse(&[]), Err(Error::Usage(None))));
    }

    #[test]
    fn conflicting_or_unsupported_options_are_refused() {
        assert!(message(&["-lV"]).starts_with("only one of the [-lV] options"));
        assert_eq!(
            message(&["-C"]),
            "-C: the C preprocessor is not supported yet"
        );
        assert_eq!(message(&["-L", "lib"]), "-L: D libraries are not supported");
        assert_eq!(
            message(&["-x", "nonsense=1"]),
            "failed to set -x nonsense: Invalid option name"
        );
        assert_eq!(
            message(&["-b", "4q"]),
            "failed to set -b 4q: Invalid value for specified option"
        );
        assert_eq!(
            message(&["-X", "q"]),
            "failed to set -X q: Invalid value for specified option"
        );
    }
}
