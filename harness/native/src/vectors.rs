//! Reads vectors in the format of `engine/isa/vectors`: `bytes | text | plan`.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::Error;
use crate::instruction::{Plan, Vector};
use crate::set::{InKernel, Set};

/// A vector with a few bits changed, planned by the engine.
pub fn neighbour<S: InKernel>(vector: &Vector, prng: &mut Rng) -> Vector {
    let text = S::neighbour(&vector.text, prng);
    Vector {
        text,
        disassembly: format!("a neighbour of {}", vector.disassembly),
        plan: S::plan(&text),
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
