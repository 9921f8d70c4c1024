//! Valid programs, and malformed ones made from them.

use std::fs;
use std::mem::offset_of;
use std::ops::Range;
use std::path::PathBuf;

use engine_abi::ProgramHeader;
use engine_dlang::{Kind, Settings, Text, compile};
use fastrand::Rng;
use zerocopy::IntoBytes;

use crate::Error;

/// Most bytes of a program, valid or random.
const SIZE_MAX: usize = 64 << 10;

/// Compiled programs, which the verifier accepts.
pub struct Seeds {
    blocks: Vec<Vec<u8>>,
}

impl Seeds {
    /// Compiles the files for a kernel with pointers of `pointer` bytes; those that fail are left
    /// out, and so are destructive ones: some would panic the kernel, and they may.
    pub fn compile(files: &[PathBuf], pointer: u32) -> Result<Self, Error> {
        let settings = Settings {
            pointer,
            default_arguments: true,
            ..Settings::default()
        };
        let mut blocks = Vec::new();
        for file in files {
            let name = file.display().to_string();
            let read = fs::read_to_string(file);
            let text = Text {
                source: read.map_err(|why| Error::File {
                    name: name.clone(),
                    why,
                })?,
                kind: Kind::File { name },
                arguments: Vec::new(),
            };
            let compiled = compile(&[text], &settings).ok();
            let compiled = compiled.filter(|it| !it.is_destructive);
            let block = compiled.map(|it| it.block.as_bytes().to_vec());
            blocks.extend(block.filter(|it| (1..=SIZE_MAX).contains(&it.len())));
        }
        if blocks.is_empty() {
            return Err(Error::NoSeeds(files.len()));
        }
        Ok(Self { blocks })
    }

    /// A program, unchanged.
    pub fn valid(&self, prng: &mut Rng) -> Vec<u8> {
        self.blocks[prng.usize(..self.blocks.len())].clone()
    }

    /// A program with up to five bytes changed, a third of them in its head; or truncated; or
    /// random bytes.
    pub fn malformed(&self, prng: &mut Rng) -> Vec<u8> {
        let mut block = self.valid(prng);
        match prng.u32(..20) {
            0 => block.truncate(prng.usize(..=block.len() / 8) * 8),
            1 => block.truncate(prng.usize(..=block.len())),
            2 => {
                block.resize(prng.usize(..SIZE_MAX), 0);
                prng.fill(&mut block);
            }
            _ => {
                for _ in 0..prng.u32(..6) {
                    change(&mut block, prng);
                }
            }
        }
        if let Some(flags) = block.get_mut(FLAGS) {
            flags.fill(0);
        }
        block
    }
}

/// Bytes of the header.
const HEAD: usize = size_of::<ProgramHeader>();

/// Its flags, which are left alone: they would let a program panic the kernel.
const FLAGS: Range<usize> = {
    let flags = offset_of!(ProgramHeader, flags);
    flags..flags + size_of::<u32>()
};

fn change(block: &mut [u8], prng: &mut Rng) {
    let end = if prng.u32(..3) == 0 {
        HEAD.min(block.len())
    } else {
        block.len()
    };
    let byte = &mut block[prng.usize(..end)];
    *byte = if prng.bool() {
        prng.u8(..)
    } else {
        *byte ^ 1 << prng.u32(..8)
    };
}
