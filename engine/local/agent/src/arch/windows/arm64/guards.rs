//! Finds where text makes the system calls that block signals: `mov x8, N`, and `svc` behind a few
//! instructions at most. What computes the number, as `syscall(2)` does, is not found.
//!
//! A guard takes the place of the call itself: a branch may be written over `svc` while threads run (Arm ARM
//! B2.2.5, concurrent modification and execution of instructions).

use alloc::vec::Vec;

use super::{CALL_GATE, JUMP, Writer};
use crate::detour::Detour;
use crate::mapping::Mapping;

/// A system call.
pub struct Guard {
    /// Address of its `svc`.
    pub start: usize,
}

/// `svc #0`
const SVC: u32 = 0xd400_0001;

/// Finds those of the calls with these numbers in a mapping.
pub fn guards(mapping: &Mapping, calls: &[usize]) -> Vec<Guard> {
    /// The most instructions from the one to the other.
    const STEPS_MAX: usize = 12;
    let (words, _) = mapping.code().as_chunks();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let is_masking = |place: usize| {
        let before = words.get(..place).unwrap_or_default();
        let mut before = before.iter().rev().take(STEPS_MAX);
        let last = before.find(|word| branches(**word) || **word & X == NUMBER);
        let number = last.and_then(|word| number(*word));
        number.is_some_and(|number| calls.contains(&number))
    };
    let places = words.iter().enumerate().filter(|(_, word)| **word == SVC);
    let places = places
        .map(|(place, _)| place)
        .filter(|place| is_masking(*place));
    let start = |place: usize| mapping.range.start.wrapping_add(place.wrapping_mul(JUMP));
    places
        .map(|place| Guard {
            start: start(place),
        })
        .collect()
}

/// The bits of the register that most instructions write, and the register of the number.
const X: u32 = 0x1f;
const NUMBER: u32 = 8;

/// Whether control may go elsewhere, or come from elsewhere: branches, system calls and other exceptions
/// (Arm ARM, C4.1, branches, exception generating and system instructions).
fn branches(word: u32) -> bool {
    word & 0x1c00_0000 == 0x1400_0000 && word >> 24 != 0xd5
}

/// The number of a system call that an instruction sets: `movz`, to `w8` or `x8`.
fn number(word: u32) -> Option<usize> {
    let is_move = word & 0x7fe0_001f == 0x5280_0008;
    is_move.then_some((word >> 5 & 0xffff) as usize)
}

impl Guard {
    pub fn original(&self) -> [u8; JUMP] {
        SVC.to_le_bytes()
    }

    /// Its detour at `at`, whose region begins at `region`.
    pub fn detour(&self, at: usize, region: usize) -> Option<Detour> {
        let mut code = Writer::new(at);
        code.put_call(region.wrapping_add(CALL_GATE));
        code.put_jump(self.start.wrapping_add(JUMP));
        Some(Detour {
            code: code.into_bytes(),
            ..Detour::default()
        })
    }
}
