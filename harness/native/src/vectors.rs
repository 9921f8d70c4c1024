//! Reads vectors in the format of `engine/isa/vectors`: `bytes | text | plan`.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::Error;
use crate::instruction::{Plan, Text};
use crate::set::Set;

/// A vector.
pub struct Vector {
    /// The instruction.
    pub text: Text,
    /// Its disassembly.
    pub disassembly: String,
    /// The engine's plan for it.
    pub plan: Plan,
}

impl Vector {
    /// A vector with a few bits changed, planned by the engine.
    pub fn neighbour<S: Set>(&self, prng: &mut Rng) -> Self {
        let text = S::neighbour(&self.text, prng);
        Self {
            text,
            disassembly: format!("a neighbour of {}", self.disassembly),
            plan: S::plan(&text),
        }
    }

    /// The seed for this vector in a run with seed `run`.
    pub fn seed(&self, run: u64) -> u64 {
        let bytes = self.text.bytes().iter();
        bytes.fold(run, |seed, &byte| {
            seed.rotate_left(8).wrapping_mul(0x9e37_79b9) ^ u64::from(byte)
        })
    }
}

/// Reads files of vectors.
pub fn read_all<S: Set>(paths: &[PathBuf]) -> Result<Vec<Vector>, Error> {
    let mut vectors = Vec::new();
    for path in paths {
        vectors.extend(read::<S>(path)?);
    }
    Ok(vectors)
}

/// Reads a file of vectors.
pub fn read<S: Set>(path: &Path) -> Result<Vec<Vector>, Error> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|why| Error::File {
        name: name.clone(),
        why,
    })?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let vectors = lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    let vector = |(line, text): (usize, &str)| {
        parse::<S>(text).ok_or_else(|| Error::NoVector {
            name: name.clone(),
            line,
            text: text.to_owned(),
        })
    };
    vectors.map(vector).collect()
}

fn parse<S: Set>(line: &str) -> Option<Vector> {
    let mut columns = line.split('|').map(str::trim);
    let text = S::text(columns.next()?)?;
    let disassembly = columns.next()?.to_owned();
    let plan = match columns.next()?.split(' ').next()? {
        "emulate" => Plan::Emulate,
        "relocate" => Plan::Relocate,
        "refuse" => Plan::Refuse,
        _ => return None,
    };
    Some(Vector {
        text,
        disassembly,
        plan,
    })
}
