//! Finds where text makes the system calls that block signals: `mov x8, N`, and `svc` behind a few
//! instructions at most.
//!
//! A guard takes the place of the call itself: a branch may be written over `svc` while threads run (Arm ARM
//! B2.2.5, concurrent modification and execution of instructions). Or the number is computed, as by
//! `syscall(2)` and, since glibc 2.41, for all calls at which a thread can be cancelled: there it takes the
//! place of the instruction before `svc`, written as traps are. Its detour makes the call only if the number
//! is one of those. For others there is an `svc` of the detour's own, as what vfork(2) makes must not run on
//! our frames; where the number is computed it is the original one, as glibc cancels a thread only if it is
//! interrupted at that address.

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::arm64::OutOfLine;

use super::{CALL_GATE, JUMP, Writer, is_landing_pad};
use crate::detour::Detour;

/// A system call.
pub struct Guard {
    /// Address of the instruction that its branch takes the place of.
    pub start: usize,
    /// That instruction: `svc`, or the one before it.
    word: u32,
    /// The numbers of the calls.
    numbers: Vec<usize>,
}

/// Bytes of the longest detour, for so many numbers.
pub const fn longest(numbers: usize) -> usize {
    OutOfLine::LONGEST + (2 * numbers + 9) * JUMP
}

/// `svc #0`
const SVC: u32 = 0xd400_0001;

/// `stp x16, x17, [sp, #-16]!`
const SAVE: u32 = 0xa9bf_47f0;
/// `ldp x16, x17, [sp], #16`
const RESTORE: u32 = 0xa8c1_47f0;

/// Finds those of the calls with these numbers in code at `start`.
pub fn guards(start: usize, code: &[u8], calls: &[usize]) -> Vec<Guard> {
    let (words, _) = code.as_chunks();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let places = words.iter().enumerate().filter(|(_, word)| **word == SVC);
    let guards = places.filter_map(|(place, _)| {
        let (before, _) = words.split_at_checked(place)?;
        let (back, word) = guarded(before, calls)?;
        let place = place.wrapping_sub(back);
        Some(Guard {
            start: start.wrapping_add(place.wrapping_mul(JUMP)),
            word,
            numbers: calls.to_vec(),
        })
    });
    guards.collect()
}

/// What the guard of an `svc` behind these words takes the place of, if it may be one of these calls: how many
/// instructions before the `svc` that is, and itself.
fn guarded(before: &[u32], calls: &[usize]) -> Option<(usize, u32)> {
    /// The most instructions from that which sets the number to the call.
    const STEPS_MAX: usize = 12;
    let mut steps = before.iter().rev().take(STEPS_MAX);
    let last = steps.find(|word| branches(**word) || names_number(**word))?;
    if branches(*last) {
        return None;
    }
    if let Some(number) = number(*last) {
        return calls.contains(&number).then_some((0, SVC));
    }
    let word = *before.last()?;
    (!is_landing_pad(word)).then_some((1, word))
}

/// Whether an instruction may write the register of the number, x8: what accesses memory may have it as the second
/// of a pair, or write back an address (Arm ARM, C4.1, loads and stores). Some only read it.
fn names_number(word: u32) -> bool {
    let is_number = |register: u32| register & 0x1f == 8;
    let is_access = word & 0x0a00_0000 == 0x0800_0000;
    is_number(word) || is_access && (is_number(word >> 5) || is_number(word >> 10))
}

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
    /// The instructions that it has copies of, up to the call.
    pub fn copied(&self) -> Range<usize> {
        self.start..self.next()
    }

    /// The address behind the call.
    fn next(&self) -> usize {
        let copied = if self.word == SVC { 1 } else { 2 };
        self.start.wrapping_add(copied * JUMP)
    }

    pub fn original(&self) -> [u8; JUMP] {
        self.word.to_le_bytes()
    }

    /// Its detour at `at`, whose region begins at `region`.
    pub fn detour(&self, at: usize, region: usize) -> Option<Detour> {
        let mut code = Writer::new(at);
        if self.word != SVC {
            let moved = OutOfLine::new(self.word, self.start as u64, at as u64);
            code.put_bytes(moved.ok()?.bytes());
        }
        self.put_choice(&mut code);
        code.put_call(region.wrapping_add(CALL_GATE));
        code.put_jump(self.next());
        Some(Detour {
            code: code.into_bytes(),
            ..Detour::default()
        })
    }

    /// Puts the code that goes on behind it for one of the calls, and to an `svc` for others. It leaves the flags
    /// alone.
    fn put_choice(&self, code: &mut Writer) {
        /// `sub w16, w8, #N`
        const MINUS: u32 = 0x5100_0110;
        /// `cbz w16, PLACE`
        const IF_ZERO: u32 = 0x3400_0010;
        let is_constant = self.word == SVC;
        // What restores the registers, the call and the branch.
        let others = if is_constant { 3 } else { 2 };
        code.put(SAVE);
        for (place, number) in self.numbers.iter().enumerate() {
            let rest = self.numbers.len().wrapping_sub(place.wrapping_add(1));
            let words = rest.wrapping_mul(2).wrapping_add(1 + others) as u32;
            code.put(MINUS | (*number as u32) << 10);
            code.put(IF_ZERO | words << 5);
        }
        code.put(RESTORE);
        if is_constant {
            code.put(SVC);
            code.put_jump(self.next());
        } else {
            code.put_jump(self.next().wrapping_sub(JUMP));
        }
        code.put(RESTORE);
    }
}
