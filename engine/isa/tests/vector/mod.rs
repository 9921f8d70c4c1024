//! Parses the vector files: lines of `bytes | text | plan`, besides comments (`#`) and empty lines.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::fs;
use std::path::Path;

/// A test vector.
pub struct Vector {
    /// Its file and line.
    pub place: String,
    /// The instruction.
    pub digits: String,
    /// The disassembler's text.
    pub text: String,
    /// The expected plan.
    pub plan: String,
}

/// All vectors of a set, in the order of their files.
///
/// # Panics
/// If there are none, or a line is malformed.
pub fn of(set: &str) -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(set);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let vectors: Vec<Vector> = files.iter().flat_map(|file| in_file(set, file)).collect();
    assert!(!vectors.is_empty(), "{set} has no vectors");
    vectors
}

fn in_file(set: &str, file: &Path) -> Vec<Vector> {
    let name = file.file_name().unwrap().to_string_lossy();
    let text = fs::read_to_string(file).unwrap();
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| read(format!("vectors/{set}/{name}:{number}"), line))
        .collect()
}

fn read(place: String, line: &str) -> Vector {
    let columns: Vec<String> = line.split('|').map(|part| part.trim().to_owned()).collect();
    let Ok([digits, text, plan]) = <[String; 3]>::try_from(columns) else {
        panic!("{place}: want `bytes | text | plan`, got `{line}`");
    };
    Vector {
        place,
        digits,
        text,
        plan,
    }
}
