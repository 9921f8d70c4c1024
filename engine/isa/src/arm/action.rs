//! What the trap handler does on the saved registers in place of an instruction.

use core::fmt;

use super::compute::{Compute, Operands};
use super::flow::{self, Flow};
use super::list::{LoadList, push};
use super::operand::{Register, Registers};
use super::state::Block;
use super::transfer::{LoadPc, Offset, Transfer, load};
use super::{LR, PC, Regs, SP, Version};
use crate::condition::Condition;
use crate::mutant::{self, Mutant};
use crate::{Away, Control, Fault, Memory, Width};

/// An emulated instruction: one that reads or writes the pc, or that functions commonly begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    form: Form,
    condition: Condition,
    action: Action,
}

/// How an instruction is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    A32,
    T16,
    T32,
}

impl Form {
    /// The length in bytes.
    fn length(self) -> u8 {
        match self {
            Self::T16 => 2,
            Self::T32 if mutant::is_chosen(Mutant::ShortSteps) => 2,
            Self::A32 | Self::T32 => 4,
        }
    }

    /// How far the pc that it reads is ahead of it.
    const fn ahead(self) -> i32 {
        match self {
            Self::A32 => 8,
            Self::T16 | Self::T32 => 4,
        }
    }
}

/// Each site stores one, and every firing reads it.
const _: () = assert!(size_of::<Emulation>() <= 12);

/// What happens if the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nop,
    /// `bytes` is the size of the registers, precomputed: ARMv6 has no instruction to count bits.
    Push {
        registers: Registers,
        bytes: u8,
    },
    LowerSp {
        by: u32,
    },
    Branch {
        by: i32,
    },
    Call {
        by: i32,
    },
    CallOther {
        by: i32,
    },
    Exchange {
        to: Register,
    },
    CallRegister {
        to: Register,
    },
    Compute(Compute),
    Transfer(Transfer),
    LoadPc(LoadPc),
    LoadList(LoadList),
    /// `it`.
    Begin(Block),
    /// `adr`.
    Address {
        to: Register,
        by: i16,
    },
    /// `cbz`, `cbnz`.
    BranchIf {
        register: Register,
        is_zero: bool,
        by: u8,
    },
    /// `tbb`, `tbh`.
    Table {
        base: Register,
        index: Register,
        by_halves: bool,
    },
}

impl Action {
    /// This action under the condition of the A32 instruction `word`.
    pub(super) const fn under(self, word: u32) -> Emulation {
        self.of(Form::A32, word >> 28)
    }

    /// This action under a condition of its own, for an instruction of 16 bits.
    pub(super) const fn short_if(self, condition: u32) -> Emulation {
        self.of(Form::T16, condition)
    }

    /// This action, for an instruction of 16 bits.
    pub(super) const fn short(self) -> Emulation {
        self.of(Form::T16, 0b1110)
    }

    /// This action under a condition of its own, for a Thumb instruction of 32 bits.
    pub(super) const fn long_if(self, condition: u32) -> Emulation {
        self.of(Form::T32, condition)
    }

    /// This action, for a Thumb instruction of 32 bits.
    pub(super) const fn long(self) -> Emulation {
        self.of(Form::T32, 0b1110)
    }

    const fn of(self, form: Form, condition: u32) -> Emulation {
        Emulation {
            form,
            condition: Condition::of(condition),
            action: self,
        }
    }

    /// This action, whatever the condition field of `word`: 1111 is not a condition.
    pub(super) const fn always(self) -> Emulation {
        self.under(0b1110 << 28)
    }
}

impl Emulation {
    /// Whether control leaves with these registers: not if the condition fails, that of its IT block
    /// included.
    #[must_use]
    #[inline]
    pub fn goes(&self, regs: &Regs) -> bool {
        match self.form {
            Form::A32 => self.condition.holds(regs.cpsr),
            Form::T16 | Form::T32 => self.goes_in_thumb(regs),
        }
    }

    #[cold]
    #[inline(never)]
    fn goes_in_thumb(&self, regs: &Regs) -> bool {
        self.passes_in_thumb(regs.cpsr)
            && match self.action {
                Action::BranchIf {
                    register, is_zero, ..
                } => is_zero == (register.saved(regs) == 0),
                _ => true,
            }
    }

