//! x86 instructions that the trap handler emulates on the saved registers: those that read or write
//! the instruction pointer, and a few equally simple ones.

use core::fmt;

use super::Regs;
use super::condition::Condition;
use super::opening::Mode;
use super::operand::{Number, Signed, Target, low};
use super::register::General;
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory, Width};

/// An instruction that [`plan`](super::plan) found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    length: u8,
    mode: Mode,
    action: Action,
}

const _: () = assert!(size_of::<Emulation>() <= 20);

/// What the instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    /// Pushes a word.
    Push(Pushed),
    Jump(Target),
    Call(Target),
    /// Branches by this distance from the next instruction if the condition holds.
    JumpIf(Condition, i32),
    /// Returns, and releases this many bytes of the stack.
    Return(u16),
}

/// What is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pushed {
    Register(General),
    Number(i32),
}

impl Mode {
    /// The width of the stack and of the instruction pointer.
    const fn word(self) -> Width {
        match self {
            Self::Long => Width::Eight,
            Self::Compat => Width::Four,
        }
    }
}

impl Emulation {
    /// Whether the instruction has no effect.
    #[must_use]
    pub const fn is_nop(self) -> bool {
        matches!(self.action, Action::Nothing)
    }

    pub(super) const fn new(length: u8, mode: Mode, action: Action) -> Self {
        Self {
            length,
            mode,
            action,
        }
    }

    /// Whether it is a call.
    pub(super) const fn is_call(self) -> bool {
        matches!(self.action, Action::Call(_))
    }

    pub(super) const fn action(self) -> Action {
        self.action
    }

    /// The length of the instruction in bytes.
    #[must_use]
    pub const fn length(self) -> u8 {
        self.length
    }

    /// Whether control leaves with these registers: not if a branch is not taken.
    #[must_use]
    pub fn goes(&self, regs: &Regs) -> bool {
        match self.action {
            Action::JumpIf(condition, _) => condition.holds(&mut regs.clone()),
            _ => true,
        }
    }

    /// Emulates the instruction: `regs` and `memory` become what they would be had it run at
    /// `regs.ip`, its own address and not the one after the breakpoint. The ip advances to the next
    /// instruction or the target.
    ///
    /// # Errors
    /// [`Fault`] if the instruction would have faulted; `regs` and memory are unchanged then.
    pub fn run(self, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        let word = self.mode.word();
        // All that any action writes: saving every register would cost more than the instruction.
        let before = (regs.ip, regs.sp, regs.cx);
        regs.ip = low(word, regs.ip.wrapping_add(self.length.into()));
        let mut machine = Machine {
            word,
            length: self.length,
            regs,
            memory,
        };
        let done = machine.run(self.action);
        if done.is_err() {
            (regs.ip, regs.sp, regs.cx) = before;
        }
        done
    }
}

/// The state that an action works on. The instruction pointer has advanced already, as relative
/// addresses count from there.
struct Machine<'a, M> {
    word: Width,
    length: u8,
    regs: &'a mut Regs,
    memory: &'a mut M,
}

impl<M: Memory> Machine<'_, M> {
    fn run(&mut self, action: Action) -> Result<(), Fault> {
        match action {
            Action::Nothing => Ok(()),
            Action::Push(Pushed::Number(number)) => self.push(i64::from(number).cast_unsigned()),
            Action::Push(Pushed::Register(register)) => self.push(self.regs.general(register)),
            Action::Jump(target) => self.jump(target),
            Action::Call(target) => self.call(target),
            Action::JumpIf(condition, distance) => {
                let distance = self.counted(distance);
                if condition.holds(self.regs) {
                    return self.jump(Target::Relative(distance));
                }
                Ok(())
            }
            Action::Return(release) => self.give_back(release),
        }
    }

    fn push(&mut self, value: u64) -> Result<(), Fault> {
        let sp = self.regs.sp.wrapping_sub(self.word.bytes());
        self.regs.sp = low(self.word, sp);
        self.memory
            .store(self.regs.sp, self.word, low(self.word, value))
    }

    fn target(&mut self, target: Target) -> Result<u64, Fault> {
        target.address(self.word, self.regs, self.memory)
    }

    fn jump(&mut self, target: Target) -> Result<(), Fault> {
        let address = self.target(target)?;
        self.go(address)
    }

    /// A noncanonical target in 64-bit mode faults at the branch, not at the target. Processors may
    /// do either; here the return from the trap could not get to the target.
    fn go(&mut self, address: u64) -> Result<(), Fault> {
        if self.word == Width::Eight && !is_canonical(address) {
            return Err(Fault { address });
        }
        self.regs.ip = address;
        Ok(())
    }

    /// The distance of a conditional branch.
    fn counted(&self, distance: i32) -> i32 {
        if mutant::is_chosen(Mutant::DistanceFromStart) {
            return distance.wrapping_sub(self.length.into());
        }
        distance
    }

    /// The target is computed before the stack pointer moves.
    fn call(&mut self, target: Target) -> Result<(), Fault> {
        let before = self.target(target)?;
        let back = self.regs.ip;
        self.go(before)?;
        let behind = u64::from(mutant::is_chosen(Mutant::ReturnPlus1));
        self.push(back.wrapping_add(behind))?;
        if mutant::is_chosen(Mutant::CallLate) {
            self.regs.ip = back;
            self.jump(target)?;
        }
        Ok(())
    }

    fn give_back(&mut self, release: u16) -> Result<(), Fault> {
        let target = self.memory.load(self.regs.sp, self.word)?;
        self.go(target)?;
        let sp = self.regs.sp.wrapping_add(self.word.bytes());
        self.regs.sp = low(self.word, sp.wrapping_add(release.into()));
        Ok(())
    }
}

/// Whether an address is canonical with 48 bits. Processors with more bits run no code at other
/// addresses.
fn is_canonical(address: u64) -> bool {
    const SIGN: u32 = 47;
    let upper = address.cast_signed().wrapping_shr(SIGN);
    mutant::is_chosen(Mutant::AnyAddress) || matches!(upper, 0 | -1)
}

/// Intel syntax, as if at address 0: `push rbp`, `jmp 0x12`.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.mode.word();
        let target =
            |target: Target, out: &mut fmt::Formatter<'_>| target.write(word, self.length, out);
        match self.action {
            Action::Nothing => out.write_str("nop"),
            Action::Push(Pushed::Number(number)) => write!(out, "push {}", Signed(number.into())),
            Action::Push(Pushed::Register(register)) => write!(out, "push {}", register.name(word)),
            Action::Jump(to) => {
                out.write_str("jmp ")?;
                target(to, out)
            }
            Action::Call(to) => {
                out.write_str("call ")?;
                target(to, out)
            }
            Action::JumpIf(condition, distance) => {
                write!(out, "{condition} ")?;
                target(Target::Relative(distance), out)
            }
            Action::Return(0) => out.write_str("ret"),
            Action::Return(release) => write!(out, "ret {}", Number(release.into())),
        }
    }
}
