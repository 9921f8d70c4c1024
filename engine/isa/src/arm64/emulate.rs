//! A64 instructions done by the trap handler, on the registers it saved.

use core::fmt;

use super::operand::{Address, Datum, Register, Size, signed, width};
use super::relocate::Relocation;
use super::{LR, Regs};
use crate::{Fault, Memory, Plan, Why, Width};

/// What an emulated instruction needs of the processor that would have run it.
pub trait Processor {
    /// What `pacia` makes of a pointer and a modifier: the pointer with its
    /// authentication code, or as it is where the processor has none or they
    /// are switched off. The keys are the processor's own.
    fn sign(&self, pointer: u64, modifier: u64) -> u64;

    /// Whether it remembers what the last branch was (FEAT_BTI).
    fn has_branch_types(&self) -> bool;
}

/// An instruction that [`plan`](super::plan) has found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation(Action);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Nop,
    Bti {
        targets: u32,
    },
    Paciasp,
    Set {
        to: Register,
        value: u64,
    },
    /// Puts 16 bits at the bit `at`, and keeps those around them.
    Insert {
        to: Register,
        half: u32,
        at: u32,
    },
    Copy {
        to: Register,
        from: Register,
    },
    CopySp {
        to: Register,
    },
    Load {
        to: Register,
        from: Address,
        datum: Datum,
    },
    LoadPair {
        to: [Register; 2],
        from: Address,
        width: Width,
    },
}

/// `nop`.
pub(super) const fn nop() -> Emulation {
    Emulation(Action::Nop)
}

/// `bti` for the `targets` 1, c, and 2, j.
pub(super) const fn bti(targets: u32) -> Emulation {
    Emulation(Action::Bti { targets })
}

/// `paciasp`.
pub(super) const fn paciasp() -> Emulation {
    Emulation(Action::Paciasp)
}

/// `mov rd, rm`.
pub(super) const fn mov(sf: u32, source: u32, target: u32) -> Emulation {
    let (to, from) = (register(sf, target), register(sf, source));
    Emulation(Action::Copy { to, from })
}

/// `mov rd, sp`.
pub(super) const fn mov_from_sp(sf: u32, target: u32) -> Emulation {
    let to = register(sf, target);
    Emulation(Action::CopySp { to })
}

/// `movz rd, #half, lsl #(16 * hw)`.
pub(super) const fn movz(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    set(register(sf, target), shifted(half, position(hw)))
}

/// `movn rd, #half, lsl #(16 * hw)`.
pub(super) const fn movn(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    set(register(sf, target), !shifted(half, position(hw)))
}

/// `movk rd, #half, lsl #(16 * hw)`.
pub(super) const fn movk(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    let (to, at) = (register(sf, target), position(hw));
    Emulation(Action::Insert { to, half, at })
}

/// `ldr`, `ldrh` and `ldrb` at an offset in units of what is loaded.
pub(super) const fn ldr(size: u32, offset: u32, base: u32, target: u32) -> Emulation {
    let offset = scaled(offset as i64, size);
    load(size, Address { base, offset }, target)
}

/// The same at an offset in bytes.
pub(super) const fn ldur(size: u32, offset: u32, base: u32, target: u32) -> Emulation {
    let offset = signed(offset, 9);
    load(size, Address { base, offset }, target)
}

/// `ldrsb` and `ldrsh` at an offset in units of what is loaded.
pub(super) const fn ldrs(size: u32, to_w: u32, offset: u32, base: u32, target: u32) -> Emulation {
    let offset = scaled(offset as i64, size);
    load_signed(size, to_w, Address { base, offset }, target)
}

/// The same at an offset in bytes.
pub(super) const fn ldurs(size: u32, to_w: u32, offset: u32, base: u32, target: u32) -> Emulation {
    let offset = signed(offset, 9);
    load_signed(size, to_w, Address { base, offset }, target)
}

/// `ldrsw` at an offset in words.
pub(super) const fn ldrsw(offset: u32, base: u32, target: u32) -> Emulation {
    ldrs(0b10, 0, offset, base, target)
}

/// The same at an offset in bytes.
pub(super) const fn ldursw(offset: u32, base: u32, target: u32) -> Emulation {
    ldurs(0b10, 0, offset, base, target)
}

/// `ldp` at an offset in units of one of the two, which must differ.
pub(super) const fn ldp(
    sf: u32,
    offset: u32,
    second: u32,
    base: u32,
    first: u32,
) -> Plan<Emulation, Relocation> {
    if first == second {
        return Plan::Refuse(Why::Unpredictable);
    }
    let size = 0b10 | sf;
    let to = [register(sf, first), register(sf, second)];
    let offset = scaled(signed(offset, 7), size);
    let (from, width) = (Address { base, offset }, width(size));
    Plan::Emulate(Emulation(Action::LoadPair { to, from, width }))
}

