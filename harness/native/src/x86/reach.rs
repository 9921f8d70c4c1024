//! Whether an instruction accesses only the memory lent to it. Decoded independently of the engine.

use super::State;
use super::reading::{Map, Operand, Reading};
use crate::image::{self, Part};
use crate::places::Places;

/// Upper bound of the bytes of one access.
const ACCESS: u64 = 128;

/// Most iterations of a repeated string instruction.
const REPEATED: u64 = 64;

/// Upper bound of the bytes it covers, in either direction.
const STRETCH: u64 = 8 * REPEATED + 8;

const CX: u8 = 1;
const BX: u8 = 3;
const SP: u8 = 4;
const BP: u8 = 5;
const SI: u8 = 6;
const DI: u8 = 7;

/// Whether its operand and its implied accesses, with these registers, are in lent memory.
pub fn is_inside(reading: &Reading, state: &State, places: &Places) -> bool {
    let operand = reading.operand.filter(|_| reaches_operand(reading));
    let named = operand.is_none_or(|operand| {
        let address = address(reading, &operand, state, places);
        is_lent(address, 0, ACCESS, state, places) && bits_are_near(reading, state)
    });
    named && implied_is_inside(reading, state, places)
}

/// Whether it accesses its memory operand: LEA, prefetches and the like do not.
fn reaches_operand(reading: &Reading) -> bool {
    match (reading.map, reading.opcode) {
        (Map::One, 0x8d) => false,
        (Map::Two, 0x0d | 0x18..=0x1f) => reading.is_vex,
        _ => true,
    }
}

fn address(reading: &Reading, operand: &Operand, state: &State, places: &Places) -> u64 {
    let base = match operand.is_relative {
        true => places.site + reading.length as u64,
        false => operand.base.map_or(0, |base| state.general(base)),
    };
    let index = operand.index;
    let index = index.map_or(0, |(index, shift)| state.general(index) << shift);
    let address = base
        .wrapping_add(index)
        .wrapping_add_signed(operand.displacement);
    match reading.has_short_address {
        true => address & u64::from(u32::MAX),
        false => address,
    }
}

/// Whether the range is in the data, or in the stack at or above the stack pointer.
fn is_lent(address: u64, below: u64, above: u64, state: &State, places: &Places) -> bool {
    let lowest = address.wrapping_sub(below);
    match image::part(lowest, below + above, places) {
        Some(Part::Data(_)) => true,
        Some(Part::Stack(_)) => lowest >= state.general(SP),
        _ => false,
    }
}

/// Bit tests with a register as the bit number can address memory far from the operand.
fn bits_are_near(reading: &Reading, state: &State) -> bool {
    let by_register =
        reading.map == Map::Two && matches!(reading.opcode, 0xa3 | 0xab | 0xb3 | 0xbb);
    let number = reading.modrm.map_or(0, |modrm| state.general(modrm.reg));
    !by_register || reading.is_vex || number < 8 * (ACCESS - 8)
}

/// Accesses implied by the opcode. A short address is in the lower half of the register.
fn implied_is_inside(reading: &Reading, state: &State, places: &Places) -> bool {
    let general = |register| match reading.has_short_address {
        true => state.general(register) & u64::from(u32::MAX),
        false => state.general(register),
    };
    let around = |register| is_lent(general(register), STRETCH, STRETCH, state, places);
    let at = |address| is_lent(address, 0, ACCESS, state, places);
    let repeats_little = !reading.repeats || general(CX) <= REPEATED;
    match (reading.map, reading.opcode) {
        (Map::One, 0xa4..=0xa7) => repeats_little && around(SI) && around(DI),
        (Map::One, 0xaa | 0xab | 0xae | 0xaf) => repeats_little && around(DI),
        (Map::One, 0xac | 0xad) => repeats_little && around(SI),
        (Map::One, 0xd7) => at(general(BX)) && at(general(BX) + 255),
        (Map::One, 0xc9) => {
            let frame = state.general(BP);
            frame.is_multiple_of(8)
                && at(frame)
                && matches!(image::part(frame, 8, places), Some(Part::Stack(_)))
                && frame + 512 < places.stack + places.stack_size
        }
        (Map::Two, 0xf7) => at(general(DI)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use zerocopy::FromZeros;

    use super::super::GENERAL;
    use super::*;

    /// stosq, movsb, xlat and maskmovq, each with a whole address and with a short one.
    #[test]
    fn a_short_address_of_a_string_is_elsewhere() {
        let places = Places {
            data: 0xffff_ffff_c029_0000,
            data_size: 8192,
            ..Places::default()
        };
        let mut state = State::new_zeroed();
        for register in [BX, SI, DI] {
            state.registers[GENERAL[usize::from(register)]] = places.data + 4096;
        }
        let inside = |bytes: &[u8]| {
            let reading = Reading::of(bytes).unwrap();
            is_inside(&reading, &state, &places)
        };
        for bytes in [&[0x48, 0xab][..], &[0xa4], &[0xd7], &[0x0f, 0xf7, 0xc1]] {
            assert!(inside(bytes), "{bytes:x?}");
            assert!(!inside(&[&[0x67], bytes].concat()), "67 {bytes:x?}");
        }
    }
}
