//! Output, to standard output or the `-o` file, and messages on standard error.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use engine_abi::Description;

use crate::engine::Probe;
use crate::error::Error;
use crate::setting::Settings;

/// Prints on standard error; failures are ignored.
pub fn print_stderr(text: std::fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

/// Prints a message on standard error, prefixed with the command's name.
pub fn report(what: impl std::fmt::Display) {
    print_stderr(format_args!("dtrace: {what}\n"));
}

/// Prints a message unless the option `quiet` is set.
pub fn notice(settings: &Settings, what: impl std::fmt::Display) {
    if !settings.quiet {
        report(what);
    }
}

/// Buffered output, written by [`Output::flush`].
pub struct Output {
    to: String,
    target: Box<dyn Write>,
    buffer: Vec<u8>,
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

    /// Writes to `target`; errors call it `to`.
    pub fn new(to: String, target: Box<dyn Write>) -> Self {
        Self {
            to,
            target,
            buffer: Vec::new(),
        }
    }

    /// The buffer, to append to.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Appends a line to the buffer.
    pub fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.buffer.extend_from_slice(line.to_string().as_bytes());
        self.buffer.push(b'\n');
    }

    /// Writes the buffer to the target and empties it, even on failure.
    pub fn flush(&mut self) -> Result<(), Error> {
        let written = self.target.write_all(&self.buffer);
        self.buffer.clear();
        written
            .and_then(|()| self.target.flush())
            .map_err(|why| Error::Write {
                to: self.to.clone(),
                why,
            })
    }

    /// Appends the column header of `-l`.
    pub fn list_header(&mut self) {
        self.list_columns(&"ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
    }

    /// Appends a probe's line of `-l`.
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
