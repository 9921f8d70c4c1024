//! How many bits decisions take in a file: as many as they do when they are compressed by themselves.

use std::io::{Sink, Write, sink};

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::path::file::record::{Record, Run};

/// Decisions that are compressed, and forgotten.
#[derive(Debug)]
pub struct Packed(DeflateEncoder<Sink>);

impl Default for Packed {
    fn default() -> Self {
        Self(DeflateEncoder::new(sink(), Compression::default()))
    }
}

impl Packed {
    pub fn add(&mut self, run: &Run) {
        let mut bytes = Vec::new();
        Record::Run(0, run.clone()).write(&mut bytes);
        // There is nothing that could fail behind it.
        let _ = self.0.write_all(&bytes);
    }

    /// Nothing follows.
    pub fn finish(&mut self) {
        let _ = self.0.try_finish();
    }

    pub fn bits(&self) -> u64 {
        8 * self.0.total_out()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits_of(bits: Vec<u8>) -> u64 {
        let mut packed = Packed::default();
        let (count, values) = (8 * bits.len() as u64, Vec::new());
        packed.add(&Run {
            count,
            bits,
            values,
        });
        packed.finish();
        packed.bits()
    }

    #[test]
    fn what_repeats_takes_less() {
        const BYTES: usize = 10_000;
        let mut state = 1u32;
        let mut chance = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        assert!(bits_of((0..BYTES).map(|_| chance()).collect()) >= 8 * BYTES as u64);
        assert!((1..800).contains(&bits_of(vec![0x5a; BYTES])));
    }
}