const fn register(sf: u32, number: u32) -> Register {
    let size = Size::of(sf);
    Register { number, size }
}

const fn set(to: Register, value: u64) -> Emulation {
    let value = to.size.part(value);
    Emulation(Action::Set { to, value })
}

const fn load(size: u32, from: Address, target: u32) -> Emulation {
    let is_8_bytes = size & size >> 1;
    let to = register(is_8_bytes, target);
    let (width, signed) = (width(size), false);
    let datum = Datum { width, signed };
    Emulation(Action::Load { to, from, datum })
}

const fn load_signed(size: u32, to_w: u32, from: Address, target: u32) -> Emulation {
    let to = register(to_w ^ 1, target);
    let (width, signed) = (width(size), true);
    let datum = Datum { width, signed };
    Emulation(Action::Load { to, from, datum })
}

/// The bit at which the 16 bits with the number `hw` begin.
const fn position(hw: u32) -> u32 {
    hw.wrapping_mul(16)
}

const fn shifted(half: u32, at: u32) -> u64 {
    (half as u64).wrapping_shl(at)
}

const fn scaled(offset: i64, size: u32) -> i64 {
    offset.wrapping_shl(size)
}

impl Emulation {
    /// Whether it does nothing but go on.
    #[must_use]
    pub const fn is_nop(self) -> bool {
        matches!(self.0, Action::Nop)
    }

    /// Does the instruction: `regs` and `memory` become what they would be had
    /// it run at `regs.pc`, and that pc is moved to the next instruction.
    ///
    /// Whether a branch may land here at all is not checked again: the trap in
    /// the instruction's place lets every branch in.
    ///
    /// # Errors
    /// [`Fault`] where the instruction would have faulted. `regs` is then
    /// untouched, and running it again is safe. A pair is two loads, the one
    /// from the lower address first.
    pub fn run(
        self,
        regs: &mut Regs,
        memory: &mut impl Memory,
        processor: &impl Processor,
    ) -> Result<(), Fault> {
        match self.0 {
            Action::Nop | Action::Bti { .. } => {}
            Action::Paciasp => regs.x[LR] = processor.sign(regs.x[LR], regs.sp),
            Action::Set { to, value } => to.write(regs, value),
            Action::Insert { to, half, at } => to.write(regs, inserted(to.read(regs), half, at)),
            Action::Copy { to, from } => to.write(regs, from.read(regs)),
            Action::CopySp { to } => to.write(regs, regs.sp),
            Action::Load { to, from, datum } => {
                let value = datum.load(from.resolve(regs)?, memory)?;
                to.write(regs, value);
            }
            Action::LoadPair { to, from, width } => load_pair(to, from, width, regs, memory)?,
        }
        regs.pc = regs.pc.wrapping_add(4);
        regs.forget_branch();
        Ok(())
    }
}

/// `value` with 16 of its bits replaced by `half`.
const fn inserted(value: u64, half: u32, at: u32) -> u64 {
    value & !shifted(0xffff, at) | shifted(half, at)
}

fn load_pair(
    to: [Register; 2],
    from: Address,
    width: Width,
    regs: &mut Regs,
    memory: &mut impl Memory,
) -> Result<(), Fault> {
    let lower = from.resolve(regs)?;
    let higher = lower.wrapping_add(width.bytes());
    let values = [memory.load(lower, width)?, memory.load(higher, width)?];
    for (register, value) in to.into_iter().zip(values) {
        register.write(regs, value);
    }
    Ok(())
}

/// As an assembler would have it: `mov x9, x30`, `ldr w0, [x1, #0x8]`. Forms
/// that differ only in how they write a number read the same.
impl fmt::Display for Emulation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Action::Nop => out.write_str("nop"),
            Action::Bti { targets } => out.write_str(bti_name(targets)),
            Action::Paciasp => out.write_str("paciasp"),
            Action::Set { to, value } => write!(out, "mov {to}, #{value:#x}"),
            Action::Insert { to, half, at } => write!(out, "movk {to}, #{half:#x}, lsl #{at}"),
            Action::Copy { to, from } => write!(out, "mov {to}, {from}"),
            Action::CopySp { to } => write!(out, "mov {to}, {}", sp_name(to.size)),
            Action::Load { to, from, datum } => write!(out, "ldr{datum} {to}, {from}"),
            Action::LoadPair {
                to: [a, b], from, ..
            } => write!(out, "ldp {a}, {b}, {from}"),
        }
    }
}

const fn bti_name(targets: u32) -> &'static str {
    match targets {
        0b00 => "bti",
        0b01 => "bti c",
        0b10 => "bti j",
        _ => "bti jc",
    }
}

const fn sp_name(size: Size) -> &'static str {
    match size {
        Size::W => "wsp",
        Size::X => "sp",
    }
}