    /// The length of the instruction in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.form.length().into()
    }

    /// Where control goes from `at`, for an instruction of Thumb at this place of a block.
    pub(super) fn control(&self, at: u32, block: Block) -> Control {
        let is_conditional = self.condition != Condition::of(0b1110) || block.is_inside();
        let to = |by: i32| {
            let target = at.wrapping_add(4).wrapping_add_signed(by);
            Away::To(target.into())
        };
        let away = match self.action {
            Action::Branch { by } => to(by),
            Action::BranchIf { by, .. } => return Control::to(to(by.into()), true),
            Action::Exchange { to } => by_register(to),
            Action::Compute(compute) if compute.writes_pc() => {
                match compute.copied().map(by_register) {
                    Some(Away::Return) => Away::Return,
                    _ => switch(),
                }
            }
            Action::LoadPc(load) if load.pops() => Away::Return,
            Action::LoadPc(load) if load.is_literal() => Away::Indirect,
            Action::LoadList(_) => Away::Return,
            Action::LoadPc(_) | Action::Table { .. } => switch(),
            _ => return Control::NEXT,
        };
        Control::to(away, is_conditional)
    }

    /// Whether it may write the pc.
    pub(super) const fn branches(&self) -> bool {
        match self.action {
            Action::Nop
            | Action::Push { .. }
            | Action::LowerSp { .. }
            | Action::Transfer(_)
            | Action::Begin(_)
            | Action::Address { .. } => false,
            Action::Compute(compute) => compute.writes_pc(),
            _ => true,
        }
    }

    /// Whether its condition and that of its IT block hold.
    fn passes_in_thumb(&self, cpsr: u32) -> bool {
        let in_block =
            mutant::is_chosen(Mutant::BlockIgnored) || Block::of(cpsr).condition().holds(cpsr);
        in_block && self.condition.holds(cpsr)
    }

    /// Emulates the instruction: `regs` and `memory` become what they would be had it run at
    /// `regs.r[15]`, and the pc advances to the next instruction or the target. If the condition
    /// fails, only the pc changes.
    ///
    /// Stores use the registers' old values. Data are little-endian, as `memory` has them, whatever
    /// the CPSR says: instructions that could set its E bit are refused.
    ///
    /// No address has to be aligned. The processor requires it for multiple transfers, but Linux
    /// fixes up the resulting alignment trap bytewise (`arch/arm/mm/alignment.c`), so this is what
    /// the traced code observes.
    ///
    /// # Errors
    /// [`Fault`] if the instruction would have faulted; `regs` is unchanged then. Words are stored
    /// lowest address first. Those stored before the fault remain stored, as they may when the
    /// processor's own store multiple faults; running it again is safe.
    pub fn run(
        &self,
        version: Version,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        if self.form != Form::A32 {
            return self.run_in_thumb(version, regs, memory);
        }
        let mut flow = Flow::Next;
        if self.condition.holds(regs.cpsr) || mutant::is_chosen(Mutant::ConditionIgnored) {
            flow = self.action.run::<false>(version, regs, memory)?;
        }
        if flow == Flow::Next {
            regs.r[PC] = regs.r[PC].wrapping_add(4);
        }
        Ok(())
    }

    /// The same in Thumb state; out of line, so that it costs A32 one comparison.
    #[cold]
    #[inline(never)]
    fn run_in_thumb(
        &self,
        version: Version,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        let mut flow = Flow::Next;
        let block = Block::of(regs.cpsr);
        if self.passes_in_thumb(regs.cpsr) {
            flow = self.action.run::<true>(version, regs, memory)?;
        }
        if flow == Flow::Next {
            regs.r[PC] = regs.r[PC].wrapping_add(self.form.length().into());
        }
        let after = match self.action {
            Action::Begin(begun) => begun,
            _ if mutant::is_chosen(Mutant::BlockStands) => block,
            _ => block.next(),
        };
        regs.cpsr = after.in_status(regs.cpsr);
        Ok(())
    }
}

