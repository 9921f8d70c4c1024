//! A32 instructions that the trap handler emulates on the saved registers: those that read or write
//! the pc, and those that functions commonly begin with.

use crate::arm::action::{Action, Emulation};
use crate::arm::compute::Compute;
use crate::arm::list::LoadList;
use crate::arm::operand::{Register, Registers};
use crate::arm::transfer::{Datum, LoadPc, Offset, Transfer};

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
    Action::CallOther { by }.always()
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
