//! The texts that are compiled: programs of the command line, and libraries.

use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use engine_abi::Description;
use engine_dlang::depends::{self, Dependency};
use engine_dlang::kernel::Kernel;
use engine_dlang::{Kind, Text, library};

use crate::engine::Probe;
use crate::error::Error;
use crate::libraries;
use crate::options::{Options, Program};
use crate::preprocess;
use crate::setting::Settings;

/// What texts may depend on.
pub struct Surroundings<'a> {
    /// Size of the kernel's pointers in bytes.
    pub pointer: u32,
    /// The value of `$target`.
    pub target: u32,
    /// The first probe that matches a description, of those with this ID or a higher one.
    pub lookup: &'a Lookup<'a>,
    /// What is traced.
    pub kernel: Rc<dyn Kernel>,
}

/// Looks a probe up.
pub type Lookup<'a> = dyn Fn(&Description, u32) -> Result<Option<Probe>, Error> + 'a;

impl Surroundings<'_> {
    /// Whether something is there that a text needs.
    pub fn meets(&self, need: &Dependency, texts: &[Text]) -> bool {
        let is_it = |name: &str| Path::new(name).file_name() == Path::new(&need.name).file_name();
        match need.kind {
            depends::Kind::Library => {
                let mut kinds = texts.iter().map(|text| &text.kind);
                kinds.any(|kind| matches!(kind, Kind::Library { name } if is_it(name)))
                    || library::is_there(&need.name)
            }
            kind => self.has(kind, &need.name),
        }
    }

    /// Whether there is a module or a provider of this name.
    fn has(&self, kind: depends::Kind, name: &str) -> bool {
        if kind == depends::Kind::Module {
            let is_kernel = ["vmlinux", "kernel"].contains(&name);
            return is_kernel || Path::new("/sys/module").join(name).exists();
        }
        let provider = Description::new(name.as_bytes(), b"", b"", b"");
        provider.is_ok_and(|it| matches!((self.lookup)(&it, 1), Ok(Some(_))))
    }

    /// The description of the probe with this ID.
    fn description(&self, id: u32) -> Result<Description, Error> {
        let found = (self.lookup)(&Description::default(), id)?;
        let found = found.filter(|probe| probe.id == id);
        found.map(|probe| probe.description).ok_or_else(|| {
            Error::Compile(format!(
                "invalid probe specifier {id}: there is no probe of this ID"
            ))
        })
    }
}

/// The texts.
pub struct Sources {
    /// Those of the command line.
    pub programs: Vec<Text>,
    /// The libraries, each after those that it needs.
    pub libraries: Vec<Text>,
}

impl Sources {
    /// Reads all of them.
    pub fn read(options: &Options, around: &Surroundings<'_>) -> Result<Self, Error> {
        let programs = options.programs.iter();
        let programs = programs.map(|it| program(options, it, around));
        let folders = options.settings.libraries.folders();
        let read = libraries::read(folders, |kind, name| around.has(kind, name));
        let read = read.map_err(|(path, why)| Error::Library { path, why })?;
        let libraries = read.into_iter().map(|library| {
            let name = library.path.display().to_string();
            text(Kind::Library { name }, library.source, &options.settings)
        });
        Ok(Self {
            programs: programs.collect::<Result<_, _>>()?,
            libraries: libraries.collect::<Result<_, _>>()?,
        })
    }
}

fn program(options: &Options, program: &Program, around: &Surroundings<'_>) -> Result<Text, Error> {
    let arguments = |name: &str| {
        let given = options.arguments.iter().cloned();
        std::iter::once(name.to_owned()).chain(given).collect()
    };
    let specifier = |source: String| Text {
        source,
        kind: Kind::Specifier,
        arguments: arguments(&options.name),
    };
    match program {
        Program::Specifier(source) => Ok(specifier(source.clone())),
        Program::Probe(id, rest) => {
            let description = around.description(*id)?;
            Ok(specifier(format!("{description}{rest}")))
        }
        Program::Script(name) => {
            let source = script(name, &options.settings, around.pointer)?;
            let kind = Kind::File { name: name.clone() };
            Ok(Text {
                arguments: arguments(name),
                ..text(kind, source, &options.settings)?
            })
        }
    }
}

/// A script's source, after the preprocessor if that is wanted; `-` is standard input.
pub fn script(name: &str, settings: &Settings, pointer: u32) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        _ => std::fs::read(name),
    };
    let source = read.map_err(|why| Error::Script {
        name: name.into(),
        why,
    })?;
    let how = &settings.preprocessor;
    if !how.is_on {
        return Ok(source);
    }
    let done = preprocess::run(how, name, &source, pointer);
    done.map_err(|why| Error::Compile(format!("failed to compile script {name}: {why}")))
}

/// A file's text, which must be UTF-8: strings are printed as they were written.
pub fn text(kind: Kind, bytes: Vec<u8>, settings: &Settings) -> Result<Text, Error> {
    match String::from_utf8(bytes) {
        Ok(source) => Ok(Text {
            source,
            kind,
            arguments: Vec::new(),
        }),
        Err(why) => {
            let (before, rest) = why.as_bytes().split_at(why.utf8_error().valid_up_to());
            let line = 1 + before.iter().filter(|&&it| it == b'\n').count();
            let byte = rest.first().copied().unwrap_or_default();
            let text = Text {
                kind,
                ..Text::default()
            };
            let why = format!("byte {byte:#04x} does not start a UTF-8 character");
            let place = Place {
                line: line as u32,
                ..Place::default()
            };
            Err(mistake(&[text], settings, &place, "D_SYNTAX", &why))
        }
    }
}

/// A line of a text; of the file, if a control line names one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place<'a> {
    /// The text's number.
    pub text: usize,
    /// The line.
    pub line: u32,
    /// The file.
    pub file: Option<&'a str>,
}

/// An error found by the engine or the options, formatted as the compiler's own errors are.
pub fn mistake(
    texts: &[Text],
    settings: &Settings,
    place: &Place<'_>,
    tag: &str,
    why: &str,
) -> Error {
    let tag = if settings.error_tags {
        format!("[{tag}] ")
    } else {
        String::new()
    };
    let line = match place.file {
        Some(file) => format!("\"{file}\", line {}", place.line),
        None => format!("line {}", place.line),
    };
    Error::Compile(match texts.get(place.text) {
        None => why.to_owned(),
        Some(text) => match &text.kind {
            Kind::File { name } => format!("failed to compile script {name}: {tag}{line}: {why}"),
            Kind::Library { name } => {
                format!("failed to compile library {name}: {tag}{line}: {why}")
            }
            Kind::Specifier => format!("invalid probe specifier {}: {tag}{why}", text.source),
        },
    })
}
