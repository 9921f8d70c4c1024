//! Chance with a number to repeat it by, and the values that chance alone would seldom find.

pub use fastrand::Rng;

/// Values at which arithmetic turns over.
const EDGES: [u32; 16] = [
    0,
    1,
    2,
    3,
    4,
    0x1f,
    0x20,
    0x21,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_8000,
    0xffff_ffff,
];

/// One of the values at which arithmetic turns over, or the value next to it.
pub fn edge(rng: &mut Rng) -> u32 {
    let beside = rng.u32(0..3).wrapping_sub(1);
    EDGES[rng.usize(0..EDGES.len())].wrapping_add(beside)
}

/// True `percent` times out of a hundred.
pub fn percent(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(0..100) < percent
}
