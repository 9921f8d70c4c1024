//! The same comparison in a process: each vector is an instruction of an object of this program, for
//! the pid provider to probe.
//!
//! The object is a file that is written and mapped here (`object`, `area`): an ELF file in which each
//! vector is a function, alone in a page of exits, so that `pid<N>:vectors::0` probes all of them.
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
mod object;
mod signals;
mod trial;

use std::io::{self, Write};
use std::path::Path;
use std::{fmt, fs};

use crate::Error;
use crate::tally::Tally;
use crate::vectors::Vector;
use area::Area;
use signals::Runner;
use trial::Trial;

pub use arch::Own;

/// The base name of the object's file, by which probes name it.
const OBJECT: &str = "vectors";
/// The file of the hits that each probe should have: lines as `NAME COUNT`.
const HITS: &str = "hits";

/// What came of the runs.
pub struct Report {
    tally: Tally,
    /// Number of states that the instruction raised a signal from.
    faults: usize,
}

impl Report {
    /// Whether there was no difference.
    pub fn is_good(&self) -> bool {
        self.tally.is_good()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "faults: {}", self.faults)?;
        write!(f, "{}", self.tally)
    }
}

/// Runs the vectors; `folder` gets the object, and the hits that are expected. With `verbose` each
/// vector is printed before it is run.
pub fn run(vectors: Vec<Vector>, folder: &Path, seed: u64, verbose: bool) -> Result<Report, Error> {
    let path = folder.join(OBJECT);
    let mut area = Area::reserve(vectors.len())?;
    let mut tally = Tally::default();
    let (mut trials, mut pages) = (Vec::new(), Vec::new());
    for vector in vectors {
        match Trial::new(vector, &area, trials.len(), seed) {
            Ok((trial, page)) => {
                trials.push(trial);
                pages.push(page);
            }
            Err(why) => tally.skip(why),
        }
    }
    let extents: Vec<_> = trials.iter().map(Trial::extent).collect();
    object::write(&path, &pages, &extents).map_err(file_error(&path))?;
    area.map(&path, pages.len())?;
    let mut runner = Runner::new()?;
    for trial in &mut trials {
        tell(verbose, "alone", trial);
        trial.run_alone(&mut area, &mut runner)?;
    }
    wait_for_probes().map_err(file_error(Path::new("standard input or output")))?;
    for trial in &trials {
        tell(verbose, "probed", trial);
        trial.run_probed(&mut area, &mut runner, &mut tally)?;
    }
    let path = folder.join(HITS);
    fs::write(&path, hits(&trials)).map_err(file_error(&path))?;
    let faults = trials.iter().map(Trial::faults).sum();
    Ok(Report { tally, faults })
}

fn tell(verbose: bool, how: &str, trial: &Trial) {
    if verbose {
        eprintln!("{how} {}", trial.label());
    }
}

/// How often each probe should have fired: in the order of the names.
fn hits(trials: &[Trial]) -> String {
    let line =
        |(number, trial): (usize, &Trial)| format!("{} {}\n", object::name(number), trial.cases());
    trials.iter().enumerate().map(line).collect()
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
