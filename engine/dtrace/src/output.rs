//! Output, to standard output or the `-o` file, and messages on standard error.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use engine_abi::Description;
use rustix::fs::SeekFrom;

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
    /// The file behind the target; none for standard output, which commands of `system` share.
    file: Option<File>,
    is_standard: bool,
    replaced: Option<Replaced>,
    buffer: Vec<u8>,
}

/// What `freopen` has replaced.
enum Replaced {
    /// Standard output, of which this is a duplicate.
    Standard(OwnedFd),
    /// Another target, with its name.
    Target(String, Box<dyn Write>, Option<File>),
}

impl Output {
    /// Appends to the file at `path`, or writes to standard output.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            let standard = Self::new("<stdout>".into(), Box::new(io::stdout()));
            return Ok(Self {
                is_standard: true,
                ..standard
            });
        };
        let opened = appended(path).and_then(|file| Ok((file.try_clone()?, file)));
        let (target, file) = opened.map_err(|why| Error::OpenOutput {
            path: path.to_owned(),
            why,
        })?;
        let output = Self::new(path.display().to_string(), Box::new(target));
        Ok(Self {
            file: Some(file),
            ..output
        })
    }

    /// Writes to `target`; errors call it `to`.
    pub fn new(to: String, target: Box<dyn Write>) -> Self {
        Self {
            to,
            target,
            file: None,
            is_standard: false,
            replaced: None,
            buffer: Vec::new(),
        }
    }

    /// `freopen(path)`: has what follows appended to a file. Standard output is replaced for
    /// commands, too.
    pub fn reopen(&mut self, path: &Path) -> io::Result<()> {
        // A failure is one of the old target, and is met again if that is restored.
        let _ = self.flush();
        let file = appended(path)?;
        if self.is_standard {
            let saved = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
            rustix::stdio::dup2_stdout(&file)?;
            self.replaced.get_or_insert(Replaced::Standard(saved));
        } else {
            let target = std::mem::replace(&mut self.target, Box::new(file.try_clone()?));
            let old = (self.to.clone(), target, self.file.replace(file));
            self.replaced
                .get_or_insert(Replaced::Target(old.0, old.1, old.2));
        }
        self.to = path.display().to_string();
        Ok(())
    }

    /// `freopen("")`: restores the original target.
    pub fn restore(&mut self) -> io::Result<()> {
        let _ = self.flush();
        match self.replaced.take() {
            None => {}
            Some(Replaced::Standard(saved)) => {
                rustix::stdio::dup2_stdout(&saved)?;
                self.to = "<stdout>".into();
            }
            Some(Replaced::Target(to, target, file)) => {
                (self.to, self.target, self.file) = (to, target, file);
            }
        }
        Ok(())
    }

    /// `ftruncate()`: empties the file; as in DTrace nothing happens if it is none.
    pub fn truncate(&mut self) {
        let _ = self.flush();
        let _ = match &self.file {
            Some(file) => emptied(file.as_fd()),
            None if self.is_standard => emptied(io::stdout().as_fd()),
            None => Ok(()),
        };
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

/// A file that is written at its end.
fn appended(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn emptied(file: BorrowedFd<'_>) -> io::Result<()> {
    rustix::fs::ftruncate(file, 0)?;
    rustix::fs::seek(file, SeekFrom::Start(0))?;
    Ok(())
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
