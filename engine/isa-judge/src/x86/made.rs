//! Random x86 instructions: uniform, or as a row's text says; and mutations of real ones.

use super::drawn;
use super::prefixes::prefix;
use super::shape::{Bytes, Shape, let_it_reach};
use super::text;
use crate::prng::{Rng, percent};

/// A random instruction, of 64-bit mode or not: of a row, of real text, assembled from random
/// parts, or random bytes.
pub fn one<const WIDE: bool>(rng: &mut Rng) -> Bytes {
    if percent(rng, 25)
        && let Some(bytes) = text::one(rng)
    {
        return change(bytes, rng);
    }
    match rng.u32(0..10) {
        0..6 => {
            let drawn = drawn::of_any_row::<WIDE>(rng);
            if percent(rng, 70) {
                drawn
            } else {
                vary(drawn, rng)
            }
        }
        6..9 => any(rng),
        _ => {
            let mut bytes = [0; 15];
            rng.fill(&mut bytes);
            bytes
        }
    }
}

/// Random parts: prefixes, an opcode of any map, and random bytes after it.
fn any(rng: &mut Rng) -> Bytes {
    let mut bytes: Bytes = [0; 15];
    rng.fill(&mut bytes);
    let mut at = 0;
    // Prefixes are emitted until there is no room.
    let mut put = |byte: u8| {
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
            at += 1;
        }
    };
    while percent(rng, 25) && at_most(&mut put, rng) {}
    if percent(rng, 35) {
        put(0x40 | rng.u8(..) & 15);
    }
    match rng.u32(0..100) {
        0..40 => {}
        40..65 => put(0x0f),
        65..72 => [0x0f, 0x38].into_iter().for_each(put),
        72..79 => [0x0f, 0x3a].into_iter().for_each(put),
        79..83 => [0xc5, rng.u8(..)].into_iter().for_each(put),
        83..91 => {
            let map = rng.u8(1..4);
            [0xc4, rng.u8(..) & 0xe0 | map, rng.u8(..)]
                .into_iter()
                .for_each(put);
        }
        91..99 => {
            let map = [1, 2, 3, 5, 6][rng.usize(0..5)];
            let second = rng.u8(..) | 4;
            [0x62, rng.u8(..) & 0xf0 | map, second, rng.u8(..)]
                .into_iter()
                .for_each(put);
        }
        _ => [0x8f, rng.u8(..) & 0xe0 | rng.u8(8..11), rng.u8(..)]
            .into_iter()
            .for_each(put),
    }
    let_it_reach(&mut bytes, rng);
    bytes
}

/// Emits a prefix; the common ones are more likely.
fn at_most(put: &mut impl FnMut(u8), rng: &mut Rng) -> bool {
    put(prefix(rng));
    percent(rng, 60)
}

/// Replaces some of the bytes after an instruction's opcode, or its prefixes.
fn vary(mut bytes: Bytes, rng: &mut Rng) -> Bytes {
    let at = Shape::read(&bytes).at;
    if percent(rng, 70) && at + 1 < bytes.len() {
        let rest = &mut bytes[at + 1..];
        let register = rest[0];
        rng.fill(rest);
        if percent(rng, 60) {
            rest[0] = rest[0] & 0xc7 | register & 0x38;
        }
        if percent(rng, 20) {
            rest[0] |= 0xc0;
        }
    } else if percent(rng, 30) {
        bytes.rotate_right(1);
        bytes[0] = [0x66, 0xf2, 0xf3, 0x48, 0x41, 0x67, 0x65, 0xf0][rng.usize(0..8)];
    } else if percent(rng, 30) {
        bytes[rng.usize(0..bytes.len())] ^= 1 << rng.u32(0..8);
    }
    let_it_reach(&mut bytes, rng);
    bytes
}

/// An instruction of real text: unchanged, with a bit or a byte flipped, with another register or
/// number, or with one more prefix.
fn change(mut bytes: Bytes, rng: &mut Rng) -> Bytes {
    let behind = Shape::read(&bytes).at + 1;
    match rng.u32(0..10) {
        0..2 => {}
        2 => bytes[rng.usize(0..behind)] ^= 1 << rng.u32(0..8),
        3 => bytes[rng.usize(0..behind)] = rng.u8(..),
        4..7 if behind < bytes.len() => bytes[behind] ^= rng.u8(..) & 0x3f,
        7..9 if behind < bytes.len() => rng.fill(&mut bytes[behind..][1..]),
        _ => {
            bytes.rotate_right(1);
            bytes[0] = prefix(rng);
        }
    }
    let_it_reach(&mut bytes, rng);
    bytes
}
