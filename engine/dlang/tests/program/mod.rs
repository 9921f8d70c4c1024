//! The programs in `programs/`, and the files beside them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use engine_dlang::{Error, Kind, Settings, Text, compile, program};

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its path below `programs/`.
    pub name: String,
    path: PathBuf,
}

/// Every program.
pub fn all() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut programs = Vec::new();
    for topic in entries(&root) {
        for path in entries(&topic) {
            let extension = path.extension().unwrap_or_default();
            if extension == "d" || extension == "n" {
                let name = path.strip_prefix(&root).unwrap_or(&path);
                let name = name.to_string_lossy().into_owned();
                programs.push(Program { name, path });
            }
        }
    }
    programs
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    paths
}

impl Program {
    /// Its text.
    pub fn text(&self) -> String {
        fs::read_to_string(&self.path).expect("it can be read")
    }

    /// Compiles it for a pointer of this size in bytes.
    pub fn compile(&self, pointer: u32) -> Result<program::Program, Error> {
        let source = self.text();
        let (source, kind) = if self.is_specifier() {
            (source.trim_end().to_owned(), Kind::Specifier)
        } else {
            let name = self.name.clone();
            (source, Kind::File { name })
        };
        let arguments = self.beside("args").unwrap_or_default();
        let arguments = arguments.lines().map(str::to_owned);
        let text = Text {
            source,
            kind,
            arguments: std::iter::once(self.name.clone())
                .chain(arguments)
                .collect(),
        };
        let settings = Settings {
            pointer,
            error_tags: true,
            macros: [
                ("pid", 42),
                ("ppid", 41),
                ("target", 0),
                ("uid", 0),
                ("gid", 0),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            constants: (0..)
                .zip(["R_PC", "R_SP", "R_FP", "R_RETVAL"])
                .map(|(value, name)| (name.to_owned(), value))
                .collect(),
            ..Settings::default()
        };
        compile(&[text], &settings)
    }

    /// Whether it is an argument of `-n`.
    fn is_specifier(&self) -> bool {
        self.path.extension().is_some_and(|it| it == "n")
    }

    /// The expected error, if it does not compile.
    pub fn message(&self) -> Option<String> {
        self.beside("err")
    }

    /// Whether it may fail to compile: nothing else is expected of it.
    pub fn may_fail(&self) -> bool {
        !self.path.with_extension("out").exists()
    }

    /// Replaces the expected error.
    pub fn bless(&self, message: &str) -> io::Result<()> {
        fs::write(self.path.with_extension("err"), message)
    }

    fn beside(&self, extension: &str) -> Option<String> {
        fs::read_to_string(self.path.with_extension(extension)).ok()
    }
}
