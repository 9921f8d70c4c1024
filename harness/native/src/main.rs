//! Runs each instruction of the vectors by itself and probed, in the kernel, on the same registers and
//! memory, and compares what became of them. The module with the self-test lends the place for it, and is
//! asked to probe that place as every other.

mod arm;
mod arm64;
mod cases;
mod device;
mod image;
mod instruction;
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

use cases::Cases;
use device::{Device, Run};
use probe::Prober;
use rustix::thread::{CpuSet, sched_setaffinity};
use set::Set;
use tally::Tally;
use vectors::Vector;

/// What ended a run before its time.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-native [--tell] [--neighbours N] VECTORS...")]
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

/// As many as a guest has, at the most.
const PROCESSORS: usize = 4;

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
    let device = Device::open()?;
    let prober = Prober::new(S::POINTER)?;
    let mut tally = Tally::new(device.places());
    let mut neighbours = Tally::new(device.places());
    let asked = Asked::parse()?;
    for path in &asked.paths {
        for vector in vectors::read::<S>(path)? {
            judge::<S>(&device, &prober, &vector, asked.tells, &mut tally)?;
            let mut chance = Rng::with_seed(vector.seed());
            for _ in 0..asked.neighbours {
                let vector = vector.neighbour::<S>(&mut chance);
                judge::<S>(&device, &prober, &vector, asked.tells, &mut neighbours)?;
            }
        }
    }
    Ok([tally, neighbours])
}

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    /// Vectors.
    paths: Vec<PathBuf>,
    /// How many words near each of them.
    neighbours: usize,
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

/// Runs one by itself, then probed, and counts what came of it.
fn judge<S: Set>(
    device: &Device,
    prober: &Prober,
    vector: &Vector,
    tells: bool,
    tally: &mut Tally,
) -> Result<(), Error> {
    if tells {
        eprintln!("{} {}", vector.text, vector.called);
    }
    let mut cases = match Cases::<S>::of(vector, device.places()) {
        Ok(cases) => cases,
        Err(why) => {
            if tells {
                eprintln!("not run, {why}");
            }
            tally.skip(why);
            return Ok(());
        }
    };
    device.fill(&cases.page)?;
    let native = run_alone(device, &mut cases.runs)?;
    if native.is_empty() {
        tally.skip("this processor does not have it, or traps");
        return Ok(());
    }
    let probe = prober.arm(vector)?;
    let probed = each(device, &cases.runs);
    let fired = probe.disarm()?;
    tally.compare(vector, &cases.text, &cases.runs, &native, &probed?, fired);
    Ok(())
}

/// Runs what is not probed yet. What something ends before its time is not a case.
fn run_alone<S: Set>(device: &Device, runs: &mut Vec<Run<S>>) -> Result<Vec<Run<S>>, Error> {
    let native = each(device, runs)?;
    let mut is_whole = native.iter().map(|run| S::cut_short(&run.state).is_none());
    runs.retain(|_| is_whole.next() == Some(true));
    let whole = native.into_iter();
    Ok(whole
        .filter(|run| S::cut_short(&run.state).is_none())
        .collect())
}

/// Runs each on another processor than the last.
fn each<S: Set>(device: &Device, runs: &[Run<S>]) -> Result<Vec<Run<S>>, Error> {
    let ran = |(number, run)| {
        move_on(number);
        device.run(run)
    };
    runs.iter().enumerate().map(ran).collect()
}

/// Goes to the processor of that number, if there is one.
fn move_on(number: usize) {
    let mut there = CpuSet::new();
    there.set(number % PROCESSORS);
    let _ = sched_setaffinity(None, &there);
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::device::{DATA, Places, STACK};

    /// As places are in a kernel of 64 bits.
    const PLACES: Places = Places {
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
            .filter(|vector| Cases::<S>::of(vector, &PLACES).is_ok())
            .count()
    }

    #[test]
    fn most_vectors_can_be_run() {
        let counts = [runnable::<x86::X86>("x86"), runnable::<arm64::A64>("arm64")];
        let [x86, arm64] = counts;
        assert!(x86 >= 1800 && arm64 >= 2700, "{counts:?}");
    }
}
