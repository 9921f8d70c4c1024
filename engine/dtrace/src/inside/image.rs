//! The agent, as the build has laid it out: what is to be in memory, and what of it has to be
//! adjusted to where that is.

include!(concat!(env!("OUT_DIR"), "/agent.rs"));

/// What pages are multiples of, on all kernels.
pub const PAGE: usize = 4096;

/// A range of pages with the same access, by offset in the image.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// Its first byte.
    pub start: usize,
    /// The byte behind it.
    pub end: usize,
    /// `PROT_*` of mmap(2).
    pub access: i32,
}

/// The image for memory at `base`; none if this build has no agent.
pub fn at(base: usize) -> Option<Vec<u8>> {
    const WORD: usize = size_of::<usize>();
    if SIZE == 0 {
        return None;
    }
    let mut bytes = IMAGE.to_vec();
    bytes.resize(SIZE, 0);
    for &(place, address) in RELOCATIONS {
        let word = base.wrapping_add(address as usize).to_ne_bytes();
        bytes[place as usize..][..WORD].copy_from_slice(&word);
    }
    Some(bytes)
}

/// The bytes of the image that are the same at every address: its first pages.
pub fn constant() -> &'static [u8] {
    let first = SEGMENTS.first().map_or(0, |segment| segment.end);
    IMAGE.get(..first.min(IMAGE.len())).unwrap_or_default()
}
