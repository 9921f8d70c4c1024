//! A32 instructions that the trap handler emulates on the saved registers: those that read or write
//! the pc, and those that functions commonly begin with.

use core::fmt;

use super::compute::{Compute, Operands};
use super::flow::{self, Flow};
use super::list::{LoadList, push};
use super::operand::{Register, Registers};
use super::transfer::{Datum, LoadPc, Offset, Transfer};
use super::{PC, Regs, SP, Version};
use crate::condition::Condition;
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory};

/// An instruction that [`plan`](super::plan) found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation {
    condition: Condition,
    action: Action,
}

/// Each site stores one, and every firing reads it.
const _: () = assert!(size_of::<Emulation>() <= 12);

/// What happens if the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
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
    CallThumb {
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
}

impl Action {
    /// This action under the condition of `word`.
    const fn under(self, word: u32) -> Emulation {
        Emulation {
            condition: Condition::of(word >> 28),
            action: self,
        }
    }

    /// This action, whatever the condition field of `word`: 1111 is not a condition.
    const fn always(self) -> Emulation {
        self.under(0b1110 << 28)
    }
}

/// An instruction without effect.
pub(super) const fn nop(word: u32) -> Emulation {
    Action::Nop.under(word)
}

/// A no-op whose encoding has no condition.
pub(super) const fn hint() -> Emulation {
    Action::Nop.always()
}

/// `stmdb sp!, {list}`.
pub(super) const fn push_list(word: u32, list: u32) -> Emulation {
    push_all(word, Registers(list as u16))
}

/// `str rt, [sp, #-4]!`.
pub(super) const fn push_one(word: u32, register: u32) -> Emulation {
    push_all(word, Registers::only(register))
}

const fn push_all(word: u32, registers: Registers) -> Emulation {
    let bytes = registers.bytes() as u8;
    Action::Push { registers, bytes }.under(word)
}

/// `sub sp, sp, #imm8, rotated right by twice the rotation` (A5.2.4).
pub(super) const fn lower_sp(word: u32, rotation: u32, imm8: u32) -> Emulation {
    let by = imm8.rotate_right(rotation.wrapping_mul(2));
    Action::LowerSp { by }.under(word)
}

/// `b` by a signed number of words.
pub(super) const fn b(word: u32, words: u32) -> Emulation {
    let by = in_bytes(words);
    Action::Branch { by }.under(word)
}

/// `bl` by a signed number of words.
pub(super) const fn bl(word: u32, words: u32) -> Emulation {
    let by = in_bytes(words);
    Action::Call { by }.under(word)
}

/// `blx` by a signed number of words, plus half a word if `half` is set.
pub(super) const fn blx(half: u32, words: u32) -> Emulation {
    let by = in_bytes(words) | (half << 1).cast_signed();
    Action::CallThumb { by }.always()
}

/// 24 bits, sign-extended, as a distance in bytes.
const fn in_bytes(words: u32) -> i32 {
    (words << 8).cast_signed() >> 6
}

/// `bx rm`.
pub(super) const fn bx(word: u32) -> Emulation {
    let to = Register::at(word, 0);
    Action::Exchange { to }.under(word)
}

/// `blx rm`.
pub(super) const fn blx_register(word: u32) -> Emulation {
    let to = Register::at(word, 0);
    Action::CallRegister { to }.under(word)
}

/// Data processing with a constant.
pub(super) const fn with_constant(word: u32) -> Emulation {
    Action::Compute(Compute::with_constant(word)).under(word)
}

/// Data processing with a register, shifted by a constant.
pub(super) const fn with_register(word: u32) -> Emulation {
    Action::Compute(Compute::with_register(word)).under(word)
}

/// `ldr pc` at an offset of twelve bits.
pub(super) const fn load_pc(word: u32) -> Emulation {
    Action::LoadPc(LoadPc::new(word, Offset::of_twelve_bits(word))).under(word)
}

/// `ldr pc` at an offset in a register.
pub(super) const fn load_pc_shifted(word: u32) -> Emulation {
    Action::LoadPc(LoadPc::new(word, Offset::of_shifted(word))).under(word)
}

/// `ldm` with the pc in its list.
pub(super) fn load_list(word: u32) -> Emulation {
    Action::LoadList(LoadList::new(word)).under(word)
}

/// One function for each transfer that may have the pc as its base.
macro_rules! transfers {
    ($($name:ident, $datum:ident, $offset:ident;)+) => {
        $(pub(super) const fn $name(word: u32) -> Emulation {
            let offset = Offset::$offset(word);
            Action::Transfer(Transfer::new(Datum::$datum, word, offset)).under(word)
        })+
    };
}

transfers! {
    ldr, LoadWord, of_twelve_bits;
    ldrb, LoadByte, of_twelve_bits;
    str, StoreWord, of_twelve_bits;
    strb, StoreByte, of_twelve_bits;
    ldr_shifted, LoadWord, of_shifted;
    ldrb_shifted, LoadByte, of_shifted;
    str_shifted, StoreWord, of_shifted;
    strb_shifted, StoreByte, of_shifted;
    ldrh, LoadHalf, of_eight_bits;
    ldrsb, LoadSignedByte, of_eight_bits;
    ldrsh, LoadSignedHalf, of_eight_bits;
    ldrd, LoadDual, of_eight_bits;
    strh, StoreHalf, of_eight_bits;
    strd, StoreDual, of_eight_bits;
    ldrh_register, LoadHalf, of_register;
    ldrsb_register, LoadSignedByte, of_register;
    ldrsh_register, LoadSignedHalf, of_register;
    ldrd_register, LoadDual, of_register;
    strh_register, StoreHalf, of_register;
    strd_register, StoreDual, of_register;
}

impl Emulation {
    /// Whether control leaves with these registers: not if the condition fails.
    #[must_use]
    pub const fn goes(&self, regs: &Regs) -> bool {
        self.condition.holds(regs.cpsr)
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
        let mut flow = Flow::Next;
        if self.condition.holds(regs.cpsr) || mutant::is_chosen(Mutant::ConditionIgnored) {
            flow = self.action.run(version, regs, memory)?;
        }
        if flow == Flow::Next {
            regs.r[PC] = regs.r[PC].wrapping_add(4);
        }
        Ok(())
    }
}

impl Action {
    fn run(
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
            Self::Branch { by } => flow::relative(by, regs),
            Self::Call { by } => flow::call(by, regs),
            Self::CallThumb { by } => flow::call_thumb(by, regs),
            Self::Exchange { to } => flow::exchange(to.read(regs), regs),
            Self::CallRegister { to } => flow::call_register(to, regs),
            Self::Compute(compute) => compute.run(version, regs),
            Self::Transfer(transfer) => transfer.run(regs, memory)?,
            Self::LoadPc(load) => load.run(regs, memory)?,
            Self::LoadList(load) => load.run(regs, memory)?,
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
            Action::Branch { by } => write!(out, "b{condition} {}", Distance(by)),
            Action::Call { by } => write!(out, "bl{condition} {}", Distance(by)),
            Action::CallThumb { by } => write!(out, "blx {}", Distance(by)),
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
        }
    }
}

/// A distance relative to the pc as the instruction reads it, 8 bytes ahead.
struct Distance(i32);

/// `.+0x8`.
impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distance = self.0.wrapping_add(8);
        let sign = if distance < 0 { '-' } else { '+' };
        write!(out, ".{sign}{:#x}", distance.unsigned_abs())
    }
}
