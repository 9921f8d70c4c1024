//! x86-64 instructions done by the trap handler, on the registers it saved.

use core::fmt;

use super::Regs;
use super::operand::{Address, Operand, Place, Signed};
use crate::{Fault, Memory, Width};

/// An instruction that [`plan`](super::plan) has found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    length: u8,
    action: Action,
}

/// What happens before the next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    Push {
        from: Operand,
    },
    Move {
        to: Place,
        from: Operand,
        extend: Extend,
    },
    TakeAddress {
        to: Place,
        address: Address,
    },
}

/// How a value becomes as wide as where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extend {
    Not,
    Zeros,
    Sign(Width),
}

/// `nop`, and what is one as long as nothing checks where branches go.
pub(super) const fn nop() -> Option<Action> {
    Some(Action::Nothing)
}

/// `push from`, of 64 bits.
pub(super) fn push(from: impl Into<Operand>) -> Option<Action> {
    let from = from.into();
    Some(Action::Push { from })
}

/// `mov to, from`.
pub(super) fn mov(to: Place, from: impl Into<Operand>) -> Option<Action> {
    extended(to, from.into(), Extend::Not)
}

/// `movzx to, from`.
pub(super) fn movzx(to: Place, from: Place) -> Option<Action> {
    extended(to, from.into(), Extend::Zeros)
}

/// `movsx to, from` and `movsxd to, from`.
pub(super) fn movsx(to: Place, from: Place) -> Option<Action> {
    extended(to, from.into(), Extend::Sign(from.width()))
}

/// `lea to, from`, which has no form with a register to take the address of.
pub(super) fn lea(to: Place, from: Place) -> Option<Action> {
    match from {
        Place::Memory(address, _) => writable(to).map(|to| Action::TakeAddress { to, address }),
        Place::Register(_) => None,
    }
}

fn extended(to: Place, from: Operand, extend: Extend) -> Option<Action> {
    writable(to).map(|to| Action::Move { to, from, extend })
}

/// Declines the stack pointer and what it points to: the handler works on that
/// stack, and a push is all that has been thought through.
fn writable(to: Place) -> Option<Place> {
    (!to.is_stack_pointer() && !to.is_on_stack()).then_some(to)
}

impl Emulation {
    /// Whether it does nothing but go on.
    #[must_use]
    pub const fn is_nop(self) -> bool {
        matches!(self.action, Action::Nothing)
    }

    pub(super) const fn new(length: u8, action: Action) -> Self {
        Self { length, action }
    }

    /// The length of the instruction in bytes.
    #[must_use]
    pub const fn length(self) -> u8 {
        self.length
    }

    /// Does the instruction: `regs` and `memory` become what they would be had
    /// it run at `regs.ip`, which is its own address and not the one behind the
    /// trap; afterwards it is that of the next instruction.
    ///
    /// # Errors
    /// [`Fault`] where the instruction would have faulted. `regs` is then
    /// untouched, and so is memory.
    pub fn run(self, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        let mut after = *regs;
        after.ip = regs.ip.wrapping_add(self.length.into());
        self.action.run(&mut after, memory)?;
        *regs = after;
        Ok(())
    }
}

impl Action {
    /// Does it on registers whose instruction pointer has moved on, as that is
    /// what addresses are relative to.
    fn run(self, regs: &mut Regs, memory: &mut impl Memory) -> Result<(), Fault> {
        match self {
            Self::Nothing => Ok(()),
            Self::Push { from } => {
                let value = from.load(regs, memory)?;
                regs.sp = regs.sp.wrapping_sub(8);
                memory.store(regs.sp, Width::Eight, value)
            }
            Self::Move { to, from, extend } => {
                let value = extend.apply(from.load(regs, memory)?);
                to.store(value, regs, memory)
            }
            Self::TakeAddress { to, address } => to.store(address.effective(regs), regs, memory),
        }
    }
}

impl Extend {
    /// Extends a value that is extended with zeros.
    const fn apply(self, value: u64) -> u64 {
        match self {
            Self::Not | Self::Zeros | Self::Sign(Width::Eight) => value,
            Self::Sign(Width::One) => value as i8 as u64,
            Self::Sign(Width::Two) => value as i16 as u64,
            Self::Sign(Width::Four) => value as i32 as u64,
        }
    }

    const fn mnemonic(self) -> &'static str {
        match self {
            Self::Not => "mov",
            Self::Zeros => "movzx",
            Self::Sign(Width::Four) => "movsxd",
            Self::Sign(_) => "movsx",
        }
    }
}

/// In Intel's syntax: `push rbp`, `mov rdi, qword ptr [rdi + 0x70]`.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.action {
            Action::Nothing => out.write_str("nop"),
            Action::Push {
                from: Operand::Immediate(value),
            } => write!(out, "push {}", Signed(value.cast_signed())),
            Action::Push { from } => write!(out, "push {from}"),
            Action::Move { to, from, extend } => {
                write!(out, "{} {to}, {from}", extend.mnemonic())
            }
            Action::TakeAddress { to, address } => write!(out, "lea {to}, {address}"),
        }
    }
}
