//! Thumb instructions that the trap handler emulates on the saved registers: those that read or
//! write the pc or the state of an IT block, and those that functions commonly begin with.

use crate::arm::action::{Action, Emulation};
use crate::arm::compute::Compute;
use crate::arm::list::LoadList;
use crate::arm::operand::{Register, Registers, Shift, bit, bits};
use crate::arm::state::Block;
use crate::arm::transfer::{Datum, Indexing, LoadPc, Offset, Transfer};
use crate::arm::{PC, SP};
use crate::mutant::{self, Mutant};

/// An instruction of 16 bits without effect.
pub(super) const fn nop() -> Emulation {
    Action::Nop.short()
}

/// One of 32 bits.
pub(super) const fn hint() -> Emulation {
    Action::Nop.long()
}

/// `it`, with its condition and its mask.
pub(super) const fn block(condition: u32, mask: u32) -> Emulation {
    Action::Begin(Block::begun((condition << 4 | mask) as u8)).short()
}

/// The number of a register whose highest bit is four places above the others.
const fn high(number: u32) -> u32 {
    number & 0b111 | number >> 4 & 0b1000
}

/// `add pc, rm`.
pub(super) const fn add_to_pc(register: u32) -> Emulation {
    Action::Compute(Compute::plain(PC as u32, Some(PC as u32), register)).short()
}

/// `add rdn, pc`.
pub(super) const fn add_pc(number: u32) -> Emulation {
    let number = high(number);
    Action::Compute(Compute::plain(number, Some(number), PC as u32)).short()
}

/// `mov pc, rm`.
pub(super) const fn copy_to_pc(register: u32) -> Emulation {
    Action::Compute(Compute::plain(PC as u32, None, register)).short()
}

/// `mov rd, pc`.
pub(super) const fn copy_of_pc(number: u32) -> Emulation {
    Action::Compute(Compute::plain(high(number), None, PC as u32)).short()
}

/// `bx rm`.
pub(super) const fn bx(register: u32) -> Emulation {
    let to = Register::numbered(register);
    Action::Exchange { to }.short()
}

/// `blx rm`.
pub(super) const fn blx_register(register: u32) -> Emulation {
    let to = Register::numbered(register);
    Action::CallRegister { to }.short()
}

/// `adr rd`, by a number of words.
pub(super) const fn adr_short(to: u32, words: u32) -> Emulation {
    let to = Register::numbered(to);
    let by = (words << 2) as i16;
    Action::Address { to, by }.short()
}

/// `adr.w rd`: a sum, or a difference if bit 23 is set.
pub(super) const fn adr(word: u32, to: u32) -> Emulation {
    let to = Register::numbered(to);
    let bytes = plain(word) as i16;
    let by = if bit(word, 23) {
        bytes.wrapping_neg()
    } else {
        bytes
    };
    Action::Address { to, by }.long()
}

/// A constant of twelve bits in three parts.
pub(super) const fn plain(word: u32) -> u32 {
    bits(word, 26, 1) << 11 | bits(word, 12, 3) << 8 | bits(word, 0, 8)
}

/// The constant that these twelve bits stand for (ThumbExpandImm, A6.3.2).
pub(super) const fn expanded(twelve: u32) -> u32 {
    let byte = twelve & 0xff;
    match twelve >> 8 {
        0b0000 => byte,
        0b0001 => byte << 16 | byte,
        0b0010 => byte << 24 | byte << 8,
        0b0011 => byte << 24 | byte << 16 | byte << 8 | byte,
        _ => (byte | 0x80).rotate_right(twelve >> 7),
    }
}

/// `sub sp, #imm`, by a number of words.
pub(super) const fn lower_sp_short(words: u32) -> Emulation {
    Action::LowerSp { by: words << 2 }.short()
}

/// `sub.w sp, sp, #imm`.
pub(super) const fn lower_sp(word: u32) -> Emulation {
    let by = expanded(plain(word));
    Action::LowerSp { by }.long()
}

/// `subw sp, sp, #imm`.
pub(super) const fn lower_sp_plain(word: u32) -> Emulation {
    Action::LowerSp { by: plain(word) }.long()
}

