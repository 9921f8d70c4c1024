//! The operands of instructions.

use core::fmt;

use super::{LR, PC, Regs, SP};
use crate::Why;
use crate::mutant::{self, Mutant};

/// `count` bits of `word`, from bit `low` up.
pub(super) const fn bits(word: u32, low: u32, count: u32) -> u32 {
    let mask = 1_u32.wrapping_shl(count).wrapping_sub(1);
    word.wrapping_shr(low) & mask
}

/// Why another mode's banked register, or its SPSR, with this number (B9.2.3) is not read or
/// written in a slot, if so.
///
/// The registers of the mode that traps are taken in, and the SPSR of the mode that the kernel then
/// handles them in, have been overwritten by the trap; those of abort mode may have been, by a
/// fault that a program caused.
pub(super) const fn banked(is_spsr: u32, number: u32) -> Option<Why> {
    const SVC: u32 = 0b1_0010;
    const ABT: u32 = 0b1_0100;
    const UND: u32 = 0b1_0110;
    match (is_spsr, number) {
        (1, SVC) | (_, ABT | UND) => Some(Why::Spsr),
        (1, 0b0_1110 | 0b1_0000 | 0b1_1100 | 0b1_1110) => None,
        (0, 0b0_0111 | 0b0_1111 | 0b1_1000..=0b1_1011) => Some(Why::Unpredictable),
        (0, _) => None,
        (_, _) => Some(Why::Unpredictable),
    }
}

/// Whether `cps` is defined: a mode only if M is set, interrupt bits only if imod changes them, and at
/// least one of the two.
pub(super) const fn is_cps(imod: u32, m: u32, interrupts: u32, mode: u32) -> bool {
    let changes_interrupts = imod & 0b10 != 0;
    let changes_mode = m == 1;
    let says_mode = changes_mode || mode == 0;
    let says_interrupts = changes_interrupts == (interrupts != 0);
    let changes = changes_interrupts || changes_mode;
    imod != 0b01 && says_mode && says_interrupts && changes
}

/// A register by its number, 0 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register(u8);

impl Register {
    /// The register named by the four bits of `word` from `low` up.
    pub(super) const fn at(word: u32, low: u32) -> Self {
        Self(bits(word, low, 4) as u8)
    }

    /// The register with this number.
    pub(super) const fn numbered(number: u32) -> Self {
        Self((number & 0b1111) as u8)
    }

    /// The register with the next number.
    pub(super) const fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// Whether this is the pc.
    pub(super) const fn is_pc(self) -> bool {
        self.0 as usize == PC
    }

    /// Its value as an instruction reads it: the pc is the instruction's address plus 8, or plus 4
    /// in Thumb state.
    pub(super) fn read<const IS_THUMB: bool>(self, regs: &Regs) -> u32 {
        let value = self.saved(regs);
        if self.is_pc() {
            value.wrapping_add(pc_ahead::<IS_THUMB>())
        } else {
            value
        }
    }

    /// Its value as the base of an address: of the pc, `Align(PC, 4)`.
    pub(super) fn base<const IS_THUMB: bool>(self, regs: &Regs) -> u32 {
        let value = self.read::<IS_THUMB>(regs);
        if self.is_pc() && !mutant::is_chosen(Mutant::BaseUnaligned) {
            value & !0b11
        } else {
            value
        }
    }

    /// Its saved value.
    pub(super) fn saved(self, regs: &Regs) -> u32 {
        let place = usize::from(self.0 & 0xf);
        regs.r.get(place).copied().unwrap_or(0)
    }

    /// Writes its saved value.
    pub(super) fn write(self, regs: &mut Regs, value: u32) {
        let place = usize::from(self.0 & 0xf);
        if let Some(register) = regs.r.get_mut(place) {
            *register = value;
        }
    }
}

/// How far the pc that an instruction reads is ahead of the instruction, in bytes.
pub(super) fn pc_ahead<const IS_THUMB: bool>() -> u32 {
    let is_near = IS_THUMB && !mutant::is_chosen(Mutant::PcPlus8);
    if is_near || mutant::is_chosen(Mutant::PcPlus4) {
        return 4;
    }
    8
}

