//! How a jump at a function's entry can take the place of a trap, in the process itself.
//!
//! The jump overwrites five bytes. What it displaces is executed out of line. Nothing else may come to
//! those bytes: not a branch of the function's own code, not the return from a call that is among
//! the displaced instructions, and no other function.

use super::control::control;
use super::out_of_line::{OutOfLine, Unmoved};
use super::{LONGEST, length};
use crate::{Away, Plan};

/// How control can be taken over at a function's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A jump displaces the first instructions, which have this many bytes.
    Jump(usize),
    /// The same, but the function's own code comes back to what is overwritten. So the function is
    /// executed out of line as a whole.
    Whole(usize),
    /// Only a trap, for this reason.
    Trap(NoJump),
}

/// Why an entry can have no jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoJump {
    /// Too short, and what is behind it is no padding.
    Short,
    /// An instruction at this offset is invalid, or cannot be executed out of line.
    Unmoved(usize, Option<Unmoved>),
    /// A call at this offset returns to what would be overwritten.
    Returns(usize),
    /// Something branches to this offset, which would be overwritten.
    Target(usize),
}

/// `jmp rel32`.
const JUMP: usize = 5;

/// An instruction of a function.
struct Step {
    /// Its offset.
    at: usize,
    /// The offset behind it.
    next: usize,
    text: [u8; LONGEST],
}

/// Decodes one instruction after the other.
struct Steps<'a> {
    code: &'a [u8],
    at: usize,
}

impl Iterator for Steps<'_> {
    type Item = Result<Step, usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let rest = self.code.get(at..).filter(|rest| !rest.is_empty())?;
        let mut text = [0; LONGEST];
        for (to, from) in text.iter_mut().zip(rest) {
            *to = *from;
        }
        let Some(length) = length(&text).filter(|length| *length <= rest.len()) else {
            self.at = self.code.len();
            return Some(Err(at));
        };
        self.at = at.wrapping_add(length);
        Some(Ok(Step {
            at,
            next: self.at,
            text,
        }))
    }
}

impl Step {
    /// Whether it can be executed out of line, at some address in reach.
    fn movable(&self, function: u64) -> Result<(), NoJump> {
        let from = function.wrapping_add(self.at as u64);
        match OutOfLine::new(&self.text, from, from, |target| target) {
            Ok(_) => Ok(()),
            Err(why) => Err(NoJump::Unmoved(self.at, Some(why))),
        }
    }

    /// The offset that it jumps to, if that is in the function.
    fn target(&self, function: u64, size: usize) -> Option<usize> {
        match control(&self.text, function.wrapping_add(self.at as u64)).away {
            Some(Away::To(target)) => usize::try_from(target.wrapping_sub(function))
                .ok()
                .filter(|offset| *offset < size),
            _ => None,
        }
    }

    fn is_call(&self) -> bool {
        matches!(super::plan(&self.text), Plan::Emulate(emulation) if emulation.is_call())
    }
}

impl Entry {
    /// Decides for the function at `function`, whose `size` bytes `code` begins with. The rest of `code`
    /// is what is behind it, as far as no other function and no data begins there.
    #[must_use]
    pub fn of(function: u64, code: &[u8], size: usize) -> Self {
        let (body, behind) = code.split_at_checked(size).unwrap_or((code, &[]));
        let displaced = match displaced(function, body, behind, |_| false) {
            Ok(displaced) => displaced,
            Err(why) => return Self::Trap(why),
        };
        match comes_back(function, body) {
            Ok(false) => Self::Jump(displaced),
            Ok(true) => match steps(body).try_for_each(|step| checked(step)?.movable(function)) {
                Ok(()) => Self::Whole(displaced),
                Err(why) => Self::Trap(why),
            },
            Err(why) => Self::Trap(why),
        }
    }
}

fn steps(code: &[u8]) -> Steps<'_> {
    Steps { code, at: 0 }
}

fn checked(step: Result<Step, usize>) -> Result<Step, NoJump> {
    step.map_err(|at| NoJump::Unmoved(at, None))
}

/// The length of the instructions that a jump at `at` displaces. `body` is the rest of the function
/// there, and `behind` what follows it, as far as no other function and no data begins there.
/// `is_target` tells whether anything may branch to an address.
///
/// # Errors
/// The reason why there can be no jump; offsets are from `at`.
pub fn displaced(
    at: u64,
    body: &[u8],
    behind: &[u8],
    is_target: impl Fn(u64) -> bool,
) -> Result<usize, NoJump> {
    let mut end = 0;
    for step in steps(body) {
        if end >= JUMP {
            return Ok(end);
        }
        let step = checked(step)?;
        if step.at > 0 && is_target(at.wrapping_add(step.at as u64)) {
            return Err(NoJump::Target(step.at));
        }
        step.movable(at)?;
        if step.is_call() && step.next < JUMP {
            return Err(NoJump::Returns(step.at));
        }
        end = step.next;
    }
    let missing = JUMP.saturating_sub(body.len());
    let padding = behind.get(..missing).ok_or(NoJump::Short)?;
    match is_padding(padding, behind) {
        true => Ok(end),
        false => Err(NoJump::Short),
    }
}

