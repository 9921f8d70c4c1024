//! Instructions of real text: of the programs, libraries and kernels that a run is given, in ELF files.

use std::path::Path;
use std::sync::OnceLock;

use engine_isa::x86::{self, ROWS};
use object::{Architecture, Object, ObjectSection, SectionKind};

use super::shape::Bytes;
use crate::chance::Rng;

/// What most hosts have. What they do not have is left out.
pub const USUAL: [&str; 3] = [
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/bin/bash",
    "/lib/x86_64-linux-gnu/libcrypto.so.3",
];
/// How many instructions of a row are kept, of those that have been read.
const KEPT: usize = 256;

/// Why there is no text in a file.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// It is no ELF file, or a broken one.
    #[error("{0}")]
    Elf(#[from] object::Error),
    /// It is for other processors.
    #[error("it is for {0:?}")]
    Other(Architecture),
}

/// What there was in all files.
#[derive(Debug)]
pub struct Text {
    /// How many instructions there were of each row.
    pub rows: Vec<u64>,
    /// Some of each row.
    kept: Vec<Vec<Bytes>>,
    /// The rows of which there are any.
    appearing: Vec<usize>,
    rng: Rng,
}

static TEXT: OnceLock<Text> = OnceLock::new();

/// Has [`one`] take its instructions from here, from now on.
pub fn take(text: Text) {
    // What was taken first is kept: instructions may be made of it already.
    let _ = TEXT.set(text);
}

/// One that was taken, each row as likely as the other; none if none were.
pub fn one(rng: &mut Rng) -> Option<Bytes> {
    let text = TEXT.get()?;
    let row = rng.choice(&text.appearing)?;
    rng.choice(&text.kept[*row]).copied()
}

/// How many instructions there were of a row in what was taken.
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
    /// Reads more: all of a file that is executed, one instruction behind the other. Where there is none
    /// it goes on with the next byte, as assemblers put tables there.
    ///
    /// # Errors
    /// [`TextError`], if it is no file of such instructions.
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

    /// Counts it, and keeps it if chance will have it.
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

    /// How many there were.
    pub fn instructions(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// Those that were kept.
    pub fn kept(&self) -> impl Iterator<Item = &Bytes> {
        self.kept.iter().flatten()
    }
}
