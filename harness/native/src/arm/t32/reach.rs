//! The memory that an instruction accesses. Decoded here independently of the engine's table, which
//! is under test.

use crate::arm::safe::{self, Reach};
use crate::arm::{SP, State};

/// The access that it makes with these registers, if any. It must be aligned where the kernel would
/// neither allow an unaligned one nor perform it: of that it warns in its log.
pub fn reach(word: u32, state: &State) -> Option<Reach> {
    let registers = &state.registers;
    if word >> 27 < 0b1_1101 {
        return short(word >> 16, registers);
    }
    match word >> 25 & 0xf {
        0b0100 if bit(word, 22) => two(word, registers),
        0b1100 if bit(word, 24) && !bit(word, 20) => {
            // A32 has elements of vectors in another place, with the same operands.
            safe::reach(0xf400_0000 | word & 0x00ff_ffff, registers, state.cpsr)
        }
        0b1100 => one(word, registers),
        // Lists and coprocessors are as in A32.
        0b0100 | 0b0110 | 0b0111 => safe::reach(word, registers, state.cpsr),
        _ => None,
    }
}

fn bit(word: u32, number: u32) -> bool {
    word >> number & 1 == 1
}

fn register(word: u32, lowest: u32, registers: &[u32; 16]) -> u32 {
    registers[(word >> lowest & 0xf) as usize]
}

/// A low register of an instruction of 16 bits.
fn low(half: u32, lowest: u32, registers: &[u32; 16]) -> u32 {
    registers[(half >> lowest & 7) as usize]
}

fn access(address: u32, bytes: u32, is_read: bool) -> Option<Reach> {
    Some(Reach {
        address,
        bytes,
        aligned: 1,
        is_read,
    })
}

/// An instruction of 16 bits.
fn short(half: u32, registers: &[u32; 16]) -> Option<Reach> {
    let (base, constant) = (low(half, 3, registers), half >> 6 & 0x1f);
    let constant = |bytes: u32| access(base.wrapping_add(constant * bytes), bytes, bit(half, 11));
    match half >> 12 {
        0b0101 => {
            const BYTES: [u32; 8] = [4, 2, 1, 1, 4, 2, 1, 2];
            let kind = half >> 9 & 7;
            let address = base.wrapping_add(low(half, 6, registers));
            access(address, BYTES[kind as usize], kind >= 3)
        }
        0b0110 => constant(4),
        0b0111 => constant(1),
        0b1000 => constant(2),
        0b1001 => {
            let offset = 4 * (half & 0xff);
            access(registers[SP].wrapping_add(offset), 4, bit(half, 11))
        }
        0b1011 if half >> 8 & 0xf == 0b1100 => access(registers[SP], listed(half), true),
        0b1100 => access(low(half, 8, registers), listed(half), bit(half, 11)),
        _ => None,
    }
}

/// Bytes of a list of low registers.
fn listed(half: u32) -> u32 {
    4 * (half & 0xff).count_ones()
}

/// The same, at a multiple of its size.
fn aligned(address: u32, bytes: u32, is_read: bool) -> Option<Reach> {
    let aligned = bytes;
    access(address, bytes, is_read).map(|reach| Reach { aligned, ..reach })
}

/// Two registers, or exclusive.
fn two(word: u32, registers: &[u32; 16]) -> Option<Reach> {
    let base = register(word, 16, registers);
    let (indexed, up, back) = (bit(word, 24), bit(word, 23), bit(word, 21));
    let offset = 4 * (word & 0xff);
    let is_read = bit(word, 20);
    match (indexed, up, back) {
        (false, false, false) => aligned(base.wrapping_add(offset), 4, is_read),
        (false, true, false) => match word >> 4 & 0xf {
            0b0100 => aligned(base, 1, is_read),
            0b0101 => aligned(base, 2, is_read),
            0b0111 => aligned(base, 8, is_read),
            // The tables of branches, which are emulated.
            _ => None,
        },
        (false, _, _) => access(base, 8, is_read),
        (true, true, _) => access(base.wrapping_add(offset), 8, is_read),
        (true, false, _) => access(base.wrapping_sub(offset), 8, is_read),
    }
}

/// One register.
fn one(word: u32, registers: &[u32; 16]) -> Option<Reach> {
    let (size, is_read) = (word >> 21 & 3, bit(word, 20));
    if word >> 12 & 0xf == 0xf && is_read && size < 2 {
        // A hint.
        return None;
    }
    let (base, constant) = (register(word, 16, registers), word & 0xff);
    let address = match (bit(word, 23), bit(word, 11)) {
        (true, _) => base.wrapping_add(word & 0xfff),
        (false, false) => base.wrapping_add(register(word, 0, registers) << (word >> 4 & 3)),
        (false, true) => match (bit(word, 10), bit(word, 9)) {
            (false, _) => base,
            (true, true) => base.wrapping_add(constant),
            (true, false) => base.wrapping_sub(constant),
        },
    };
    access(address, 1 << size, is_read)
}
