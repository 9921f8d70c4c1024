//! What is printed, and where: DTrace's columns, on standard output or in the `-o` file.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use engine_abi::Description;

use crate::device::Probe;
use crate::error::Error;

/// Says something on standard error, whether or not anybody listens.
pub fn tell(what: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "dtrace: {what}");
}

/// Prints the version.
pub fn version() -> Result<(), Error> {
    let mut output = Output::open(None)?;
    output.line(format_args!(
        "dtrace: Trapline D {}",
        env!("CARGO_PKG_VERSION")
    ))?;
    output.flush()
}

/// Where output goes.
pub struct Output {
    to: String,
    writer: BufWriter<Box<dyn Write>>,
    headed: bool,
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
        Ok(Self {
            to,
            writer: BufWriter::new(target),
            headed: false,
        })
    }

    /// The columns of `-l`.
    pub fn list_header(&mut self) -> Result<(), Error> {
        self.list_columns(&"ID", "PROVIDER", "MODULE", "FUNCTION", "NAME")
    }

    /// A probe's line of `-l`.
    pub fn list_probe(&mut self, probe: &Probe) -> Result<(), Error> {
        let Probe { id, description } = probe;
        let [provider, module, function, name] = texts(description);
        self.list_columns(id, &provider, &module, &function, &name)
    }

    fn list_columns(
        &mut self,
        id: &dyn std::fmt::Display,
        provider: &str,
        module: &str,
        function: &str,
        name: &str,
    ) -> Result<(), Error> {
        self.line(format_args!(
            "{id:>5} {provider:>10} {module:>17} {function:>33} {name}"
        ))
    }

    /// A firing's line; over the first, the columns.
    pub fn firing(&mut self, cpu: u32, probe: &Probe) -> Result<(), Error> {
        if !std::mem::replace(&mut self.headed, true) {
            self.line(format_args!(
                "{:>3} {:>6} {:>32}",
                "CPU", "ID", "FUNCTION:NAME"
            ))?;
        }
        let [_, _, function, name] = texts(&probe.description);
        let place = format!("{function}:{name}");
        self.line(format_args!("{cpu:>3} {:>6} {place:>32} ", probe.id))
    }

    /// An empty line, with which DTrace ends a trace.
    pub fn end(&mut self) -> Result<(), Error> {
        self.line(format_args!(""))?;
        self.flush()
    }

    /// Hands on what was printed.
    pub fn flush(&mut self) -> Result<(), Error> {
        let flushed = self.writer.flush();
        self.written(flushed)
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) -> Result<(), Error> {
        let written = writeln!(self.writer, "{line}");
        self.written(written)
    }

    fn written(&self, result: io::Result<()>) -> Result<(), Error> {
        result.map_err(|why| Error::Write {
            to: self.to.clone(),
            why,
        })
    }
}

fn texts(description: &Description) -> [String; 4] {
    [
        description.provider(),
        description.module(),
        description.function(),
        description.name(),
    ]
    .map(|field| String::from_utf8_lossy(field).into_owned())
}
