//! Instructions from real text: ELF files of programs, libraries and kernels.

use std::path::Path;
use std::sync::OnceLock;

use engine_isa::x86::{self, ROWS};
use object::{Architecture, Object, ObjectSection, SectionKind};

use super::shape::Bytes;
use crate::prng::Rng;

/// Files that most hosts have. Missing ones are skipped.
pub const USUAL: [&str; 3] = [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/bin/bash",
    "/lib/x86_64-linux-gnu/libcrypto.so.3",
];
/// How many instructions of a row are kept, sampled from all.
const KEPT: usize = 256;

/// Why a file has no usable text.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// Not an ELF file, or a malformed one.
    #[error("{0}")]
    Elf(#[from] object::Error),
    /// It is for another architecture.
    #[error("it is for {0:?}")]
    Other(Architecture),
}

/// The instructions of all files.
#[derive(Debug)]
pub struct Text {
    /// The number of instructions of each row.
    pub rows: Vec<u64>,
    /// A sample of each row.
    kept: Vec<Vec<Bytes>>,
    /// The rows that occur.
    appearing: Vec<usize>,
    rng: Rng,
}

static TEXT: OnceLock<Text> = OnceLock::new();

/// Makes [`one`] take its instructions from here.
pub fn take(text: Text) {
    // The first text stays: instructions may have been made from it already.
    let _ = TEXT.set(text);
}

/// A random instruction of the text, each row equally likely; `None` without text.
pub fn one(rng: &mut Rng) -> Option<Bytes> {
    let text = TEXT.get()?;
    let row = rng.choice(&text.appearing)?;
    rng.choice(&text.kept[*row]).copied()
}

/// The number of instructions of a row in the text.
pub fn count(row: usize) -> u64 {
    TEXT.get().map_or(0, |text| text.rows[row])
}

impl Default for Text {
    fn default() -> Self {
        Self {
            rows: vec![0; ROWS.len()],
            kept: vec![Vec::new(); ROWS.len()],
            appearing: Vec::new(),
            rng: Rng::with_seed(1),
        }
    }
}

impl Text {
    /// Adds a file: all its executable sections, decoded linearly. After an undefined byte decoding
    /// continues with the next, as assemblers put tables there.
    ///
    /// # Errors
    /// [`TextError`] if the file has no such text.
    pub fn add(&mut self, path: &Path) -> Result<(), TextError> {
        let elf = std::fs::read(path)?;
        let file = object::File::parse(&*elf)?;
        if file.architecture() != Architecture::X86_64 {
            return Err(TextError::Other(file.architecture()));
        }
        for section in file.sections() {
            if section.kind() == SectionKind::Text {
                self.add_code(section.data()?);
            }
        }
        Ok(())
    }

    fn add_code(&mut self, mut code: &[u8]) {
        while let Some(bytes) = code.first_chunk() {
            let length = x86::length(bytes);
            if length.is_some() {
                self.add_one(*bytes);
            }
            code = &code[length.unwrap_or(1)..];
        }
    }

    /// Counts an instruction, and samples it.
    fn add_one(&mut self, bytes: Bytes) {
        let row = x86::row(&bytes);
        let kept = &mut self.kept[row];
        if kept.is_empty() {
            self.appearing.push(row);
        }
        let place = self.rng.u64(0..=self.rows[row]) as usize;
        self.rows[row] += 1;
        if kept.len() < KEPT {
            kept.push(bytes);
        } else if let Some(other) = kept.get_mut(place) {
            *other = bytes;
        }
    }

    /// The number of instructions.
    pub fn instructions(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The sample.
    pub fn kept(&self) -> impl Iterator<Item = &Bytes> {
        self.kept.iter().flatten()
    }
}
