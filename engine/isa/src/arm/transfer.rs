//! Loads and stores with the pc in their address, and loads of the pc.

use core::fmt;

use super::flow::{Flow, exchange};
use super::operand::{Register, Shift, bit, bits};
use super::{PC, Regs, SP};
use crate::mutant::{self, Mutant};
use crate::{Fault, Memory, Width};

/// An offset from a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    /// A number of bytes.
    Bytes(i16),
    /// A shifted register; subtracted if `down`.
    Register {
        register: Register,
        shift: Shift,
        down: bool,
    },
}

impl Offset {
    /// A 12-bit offset, added or subtracted as U says.
    pub(super) const fn of_twelve_bits(word: u32) -> Self {
        Self::signed(word, bits(word, 0, 12))
    }

    /// An 8-bit offset in two halves, added or subtracted as U says.
    pub(super) const fn of_eight_bits(word: u32) -> Self {
        Self::signed(word, bits(word, 8, 4) << 4 | bits(word, 0, 4))
    }

    const fn signed(word: u32, bytes: u32) -> Self {
        let bytes = bytes as i16;
        Self::Bytes(if is_up(word) {
            bytes
        } else {
            bytes.wrapping_neg()
        })
    }

    /// A shifted register.
    pub(super) const fn of_shifted(word: u32) -> Self {
        Self::register(word, Shift::of(word))
    }

    /// An unshifted register.
    pub(super) const fn of_register(word: u32) -> Self {
        Self::register(word, Shift::of(0))
    }

    const fn register(word: u32, shift: Shift) -> Self {
        Self::Register {
            register: Register::at(word, 0),
            shift,
            down: !is_up(word),
        }
    }

    fn added_to<const IS_THUMB: bool>(self, base: u32, regs: &Regs) -> u32 {
        match self {
            Self::Bytes(bytes) => base.wrapping_add_signed(bytes.into()),
            Self::Register {
                register,
                shift,
                down,
            } => {
                let carry = bit(regs.cpsr, 29);
                let (offset, _) = shift.shift(register.read::<IS_THUMB>(regs), carry);
                if down && !mutant::is_chosen(Mutant::UpIgnored) {
                    base.wrapping_sub(offset)
                } else {
                    base.wrapping_add(offset)
                }
            }
        }
    }
}

pub(super) const fn is_up(word: u32) -> bool {
    bit(word, 23)
}

/// What a transfer moves between a register and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datum {
    LoadWord,
    LoadByte,
    LoadHalf,
    LoadSignedByte,
    LoadSignedHalf,
    LoadDual,
    StoreWord,
    StoreByte,
    StoreHalf,
    StoreDual,
}

/// `ldr data, [base, offset]` and its like, without writeback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Transfer {
    pub(super) datum: Datum,
    data: Register,
    /// The second of two words.
    second: Register,
    base: Register,
    offset: Offset,
}

impl Transfer {
    /// Decodes `word`.
    pub(super) const fn new(datum: Datum, word: u32, offset: Offset) -> Self {
        let data = Register::at(word, 12);
        Self {
            datum,
            data,
            second: data.next(),
            base: Register::at(word, 16),
            offset,
        }
    }

    /// A load, of one register or two, that counts from the pc.
    pub(super) const fn of_literal(datum: Datum, data: u32, second: u32, bytes: i16) -> Self {
        Self {
            datum,
            data: Register::numbered(data),
            second: Register::numbered(second),
            base: Register::numbered(PC as u32),
            offset: Offset::Bytes(bytes),
        }
    }

