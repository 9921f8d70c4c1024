//! Random prefixes of x86 instructions.

use crate::prng::Rng;

/// Prefixes; common ones are repeated.
const PREFIXES: [u8; 12] = [
    0x66, 0xf3, 0xf2, 0x66, 0xf3, 0xf2, 0x67, 0x65, 0x64, 0xf0, 0x2e, 0x3e,
];

/// A random prefix.
pub fn prefix(rng: &mut Rng) -> u8 {
    PREFIXES[rng.usize(0..PREFIXES.len())]
}
