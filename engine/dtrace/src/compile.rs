//! Compiles the command line's programs into one that an engine can run.

use std::io::{self, Read};

use engine_abi::Description;
use engine_dlang::program::{Clause, Program as Compiled, Setting};
use engine_dlang::{Kind, Text};
use nix::unistd::{getpgrp, getsid};
use rustix::process::{getegid, geteuid, getgid, getpid, getppid, getuid};

use crate::error::Error;
use crate::fault;
use crate::options::{Options, Program};
use crate::registers;
use crate::setting::Settings;

/// All programs of a command line compiled into one, followed by the clause that reports faults.
pub struct Compilation {
    /// The compiled program.
    pub program: Compiled,
    /// The options, including those set by `#pragma` in the programs.
    pub settings: Settings,
    texts: Vec<Text>,
}

impl Compilation {
    /// Compiles the programs of `options` for a kernel with pointers of `pointer` bytes; `target`
    /// is the value of `$target`.
    pub fn new(options: &Options, pointer: u32, target: u32) -> Result<Self, Error> {
        let mut texts = texts(options)?;
        texts.push(Text {
            source: fault::CLAUSE.into(),
            kind: Kind::Specifier,
            arguments: vec![options.name.clone()],
        });
        let mut settings = options.settings.clone();
        let compile = |settings: &Settings| {
            let compiled = engine_dlang::compile(&texts, &how(settings, pointer, target));
            compiled.map_err(|mistake| Error::Compile(mistake.to_string()))
        };
        let mut program = compile(&settings)?;
        let frames = |settings: &Settings| (settings.stack_frames, settings.user_stack_frames);
        let before = frames(&settings);
        for setting in &program.options {
            let value = setting.value.as_deref();
            let set = settings.set(&setting.name, value);
            set.map_err(|why| not_set(&texts, &settings, setting, &why))?;
        }
        // Only now is it known how many frames the programs want.
        if frames(&settings) != before {
            program = compile(&settings)?;
        }
        Ok(Self {
            program,
            settings,
            texts,
        })
    }

    /// The number of programs on the command line.
    pub fn count(&self) -> usize {
        self.texts.len() - 1
    }

    /// The number of the clause that reports faults, and the clause.
    pub fn error_clause(&self) -> (u32, Option<&Clause>) {
        let last = self.program.clauses.len().saturating_sub(1);
        (last as u32, self.program.clauses.get(last))
    }

    /// The clauses of the command line's programs, with their numbers.
    pub fn clauses(&self) -> impl Iterator<Item = (u32, &Clause)> {
        let own = self
            .program
            .clauses
            .iter()
            .filter(|it| it.text < self.count());
        (0..).zip(own)
    }

    /// How messages refer to a program: its description up to the clause, or its script's name.
    pub fn name(&self, text: usize) -> String {
        match self.texts.get(text) {
            None => String::new(),
            Some(text) => match &text.kind {
                Kind::File { name } => format!("script '{name}'"),
                Kind::Specifier => {
                    let end = text.source.find(['{', '/', ';']);
                    let name = &text.source[..end.unwrap_or(text.source.len())];
                    format!("description '{name}'")
                }
            },
        }
    }

    /// The error for a description that matches no probe.
    pub fn unmatched(&self, clause: &Clause, description: &Description) -> Error {
        let why = format!("probe description {description} does not match any probes");
        mistake(
            &self.texts,
            &self.settings,
            (clause.text, clause.line),
            "D_PDESC_ZERO",
            &why,
        )
    }
}

/// The programs as input for the compiler.
fn texts(options: &Options) -> Result<Vec<Text>, Error> {
    let arguments = |name: &str| {
        let given = options.arguments.iter().cloned();
        std::iter::once(name.to_owned()).chain(given).collect()
    };
    let text = |program: &Program| match program {
        Program::Specifier(source) => Ok(Text {
            source: source.clone(),
            kind: Kind::Specifier,
            arguments: arguments(&options.name),
        }),
        Program::Script(name) => Ok(Text {
            source: decoded(name, read(name)?, &options.settings)?,
            kind: Kind::File { name: name.clone() },
            arguments: arguments(name),
        }),
    };
    options.programs.iter().map(text).collect()
}

/// Reads a script; `-` is standard input.
fn read(name: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        _ => std::fs::read(name),
    };
    read.map_err(|why| Error::Script {
        name: name.into(),
        why,
    })
}

/// Decodes a script, which must be UTF-8: strings are printed as they were written.
fn decoded(name: &str, bytes: Vec<u8>, settings: &Settings) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|why| {
        let (text, rest) = why.as_bytes().split_at(why.utf8_error().valid_up_to());
        let line = 1 + text.iter().filter(|&&it| it == b'\n').count();
        let byte = rest.first().copied().unwrap_or_default();
        let script = Text {
            kind: Kind::File { name: name.into() },
            ..Text::default()
        };
        let why = format!("byte {byte:#04x} does not start a UTF-8 character");
        mistake(&[script], settings, (0, line as u32), "D_SYNTAX", &why)
    })
}

/// The compiler's settings.
fn how(settings: &Settings, pointer: u32, target: u32) -> engine_dlang::Settings {
    engine_dlang::Settings {
        pointer,
        string_size: u32::try_from(settings.string_size).unwrap_or(u32::MAX),
        stack_frames: u32::try_from(settings.stack_frames).unwrap_or(u32::MAX),
        user_stack_frames: u32::try_from(settings.user_stack_frames).unwrap_or(u32::MAX),
        constants: registers::constants(),
        error_tags: settings.error_tags,
        default_arguments: settings.default_arguments,
        unreferenced_arguments: settings.unreferenced_arguments,
        macros: macros(target)
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
    }
}

/// The values of macro variables.
///
/// The leader of the process group or session may be outside of the PID namespace (for a
/// container's first process): its ID is 0 then, which rustix does not allow for, so nix reads
/// these two.
fn macros(target: u32) -> [(&'static str, i64); 9] {
    [
        ("egid", getegid().as_raw().into()),
        ("euid", geteuid().as_raw().into()),
        ("gid", getgid().as_raw().into()),
        ("pid", getpid().as_raw_pid().into()),
        ("pgid", getpgrp().as_raw().into()),
        ("ppid", getppid().map_or(0, |it| it.as_raw_pid().into())),
        ("sid", getsid(None).map_or(0, |it| it.as_raw().into())),
        ("target", target.into()),
        ("uid", getuid().as_raw().into()),
    ]
}

fn not_set(
    texts: &[Text],
    settings: &Settings,
    setting: &Setting,
    why: &dyn std::fmt::Display,
) -> Error {
    let name = &setting.name;
    let why = match &setting.value {
        None => format!("failed to set option '{name}': {why}"),
        Some(value) => format!("failed to set option '{name}' to '{value}': {why}"),
    };
    let place = (setting.text, setting.line);
    mistake(texts, settings, place, "D_PRAGMA_OPTSET", &why)
}

/// An error found by the engine or the options, formatted as the compiler's own errors are.
fn mistake(
    texts: &[Text],
    settings: &Settings,
    (text, line): (usize, u32),
    tag: &str,
    why: &str,
) -> Error {
    let tag = if settings.error_tags {
        format!("[{tag}] ")
    } else {
        String::new()
    };
    Error::Compile(match texts.get(text) {
        Some(Text {
            kind: Kind::File { name },
            ..
        }) => format!("failed to compile script {name}: {tag}line {line}: {why}"),
        Some(Text { source, .. }) => format!("invalid probe specifier {source}: {tag}{why}"),
        None => why.to_owned(),
    })
}
