//! Where a name is looked for.

/// Mixes words and bytes into a number whose low bits tell names apart. The bytes are whole words. Which names
/// come out alike depends on `seed`.
pub fn hash<const WORDS: usize>(seed: u64, words: [u64; WORDS], bytes: &[u8]) -> u32 {
    // The golden ratio's bits: an odd number without pattern. A product's upper half depends on every bit
    // below; folding it down lets the next product spread it.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (key, _) = bytes.as_chunks();
    let key = key.iter().map(|word| u64::from_ne_bytes(*word));
    let mixed = words.into_iter().chain(key).fold(seed, |hash, word| {
        let product = (hash ^ word).wrapping_mul(MIX);
        product ^ product >> 32
    });
    (mixed.wrapping_mul(MIX) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_that_are_much_alike_are_told_apart() {
        for step in [1u64, 8, 64, 4096, 1 << 40] {
            let places: BTreeSet<_> = (0..1024)
                .map(|n| hash(9, [3, n * step], &[]) & 1023)
                .collect();
            assert!(places.len() > 500, "{step}: {}", places.len());
        }
        assert_ne!(hash(9, [0, 0], &[]), hash(9, [0, 1], &[]));
        assert_ne!(hash(1, [0, 0], &[]), hash(2, [0, 0], &[]));
        assert_ne!(
            hash(9, [0, 0], &[1, 0, 0, 0, 0, 0, 0, 0]),
            hash(9, [0, 0], &[0; 8])
        );
    }
}