const fn push_all(registers: Registers) -> Action {
    let bytes = registers.bytes() as u8;
    Action::Push { registers, bytes }
}

/// `push {list}`, with lr if the bit is set.
pub(super) const fn push_short(lr: u32, list: u32) -> Emulation {
    push_all(Registers((list | lr << 14) as u16)).short()
}

/// `push.w {list}`.
pub(super) const fn push(word: u32) -> Emulation {
    push_all(Registers(word as u16)).long()
}

/// `push.w {rt}`.
pub(super) const fn push_one(register: u32) -> Emulation {
    push_all(Registers::only(register)).long()
}

/// `pop {list, pc}`.
pub(super) fn pop_pc(list: u32) -> Emulation {
    /// Upwards, with the base written back, as the bits of a long instruction say it.
    const POPS: u32 = 1 << 23 | 1 << 21;
    let registers = Registers((list | 1 << PC) as u16);
    let base = Register::numbered(SP as u32);
    Action::LoadList(LoadList::of(POPS, registers, base)).short()
}

/// A load multiple with the pc in its list.
pub(super) fn load_list(word: u32) -> Emulation {
    Action::LoadList(LoadList::new(word)).long()
}

/// `value`, of this many bits, with its sign.
const fn signed(value: u32, count: u32) -> i32 {
    let unused = 32_u32.wrapping_sub(count);
    value
        .wrapping_shl(unused)
        .cast_signed()
        .wrapping_shr(unused)
}

/// `b` of 16 bits under a condition.
pub(super) const fn b_if_short(condition: u32, halves: u32) -> Emulation {
    let by = signed(halves << 1, 9);
    Action::Branch { by }.short_if(condition)
}

/// `b` of 16 bits.
pub(super) const fn b_short(halves: u32) -> Emulation {
    let by = signed(halves << 1, 12);
    Action::Branch { by }.short()
}

/// `b.w` under a condition.
pub(super) const fn b_if(word: u32, condition: u32) -> Emulation {
    let (s, j1, j2) = (bits(word, 26, 1), bits(word, 13, 1), bits(word, 11, 1));
    let far = s << 20 | j2 << 19 | j1 << 18 | bits(word, 16, 6) << 12 | bits(word, 0, 11) << 1;
    let by = signed(far, 21);
    Action::Branch { by }.long_if(condition)
}

/// How far `b.w`, `bl` and `blx` go.
pub(super) fn far(word: u32) -> i32 {
    let s = bits(word, 26, 1);
    let inverted = |j| {
        if mutant::is_chosen(Mutant::SignOfBranch) {
            return j;
        }
        (j ^ s) ^ 1
    };
    let (i1, i2) = (inverted(bits(word, 13, 1)), inverted(bits(word, 11, 1)));
    let far = s << 24 | i1 << 23 | i2 << 22 | bits(word, 16, 10) << 12 | bits(word, 0, 11) << 1;
    signed(far, 25)
}

/// `b.w`.
pub(super) fn b(word: u32) -> Emulation {
    let by = far(word);
    Action::Branch { by }.long()
}

/// `bl`.
pub(super) fn bl(word: u32) -> Emulation {
    let by = far(word);
    Action::Call { by }.long()
}

/// `blx`: ARM instructions follow.
pub(super) fn blx(word: u32) -> Emulation {
    let by = far(word);
    Action::CallOther { by }.long()
}

/// `cbz`, or `cbnz` if the bit is set. The highest bit of the distance is two places above the
/// others.
pub(super) const fn cbz(is_other: u32, halves: u32, register: u32) -> Emulation {
    let halves = halves & 0b1_1111 | halves >> 1 & 0b10_0000;
    let action = Action::BranchIf {
        register: Register::numbered(register),
        is_zero: is_other == 0,
        by: (halves << 1) as u8,
    };
    action.short()
}

/// `tbb`, or `tbh` if bit 4 is set.
pub(super) const fn table(word: u32) -> Emulation {
    let action = Action::Table {
        base: Register::at(word, 16),
        index: Register::at(word, 0),
        by_halves: bit(word, 4),
    };
    action.long()
}

