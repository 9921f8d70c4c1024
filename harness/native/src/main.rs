//! Runs each instruction of the vectors by itself and probed, in the kernel, on the same registers and
//! memory, and compares what became of them. The module with the self-test lends the place for it, and is
//! asked to probe that place as every other.

mod arm;
mod arm64;
mod batch;
mod cases;
mod device;
mod image;
mod instruction;
mod places;
mod probe;
mod set;
mod tally;
mod vectors;
mod x86;

use std::env::consts::ARCH;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use fastrand::Rng;
use lexopt::{Arg, Parser, ValueExt};

use batch::Batch;
use device::Device;
use probe::Prober;
use set::Set;
use tally::Tally;
use vectors::Vector;

/// What ended a run before its time.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-native [--tell] [--neighbours N] [--seed N] VECTORS...")]
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
    #[error("{0}")]
    Wrong(String),
}

fn main() -> ExitCode {
    let ran = match ARCH {
        "arm" => run::<arm::A32>(),
        "aarch64" => run::<arm64::A64>(),
        "x86_64" => run::<x86::X86>(),
        other => Err(Error::Wrong(format!("nothing is known of {other}"))),
    };
    match ran {
        Ok([vectors, neighbours]) => {
            println!("vectors\n{vectors}\ntheir neighbours\n{neighbours}");
            let is_good = vectors.is_good() && neighbours.is_good();
            ExitCode::from(u8::from(!is_good))
        }
        Err(why) => {
            eprintln!("trapline-native: {why}");
            ExitCode::FAILURE
        }
    }
}

/// What came of the vectors, and of their neighbours.
fn run<S: Set>() -> Result<[Tally; 2], Error> {
    let asked = Asked::parse()?;
    let device = Device::open()?;
    let prober = Prober::new(S::POINTER, device.sites()[0].data)?;
    let mut vectors = Vec::new();
    for path in &asked.paths {
        vectors.extend(vectors::read::<S>(path)?);
    }
    let near = |vector: &Vector| {
        let mut chance = Rng::with_seed(vector.seed(asked.seed));
        let near = (0..asked.neighbours).map(|_| vector.neighbour::<S>(&mut chance));
        near.collect::<Vec<_>>()
    };
    let neighbours: Vec<_> = vectors.iter().flat_map(near).collect();
    let judge = |vectors: Vec<Vector>| {
        let mut batch = Batch::<S>::new(&device, &prober, asked.seed, asked.tells);
        vectors
            .into_iter()
            .try_for_each(|vector| batch.add(vector))?;
        batch.end()
    };
    Ok([judge(vectors)?, judge(neighbours)?])
}

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    /// Vectors.
    paths: Vec<PathBuf>,
    /// How many words near each of them.
    neighbours: usize,
    /// What the neighbours and the states of all are drawn from.
    seed: u64,
    /// To say of each which it is, before it is run: the last one may end the machine.
    tells: bool,
}

impl Asked {
    fn parse() -> Result<Self, Error> {
        let mut parser = Parser::from_env();
        let mut asked = Self::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("tell") => asked.tells = true,
                Arg::Long("neighbours") => asked.neighbours = parser.value()?.parse()?,
                Arg::Long("seed") => asked.seed = parser.value()?.parse()?,
                Arg::Value(path) => asked.paths.push(path.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        match asked.paths.is_empty() {
            true => Err(lexopt::Error::from("no vectors").into()),
            false => Ok(asked),
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

    /// As places are in a kernel of 64 bits.
    const PLACES: Places = Places {
        number: 0,
        site: 0xffff_ffff_c010_0800,
        page: 0xffff_ffff_c010_0000,
        stack: 0xffff_8880_0123_3400,
        stack_size: STACK as u64,
        data: 0xffff_ffff_c012_0000,
        data_size: DATA as u64,
    };

    /// How many vectors there are states for.
    fn runnable<S: Set>(folder: &str) -> usize {
        let folder = Path::new("../../engine/isa/vectors").join(folder);
        let files = fs::read_dir(folder).unwrap();
        let vectors = files.flat_map(|file| vectors::read::<S>(&file.unwrap().path()).unwrap());
        vectors
            .filter(|vector| Cases::<S>::of(vector, &PLACES, 0).is_ok())
            .count()
    }

    #[test]
    fn most_vectors_can_be_run() {
        let counts = [runnable::<x86::X86>("x86"), runnable::<arm64::A64>("arm64")];
        let [x86, arm64] = counts;
        assert!(x86 >= 2400 && arm64 >= 2700, "{counts:?}");
    }
}
