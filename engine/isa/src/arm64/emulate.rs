//! A64 instructions that the trap handler emulates on the saved registers: those that read or write
//! the pc, and those that functions commonly begin with.

use core::fmt;

use super::flow::Branch;
use super::operand::{Distance, Register, Size, signed};
use super::transfer::{Address, Datum, Load};
use super::{LR, Regs};
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory};

/// What emulation needs of the processor that would have run the instruction.
pub trait Processor {
    /// `pacia` of a pointer and a modifier: the pointer with its authentication code, or unchanged
    /// if the processor has no pointer authentication or it is disabled. Uses the current keys.
    fn sign(&self, pointer: u64, modifier: u64) -> u64;

    /// Whether it implements FEAT_BTI, which records the type of the last branch.
    fn has_branch_types(&self) -> bool;
}

/// An instruction that [`plan`](super::plan) found to be emulable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emulation(Action);

/// Each site stores one, and every firing reads it.
const _: () = assert!(size_of::<Emulation>() <= 16);

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nop,
    Bti {
        targets: u8,
    },
    Paciasp,
    Set {
        to: Register,
        value: u64,
    },
    /// Replaces the 16 bits from bit `at` up.
    Insert {
        to: Register,
        half: u16,
        at: u8,
    },
    Copy {
        to: Register,
        from: Register,
    },
    CopySp {
        to: Register,
    },
    /// An address relative to the instruction.
    Adr {
        to: Register,
        by: i32,
    },
    /// The address of a page, relative to the instruction's page.
    Adrp {
        to: Register,
        pages: i32,
    },
    Load(Load),
    /// A hint about pc-relative memory.
    Prefetch {
        operation: u8,
        by: i32,
    },
    Branch(Branch),
}

/// `nop`.
pub(super) const fn nop() -> Emulation {
    Emulation(Action::Nop)
}

/// `bti` for the `targets` 1, c, and 2, j.
pub(super) const fn bti(targets: u32) -> Emulation {
    let targets = targets as u8;
    Emulation(Action::Bti { targets })
}

/// `paciasp`.
pub(super) const fn paciasp() -> Emulation {
    Emulation(Action::Paciasp)
}

/// `mov rd, rm`.
pub(super) const fn mov(sf: u32, source: u32, target: u32) -> Emulation {
    let (to, from) = (Register::new(sf, target), Register::new(sf, source));
    Emulation(Action::Copy { to, from })
}

/// `mov rd, sp`.
pub(super) const fn mov_from_sp(sf: u32, target: u32) -> Emulation {
    let to = Register::new(sf, target);
    Emulation(Action::CopySp { to })
}

/// `movz rd, #half, lsl #(16 * hw)`.
pub(super) const fn movz(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    set(Register::new(sf, target), shifted(half, position(hw)))
}

/// `movn rd, #half, lsl #(16 * hw)`.
pub(super) const fn movn(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    set(Register::new(sf, target), !shifted(half, position(hw)))
}

/// `movk rd, #half, lsl #(16 * hw)`.
pub(super) const fn movk(sf: u32, hw: u32, half: u32, target: u32) -> Emulation {
    let (to, at) = (Register::new(sf, target), position(hw) as u8);
    let half = half as u16;
    Emulation(Action::Insert { to, half, at })
}

/// `adr`, with the offset's upper bits and its lowest two.
pub(super) const fn adr(high: u32, low: u32, target: u32) -> Emulation {
    let to = Register::new(1, target);
    let by = distance(high, low);
    Emulation(Action::Adr { to, by })
}

/// `adrp`, likewise with an offset in pages.
pub(super) const fn adrp(high: u32, low: u32, target: u32) -> Emulation {
    let to = Register::new(1, target);
    let pages = distance(high, low);
    Emulation(Action::Adrp { to, pages })
}

const fn distance(high: u32, low: u32) -> i32 {
    signed(high << 2 | low, 21) as i32
}

/// `ldr`, `ldrh` and `ldrb` with a scaled offset.
pub(super) const fn ldr(size: u32, offset: u32, base: u32, target: u32) -> Emulation {
    load(
        size,
        Address::new(base, scaled(offset as i64, size)),
        target,
    )
}

/// The same with an unscaled offset.
pub(super) const fn ldur(size: u32, offset: u32, base: u32, target: u32) -> Emulation {
    load(size, Address::new(base, signed(offset, 9)), target)
}

