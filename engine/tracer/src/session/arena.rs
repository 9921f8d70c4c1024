//! Fixed-size memory shared between firings and the control side, made of atomic words so that
//! sharing it needs no unsafe code.
//!
//! All accesses are relaxed. The owner of an arena decides which context may access which part, and
//! publishes writes with a release store of its own. Concurrent writes to one part leave a mix of
//! both values, but are no undefined behaviour.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::grow::{OutOfMemory, filled};

const WORD: usize = size_of::<usize>();

/// The largest arena in bytes: 1 GiB.
pub const BYTES_MAX: usize = 1 << 30;

/// 8 bytes of an arena.
type Unit = [AtomicUsize; 8 / WORD];

/// Stores them.
#[inline(always)]
pub fn set(unit: &Unit, value: u64) {
    let bytes: [[u8; WORD]; 8 / WORD] = zerocopy::transmute!(value);
    for (word, bytes) in unit.iter().zip(bytes) {
        word.store(usize::from_ne_bytes(bytes), Ordering::Relaxed);
    }
}

/// Byte-addressed memory. Reads past the end return 0 and writes there are ignored.
#[derive(Debug)]
pub struct Arena(Vec<AtomicUsize>);

impl Arena {
    /// Zeroed memory of `bytes` bytes, rounded up to a multiple of 8 and cut to [`BYTES_MAX`].
    pub fn new(bytes: usize) -> Result<Self, OutOfMemory> {
        let words = bytes.min(BYTES_MAX).div_ceil(8) * (8 / WORD);
        Ok(Self(filled(words, || AtomicUsize::new(0))?))
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len().wrapping_mul(WORD)
    }

