//! AArch64: guards only. Every site has a trap yet.
//!
//! A guard takes the place of the call itself, `svc`: a branch may be written over that while threads run
//! (Arm ARM B2.2.5, concurrent modification and execution of instructions).

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

use crate::detour::{Detour, Site};
use crate::entrances;
use crate::mapping::Mapping;

pub const JUMP: usize = 4;
/// A branch reaches 128 MiB.
pub const REACH: usize = 96 << 20;
pub const GATE: usize = 0;
pub const DETOUR_MAX: usize = 32;
pub const REGION: usize = 64 << 10;
pub const TALLIES: usize = 0;

#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub start: usize,
    pub length: usize,
}

pub struct Body<'a>(PhantomData<&'a Mapping>);

/// `b`
pub fn jump(from: usize, to: usize) -> [u8; JUMP] {
    let distance = to.wrapping_sub(from) >> 2;
    (0x1400_0000 | distance as u32 & 0x03ff_ffff).to_le_bytes()
}

pub fn gate() -> [u8; GATE] {
    []
}

pub fn branch_targets(_: usize, _: &[u8]) -> Vec<usize> {
    Vec::new()
}

/// A system call.
pub struct Guard {
    /// Address of its `svc`.
    pub start: usize,
}

/// `svc #0`
const SVC: u32 = 0xd400_0001;

/// Finds those of the calls with these numbers in a mapping: `mov x8, N`, and `svc` behind a few
/// instructions at most. What computes the number, as `syscall(2)` does, is not found.
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

    /// Its detour at `at`. Memory below the stack pointer is free.
    pub fn detour(&self, at: usize, _: usize) -> Option<Detour> {
        const BRANCH: usize = 16;
        let [_, call, _] = entrances::of_detours();
        let mut code = Vec::new();
        // stp x29, x30, [sp, #-16]!; ldr x30, address; blr x30; ldp x29, x30, [sp], #16
        for word in [0xa9bf_7bfd_u32, 0x5800_00be, 0xd63f_03c0, 0xa8c1_7bfd] {
            code.extend_from_slice(&word.to_le_bytes());
        }
        let next = self.start.wrapping_add(JUMP);
        code.extend_from_slice(&jump(at.wrapping_add(BRANCH), next));
        // udf #0, which is not executed
        code.extend_from_slice(&[0; JUMP]);
        code.extend_from_slice(&call.to_le_bytes());
        Some(Detour {
            code,
            ..Detour::default()
        })
    }
}

impl<'a> Body<'a> {
    pub fn of(_: &'a Mapping, _: &Range<usize>, _: Option<usize>) -> Self {
        Self(PhantomData)
    }

    pub fn original(&self, _: usize) -> [u8; JUMP] {
        [0; JUMP]
    }

    pub fn windows(&self, _: &[usize], _: &[usize]) -> Vec<Window> {
        Vec::new()
    }

    pub fn detour(&self, _: &Window, _: &[Site], _: usize, _: usize) -> Option<Detour> {
        None
    }
}
