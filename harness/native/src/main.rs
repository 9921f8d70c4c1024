//! Compares the engine with the processor: runs each instruction of `engine/isa/vectors` in the
//! kernel, once natively and once probed, from the same registers and memory, and compares what it
//! did.
//!
//! The module built with the self-test provides the sites, page, stack and data (`device`), and an
//! ordinary enabling probes them (`probe`). A run happens in kernel mode, so it must not leave the
//! memory lent to it. Three things ensure that, before it starts: instructions that could are not
//! run (`unfit`), relocated ones are decoded by code that shares nothing with the engine's tables
//! (`safe`, `reach`), and emulated ones are first run by the engine's emulator on an image of that
//! memory (`image`). The comparison takes nothing from the engine: the processor alone says what is
//! right.

mod arm;
mod arm64;
mod batch;
mod cases;
mod device;
mod image;
mod instruction;
mod places;
mod probe;
mod process;
mod set;
mod tally;
mod vectors;
mod x86;

use std::env::consts::ARCH;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fastrand::Rng;
use lexopt::{Arg, Parser, ValueExt};

use batch::Batch;
use device::Device;
use instruction::Vector;
use probe::Prober;
use process::Job;
use set::InKernel;
use tally::Tally;

/// Why the program failed, other than for differences.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(
        "{0}; usage: trapline-native [--tell] [--neighbours N | --process FOLDER [--thumb [--takes-skipped]] [--states N]] [--seed N] VECTORS..."
    )]
    Usage(#[from] lexopt::Error),
    #[error("{name}: {why}")]
    File { name: String, why: io::Error },
    #[error("{name}:{line}: not a vector: {text}")]
    NoVector {
        name: String,
        line: usize,
        text: String,
    },
    #[error("{doing}: {why}")]
    System {
        doing: &'static str,
        why: rustix::io::Errno,
    },
    #[error("mapping memory: {0}")]
    Memory(io::Error),
    #[error("handling signals: {0}")]
    Signals(io::Error),
    #[error("{0}")]
    Wrong(String),
}

fn main() -> ExitCode {
    match Options::parse().and_then(|options| run(&options)) {
        Ok(is_good) => ExitCode::from(u8::from(!is_good)),
        Err(why) => {
            eprintln!("trapline-native: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Whether nothing differs, after what there is to say has been printed.
fn run(options: &Options) -> Result<bool, Error> {
    if let Some(folder) = &options.folder {
        return run_in_process(options, folder);
    }
    let [vectors, neighbours] = match ARCH {
        "arm" => run_in_kernel::<arm::A32>(options),
        "aarch64" => run_in_kernel::<arm64::A64>(options),
        "x86_64" => run_in_kernel::<x86::X86>(options),
        other => Err(Error::Wrong(format!("unsupported architecture {other}"))),
    }?;
    println!("vectors\n{vectors}\ntheir neighbours\n{neighbours}");
    let too_few = neighbours.too_few();
    too_few.iter().for_each(|few| println!("{few}"));
    Ok(vectors.is_good() && neighbours.is_good() && too_few.is_none())
}

/// The same for runs in this process.
fn run_in_process(options: &Options, folder: &Path) -> Result<bool, Error> {
    let job = Job {
        paths: options.paths.clone(),
        folder: folder.to_owned(),
        seed: options.seed,
        states: options.states,
        takes_skipped: options.takes_skipped,
        verbose: options.verbose,
    };
    let report = match (options.is_thumb, process::HAS_THUMB) {
        (false, _) => process::run::<process::Own>(&job),
        (true, true) => process::run::<process::Thumb>(&job),
        (true, false) => Err(Error::Wrong("this machine has no Thumb state".into())),
    }?;
    println!("{report}");
    Ok(report.is_good())
}

/// The tallies of the vectors and of their neighbours.
fn run_in_kernel<S: InKernel>(options: &Options) -> Result<[Tally; 2], Error> {
    let device = Device::open()?;
    let prober = Prober::new(S::POINTER, device.sites()[0].data)?;
    let vectors = vectors::read_all::<S>(&options.paths)?;
    let near = |vector: &Vector| {
        let mut prng = Rng::with_seed(vector.seed(options.seed));
        let near = (0..options.neighbours).map(|_| vectors::neighbour::<S>(vector, &mut prng));
        near.collect::<Vec<_>>()
    };
    let neighbours: Vec<_> = vectors.iter().flat_map(near).collect();
    let judge = |vectors: Vec<Vector>| {
        let mut batch = Batch::<S>::new(&device, &prober, options.seed, options.verbose);
        vectors
            .into_iter()
            .try_for_each(|vector| batch.add(vector))?;
        batch.end()
    };
    Ok([judge(vectors)?, judge(neighbours)?])
}

/// The parsed command line.
#[derive(Default)]
struct Options {
    /// Files of vectors.
    paths: Vec<PathBuf>,
    /// The folder for what a run in this process leaves; otherwise the kernel runs them.
    folder: Option<PathBuf>,
    /// Number of states for each vector that runs in this process.
    states: usize,
    /// Whether these are Thumb's.
    is_thumb: bool,
    /// Whether breakpoints are taken that their IT blocks skip.
    takes_skipped: bool,
    /// Number of mutated instructions per vector.
    neighbours: usize,
    /// Seed of neighbours and states.
    seed: u64,
    /// Whether to print each instruction before it runs: the last one may crash the machine.
    verbose: bool,
}

impl Options {
    fn parse() -> Result<Self, Error> {
        let mut parser = Parser::from_env();
        let mut options = Self {
            states: cases::CASES,
            ..Self::default()
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("tell") => options.verbose = true,
                Arg::Long("neighbours") => options.neighbours = parser.value()?.parse()?,
                Arg::Long("process") => options.folder = Some(parser.value()?.into()),
                Arg::Long("states") => options.states = parser.value()?.parse()?,
                Arg::Long("thumb") => options.is_thumb = true,
                Arg::Long("takes-skipped") => options.takes_skipped = true,
                Arg::Long("seed") => options.seed = parser.value()?.parse()?,
                Arg::Value(path) => options.paths.push(path.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        match options.paths.is_empty() {
            true => Err(lexopt::Error::from("no vectors").into()),
            false => Ok(options),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::cases::Cases;
    use crate::places::{DATA, Places, STACK};
    use crate::set::Set;

    /// Typical addresses of a 64-bit kernel.
    const PLACES: Places = Places {
        number: 0,
        site: 0xffff_ffff_c010_0800,
        page: 0xffff_ffff_c010_0000,
        stack: 0xffff_8880_0123_3400,
        stack_size: STACK as u64,
        data: 0xffff_ffff_c012_0000,
        data_size: DATA as u64,
    };

    /// Number of vectors that cases can be found for.
    fn runnable<S: Set>(folder: &str) -> usize {
        let folder = Path::new("../../engine/isa/vectors").join(folder);
        let files = fs::read_dir(folder).unwrap();
        let vectors = files.flat_map(|file| vectors::read::<S>(&file.unwrap().path()).unwrap());
        vectors
            .filter(|vector| Cases::<S>::of(vector, &PLACES, 0).is_ok())
            .count()
    }

    #[test]
    fn most_vectors_have_cases() {
        let counts = [runnable::<x86::X86>("x86"), runnable::<arm64::A64>("arm64")];
        let [x86, arm64] = counts;
        assert!(x86 >= 2400 && arm64 >= 2700, "{counts:?}");
    }
}