/// A number of bytes up, or down if bit 23 is not set.
const fn offset(word: u32, bytes: u32) -> i16 {
    let bytes = bytes as i16;
    if bit(word, 23) {
        bytes
    } else {
        bytes.wrapping_neg()
    }
}

/// `ldr rt, [pc, #imm]` of 16 bits.
pub(super) const fn ldr_literal_short(data: u32, words: u32) -> Emulation {
    let bytes = (words << 2) as i16;
    Action::Transfer(Transfer::of_literal(Datum::LoadWord, data, data, bytes)).short()
}

/// `ldr.w rt, [pc, #imm]`.
pub(super) const fn ldr_literal(word: u32, data: u32) -> Emulation {
    of_literal(Datum::LoadWord, word, data)
}

const fn of_literal(datum: Datum, word: u32, data: u32) -> Emulation {
    let bytes = offset(word, bits(word, 0, 12));
    Action::Transfer(Transfer::of_literal(datum, data, data, bytes)).long()
}

/// The loads of bytes and halfwords from the pc: the sign in bit 24, the size in bit 21.
pub(super) const fn literal(word: u32, data: u32) -> Emulation {
    let datum = match (bit(word, 24), bit(word, 21)) {
        (false, false) => Datum::LoadByte,
        (false, true) => Datum::LoadHalf,
        (true, false) => Datum::LoadSignedByte,
        (true, true) => Datum::LoadSignedHalf,
    };
    of_literal(datum, word, data)
}

/// `ldrd rt, rt2, [pc, #imm]`.
pub(super) const fn dual_literal(word: u32, first: u32, second: u32) -> Emulation {
    let bytes = offset(word, bits(word, 0, 8) << 2);
    Action::Transfer(Transfer::of_literal(Datum::LoadDual, first, second, bytes)).long()
}

/// `ldr pc, [pc, #imm]`.
pub(super) const fn load_pc_literal(word: u32) -> Emulation {
    let bytes = Offset::Bytes(offset(word, bits(word, 0, 12)));
    load_pc_at(word, Indexing::Offset, bytes)
}

const fn load_pc_at(word: u32, indexing: Indexing, offset: Offset) -> Emulation {
    Action::LoadPc(LoadPc::of(Register::at(word, 16), indexing, offset)).long()
}

/// `ldr pc` at a constant offset: of twelve bits, or of eight with the indexing in bits 10 to 8.
pub(super) const fn load_pc(word: u32) -> Emulation {
    if bit(word, 23) {
        return load_pc_at(
            word,
            Indexing::Offset,
            Offset::Bytes(bits(word, 0, 12) as i16),
        );
    }
    let bytes = bits(word, 0, 8) as i16;
    let bytes = if bit(word, 9) {
        bytes
    } else {
        bytes.wrapping_neg()
    };
    let indexing = match (bit(word, 10), bit(word, 8)) {
        (true, false) => Indexing::Offset,
        (true, true) => Indexing::Before,
        (false, _) => Indexing::After,
    };
    load_pc_at(word, indexing, Offset::Bytes(bytes))
}

/// `ldr pc` at an offset in a register.
pub(super) const fn load_pc_register(word: u32) -> Emulation {
    let offset = Offset::Register {
        register: Register::at(word, 0),
        shift: Shift::left(bits(word, 4, 2)),
        down: false,
    };
    load_pc_at(word, Indexing::Offset, offset)
}

#[cfg(test)]
mod tests {
    use super::expanded;

    #[test]
    fn twelve_bits_are_a_pattern_or_a_rotated_byte() {
        for (twelve, constant) in [
            (0x0ab, 0xab),
            (0x1ab, 0x00ab_00ab),
            (0x2ab, 0xab00_ab00),
            (0x3ab, 0xabab_abab),
            (0x401, 0x8080_0000_u32 & 0x8000_0000 | 0x0100_0000),
            (0x4ff, 0x7f80_0000),
            (0xf80, 0x0000_0100),
            (0xfff, 0x0000_01fe),
        ] {
            assert_eq!(expanded(twelve), constant, "{twelve:03x}");
        }
    }
}