/// `ldrsb` and `ldrsh` with a scaled offset.
pub(super) const fn ldrs(size: u32, to_w: u32, offset: u32, base: u32, target: u32) -> Emulation {
    let from = Address::new(base, scaled(offset as i64, size));
    load_signed(size, to_w, from, target)
}

/// The same with an unscaled offset.
pub(super) const fn ldurs(size: u32, to_w: u32, offset: u32, base: u32, target: u32) -> Emulation {
    load_signed(size, to_w, Address::new(base, signed(offset, 9)), target)
}

/// `ldrsw` with a scaled offset.
pub(super) const fn ldrsw(offset: u32, base: u32, target: u32) -> Emulation {
    ldrs(0b10, 0, offset, base, target)
}

/// The same with an unscaled offset.
pub(super) const fn ldursw(offset: u32, base: u32, target: u32) -> Emulation {
    ldurs(0b10, 0, offset, base, target)
}

/// `ldr` of a pc-relative word or doubleword; the offset is in words.
pub(super) const fn ldr_literal(is_8_bytes: u32, words: u32, target: u32) -> Emulation {
    let to = Register::new(is_8_bytes, target);
    let datum = Datum::unsigned(0b10 | is_8_bytes);
    literal(to, words, datum)
}

/// `ldrsw` of a pc-relative word.
pub(super) const fn ldrsw_literal(words: u32, target: u32) -> Emulation {
    literal(Register::new(1, target), words, Datum::signed(0b10))
}

const fn literal(to: Register, words: u32, datum: Datum) -> Emulation {
    let by = words_away(words);
    Emulation(Action::Load(Load::Literal { to, by, datum }))
}

const fn words_away(words: u32) -> i32 {
    (signed(words, 19) as i32).wrapping_mul(4)
}

/// `prfm` of pc-relative memory; the offset is in words.
pub(super) const fn prfm_literal(words: u32, operation: u32) -> Emulation {
    let (operation, by) = (operation as u8, words_away(words));
    Emulation(Action::Prefetch { operation, by })
}

/// `b`.
pub(super) const fn b(words: u32) -> Emulation {
    Emulation(Action::Branch(Branch::always(words)))
}

/// `bl`.
pub(super) const fn bl(words: u32) -> Emulation {
    Emulation(Action::Branch(Branch::call(words)))
}

/// `b.cond`.
pub(super) const fn b_if(words: u32, condition: u32) -> Emulation {
    Emulation(Action::Branch(Branch::conditional(words, condition)))
}

/// `cbz` and `cbnz`.
pub(super) const fn cb(sf: u32, op: u32, words: u32, register: u32) -> Emulation {
    Emulation(Action::Branch(Branch::on_register(sf, op, words, register)))
}

/// `tbz` and `tbnz`.
pub(super) const fn tb(b5: u32, op: u32, b40: u32, words: u32, register: u32) -> Emulation {
    Emulation(Action::Branch(Branch::on_bit(b5, op, b40, words, register)))
}

/// `br`.
pub(super) const fn br(register: u32) -> Emulation {
    let to = Register::new(1, register);
    Emulation(Action::Branch(Branch::To { to }))
}

/// `blr`.
pub(super) const fn blr(register: u32) -> Emulation {
    let to = Register::new(1, register);
    Emulation(Action::Branch(Branch::CallTo { to }))
}

/// `ret`.
pub(super) const fn ret(register: u32) -> Emulation {
    let to = Register::new(1, register);
    Emulation(Action::Branch(Branch::Return { to }))
}

const fn set(to: Register, value: u64) -> Emulation {
    let value = to.size.part(value);
    Emulation(Action::Set { to, value })
}

const fn load(size: u32, from: Address, target: u32) -> Emulation {
    let is_8_bytes = size & size >> 1;
    let to = Register::new(is_8_bytes, target);
    let datum = Datum::unsigned(size);
    Emulation(Action::Load(Load::One { to, from, datum }))
}

const fn load_signed(size: u32, to_w: u32, from: Address, target: u32) -> Emulation {
    let to = Register::new(to_w ^ 1, target);
    let datum = Datum::signed(size);
    Emulation(Action::Load(Load::One { to, from, datum }))
}