    pub(super) fn run<const IS_THUMB: bool>(
        self,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<Flow, Fault> {
        let address = self.address::<IS_THUMB>(regs);
        let data = self.data;
        match self.datum {
            Datum::LoadWord => data.write(regs, load(memory, address, Width::Four)?),
            Datum::LoadByte => data.write(regs, load(memory, address, Width::One)?),
            Datum::LoadHalf => data.write(regs, load(memory, address, Width::Two)?),
            Datum::LoadSignedByte => {
                let byte = load(memory, address, Width::One)?;
                data.write(regs, extended(byte, i32::from(byte as i8)));
            }
            Datum::LoadSignedHalf => {
                let half = load(memory, address, Width::Two)?;
                data.write(regs, extended(half, i32::from(half as i16)));
            }
            Datum::LoadDual => load_two(data, self.second, address, regs, memory)?,
            Datum::StoreWord => store(memory, address, Width::Four, data.read::<IS_THUMB>(regs))?,
            Datum::StoreByte => store(memory, address, Width::One, data.read::<IS_THUMB>(regs))?,
            Datum::StoreHalf => store(memory, address, Width::Two, data.read::<IS_THUMB>(regs))?,
            Datum::StoreDual => store_two::<IS_THUMB>(data, self.second, address, regs, memory)?,
        }
        Ok(Flow::Next)
    }

    fn address<const IS_THUMB: bool>(self, regs: &Regs) -> u32 {
        let base = self.base.base::<IS_THUMB>(regs);
        match self.offset {
            Offset::Bytes(bytes) if mutant::is_chosen(Mutant::NegativeLiteral) => {
                base.wrapping_add(bytes.unsigned_abs().into())
            }
            offset => offset.added_to::<IS_THUMB>(base, regs),
        }
    }
}

/// Keeps the sign-extended value; its low bits are the unsigned one.
fn extended(unsigned: u32, signed: i32) -> u32 {
    if mutant::is_chosen(Mutant::SignIgnored) {
        return unsigned;
    }
    signed.cast_unsigned()
}

pub(super) fn load(memory: &mut impl Memory, address: u32, width: Width) -> Result<u32, Fault> {
    Ok(memory.load(address.into(), width)? as u32)
}

pub(super) fn store(
    memory: &mut impl Memory,
    address: u32,
    width: Width,
    value: u32,
) -> Result<(), Fault> {
    memory.store(address.into(), width, value.into())
}

/// Two consecutive words.
fn load_two(
    data: Register,
    next: Register,
    address: u32,
    regs: &mut Regs,
    memory: &mut impl Memory,
) -> Result<(), Fault> {
    let first = load(memory, address, Width::Four)?;
    let second = load(memory, address.wrapping_add(4), Width::Four)?;
    data.write(regs, first);
    next.write(regs, second);
    Ok(())
}

fn store_two<const IS_THUMB: bool>(
    data: Register,
    next: Register,
    address: u32,
    regs: &Regs,
    memory: &mut impl Memory,
) -> Result<(), Fault> {
    store(memory, address, Width::Four, data.read::<IS_THUMB>(regs))?;
    let second = next.read::<IS_THUMB>(regs);
    store(memory, address.wrapping_add(4), Width::Four, second)
}

/// How the address and the written-back base are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexing {
    /// `[base, offset]`.
    Offset,
    /// `[base, offset]!`.
    Before,
    /// `[base], offset`.
    After,
}

impl Indexing {
    /// Decodes P and W of `word`.
    pub(super) const fn of(word: u32) -> Self {
        match (bit(word, 24), bit(word, 21)) {
            (true, false) => Self::Offset,
            (true, true) => Self::Before,
            (false, _) => Self::After,
        }
    }
}

/// `ldr pc, [base, offset]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoadPc {
    base: Register,
    indexing: Indexing,
    offset: Offset,
}

impl LoadPc {
    /// Decodes `word`.
    pub(super) const fn new(word: u32, offset: Offset) -> Self {
        Self::of(Register::at(word, 16), Indexing::of(word), offset)
    }

    /// From its parts.
    pub(super) const fn of(base: Register, indexing: Indexing, offset: Offset) -> Self {
        Self {
            base,
            indexing,
            offset,
        }
    }

    /// Whether it takes the pc from the top of the stack.
    pub(super) fn pops(self) -> bool {
        let is_stack = self.base == Register::numbered(SP as u32);
        is_stack && self.indexing == Indexing::After
    }

    /// Whether it takes it from a constant distance to itself.
    pub(super) const fn is_literal(self) -> bool {
        self.base.is_pc()
    }

    pub(super) fn run<const IS_THUMB: bool>(
        self,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<Flow, Fault> {
        let base = self.base.base::<IS_THUMB>(regs);
        let moved = self.offset.added_to::<IS_THUMB>(base, regs);
        let late = self.indexing == Indexing::After && !mutant::is_chosen(Mutant::WriteBackFirst);
        let address = if late { base } else { moved };
        let target = load(memory, address, Width::Four)?;
        if self.indexing != Indexing::Offset {
            self.base.write(regs, moved);
        }
        Ok(exchange(target, regs))
    }
}

impl Datum {
    /// The mnemonic before the condition, and what follows it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::LoadWord => "ldr",
            Self::LoadByte => "ldrb",
            Self::LoadHalf => "ldrh",
            Self::LoadSignedByte => "ldrsb",
            Self::LoadSignedHalf => "ldrsh",
            Self::LoadDual => "ldrd",
            Self::StoreWord => "str",
            Self::StoreByte => "strb",
            Self::StoreHalf => "strh",
            Self::StoreDual => "strd",
        }
    }
}

/// `#-0x4`, `-r1, lsl #0x2`.
impl fmt::Display for Offset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bytes(bytes) if bytes < 0 => write!(out, "#-{:#x}", bytes.unsigned_abs()),
            Self::Bytes(bytes) => write!(out, "#{bytes:#x}"),
            Self::Register {
                register,
                shift,
                down,
            } => {
                let sign = if down { "-" } else { "" };
                write!(out, "{sign}{register}{shift}")
            }
        }
    }
}

/// `r0, [pc, #0x8]`.
impl fmt::Display for Transfer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.data;
        write!(out, "{data}, ")?;
        if matches!(self.datum, Datum::LoadDual | Datum::StoreDual) {
            write!(out, "{}, ", self.second)?;
        }
        write!(out, "[{}, {}]", self.base, self.offset)
    }
}

/// `pc, [r1], #0x4`.
impl fmt::Display for LoadPc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (base, offset) = (self.base, self.offset);
        match self.indexing {
            Indexing::Offset => write!(out, "pc, [{base}, {offset}]"),
            Indexing::Before => write!(out, "pc, [{base}, {offset}]!"),
            Indexing::After => write!(out, "pc, [{base}], {offset}"),
        }
    }
}
