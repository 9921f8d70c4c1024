//! A seeded pseudo-random generator, with the edge values that uniform numbers seldom hit.

pub use fastrand::Rng;

/// Values at which arithmetic overflows or changes sign.
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

/// The same in 64 bits.
const WIDE_EDGES: [u64; 6] = [
    0x3f,
    0x40,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_8000_0000,
];

/// An edge value, or a neighbor of one.
pub fn edge(rng: &mut Rng) -> u32 {
    EDGES[rng.usize(0..EDGES.len())].wrapping_add(rng.u32(0..3).wrapping_sub(1))
}

/// The same in 64 bits.
pub fn wide_edge(rng: &mut Rng) -> u64 {
    if rng.bool() {
        return edge(rng).cast_signed() as u64;
    }
    WIDE_EDGES[rng.usize(0..WIDE_EDGES.len())].wrapping_add(rng.u64(0..3).wrapping_sub(1))
}

/// A small number, of either sign.
pub fn small(rng: &mut Rng) -> u64 {
    let wide = [4, 16, 64, 1024][rng.usize(0..4)];
    rng.u64(0..2 * wide + 1).wrapping_sub(wide)
}

/// 64 bits of floating point: one double, two singles, or bits.
pub fn double(rng: &mut Rng) -> u64 {
    let number = |rng: &mut Rng| small(rng).cast_signed();
    match rng.u32(0..4) {
        0 => (number(rng) as f64).to_bits(),
        1 => {
            let single = |rng: &mut Rng| u64::from((number(rng) as f32).to_bits());
            single(rng) << 32 | single(rng)
        }
        2 => u64::from(edge(rng)) << 32 | u64::from(edge(rng)),
        _ => rng.u64(..),
    }
}

/// True with a probability of `percent`.
pub fn percent(rng: &mut Rng, percent: u32) -> bool {
    rng.u32(0..100) < percent
}
