//! Runs each instruction of the vectors by itself and probed, in the kernel, on the same registers and
//! memory, and compares what became of them. The module with the self-test lends the place for it, and is
//! asked to probe that place as every other.

mod cases;
mod device;
mod image;
mod probe;
mod safe;
mod tally;
mod vectors;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use fastrand::Rng;
use lexopt::{Arg, Parser, ValueExt};

use cases::Cases;
use device::{Device, Run};
use probe::Prober;
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

fn main() -> ExitCode {
    match run() {
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
fn run() -> Result<[Tally; 2], Error> {
    let device = Device::open()?;
    let prober = Prober::new()?;
    let mut tally = Tally::new(device.places());
    let mut neighbours = Tally::new(device.places());
    let asked = Asked::parse()?;
    for path in &asked.paths {
        for vector in vectors::read(path)? {
            judge(&device, &prober, &vector, asked.tells, &mut tally)?;
            let mut chance = Rng::with_seed(vector.word.into());
            for _ in 0..asked.neighbours {
                let vector = vector.neighbour(&mut chance);
                judge(&device, &prober, &vector, asked.tells, &mut neighbours)?;
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
fn judge(
    device: &Device,
    prober: &Prober,
    vector: &Vector,
    tells: bool,
    tally: &mut Tally,
) -> Result<(), Error> {
    if tells {
        eprintln!("{:08x} {}", vector.word, vector.text);
    }
    let cases = match Cases::of(vector, device.places()) {
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
    let native = each(device, &cases.runs)?;
    if native.iter().any(Run::is_undefined) {
        tally.skip("this processor does not have it");
        return Ok(());
    }
    let probe = prober.arm(vector)?;
    let probed = each(device, &cases.runs);
    let fired = probe.disarm()?;
    tally.compare(vector, &cases.runs, &native, &probed?, fired);
    Ok(())
}

fn each(device: &Device, runs: &[Run]) -> Result<Vec<Run>, Error> {
    let ran = |run: &Run| {
        let mut run = run.clone();
        device.run(&mut run).map(|()| run)
    };
    runs.iter().map(ran).collect()
}
