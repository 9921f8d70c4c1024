//! Finds where text makes the system calls that have guards: `mov eax, N`, and `syscall` behind a few
//! instructions at most.
//!
//! The first has five bytes, so a jump takes the place of one instruction alone, and threads may run
//! while it is written. Or the number is computed, as by `syscall(2)` and, since glibc 2.41, for all calls
//! at which a thread can be cancelled: there the instruction before `syscall` has five bytes, and moves an
//! argument from or to the stack. The detour makes the call only if the number is one of those by then. It
//! goes back to `syscall` for others: glibc cancels a thread only if it is interrupted at that address, and
//! what vfork(2) makes must not run on our frames.

use alloc::vec::Vec;
use core::ops::Range;

use engine_isa::x86::{LONGEST, OutOfLine, control, length};

use super::{JUMP, SYSTEM_CALL, jump, put_system_call};
use crate::detour::Detour;
use crate::sys::{self, CLONE, INVALID, MASKING_CALLS};

/// The most instructions from the one to the other.
const STEPS_MAX: usize = 12;

/// `lea ecx, [rax - N]`; `jrcxz`
const TEST: usize = 8;

/// Bytes of the code that looks at a call, and has it refused or made.
const LOOK: usize = SYSTEM_CALL + TEST + JUMP;

/// Bytes of the longest detour.
pub const LONGEST_DETOUR: usize = STEPS_MAX * OutOfLine::LONGEST
    + (MASKING_CALLS.len() + 1) * TEST
    + JUMP
    + LOOK
    + SYSTEM_CALL
    + JUMP;

/// `mov eax, imm32`
const MOV: u8 = 0xb8;

const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// A system call with a guard, and the instructions before it from that which sets its number.
pub struct Guard {
    /// Address of the first.
    pub start: usize,
    /// The text of each.
    steps: Vec<(usize, [u8; LONGEST])>,
    /// The address behind the call.
    next: usize,
}

/// Finds those in code at `start`.
pub fn guards(start: usize, code: &[u8]) -> Vec<Guard> {
    let is_number = |place: usize| {
        let number = code
            .get(place.wrapping_add(1)..)
            .and_then(|it| it.first_chunk());
        number.is_some_and(|it| sys::is_guarded(u32::from_le_bytes(*it) as usize))
    };
    let places = code.iter().enumerate().filter(|(_, byte)| **byte == MOV);
    let places = places
        .map(|(place, _)| place)
        .filter(|place| is_number(*place));
    let constant = places.filter_map(|place| Guard::at(start, code, place));
    let computed = (0..code.len()).filter_map(|place| Guard::computed(start, code, place));
    constant.chain(computed).collect()
}

/// Whether an instruction moves a register from or to the stack, and has five bytes.
fn is_stack_move(text: &[u8]) -> bool {
    const DISP8: u8 = 0x44;
    const RSP: u8 = 0x24;
    matches!(text, [0x48 | 0x4c, 0x89 | 0x8b, modrm, RSP, _, ..] if modrm & 0xc7 == DISP8)
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

    /// A call whose number is computed, of the one that begins at `place`.
    fn computed(start: usize, code: &[u8], place: usize) -> Option<Self> {
        let text = code.get(place..)?.first_chunk::<LONGEST>()?;
        let (moves, rest) = text.split_at(JUMP);
        if !(is_stack_move(moves) && rest.starts_with(&SYSCALL) && is_boundary(code, place)) {
            return None;
        }
        let start = start.wrapping_add(place);
        Some(Self {
            start,
            steps: [(start, *text)].into(),
            next: start.wrapping_add(JUMP.wrapping_add(SYSCALL.len())),
        })
    }

    /// The instructions that it has copies of, up to the call.
    pub fn copied(&self) -> Range<usize> {
        self.start..self.next
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
        self.put_choice(&mut code, at);
        self.put_look(&mut code, at, region);
        put_system_call(&mut code, self.next, at, region);
        let here = at.wrapping_add(code.len());
        code.extend_from_slice(&jump(here, self.next));
        Some(Detour {
            code,
            ..Detour::default()
        })
    }
}

impl Guard {
    /// Appends the code that goes on behind what looks at a call for one that is to be made, to that for one that is to
    /// be looked at, and back to `syscall` for others.
    fn put_choice(&self, code: &mut Vec<u8>, at: usize) {
        for (place, number) in MASKING_CALLS.into_iter().enumerate() {
            let rest = MASKING_CALLS.len().wrapping_sub(place);
            let skipped = rest.wrapping_mul(TEST).wrapping_add(JUMP + LOOK);
            put_test(code, number as isize, skipped);
        }
        put_test(code, CLONE as isize, JUMP);
        self.put_back(code, at);
    }

    /// Appends the code that looks at a call, and goes behind it if it is refused.
    fn put_look(&self, code: &mut Vec<u8>, at: usize, region: usize) {
        put_system_call(code, self.next, at, region);
        put_test(code, INVALID, JUMP + SYSTEM_CALL);
        self.put_back(code, at);
    }

    /// Appends a jump to `syscall`.
    fn put_back(&self, code: &mut Vec<u8>, at: usize) {
        let here = at.wrapping_add(code.len());
        let back = self.next.wrapping_sub(SYSCALL.len());
        code.extend_from_slice(&jump(here, back));
    }
}

/// Appends the code that skips so many bytes if EAX has a value. It uses only RCX, which the call overwrites, and leaves the
/// flags alone.
fn put_test(code: &mut Vec<u8>, value: isize, skipped: usize) {
    let minus = (value as u32).wrapping_neg();
    code.extend_from_slice(&[0x8d, 0x88]);
    code.extend_from_slice(&minus.to_le_bytes());
    code.extend_from_slice(&[0xe3, skipped as u8]);
}

/// `jrcxz` skips at most so much.
const _: () = assert!(MASKING_CALLS.len() * TEST + JUMP + LOOK < 128);

/// Whether an instruction begins at a place: whatever byte before it decoding begins at, it comes to
/// there. Near its beginning, code is decoded from there.
fn is_boundary(code: &[u8], place: usize) -> bool {
    const BEFORE: usize = 48;
    let firsts = match place.checked_sub(BEFORE.wrapping_add(LONGEST)) {
        Some(first) => first..first.wrapping_add(LONGEST),
        None => 0..1,
    };
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