/// The bit position of the halfword `hw`.
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
    pub(super) const fn action(self) -> Action {
        self.0
    }

    /// Whether the instruction has no effect.
    #[must_use]
    pub const fn is_nop(self) -> bool {
        matches!(self.0, Action::Nop)
    }

    /// Whether control leaves with these registers: not if a branch is not taken.
    #[must_use]
    pub fn goes(&self, regs: &Regs) -> bool {
        match self.0 {
            Action::Branch(branch) => branch.goes(regs),
            _ => true,
        }
    }

    /// Emulates the instruction: `regs` and `memory` become what they would be had it run at
    /// `regs.pc`, and the pc advances to the next instruction or the target.
    ///
    /// The branch target check (BTI) is not repeated: the breakpoint in the instruction's place
    /// accepts every branch.
    ///
    /// # Errors
    /// [`Fault`] if the instruction would have faulted; `regs` is unchanged then, and running it
    /// again is safe. A pair is two loads, the lower address first.
    pub fn run(
        self,
        regs: &mut Regs,
        memory: &mut impl Memory,
        processor: &impl Processor,
    ) -> Result<(), Fault> {
        match self.0 {
            Action::Branch(branch) => {
                branch.run(regs, processor);
                return Ok(());
            }
            Action::Nop | Action::Bti { .. } | Action::Prefetch { .. } => {}
            Action::Paciasp => regs.x[LR] = processor.sign(regs.x[LR], regs.sp),
            Action::Set { to, value } => to.write(regs, value),
            Action::Insert { to, half, at } => to.write(regs, inserted(to.read(regs), half, at)),
            Action::Copy { to, from } => to.write(regs, copied(from, regs)),
            Action::CopySp { to } => to.write(regs, regs.sp),
            Action::Adr { to, by } => to.write(regs, regs.pc.wrapping_add_signed(by.into())),
            Action::Adrp { to, pages } => to.write(regs, page(pages, regs.pc)),
            Action::Load(load) => load.run(regs, memory)?,
        }
        regs.pc = regs.pc.wrapping_add(4);
        regs.forget_branch();
        Ok(())
    }
}

/// `value` with 16 of its bits replaced by `half`.
fn inserted(value: u64, half: u16, at: u8) -> u64 {
    let (half, at) = (half.into(), at.into());
    let kept = if mutant::is_chosen(Mutant::NothingKept) {
        0
    } else {
        value & !shifted(0xffff, at)
    };
    kept | shifted(half, at)
}

fn copied(from: Register, regs: &Regs) -> u64 {
    if from.is_zero() && mutant::is_chosen(Mutant::ZeroIsSp) {
        return regs.sp;
    }
    from.read(regs)
}

/// The page `pages` away from that of the pc. Pages are 4 KiB here, whatever the kernel's are.
fn page(pages: i32, pc: u64) -> u64 {
    let from = if mutant::is_chosen(Mutant::AdrpFromWord) {
        pc
    } else {
        pc & !0xfff
    };
    from.wrapping_add_signed(by_pages(pages))
}

const fn by_pages(pages: i32) -> i64 {
    (pages as i64) << 12
}

/// Assembler syntax: `mov x9, x30`, `ldr w0, [x1, #0x8]`. Forms that differ only in how they encode
/// a number print the same. Relative addresses are printed as distances.
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
            Action::Adr { to, by } => write!(out, "adr {to}, {}", Distance(by.into())),
            Action::Adrp { to, pages } => write!(out, "adrp {to}, {}", Distance(by_pages(pages))),
            Action::Load(load) => write!(out, "{load}"),
            Action::Prefetch { operation, by } => {
                write!(out, "prfm {}, {}", Hint(operation), Distance(by.into()))
            }
            Action::Branch(branch) => write!(out, "{branch}"),
        }
    }
}

/// A prefetch operation: `pldl1keep`, or a number if it has no name.
struct Hint(u8);

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = match self.0 >> 3 {
            0b00 => "pld",
            0b01 => "pli",
            _ => "pst",
        };
        let level = (self.0 >> 1 & 0b11).wrapping_add(1);
        let policy = if self.0 & 1 == 0 { "keep" } else { "strm" };
        if self.0 >> 3 == 0b11 || level == 4 {
            return write!(out, "#{:#x}", self.0);
        }
        write!(out, "{access}l{level}{policy}")
    }
}

const fn bti_name(targets: u8) -> &'static str {
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