    /// Loads the 8 bytes at `at`, a multiple of 8. On 32-bit hosts the two halves are separate
    /// loads.
    pub fn load(&self, at: usize) -> u64 {
        let Some(words) = self.unit(at) else {
            return 0;
        };
        let mut bytes = [0; 8];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.load(Ordering::Relaxed).to_ne_bytes();
        }
        u64::from_ne_bytes(bytes)
    }

    /// Stores 8 bytes at `at`, a multiple of 8.
    pub fn store(&self, at: usize, value: u64) {
        let Some(words) = self.unit(at) else {
            return;
        };
        let bytes = value.to_ne_bytes();
        for (bytes, word) in bytes.as_chunks().0.iter().zip(words) {
            word.store(usize::from_ne_bytes(*bytes), Ordering::Relaxed);
        }
    }

    /// Adds 1 to the 8 bytes at `at`, a multiple of 8. Not atomic: the caller is the only writer.
    #[inline]
    pub fn count(&self, at: usize) {
        let Some(words) = self.unit(at) else {
            return;
        };
        let load = |word: &AtomicUsize| word.load(Ordering::Relaxed).to_ne_bytes();
        let value: u64 = zerocopy::transmute!(words.each_ref().map(load));
        let value: [[u8; WORD]; 8 / WORD] = zerocopy::transmute!(value.wrapping_add(1));
        for (word, bytes) in words.iter().zip(value) {
            word.store(usize::from_ne_bytes(bytes), Ordering::Relaxed);
        }
    }

    /// Stores 16 bytes at `at`, a multiple of 8. Returns false, and stores nothing, where they do
    /// not all fit.
    #[inline]
    pub fn store_two(&self, at: usize, values: [u64; 2]) -> bool {
        let Some(words) = self.words(at).first_chunk::<{ 16 / WORD }>() else {
            return false;
        };
        let bytes: [[u8; WORD]; 16 / WORD] = zerocopy::transmute!(values);
        for (bytes, word) in bytes.into_iter().zip(words) {
            word.store(usize::from_ne_bytes(bytes), Ordering::Relaxed);
        }
        true
    }

    /// As many units of 8 bytes at `at`, a multiple of 8; none where they do not all fit.
    #[inline(always)]
    pub fn units(&self, at: usize, count: usize) -> Option<&[Unit]> {
        let words = self.words(at).get(..count.wrapping_mul(8 / WORD))?;
        Some(words.as_chunks().0)
    }

    /// Writes `bytes` at `at`.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        let (whole, rest) = match at % WORD {
            0 => bytes.as_chunks::<WORD>(),
            _ => (Default::default(), bytes),
        };
        for (word, bytes) in self.words(at).iter().zip(whole) {
            word.store(usize::from_ne_bytes(*bytes), Ordering::Relaxed);
        }
        let rest_at = at.wrapping_add(whole.len().wrapping_mul(WORD));
        for (at, &byte) in (rest_at..).zip(rest) {
            self.put(at, byte);
        }
    }

    /// Reads `bytes` from `at`.
    pub fn read(&self, at: usize, bytes: &mut [u8]) {
        let (whole, rest) = match at % WORD {
            0 => bytes.as_chunks_mut::<WORD>(),
            _ => (Default::default(), bytes),
        };
        let rest_at = at.wrapping_add(whole.len().wrapping_mul(WORD));
        let there = self
            .words(at)
            .iter()
            .map(|word| word.load(Ordering::Relaxed));
        for (bytes, word) in whole.iter_mut().zip(there.chain(core::iter::repeat(0))) {
            *bytes = word.to_ne_bytes();
        }
        for (at, byte) in (rest_at..).zip(rest) {
            *byte = self.get(at);
        }
    }

    /// Whether the memory at `at` equals `bytes`.
    pub fn holds(&self, at: usize, bytes: &[u8]) -> bool {
        let (whole, rest) = match at % WORD {
            0 => bytes.as_chunks::<WORD>(),
            _ => (Default::default(), bytes),
        };
        let rest_at = at.wrapping_add(whole.len().wrapping_mul(WORD));
        let words = self.words(at);
        words.len() >= whole.len()
            && words
                .iter()
                .zip(whole)
                .all(|(word, bytes)| word.load(Ordering::Relaxed) == usize::from_ne_bytes(*bytes))
            && (rest_at..)
                .zip(rest)
                .all(|(at, &byte)| self.get(at) == byte)
    }

    /// Zeroes `bytes` bytes at `at`; both are multiples of 8.
    pub fn clear(&self, at: usize, bytes: usize) {
        for word in self.words(at).iter().take(bytes / WORD) {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// The words that hold the 8 bytes at `at`.
    fn unit(&self, at: usize) -> Option<&Unit> {
        self.words(at).first_chunk()
    }

    fn words(&self, at: usize) -> &[AtomicUsize] {
        self.0.get(at / WORD..).unwrap_or_default()
    }

    fn get(&self, at: usize) -> u8 {
        let word = self.0.get(at / WORD);
        let bytes = word
            .map_or(0, |word| word.load(Ordering::Relaxed))
            .to_ne_bytes();
        bytes.get(at % WORD).copied().unwrap_or_default()
    }

    fn put(&self, at: usize, byte: u8) {
        let Some(word) = self.0.get(at / WORD) else {
            return;
        };
        let mut bytes = word.load(Ordering::Relaxed).to_ne_bytes();
        if let Some(place) = bytes.get_mut(at % WORD) {
            *place = byte;
        }
        word.store(usize::from_ne_bytes(bytes), Ordering::Relaxed);
    }
}

/// `bytes`, rounded up to a multiple of 8.
pub fn padded(bytes: usize) -> usize {
    bytes.wrapping_add(7) & !7
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_past_the_end_reads_zero_and_ignores_writes() {
        let arena = Arena::new(9).unwrap();
        assert_eq!(arena.bytes(), 16);
        arena.write(12, &[1; 8]);
        let mut bytes = [9; 8];
        arena.read(12, &mut bytes);
        assert_eq!(bytes, [1, 1, 1, 1, 0, 0, 0, 0]);
        arena.store(usize::MAX - 7, 1);
        assert_eq!(arena.load(16), 0);
        assert!(!arena.holds(16, &[0; 8]), "past the end");
    }

    proptest! {
        #[test]
        fn an_arena_behaves_as_plain_memory(
            writes in proptest::collection::vec((0usize..64, any::<[u8; 24]>(), 0usize..24), 0..20),
            at in 0usize..64,
            length in 0usize..24,
        ) {
            let arena = Arena::new(96).unwrap();
            let mut plain = [0; 96];
            for (at, bytes, length) in &writes {
                arena.write(*at, &bytes[..*length]);
                plain[*at..at + length].copy_from_slice(&bytes[..*length]);
            }
            let mut read = [0xaa; 24];
            arena.read(at, &mut read[..length]);
            prop_assert_eq!(&read[..length], &plain[at..at + length]);
            prop_assert!(arena.holds(at, &plain[at..at + length]));
            let mut other = plain;
            other[at] ^= 1;
            prop_assert!(length == 0 || !arena.holds(at, &other[at..at + length]));
            arena.clear(at & !7, 16);
            prop_assert_eq!(arena.load(at & !7), 0);
        }
    }
}
