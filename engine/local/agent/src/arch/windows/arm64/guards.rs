//! Finds where text makes the system calls that have guards: `mov x8, N`, and `svc` behind a few
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
use crate::sys::{self, CLONE, INVALID, MASKING_CALLS};

/// A system call.
pub struct Guard {
    /// Address of the instruction that its branch takes the place of.
    pub start: usize,
    /// That instruction: `svc`, or the one before it.
    word: u32,
}

/// Words of the code that looks at a call, and has it refused or made.
const LOOK: usize = 9;

/// Bytes of the longest detour.
pub const LONGEST_DETOUR: usize =
    OutOfLine::LONGEST + (2 * (MASKING_CALLS.len() + 1) + LOOK + 9) * JUMP;

/// `svc #0`
const SVC: u32 = 0xd400_0001;

/// `stp x16, x17, [sp, #-16]!`
const SAVE: u32 = 0xa9bf_47f0;
/// `ldp x16, x17, [sp], #16`
const RESTORE: u32 = 0xa8c1_47f0;

/// Finds those in code at `start`.
pub fn guards(start: usize, code: &[u8]) -> Vec<Guard> {
    let (words, _) = code.as_chunks();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let places = words.iter().enumerate().filter(|(_, word)| **word == SVC);
    let guards = places.filter_map(|(place, _)| {
        let (before, _) = words.split_at_checked(place)?;
        let (back, word) = guarded(before)?;
        let place = place.wrapping_sub(back);
        Some(Guard {
            start: start.wrapping_add(place.wrapping_mul(JUMP)),
            word,
        })
    });
    guards.collect()
}

/// What the guard of an `svc` behind these words takes the place of, if it may have one: how many instructions before
/// the `svc` that is, and itself.
fn guarded(before: &[u32]) -> Option<(usize, u32)> {
    /// The most instructions from that which sets the number to the call.
    const STEPS_MAX: usize = 12;
    let mut steps = before.iter().rev().take(STEPS_MAX);
    let last = steps.find(|word| branches(**word) || names_number(**word))?;
    if branches(*last) {
        return None;
    }
    if let Some(number) = number(*last) {
        return sys::is_guarded(number).then_some((0, SVC));
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
        self.put_choice(&mut code, region.wrapping_add(CALL_GATE));
        code.put_call(region.wrapping_add(CALL_GATE));
        code.put_jump(self.next());
        Some(Detour {
            code: code.into_bytes(),
            ..Detour::default()
        })
    }

    /// Puts the code that goes on behind it for one of the calls that are made, and to an `svc` for others, unless the gate
    /// refuses it. It leaves the flags alone.
    fn put_choice(&self, code: &mut Writer, gate: usize) {
        /// `sub w16, w8, #N`
        const MINUS: u32 = 0x5100_0110;
        /// `add x16, x0, #N`
        const PLUS: u32 = 0x9100_0010;
        /// `cbz w16, PLACE`
        const IF_ZERO: u32 = 0x3400_0010;
        /// `cbnz x16, PLACE`
        const IF_NOT_ZERO: u32 = 0xb500_0010;
        let is_constant = self.word == SVC;
        // What restores the registers, the call and the branch.
        let others = if is_constant { 3 } else { 2 };
        code.put(SAVE);
        for (place, number) in MASKING_CALLS.into_iter().enumerate() {
            let rest = MASKING_CALLS.len().wrapping_sub(place);
            let words = rest.wrapping_mul(2).wrapping_add(1 + others + LOOK) as u32;
            code.put(MINUS | (number as u32) << 10);
            code.put(IF_ZERO | words << 5);
        }
        code.put(MINUS | (CLONE as u32) << 10);
        code.put(IF_ZERO | ((1 + others) as u32) << 5);
        let going_on = code.here();
        code.put(RESTORE);
        if is_constant {
            code.put(SVC);
            code.put_jump(self.next());
        } else {
            code.put_jump(self.next().wrapping_sub(JUMP));
        }
        code.put(RESTORE);
        code.put_call(gate);
        code.put(SAVE);
        code.put(PLUS | (INVALID.unsigned_abs() as u32) << 10);
        let distance = going_on.wrapping_sub(code.here()) >> 2;
        code.put(IF_NOT_ZERO | (distance as u32 & 0x7_ffff) << 5);
        code.put(RESTORE);
        code.put_jump(self.next());
        code.put(RESTORE);
    }
}