impl fmt::Display for Register {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match usize::from(self.0) {
            SP => out.write_str("sp"),
            LR => out.write_str("lr"),
            PC => out.write_str("pc"),
            number => write!(out, "r{number}"),
        }
    }
}

/// A set of registers: bit n is register n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers(pub(super) u16);

impl Registers {
    /// The set of one register.
    pub(super) const fn only(register: u32) -> Self {
        Self(1_u16.wrapping_shl(register))
    }

    /// The set's size in memory, in bytes.
    pub(super) const fn bytes(self) -> u32 {
        self.0.count_ones().wrapping_mul(4)
    }

    /// Its members, lowest first.
    pub(super) fn members(self) -> impl Iterator<Item = Register> {
        let mut left = u32::from(self.0);
        core::iter::from_fn(move || {
            let lowest = (left != 0).then(|| left.trailing_zeros());
            left &= left.wrapping_sub(1);
            lowest.map(|number| Register(number as u8))
        })
    }
}

/// `{r4, r5, lr}`.
impl fmt::Display for Registers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "{";
        for register in self.members() {
            write!(out, "{separator}{register}")?;
            separator = ", ";
        }
        out.write_str("}")
    }
}

/// A constant shift of an operand: the amount in bits 6 to 2, the kind in bits 1 and 0 (A8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shift(u8);

impl Shift {
    /// Decodes the shift in `word`.
    pub(super) const fn of(word: u32) -> Self {
        Self(bits(word, 5, 7) as u8)
    }

    /// To the left, by up to 31.
    pub(super) const fn left(by: u32) -> Self {
        Self((by << 2) as u8)
    }

    const fn amount(self) -> u32 {
        (self.0 >> 2) as u32
    }

    /// `value` shifted, and the last bit shifted out, or `carry` if none was (A8.4.3).
    pub(super) fn shift(self, value: u32, carry: bool) -> (u32, bool) {
        let (shifted, out) = self.shift_by_the_manual(value, carry);
        (shifted, out != mutant::is_chosen(Mutant::WrongCarry))
    }

    const fn shift_by_the_manual(self, value: u32, carry: bool) -> (u32, bool) {
        // A right shift by 32 is encoded as 0.
        let down = self.amount().wrapping_sub(1) & 0x1f;
        match (self.0 & 0b11, self.amount()) {
            (0b00, 0) => (value, carry),
            (0b00, up) => (value.wrapping_shl(up), bit(value, 32_u32.wrapping_sub(up))),
            (0b01, _) => (value.wrapping_shr(down) >> 1, bit(value, down)),
            (0b10, _) => (arithmetic_shift(value, down), bit(value, down)),
            (_, 0) => ((carry as u32) << 31 | value >> 1, bit(value, 0)),
            (_, by) => (value.rotate_right(by), bit(value, down)),
        }
    }
}

/// `value` shifted right arithmetically by `less_one` plus 1.
const fn arithmetic_shift(value: u32, less_one: u32) -> u32 {
    (value.cast_signed().wrapping_shr(less_one) >> 1).cast_unsigned()
}

/// Whether bit `number` of `value` is set.
pub(super) const fn bit(value: u32, number: u32) -> bool {
    value.wrapping_shr(number) & 1 == 1
}

/// `, lsl #0x2`; empty for no shift.
impl fmt::Display for Shift {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = self.amount();
        match (self.0 & 0b11, amount) {
            (0b00, 0) => Ok(()),
            (0b00, _) => write!(out, ", lsl #{amount:#x}"),
            (0b01, 0) => out.write_str(", lsr #0x20"),
            (0b01, _) => write!(out, ", lsr #{amount:#x}"),
            (0b10, 0) => out.write_str(", asr #0x20"),
            (0b10, _) => write!(out, ", asr #{amount:#x}"),
            (_, 0) => out.write_str(", rrx"),
            (_, _) => write!(out, ", ror #{amount:#x}"),
        }
    }
}