impl Action {
    fn run<const IS_THUMB: bool>(
        &self,
        version: Version,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<Flow, Fault> {
        Ok(match *self {
            Self::Nop => Flow::Next,
            Self::Push { registers, bytes } => push(registers, bytes, regs, memory)?,
            Self::LowerSp { by } => {
                regs.r[SP] = regs.r[SP].wrapping_sub(by);
                Flow::Next
            }
            Self::Branch { by } => flow::relative::<IS_THUMB>(by, regs),
            Self::Call { by } => flow::call::<IS_THUMB>(by, regs),
            Self::CallOther { by } => flow::call_other::<IS_THUMB>(by, regs),
            Self::Exchange { to } => flow::exchange(to.read::<IS_THUMB>(regs), regs),
            Self::CallRegister { to } => {
                // Only `blx` of a register is long in one set and short in the other.
                let length = if IS_THUMB { 2 } else { 4 };
                flow::call_register::<IS_THUMB>(to, length, regs)
            }
            Self::Compute(compute) => compute.run::<IS_THUMB>(version, regs),
            Self::Transfer(transfer) => transfer.run::<IS_THUMB>(regs, memory)?,
            Self::LoadPc(load) => load.run::<IS_THUMB>(regs, memory)?,
            Self::LoadList(load) => load.run::<IS_THUMB>(regs, memory)?,
            _ if IS_THUMB => self.run_of_thumb(regs, memory)?,
            _ => Flow::Next,
        })
    }

    /// What only Thumb instructions do.
    #[cold]
    #[inline(never)]
    fn run_of_thumb(&self, regs: &mut Regs, memory: &mut impl Memory) -> Result<Flow, Fault> {
        Ok(match *self {
            Self::Address { to, by } => {
                let base = Register::numbered(PC as u32).base::<true>(regs);
                to.write(regs, base.wrapping_add_signed(by.into()));
                Flow::Next
            }
            Self::BranchIf {
                register,
                is_zero,
                by,
            } => {
                let goes = is_zero == (register.read::<true>(regs) == 0);
                if goes != mutant::is_chosen(Mutant::ZeroTaken) {
                    flow::relative::<true>(by.into(), regs)
                } else {
                    Flow::Next
                }
            }
            Self::Table {
                base,
                index,
                by_halves,
            } => {
                let (width, scale) = if by_halves {
                    (
                        Width::Two,
                        u32::from(!mutant::is_chosen(Mutant::TableOfBytes)),
                    )
                } else {
                    (Width::One, 0)
                };
                let index = index.read::<true>(regs).wrapping_shl(scale);
                let entry = load(memory, base.read::<true>(regs).wrapping_add(index), width)?;
                flow::relative::<true>(entry.wrapping_mul(2).cast_signed(), regs)
            }
            _ => Flow::Next,
        })
    }
}

/// Assembler syntax: `push {r4, lr}`, `subne sp, sp, #0x8`. Branch targets are relative to the
/// instruction: `bl .-0x8`.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let condition = self.condition;
        match self.action {
            Action::Nop => write!(out, "nop{condition}"),
            Action::Push { registers, .. } => write!(out, "push{condition} {registers}"),
            Action::LowerSp { by } => write!(out, "sub{condition} sp, sp, #{by:#x}"),
            Action::Branch { by } => write!(out, "b{condition} {}", self.distance(by)),
            Action::Call { by } => write!(out, "bl{condition} {}", self.distance(by)),
            Action::CallOther { by } => write!(out, "blx {}", self.distance(by)),
            Action::Exchange { to } => write!(out, "bx{condition} {to}"),
            Action::CallRegister { to } => write!(out, "blx{condition} {to}"),
            Action::Compute(compute) => {
                let (name, suffix) = (compute.name(), compute.suffix());
                write!(out, "{name}{suffix}{condition} {}", Operands(compute))
            }
            Action::Transfer(transfer) => {
                write!(out, "{}{condition} {transfer}", transfer.datum.name())
            }
            Action::LoadPc(load) => write!(out, "ldr{condition} {load}"),
            Action::LoadList(load) => write!(out, "ldm{}{condition} {load}", load.mode()),
            Action::Begin(block) => write!(out, "it{block}"),
            Action::Address { to, by } => write!(out, "adr {to}, {}", Offset::Bytes(by)),
            Action::BranchIf {
                register,
                is_zero,
                by,
            } => {
                let name = if is_zero { "cbz" } else { "cbnz" };
                write!(out, "{name} {register}, {}", self.distance(by.into()))
            }
            Action::Table {
                base,
                index,
                by_halves: true,
            } => write!(out, "tbh [{base}, {index}, lsl #0x1]"),
            Action::Table { base, index, .. } => write!(out, "tbb [{base}, {index}]"),
        }
    }
}

impl Emulation {
    /// How far a branch goes from the instruction itself.
    const fn distance(&self, by: i32) -> Distance {
        Distance(by.wrapping_add(self.form.ahead()))
    }
}

/// A branch to a register's value: with lr it is a return.
fn by_register(to: Register) -> Away {
    if to == Register::numbered(LR as u32) {
        return Away::Return;
    }
    Away::Indirect
}

fn switch() -> Away {
    if mutant::is_chosen(Mutant::SwitchIsTail) {
        return Away::Indirect;
    }
    Away::Switch
}

/// A distance from an instruction.
struct Distance(i32);

/// `.+0x8`.
impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(distance) = self;
        let sign = if *distance < 0 { '-' } else { '+' };
        write!(out, ".{sign}{:#x}", distance.unsigned_abs())
    }
}
