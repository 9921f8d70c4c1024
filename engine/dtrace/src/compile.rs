//! Compiles the command line's programs into one that an engine can run.

use engine_abi::Description;
use engine_dlang::program::{Action, Clause, Need, Program as Compiled, Setting};
use engine_dlang::{Kind, Text, depends};
use nix::unistd::{getpgrp, getsid};
use rustix::process::{getegid, geteuid, getgid, getpid, getppid, getuid};

use crate::engine::Absence;
use crate::error::Error;
use crate::fault;
use crate::options::Options;
use crate::registers;
use crate::setting::Settings;
use crate::sources::{Place, Sources, Surroundings, mistake};

/// All programs of a command line compiled into one, followed by the clause that reports faults, and
/// with the libraries that they use.
pub struct Compilation {
    /// The compiled program.
    pub program: Compiled,
    /// The options, including those set by `#pragma` in the programs.
    pub settings: Settings,
    texts: Vec<Text>,
    /// The number of programs; the other texts come after them.
    count: usize,
}

impl Compilation {
    /// Compiles the programs of `options`.
    pub fn new(options: &Options, around: &Surroundings<'_>) -> Result<Self, Error> {
        let Sources {
            programs,
            libraries,
        } = Sources::read(options, around)?;
        let count = programs.len();
        let mut texts = programs;
        texts.push(Text {
            source: fault::CLAUSE.into(),
            kind: Kind::Specifier,
            arguments: vec![options.name.clone()],
        });
        texts.extend(libraries);
        let mut settings = options.settings.clone();
        let compile = |settings: &Settings| {
            let compiled = engine_dlang::compile(&texts, &how(settings, around));
            compiled.map_err(|mistake| Error::Compile(mistake.to_string()))
        };
        let mut program = compile(&settings)?;
        let frames = |it: &Settings| {
            let user = (it.user_stack_frames, it.java_stack_frames);
            (it.stack_frames, user, it.frames_max)
        };
        let before = frames(&settings);
        for setting in &program.options {
            let value = setting.value.as_deref();
            let set = settings.set_in_program(&setting.name, value);
            set.map_err(|why| not_set(&texts, &settings, setting, &why))?;
        }
        // Only now is it known how many frames the programs want.
        if frames(&settings) != before {
            program = compile(&settings)?;
        }
        for need in &program.needs {
            if !around.meets(&need.dependency, &texts) {
                return Err(unmet(&texts, &settings, need));
            }
        }
        Ok(Self {
            program,
            settings,
            texts,
            count,
        })
    }

    /// Whether a program has actions that may change the system: the engine's or the command's.
    pub fn is_destructive(&self) -> bool {
        let mut actions = self.program.clauses.iter().flat_map(|it| &it.actions);
        self.program.is_destructive || actions.any(Action::is_destructive)
    }

    /// The number of programs on the command line.
    pub fn count(&self) -> usize {
        self.count
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
                Kind::Library { name } => format!("library '{name}'"),
                Kind::Specifier => {
                    let end = text.source.find(['{', '/', ';']);
                    let name = &text.source[..end.unwrap_or(text.source.len())];
                    format!("description '{name}'")
                }
            },
        }
    }

    /// The error for a description that matches no probe, perhaps since the module is absent.
    pub fn unmatched(
        &self,
        clause: &Clause,
        description: &Description,
        absence: Option<Absence>,
    ) -> Error {
        let why = format!("probe description {description} does not match any probes");
        let why = match absence {
            Some(absence) => format!("{why}: {absence}"),
            None => why,
        };
        mistake(
            &self.texts,
            &self.settings,
            &Place {
                text: clause.text,
                line: clause.line,
                file: clause.file.as_deref(),
            },
            "D_PDESC_ZERO",
            &why,
        )
    }
}

/// The compiler's settings.
fn how(settings: &Settings, around: &Surroundings<'_>) -> engine_dlang::Settings {
    engine_dlang::Settings {
        pointer: around.pointer,
        string_size: u32::try_from(settings.string_size.saturating_add(1)).unwrap_or(u32::MAX),
        scratch_size: u32::try_from(settings.scratch_size).unwrap_or(u32::MAX),
        stack_frames: u32::try_from(settings.stack_frames).unwrap_or(u32::MAX),
        user_stack_frames: u32::try_from(settings.user_stack_frames).unwrap_or(u32::MAX),
        java_stack_frames: u32::try_from(settings.java_stack_frames).unwrap_or(u32::MAX),
        constants: registers::constants(),
        error_tags: settings.error_tags,
        default_arguments: settings.default_arguments,
        unreferenced_arguments: settings.unreferenced_arguments,
        empty_programs: settings.empty_programs,
        plain_specifiers: settings.plain_specifiers,
        frames_max: u32::try_from(settings.frames_max).unwrap_or(u32::MAX),
        minimum: settings.minimum,
        macros: macros(around.target)
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
        kernel: Some(around.kernel.clone()),
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
    let place = Place {
        text: setting.text,
        line: setting.line,
        file: setting.file.as_deref(),
    };
    mistake(texts, settings, &place, "D_PRAGMA_OPTSET", &why)
}

fn unmet(texts: &[Text], settings: &Settings, need: &Need) -> Error {
    let place = Place {
        text: need.text,
        line: need.line,
        file: need.file.as_deref(),
    };
    let name = &need.dependency.name;
    let kind = match need.dependency.kind {
        depends::Kind::Library => "library",
        depends::Kind::Module => "module",
        depends::Kind::Provider => "provider",
    };
    let why = format!("program requires {kind} {name}, which is not there");
    mistake(texts, settings, &place, "D_PRAGMA_DEPEND", &why)
}
