//! The records of a signal's frame on ARM and arm64. Each begins with its magic number and its size.

use std::ops::Range;

use super::copy;

/// The record with this number, which each frame has.
pub fn record(records: &mut [u8], magic: u32) -> &mut [u8] {
    let mut at = 0;
    while four(records, at..at + 4) != magic {
        let size = four(records, at + 4..at + 8) as usize;
        assert!(size > 0, "a signal's frame without record {magic:#x}");
        at += size;
    }
    &mut records[at..]
}

/// The word there.
pub fn four(bytes: &[u8], at: Range<usize>) -> u32 {
    let mut word = [0; 4];
    copy(&mut word, &bytes[at]);
    u32::from_le_bytes(word)
}
