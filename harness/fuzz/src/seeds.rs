//! What malformed programs are made of: sound ones.

use std::fs;
use std::path::PathBuf;

use engine_dlang::{Kind, Settings, Text, compile};
use fastrand::Rng;
use zerocopy::IntoBytes;

use crate::Error;

/// The most bytes of a program here, and of what is no program at all.
const SIZE_MAX: usize = 64 << 10;

/// Programs that a verifier accepts.
pub struct Seeds {
    blocks: Vec<Vec<u8>>,
}

impl Seeds {
    /// Those of these files that compile for a kernel whose pointers have `pointer` bytes.
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
            let block = compiled.map(|it| it.block.as_bytes().to_vec());
            blocks.extend(block.filter(|it| (1..=SIZE_MAX).contains(&it.len())));
        }
        if blocks.is_empty() {
            return Err(Error::NoSeeds(files.len()));
        }
        Ok(Self { blocks })
    }

    /// One of them as it is.
    pub fn sound(&self, chance: &mut Rng) -> Vec<u8> {
        self.blocks[chance.usize(..self.blocks.len())].clone()
    }

    /// One of them with up to five bytes changed, most of them in its header; or cut short; or no more than
    /// bytes.
    pub fn malformed(&self, chance: &mut Rng) -> Vec<u8> {
        let mut block = self.sound(chance);
        match chance.u32(..20) {
            0 => block.truncate(chance.usize(..=block.len() / 8) * 8),
            1 => block.truncate(chance.usize(..=block.len())),
            2 => {
                block.resize(chance.usize(..SIZE_MAX), 0);
                chance.fill(&mut block);
            }
            _ => {
                for _ in 0..chance.u32(..6) {
                    change(&mut block, chance);
                }
            }
        }
        block
    }
}

/// The header's bytes, and the first rows of the tables behind it.
const HEAD: usize = 48;

fn change(block: &mut [u8], chance: &mut Rng) {
    let end = if chance.u32(..3) == 0 {
        HEAD.min(block.len())
    } else {
        block.len()
    };
    let byte = &mut block[chance.usize(..end)];
    *byte = if chance.bool() {
        chance.u8(..)
    } else {
        *byte ^ 1 << chance.u32(..8)
    };
}
