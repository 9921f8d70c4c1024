//! The options of the preprocessor and of libraries, which only the command line sets: they decide
//! how programs are read.

use std::path::{Path, PathBuf};

use super::Settings;

/// How scripts are preprocessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preprocessor {
    /// `-C`, `cpp`: whether they are.
    pub is_on: bool,
    /// `cpppath`: the program.
    pub path: String,
    /// `-H`, `cpphdrs`: prints the names of included files.
    pub prints_headers: bool,
    /// `-D`, `-U`, `-I`, `cppargs`: its arguments, in order.
    pub arguments: Vec<String>,
}

impl Default for Preprocessor {
    fn default() -> Self {
        Self {
            is_on: false,
            path: "cpp".into(),
            prints_headers: false,
            arguments: Vec::new(),
        }
    }
}

/// Where libraries are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Libraries {
    /// `nolibs`: none are read.
    pub are_off: bool,
    /// `syslibdir`: the directory that comes first.
    pub system: PathBuf,
    /// `-L`, `libdir`: the others.
    pub others: Vec<PathBuf>,
}

impl Default for Libraries {
    fn default() -> Self {
        Self {
            are_off: false,
            system: "/usr/lib/dtrace".into(),
            others: Vec::new(),
        }
    }
}

impl Libraries {
    /// The directories, in order.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        let all = std::iter::once(&self.system).chain(&self.others);
        all.filter(|_| !self.are_off).map(PathBuf::as_path)
    }
}

pub fn define(settings: &mut Settings, symbol: &str) -> Option<()> {
    argument(settings, format!("-D{symbol}"))
}

pub fn undefine(settings: &mut Settings, symbol: &str) -> Option<()> {
    argument(settings, format!("-U{symbol}"))
}

pub fn include(settings: &mut Settings, folder: &str) -> Option<()> {
    argument(settings, format!("-I{folder}"))
}

/// Any arguments, separated by white space.
pub fn arguments(settings: &mut Settings, all: &str) -> Option<()> {
    all.split_whitespace()
        .try_for_each(|it| argument(settings, it.to_owned()))
}

fn argument(settings: &mut Settings, argument: String) -> Option<()> {
    settings.preprocessor.arguments.push(argument);
    Some(())
}

pub fn path(settings: &mut Settings, path: &str) -> Option<()> {
    settings.preprocessor.path = path.to_owned();
    (!path.is_empty()).then_some(())
}

pub fn libraries(settings: &mut Settings, folder: &str) -> Option<()> {
    settings.libraries.others.push(folder.into());
    (!folder.is_empty()).then_some(())
}

pub fn system_libraries(settings: &mut Settings, folder: &str) -> Option<()> {
    settings.libraries.system = folder.into();
    (!folder.is_empty()).then_some(())
}
