//! Finds where text makes the system calls that block signals: `mov eax, N`, and `syscall` behind a few
//! instructions at most.
//!
//! The first has five bytes, so a jump takes the place of one instruction alone, and threads may run
//! while it is written. What computes the number, as `syscall(2)` does, is not found.

use alloc::vec::Vec;

use engine_isa::x86::{LONGEST, OutOfLine, control, length};

use super::{JUMP, jump, put_system_call};
use crate::detour::Detour;
use crate::mapping::Mapping;

/// The most instructions from the one to the other.
const STEPS_MAX: usize = 12;

/// `mov eax, imm32`
const MOV: u8 = 0xb8;

const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// A system call, and the instructions before it from that which sets its number.
pub struct Guard {
    /// Address of the first.
    pub start: usize,
    /// The text of each.
    steps: Vec<(usize, [u8; LONGEST])>,
    /// The address behind the call.
    next: usize,
}

/// Finds those of the calls with these numbers in a mapping.
pub fn guards(mapping: &Mapping, calls: &[usize]) -> Vec<Guard> {
    let code = mapping.code();
    let is_number = |place: usize| {
        let number = code
            .get(place.wrapping_add(1)..)
            .and_then(|it| it.first_chunk());
        number.is_some_and(|it| calls.contains(&(u32::from_le_bytes(*it) as usize)))
    };
    let places = code.iter().enumerate().filter(|(_, byte)| **byte == MOV);
    let places = places
        .map(|(place, _)| place)
        .filter(|place| is_number(*place));
    let guards = places.filter_map(|place| Guard::at(mapping.range.start, code, place));
    guards.collect()
}

impl Guard {
    fn at(start: usize, code: &[u8], first: usize) -> Option<Self> {
        let mut steps = Vec::new();
        let mut place = first;
        for _ in 0..STEPS_MAX {
            let text = code.get(place..)?.first_chunk::<LONGEST>()?;
            let at = start.wrapping_add(place);
            if text.starts_with(&SYSCALL) {
                let next = at.wrapping_add(SYSCALL.len());
                let start = start.wrapping_add(first);
                return is_boundary(code, first).then_some(Self { start, steps, next });
            }
            if control(text, at as u64).away.is_some() {
                return None;
            }
            steps.push((at, *text));
            place = place.wrapping_add(length(text)?);
        }
        None
    }

    /// What its jump overwrites.
    pub fn original(&self) -> [u8; JUMP] {
        let first = self.steps.first().map(|(_, text)| text);
        let [a, b, c, d, e, ..] = first.copied().unwrap_or_default();
        [a, b, c, d, e]
    }

    /// Its detour at `at`, whose region begins at `region`.
    pub fn detour(&self, at: usize, region: usize) -> Option<Detour> {
        let mut code = Vec::new();
        for (address, text) in &self.steps {
            let here = at.wrapping_add(code.len()) as u64;
            let moved = OutOfLine::new(text, *address as u64, here, |target| target).ok()?;
            code.extend_from_slice(moved.bytes());
        }
        put_system_call(&mut code, self.next, at, region);
        let here = at.wrapping_add(code.len());
        code.extend_from_slice(&jump(here, self.next));
        Some(Detour {
            code,
            ..Detour::default()
        })
    }
}

/// Whether an instruction begins at a place: whatever byte before it decoding begins at, it comes to
/// there.
fn is_boundary(code: &[u8], place: usize) -> bool {
    const BEFORE: usize = 48;
    let firsts = place.saturating_sub(BEFORE.wrapping_add(LONGEST))..place.saturating_sub(BEFORE);
    let mut chains = firsts.map(|first| {
        let mut at = first;
        while at < place {
            let text = code.get(at..).and_then(|rest| rest.first_chunk());
            at = at.wrapping_add(text.and_then(length).unwrap_or(1));
        }
        at == place
    });
    chains.all(|comes_there| comes_there)
}
