//! What is printed, and where: on standard output or in the `-o` file.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use engine_abi::Description;

use crate::engine::Probe;
use crate::error::Error;
use crate::setting::Settings;

/// Writes to standard error, whether or not anybody listens.
pub fn say(text: std::fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

/// Says something there, and who says it.
pub fn tell(what: impl std::fmt::Display) {
    say(format_args!("dtrace: {what}\n"));
}

/// What only concerns who is not to be left in quiet.
pub fn notice(settings: &Settings, what: impl std::fmt::Display) {
    if !settings.quiet {
        tell(what);
    }
}

/// Where output goes. It is gathered, and handed on with [`Output::flush`].
pub struct Output {
    to: String,
    target: Box<dyn Write>,
    gathered: Vec<u8>,
}

impl Output {
    /// Appends to the file at `path`, or writes to standard output.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let (to, target): (_, Box<dyn Write>) = match path {
            None => ("<stdout>".into(), Box::new(io::stdout())),
            Some(path) => {
                let opened = OpenOptions::new().create(true).append(true).open(path);
                let file = opened.map_err(|why| Error::OpenOutput {
                    path: path.to_owned(),
                    why,
                })?;
                (path.display().to_string(), Box::new(file))
            }
        };
        Ok(Self::new(to, target))
    }

    /// Writes to `target`, which is called `to`.
    pub fn new(to: String, target: Box<dyn Write>) -> Self {
        Self {
            to,
            target,
            gathered: Vec::new(),
        }
    }

    /// What was gathered, to append to.
    pub fn gather(&mut self) -> &mut Vec<u8> {
        &mut self.gathered
    }

    /// Gathers a line.
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.gathered.extend_from_slice(line.to_string().as_bytes());
        self.gathered.push(b'\n');
    }

    /// Hands on what was gathered.
    pub fn flush(&mut self) -> Result<(), Error> {
        let written = self.target.write_all(&self.gathered);
        self.gathered.clear();
        written
            .and_then(|()| self.target.flush())
            .map_err(|why| Error::Write {
                to: self.to.clone(),
                why,
            })
    }

    /// The columns of `-l`.
    pub fn list_header(&mut self) {
        self.list_columns(&"ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
    }

    /// A probe's line of `-l`.
    pub fn list_probe(&mut self, probe: &Probe) {
        let [provider, module, function, name] = texts(&probe.description);
        self.list_columns(&probe.id, &provider, &module, &function, &name);
    }

    fn list_columns(
        &mut self,
        id: &dyn std::fmt::Display,
        provider: &str,
        module: &str,
        function: &str,
        name: &str,
    ) {
        self.line(format_args!(
            "{id:>5} {provider:>10} {module:>17} {function:>33} {name}"
        ));
    }
}

/// A description's four fields as text.
pub fn texts(description: &Description) -> [String; 4] {
    [
        description.provider(),
        description.module(),
        description.function(),
        description.name(),
    ]
    .map(|field| String::from_utf8_lossy(field).into_owned())
}
