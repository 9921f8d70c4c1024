//! The same comparison in a process: each vector is an instruction of an object of this program, for
//! the pid provider to probe.
//!
//! The object is a file that is written and mapped here (`object`, `area`): an ELF file in which each
//! vector is a function, alone in a page of exits, so that `pid<N>:vectors::0` probes all of them. A
//! set may run a vector in several ways, each of them a function; one may begin with another
//! instruction, as with the IT of a block.
//!
//! All runs are done twice, first without probes; then a line on the standard input says that they
//! are in. A run needs no code between the state and the instruction (`signals`): the handler of a
//! signal replaces the registers that sigreturn(2) loads, and the handler of the next signal, which
//! the exit raises, finds those that the instruction left.
//!
//! Here an instruction may fault, so each is also run with what it accesses in memory that cannot be
//! read, or is not there. Then the signal must be the same, and all registers. And no trap may
//! write to the stack, so all of it is compared.

mod arch;
mod area;
mod job;
mod object;
mod rows;
mod signals;
mod trial;

use std::io::{self, Write};
use std::path::Path;
use std::{fmt, fs};

use crate::Error;
use crate::set::Set;
use crate::tally::Tally;
use crate::vectors;
use area::Area;
use object::Function;
use rows::{Fate, Rows};
use signals::{Runner, State};
use trial::Trial;

pub use arch::{HAS_THUMB, Own, Thumb};
pub use job::Job;

/// The base name of the object's file, by which probes name it.
const OBJECT: &str = "vectors";
/// The file of the hits that each probe should have: lines as `NAME:OFFSET COUNT`.
const HITS: &str = "hits";

/// What came of the runs.
pub struct Report {
    tally: Tally,
    /// Number of states that the instruction raised a signal from.
    faults: usize,
    rows: Rows,
}

impl Report {
    /// Whether there was no difference.
    pub fn is_good(&self) -> bool {
        self.tally.is_good()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.rows)?;
        writeln!(f, "faults: {}", self.faults)?;
        write!(f, "{}", self.tally)
    }
}

/// Runs the vectors.
pub fn run<S: Set<State = State>>(job: &Job) -> Result<Report, Error> {
    let path = job.folder.join(OBJECT);
    let vectors = vectors::read_all::<S>(&job.paths)?;
    let variants: Vec<_> = vectors.into_iter().flat_map(S::variants).collect();
    let mut area = Area::reserve(variants.len())?;
    let mut tally = Tally::default();
    let mut rows = Rows::of(S::ROWS);
    let (mut trials, mut pages) = (Vec::new(), Vec::new());
    for vector in variants {
        let row = S::row(&vector.text);
        match Trial::<S>::new(vector, &area, trials.len(), job) {
            Ok((trial, page)) => {
                trials.push(trial);
                pages.push(page);
            }
            Err(why) => {
                rows.note(row, Fate::NotRun(why));
                tally.skip(why);
            }
        }
    }
    let functions = (0..).zip(&trials);
    let functions: Vec<_> = functions.map(|(number, it)| it.function(number)).collect();
    object::write(&path, &pages, &functions).map_err(file_error(&path))?;
    area.map(&path, pages.len())?;
    let mut runner = Runner::new()?;
    for trial in &mut trials {
        tell(job.verbose, "alone", trial);
        trial.run_alone(&mut area, &mut runner)?;
    }
    wait_for_probes().map_err(file_error(Path::new("standard input or output")))?;
    for trial in &trials {
        tell(job.verbose, "probed", trial);
        trial.run_probed(&mut area, &mut runner, &mut tally)?;
        rows.note(trial.row(), trial.fate());
    }
    let path = job.folder.join(HITS);
    let hits = hits(&functions, &trials, job.takes_skipped);
    fs::write(&path, hits).map_err(file_error(&path))?;
    let faults = trials.iter().map(Trial::faults).sum();
    Ok(Report {
        tally,
        faults,
        rows,
    })
}

fn tell<S: Set<State = State>>(verbose: bool, how: &str, trial: &Trial<S>) {
    if verbose {
        eprintln!("{how} {}", trial.label());
    }
}

/// How often each probe should have fired, sorted.
fn hits<S: Set<State = State>>(
    functions: &[Function],
    trials: &[Trial<S>],
    takes_skipped: bool,
) -> String {
    let of_one = |(function, trial): (&Function, &Trial<S>)| {
        let line = |(offset, count)| format!("{}:{offset:x} {count}\n", function.name);
        trial
            .hits(takes_skipped)
            .into_iter()
            .map(line)
            .collect::<Vec<_>>()
    };
    let mut lines: Vec<_> = functions.iter().zip(trials).flat_map(of_one).collect();
    lines.sort();
    lines.concat()
}

/// Says that the runs without probes are done, and waits for a line, or the end.
fn wait_for_probes() -> io::Result<()> {
    let mut output = io::stdout();
    writeln!(output, "ready")?;
    output.flush()?;
    io::stdin().read_line(&mut String::new()).map(drop)
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let name = path.display().to_string();
    |why| Error::File { name, why }
}
