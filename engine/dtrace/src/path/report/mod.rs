//! Reports of a path, from its file.
//!
//! What can be read of a file that is incomplete or damaged is reported, and then what is wrong with it.

mod branches;
mod counts;
mod functions;
mod json;
mod lines;
mod listing;
mod packed;
mod picture;
mod steps;
mod summary;
mod symbols;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::file::Reader;
use super::replay::{Replay, Visitor};
use crate::error::Error;
use crate::output::{self, Output};
use counts::Counts;
pub use steps::Point;

/// What is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// What was recorded.
    Summary,
    /// Calls and instructions of each function.
    Functions,
    /// How often each conditional branch was taken.
    Branches,
    /// How often each instruction was executed; of one function, or of all.
    Instructions(Option<String>),
    /// What was executed between two points, in each thread.
    Path {
        from: Option<Point>,
        to: Option<Point>,
    },
    /// All of it, an object a line.
    Json,
    /// A flame graph, as a page of HTML.
    Picture,
}

/// Reports the path in a file. Returns the exit code.
pub fn report(file: &Path, what: &Report, output: &mut Output) -> Result<u8, Error> {
    let failed = |why: String| Error::Path {
        path: file.to_owned(),
        why,
    };
    let opened = File::open(file).map_err(|why| failed(crate::error::reason(&why)))?;
    let reader = Reader::new(BufReader::new(opened));
    let mut reader = reader.map_err(|why| failed(why.to_string()))?;
    let done = of(&mut reader, what, output)?;
    output.flush()?;
    done.map_err(failed)?;
    if !reader.is_complete() {
        output::report(format_args!(
            "{}: the recording was cut off: what follows is missing",
            file.display()
        ));
    }
    Ok(0)
}

/// Whether the file could be read is the inner result.
fn of(
    reader: &mut Reader,
    what: &Report,
    output: &mut Output,
) -> Result<Result<(), String>, Error> {
    let mut replay = Replay::new();
    match what {
        Report::Path { from, to } => {
            let points = [from, to].map(Clone::clone);
            stream(reader, &mut replay, steps::Steps::new(points, output))
        }
        Report::Json => stream(reader, &mut replay, json::Lines::new(output)),
        Report::Picture => {
            let mut flames = picture::Flames::default();
            let done = read(reader, &mut replay, &mut flames);
            flames.print(output);
            Ok(done)
        }
        Report::Summary => counted(reader, &mut replay, output, summary::print),
        Report::Functions => counted(reader, &mut replay, output, functions::print),
        Report::Branches => counted(reader, &mut replay, output, branches::print),
        Report::Instructions(name) => {
            counted(reader, &mut replay, output, |replay, counts, output| {
                listing::print(replay, counts, name.as_deref(), output);
            })
        }
    }
}

fn read(reader: &mut Reader, replay: &mut Replay, to: &mut impl Visitor) -> Result<(), String> {
    replay.read(reader, to).map_err(|why| why.to_string())
}

/// A report that is printed while the file is read.
trait Streamed: Visitor {
    /// Why output failed.
    fn finish(self) -> Result<(), Error>;
}

fn stream(
    reader: &mut Reader,
    replay: &mut Replay,
    mut to: impl Streamed,
) -> Result<Result<(), String>, Error> {
    let done = read(reader, replay, &mut to);
    to.finish().map(|()| done)
}

/// A report of counts.
fn counted(
    reader: &mut Reader,
    replay: &mut Replay,
    output: &mut Output,
    print: impl FnOnce(&Replay, &Counts, &mut Output),
) -> Result<Result<(), String>, Error> {
    let mut counts = Counts::default();
    let done = read(reader, replay, &mut counts);
    counts.packed.finish();
    print(replay, &counts, output);
    Ok(done)
}

/// Output that is written now and then; the first failure is kept.
struct Stream<'a> {
    output: &'a mut Output,
    failure: Option<Error>,
}

impl<'a> Stream<'a> {
    fn new(output: &'a mut Output) -> Self {
        Self {
            output,
            failure: None,
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        const FULL: usize = 1 << 16;
        if self.failure.is_some() {
            return;
        }
        self.output.line(line);
        if self.output.buffer().len() >= FULL {
            self.failure = self.output.flush().err();
        }
    }

    fn finish(self) -> Result<(), Error> {
        self.failure.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
