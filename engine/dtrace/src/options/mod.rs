//! The command line.

mod usage;

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::error::Error;
use crate::generate::Generated;
use crate::generate::complete::Word;
use crate::path::{Point, Report};
use crate::setting::Settings;
pub use usage::{Flag, SYNOPSIS, Takes, flags, usage};

/// What the command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// `--complete`
    Complete(Word),
    /// `--doctor`
    Doctor,
    /// `--generate`
    Generate(Generated),
    /// `--help`
    Help,
    /// `-V`, `--version`
    Version,
    /// `-h`: a C header of the providers that a script defines.
    Header,
    /// `-G`: an object file with such providers, which no header needs.
    Link,
    /// `-l`
    List,
    /// `--path`
    Path,
    /// `--report`
    Report,
    /// `--type`, with or without `-l`
    Types,
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
    /// The argument of `-i`: a probe's ID, and the rest of the clause.
    Probe(u32, String),
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
    /// The file of `--path` or `--report`.
    pub path: PathBuf,
    /// What `--report` shows.
    pub report: Report,
    /// The types of `--type`, in order.
    pub types: Vec<String>,
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
    /// `-32`, `-64`: the size in bytes that pointers of the kernel must have.
    pub pointer: Option<u32>,
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
            path: PathBuf::new(),
            report: Report::Summary,
            types: Vec::new(),
            arguments: Vec::new(),
            settings,
            targets: Vec::new(),
            output: None,
            only_compile: false,
            verbose: false,
            pointer: None,
        };
        let mut any = false;
        while let Some(argument) = parser.next().map_err(misuse)? {
            any = true;
            match argument {
                Arg::Short(letter) => options.option(letter, &mut parser)?,
                Arg::Value(value) => options.arguments.push(text(Ok(value))?),
                Arg::Long("help") => options.mode = Mode::Help,
                Arg::Long("complete") => options.complete(&mut parser)?,
                Arg::Long("doctor") => options.choose(Mode::Doctor)?,
                Arg::Long("generate") => options.generate(&text(parser.value())?)?,
                Arg::Long("path") => options.file(Mode::Path, &mut parser)?,
                Arg::Long("report") => options.file(Mode::Report, &mut parser)?,
                Arg::Long("show") => options.show(&text(parser.value())?)?,
                Arg::Long("from") => options.points(0, &text(parser.value())?)?,
                Arg::Long("to") => options.points(1, &text(parser.value())?)?,
                Arg::Long("type") => options.types.push(text(parser.value())?),
                Arg::Long("version") => options.choose(Mode::Version)?,
                Arg::Long(name) => return Err(misuse(Arg::Long(name).unexpected())),
            }
        }
        options.choose_types()?;
        any.then_some(options).ok_or(Error::Usage(None))
    }

    fn file(&mut self, mode: Mode, parser: &mut Parser) -> Result<(), Error> {
        self.choose(mode)?;
        self.path = parser.value().map_err(misuse)?.into();
        Ok(())
    }

    /// `--complete`, for shells: an option's letter, and the word that is its value so far.
    fn complete(&mut self, parser: &mut Parser) -> Result<(), Error> {
        let letter = text(parser.value())?;
        let word = Word::of_option(&letter, text(parser.value())?);
        let word = word.ok_or_else(|| {
            Error::Usage(Some(format!(
                "--complete {letter}: this is none of P, m, f, n"
            )))
        })?;
        self.choose(Mode::Complete(word))
    }

    /// `--generate`
    fn generate(&mut self, what: &str) -> Result<(), Error> {
        let what = Generated::named(what).ok_or_else(|| {
            Error::Usage(Some(format!(
                "--generate {what}: this is none of man, bash, zsh, fish"
            )))
        })?;
        self.choose(Mode::Generate(what))
    }

    /// `--show`
    fn show(&mut self, what: &str) -> Result<(), Error> {
        self.report = match what.split_once(':') {
            Some(("instructions", function)) => Report::Instructions(Some(function.to_owned())),
            None if what == "instructions" => Report::Instructions(None),
            None if what == "summary" => Report::Summary,
            None if what == "functions" => Report::Functions,
            None if what == "branches" => Report::Branches,
            None if what == "json" => Report::Json,
            None if what == "picture" => Report::Picture,
            None if what == "path" => Report::Path {
                from: None,
                to: None,
            },
            _ => {
                let message = format!(
                    "--show {what}: this is none of summary, functions, branches, instructions, \
                     instructions:FUNCTION, path, json, picture"
                );
                return Err(Error::Usage(Some(message)));
            }
        };
        Ok(())
    }

    /// `--from` and `--to` show the path between them.
    fn points(&mut self, number: usize, point: &str) -> Result<(), Error> {
        let point: Point = point.parse().map_err(|why| {
            Error::Usage(Some(format!(
                "--from and --to take an address, or a function, {why}"
            )))
        })?;
        let mut points = match std::mem::replace(&mut self.report, Report::Summary) {
            Report::Path { from, to } => [from, to],
            _ => [None, None],
        };
        points[number] = Some(point);
        let [from, to] = points;
        self.report = Report::Path { from, to };
        Ok(())
    }

    /// `--type` makes a listing one of types.
    fn choose_types(&mut self) -> Result<(), Error> {
        if self.types.is_empty() {
            return Ok(());
        }
        if !(self.programs.is_empty() && self.targets.is_empty()) {
            return Err(Error::TypesOnly);
        }
        match self.mode {
            Mode::List | Mode::Trace => self.mode = Mode::Types,
            Mode::Complete(_)
            | Mode::Doctor
            | Mode::Generate(_)
            | Mode::Header
            | Mode::Help
            | Mode::Link
            | Mode::Path
            | Mode::Report
            | Mode::Types
            | Mode::Version => {}
        }
        Ok(())
    }

    fn option(&mut self, letter: char, parser: &mut Parser) -> Result<(), Error> {
        let mut value = || text(parser.value());
        match letter {
            '3' => self.data_model('3', &value()?)?,
            '6' => self.data_model('6', &value()?)?,
            'b' => self.set('b', "bufsize", value()?)?,
            'c' => self.targets.push(Target::Command(value()?)),
            'C' => self.settings.preprocessor.is_on = true,
            'D' => self.set('D', "define", value()?)?,
            'e' => self.only_compile = true,
            'f' => self.specifier(&value()?, 2),
            'F' => self.settings.flow_indent = true,
            'G' => self.choose(Mode::Link)?,
            'h' => self.choose(Mode::Header)?,
            'H' => self.settings.preprocessor.prints_headers = true,
            'i' => self.probe(&value()?)?,
            'I' => self.set('I', "incdir", value()?)?,
            'l' => self.choose(Mode::List)?,
            'L' => self.set('L', "libdir", value()?)?,
            'm' => self.specifier(&value()?, 1),
            'n' => self.programs.push(Program::Specifier(value()?)),
            'o' => self.output = Some(value()?.into()),
            'p' => self.targets.push(Target::Process(value()?)),
            'P' => self.specifier(&value()?, 0),
            'q' => self.settings.quiet = true,
            's' => self.programs.push(Program::Script(value()?)),
            'S' => self.settings.disassemble = true,
            'U' => self.set('U', "undef", value()?)?,
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

    /// `-32` or `-64`; getopt takes the second digit for the value of the first.
    fn data_model(&mut self, letter: char, digit: &str) -> Result<(), Error> {
        self.pointer = match (letter, digit) {
            ('3', "2") => Some(4),
            ('6', "4") => Some(8),
            _ => {
                let message = format!("invalid option -- '{letter}{digit}'");
                return Err(Error::Usage(Some(message)));
            }
        };
        Ok(())
    }

    /// `-i id`, with a predicate and actions behind it.
    fn probe(&mut self, argument: &str) -> Result<(), Error> {
        let end = argument.find(|it: char| !it.is_ascii_digit());
        let (id, rest) = argument.split_at(end.unwrap_or(argument.len()));
        let goes_on = rest.starts_with(|it: char| !it.is_whitespace() && !"/{;".contains(it));
        let id = id.parse().ok().filter(|_| !goes_on).ok_or_else(|| {
            let message = format!("invalid probe specifier {argument}: this is no probe ID");
            Error::Compile(message)
        })?;
        self.programs.push(Program::Probe(id, rest.to_owned()));
        Ok(())
    }

    fn choose(&mut self, mode: Mode) -> Result<(), Error> {
        if self.mode == Mode::Help {
            return Ok(());
        }
        if self.mode != Mode::Trace && self.mode != mode {
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
        } if option.starts_with("--") => format!("option '{option}' requires an argument"),
        lexopt::Error::MissingValue {
            option: Some(option),
        } => format!("option requires an argument -- '{}'", letter(option)),
        _ => error.to_string(),
    }))
}

/// The error for an unknown or unsupported option.
fn refused(letter: char) -> Error {
    let why = match letter {
        'a' | 'A' => {
            "anonymous tracing is not supported: the module is loaded when the system has booted, \
             so there is nothing to claim"
        }
        'B' => "buffered output is not supported",
        _ => return misuse(lexopt::Error::UnexpectedOption(format!("-{letter}"))),
    };
    Error::Unsupported(letter, why)
}

#[cfg(test)]
mod tests;
