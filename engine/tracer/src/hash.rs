//! The hash of the tables that clauses fill, and the limit of a bucket's chain.
//!
//! The traced process chooses the keys, by its system-call arguments for instance. So the hash is
//! keyed, with a random key per session, and withstands chosen input: SipHash-1-3 (Aumasson,
//! Bernstein: SipHash: a fast short-input PRF), or HalfSipHash-1-3 on 32-bit processors. Input is
//! whole words only, so there is no partial block to buffer.

/// Limit of entries in a bucket. A table has at least one bucket for every four entries, so with an
/// unpredictable hash no chain comes near it. An insertion beyond it fails and is counted as a
/// drop.
pub const CHAIN_MAX: u32 = 128;

/// Hashes `words`, then `bytes`, whose length must be a multiple of 8. Collisions depend on `seed`.
#[inline]
pub fn hash<const WORDS: usize>(seed: u64, words: [u64; WORDS], bytes: &[u8]) -> u32 {
    let (key, _) = bytes.as_chunks();
    let key = key.iter().map(|word| u64::from_ne_bytes(*word));
    let words = words.into_iter().chain(key);
    if size_of::<usize>() == size_of::<u64>() {
        // The generator of seeds has 64 bits of state, so a second draw would add no entropy.
        sip([seed, !seed], words) as u32
    } else {
        half_sip([seed as u32, (seed >> 32) as u32], words)
    }
}

/// The final block: the length in bytes modulo 256, in the top eight bits.
fn last_word(words: u64) -> u64 {
    words.wrapping_mul(8) << 56
}

macro_rules! sip {
    ($(#[$doc:meta])* $name:ident, $word:ty, $constants:expr, $rotations:expr) => {
        $(#[$doc])*
        struct $name([$word; 4]);

        impl $name {
            #[inline(always)]
            fn new([k0, k1]: [$word; 2]) -> Self {
                let [c0, c1, c2, c3]: [$word; 4] = $constants;
                Self([c0 ^ k0, c1 ^ k1, c2 ^ k0, c3 ^ k1])
            }

            #[inline(always)]
            fn round(&mut self) {
                let [mut a, mut b, mut c, mut d] = self.0;
                let [r0, r1, r2, r3, r4, r5]: [u32; 6] = $rotations;
                a = a.wrapping_add(b);
                b = b.rotate_left(r0) ^ a;
                a = a.rotate_left(r1);
                c = c.wrapping_add(d);
                d = d.rotate_left(r2) ^ c;
                a = a.wrapping_add(d);
                d = d.rotate_left(r3) ^ a;
                c = c.wrapping_add(b);
                b = b.rotate_left(r4) ^ c;
                c = c.rotate_left(r5);
                self.0 = [a, b, c, d];
            }

            #[inline(always)]
            fn add(&mut self, word: $word) {
                self.0[3] ^= word;
                self.round();
                self.0[0] ^= word;
            }

            #[inline(always)]
            fn finish(mut self) -> [$word; 4] {
                self.0[2] ^= 0xff;
                self.round();
                self.round();
                self.round();
                self.0
            }
        }
    };
}

sip! {
    /// SipHash state.
    Sip, u64,
    [
        0x736f_6d65_7073_6575,
        0x646f_7261_6e64_6f6d,
        0x6c79_6765_6e65_7261,
        0x7465_6462_7974_6573,
    ],
    [13, 32, 16, 21, 17, 32]
}

sip! {
    /// HalfSipHash state.
    HalfSip, u32,
    [0, 0, 0x6c79_6765, 0x7465_6462],
    [5, 16, 8, 7, 13, 16]
}

fn sip(key: [u64; 2], words: impl Iterator<Item = u64>) -> u64 {
    let mut state = Sip::new(key);
    let mut count = 0u64;
    for word in words {
        state.add(word);
        count = count.wrapping_add(1);
    }
    state.add(last_word(count));
    state.finish().into_iter().fold(0, |all, word| all ^ word)
}

fn half_sip(key: [u32; 2], words: impl Iterator<Item = u64>) -> u32 {
    let mut state = HalfSip::new(key);
    let mut count = 0u64;
    for word in words {
        state.add(word as u32);
        state.add((word >> 32) as u32);
        count = count.wrapping_add(1);
    }
    state.add((last_word(count) >> 32) as u32);
    let [_, b, _, d] = state.finish();
    b ^ d
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::hash::{DefaultHasher, Hasher};
    use std::vec;
    use std::vec::Vec;

    use super::*;

    fn places(names: impl Iterator<Item = Vec<u64>>) -> [usize; 3] {
        let (mut own, mut long, mut short) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for name in names {
            let bytes: Vec<u8> = name.iter().flat_map(|word| word.to_ne_bytes()).collect();
            own.insert(hash(9, [3], &bytes) & 1023);
            long.insert(sip([9, 3], name.iter().copied()) & 1023);
            short.insert(half_sip([9, 3], name.iter().copied()) & 1023);
        }
        [own.len(), long.len(), short.len()]
    }

    #[test]
    fn similar_names_hash_apart() {
        for step in [1u64, 8, 64, 4096, 1 << 40] {
            let places = places((0..1024).map(|n| vec![3, n * step]));
            assert!(places.iter().all(|places| *places > 500), "{places:?}");
        }
        assert_ne!(hash(9, [0, 0], &[]), hash(9, [0, 1], &[]));
        assert_ne!(hash(1, [0, 0], &[]), hash(2, [0, 0], &[]));
        assert_ne!(
            hash(9, [0, 0], &[1, 0, 0, 0, 0, 0, 0, 0]),
            hash(9, [0, 0], &[0; 8])
        );
    }

    /// The names would collide in a hash of multiplications and right shifts: in each of ten pairs
    /// of words, independently, the top bit of the first word is flipped or not, and with it what
    /// that changes of the hash in the second.
    #[test]
    fn chosen_names_do_not_collide() {
        const PAIR: [u64; 2] = [1 << 63, 1 << 63 | 1 << 31];
        let names = (0..1024u32).map(|chosen| {
            let pairs = (0..10).map(|pair| u64::from(chosen >> pair & 1));
            pairs
                .flat_map(|flips| PAIR.map(|bits| bits * flips))
                .collect()
        });
        let places = places(names);
        assert!(places.iter().all(|places| *places > 500), "{places:?}");
    }

    /// The standard library's hasher is SipHash-1-3 with an all-zero key.
    #[test]
    fn sip_is_siphash_1_3() {
        for count in 0..40 {
            let words = (0..count).map(|word: u64| word.wrapping_mul(0x0123_4567_89ab_cdef));
            let mut known = DefaultHasher::new();
            words
                .clone()
                .for_each(|word| known.write(&word.to_le_bytes()));
            assert_eq!(sip([0; 2], words), known.finish(), "{count}");
        }
    }
}