/// Whether the first bytes of `behind`, as many as `wanted` has, are never executed.
fn is_padding(wanted: &[u8], behind: &[u8]) -> bool {
    const INT3: u8 = 0xcc;
    let mut end = 0;
    for step in steps(behind) {
        if end >= wanted.len() {
            break;
        }
        match step {
            Ok(step) if is_nop(&step.text) || step.text[0] == INT3 => end = step.next,
            _ => return false,
        }
    }
    end >= wanted.len()
}

fn is_nop(text: &[u8; LONGEST]) -> bool {
    matches!(super::plan(text), Plan::Emulate(emulation) if emulation.is_nop())
}

/// Whether a branch of the function's own leads into what a jump overwrites.
fn comes_back(function: u64, body: &[u8]) -> Result<bool, NoJump> {
    for step in steps(body) {
        let target = checked(step)?.target(function, body.len());
        if target.is_some_and(|offset| (1..JUMP).contains(&offset)) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::{Entry, NoJump, displaced};

    const AT: u64 = 0x40_1000;

    #[test]
    fn whole_instructions_are_displaced() {
        // push rbp; mov rbp, rsp; sub rsp, 16; ret.
        let code = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xc3];
        assert_eq!(Entry::of(AT, &code, 9), Entry::Jump(8));
    }

    #[test]
    fn a_short_function_uses_the_padding_behind_it() {
        // xor eax, eax; ret, and a nop of five bytes, which is cut.
        let code = [0x31, 0xc0, 0xc3, 0x0f, 0x1f, 0x44, 0, 0];
        assert_eq!(Entry::of(AT, &code, 3), Entry::Jump(3));
        let padded = [0x31, 0xc0, 0xc3, 0xcc, 0xcc, 0xcc];
        assert_eq!(Entry::of(AT, &padded, 3), Entry::Jump(3));
        let followed = [0x31, 0xc0, 0xc3, 0xcc, 0x55];
        assert_eq!(Entry::of(AT, &followed, 3), Entry::Trap(NoJump::Short));
        assert_eq!(Entry::of(AT, &code[..3], 3), Entry::Trap(NoJump::Short));
    }

    #[test]
    fn a_loop_into_what_is_overwritten_moves_the_whole_function() {
        // mov al, [rdi]; inc rdi; test al, al; jne 2; ret.
        let code = [0x8a, 0x07, 0x48, 0xff, 0xc7, 0x84, 0xc0, 0x75, 0xf9, 0xc3];
        assert_eq!(Entry::of(AT, &code, 10), Entry::Whole(5));
        // The same loop from the beginning, which is a trap's as well.
        let from_start = [0x8a, 0x07, 0x48, 0xff, 0xc7, 0x84, 0xc0, 0x75, 0xf7, 0xc3];
        assert_eq!(Entry::of(AT, &from_start, 10), Entry::Jump(5));
    }

    #[test]
    fn a_call_returns_behind_the_jump_or_stays() {
        // call rax; add rsp, 8; ret.
        let code = [0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3];
        assert_eq!(Entry::of(AT, &code, 7), Entry::Trap(NoJump::Returns(0)));
        let direct = [0xe8, 0, 0, 0, 0, 0xc3];
        assert_eq!(Entry::of(AT, &direct, 6), Entry::Jump(5));
    }

    #[test]
    fn nothing_may_branch_behind_the_first_instruction() {
        // pop rbx; pop rbp; pop r12; ret, and padding.
        let code = [0x5b, 0x5d, 0x41, 0x5c, 0xc3];
        let behind = [0xcc; 11];
        let of = |target| displaced(AT, &code, &behind, |it| it == target);
        assert_eq!(of(AT), Ok(5));
        assert_eq!(of(AT + 2), Err(NoJump::Target(2)));
        assert_eq!(displaced(AT + 4, &code[4..], &behind, |_| false), Ok(1));
    }

    #[test]
    fn what_is_no_instruction_stays() {
        let code = [0x06, 0x90, 0x90, 0x90, 0x90, 0x90];
        let Entry::Trap(NoJump::Unmoved(0, _)) = Entry::of(AT, &code, 6) else {
            panic!("{:?}", Entry::of(AT, &code, 6));
        };
    }
}
