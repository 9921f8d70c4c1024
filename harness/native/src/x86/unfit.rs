//! Which instructions are not run at all. Decoded independently of the engine.

use super::reading::{Map, ModRm, Reading};

const MACHINE: &str = "it reads or changes system state";
/// Reason for instructions that write the stack pointer.
pub const SETS_SP: &str = "it can set the stack pointer to any value";
/// It has the prefix DS where LOCK could stand.
pub const UNLOCKED: &str = "the kernel may have removed its LOCK prefix";
const ELSEWHERE: &str = "its memory operand is not at the address that its registers give";
const WHERE: &str = "it stores its own address";
const CHANCE: &str = "its result varies between runs";
const LOST: &str = "it has a prefix that processors ignore but QEMU does not";
const ABORTS: &str = "QEMU aborts on it";
const WIDE: &str = "no guest's processor implements it";

const SP: u8 = 4;

/// Why an instruction must not be run, or `None` if it may.
pub fn unfit(reading: &Reading) -> Option<&'static str> {
    if reading.is_evex {
        return Some(WIDE);
    }
    if reading.has_lost_rex || extends_mmx(reading) {
        return Some(LOST);
    }
    if reading.segment && (reading.operand.is_some() || implies_memory(reading)) {
        return Some(ELSEWHERE);
    }
    let selects = reading.modrm.map_or(8, |modrm| modrm.reg & 7);
    let is_register = reading.modrm.is_some_and(|modrm| modrm.is_register);
    let of_map = match reading.map {
        Map::One => one(reading, selects, is_register),
        Map::Two => two(reading, selects, is_register),
        Map::Three8 => three(reading),
        // QEMU's translation of VROUNDSS and VROUNDSD asserts that VEX.L, which processors ignore there, is clear.
        Map::Three10 if reading.vex_l => matches!(reading.opcode, 0x0a | 0x0b).then_some(ABORTS),
        Map::Three10 => None,
    };
    of_map.or_else(|| writes_sp(reading).then_some(SETS_SP))
}

/// Whether REX.B extends the number of an MMX register in ModRM.rm. There are eight of them, and processors ignore
/// it; QEMU 7.2 to 9.0 reads and writes what its processor's state has behind them, such as how SSE rounds. REX.R does
/// the same in those released before September 2024, which are not provided for.
fn extends_mmx(reading: &Reading) -> bool {
    let is_mmx = match reading.map {
        Map::One => false,
        Map::Two => {
            matches!(reading.opcode, 0x60..=0x6b | 0x6f..=0x76 | 0x7f | 0xc5 | 0xd1..=0xfe)
        }
        Map::Three8 => matches!(reading.opcode, 0x00..=0x0b | 0x1c..=0x1e),
        Map::Three10 => reading.opcode == 0x0f,
    };
    let is_sse = reading.is_vex || reading.is_short || reading.repeats;
    let is_register = reading.modrm.is_some_and(|modrm| modrm.is_register);
    is_mmx && !is_sse && is_register && reading.rex & 1 != 0
}

/// Whether its opcode implies memory that a segment's base is added to: strings, XLAT, MASKMOVQ and (V)MASKMOVDQU.
fn implies_memory(reading: &Reading) -> bool {
    match reading.map {
        Map::One => matches!(reading.opcode, 0xa4..=0xa7 | 0xaa..=0xaf | 0xd7),
        Map::Two => reading.opcode == 0xf7,
        Map::Three8 | Map::Three10 => false,
    }
}

fn one(reading: &Reading, selects: u8, is_register: bool) -> Option<&'static str> {
    match reading.opcode {
        0x6c..=0x6f | 0x8e | 0x9a | 0x9d | 0xca..=0xcf | 0xe4..=0xe7 | 0xec..=0xef => Some(MACHINE),
        0xf1 | 0xf4 | 0xfa | 0xfb => Some(MACHINE),
        0xff if matches!(selects, 3 | 5 | 7) => Some(MACHINE),
        0xa0..=0xa3 => Some(ELSEWHERE),
        // ENTER: its frame may not fit on the stack.
        0xc8 => Some(SETS_SP),
        // XABORT and XBEGIN, which QEMU takes for moves, and XOP.
        0xc6 | 0xc7 | 0x8f if selects != 0 => Some(WIDE),
        0xd9 | 0xdd if !is_register && matches!(selects, 4 | 6) => Some(WHERE),
        _ => None,
    }
}

fn two(reading: &Reading, selects: u8, is_register: bool) -> Option<&'static str> {
    if reading.is_vex {
        return None;
    }
    match reading.opcode {
        0x00..=0x09 | 0x1a | 0x1b | 0x20..=0x27 | 0x30 | 0x32 | 0x34..=0x37 => Some(MACHINE),
        0x78 | 0x79 | 0xa1 | 0xa2 | 0xa6 | 0xa7 | 0xa9 | 0xaa | 0xb2 | 0xb4 | 0xb5 => Some(MACHINE),
        0x31 | 0x33 => Some(CHANCE),
        0xae if is_register => (reading.repeats || reading.is_short).then_some(MACHINE),
        0xae => matches!(selects, 0 | 1 | 4 | 5 | 6).then_some(MACHINE),
        0xc7 if is_register => Some(CHANCE),
        0xc7 => (selects != 1).then_some(MACHINE),
        _ => None,
    }
}

fn three(reading: &Reading) -> Option<&'static str> {
    match reading.opcode {
        0x80..=0x82 => Some(MACHINE),
        0x90..=0x93 if reading.is_vex => Some(ELSEWHERE),
        0xf5 | 0xf6 if !reading.is_vex && !reading.repeats && reading.operand.is_some() => {
            (reading.opcode == 0xf5).then_some(MACHINE)
        }
        0xf8 | 0xf9 if !reading.is_vex => Some(ELSEWHERE),
        _ => None,
    }
}

/// Whether it may write the stack pointer other than by push, pop or a small amount.
fn writes_sp(reading: &Reading) -> bool {
    let in_opcode = reading.opcode & 7 == SP && reading.rex & 1 == 0;
    if reading.map == Map::One && matches!(reading.opcode, 0x58..=0x5f | 0x90..=0x97 | 0xb0..=0xbf)
    {
        return in_opcode;
    }
    if reading.map == Map::Two && matches!(reading.opcode, 0xc8..=0xcf) {
        return in_opcode;
    }
    let Some(modrm) = reading.modrm else {
        return false;
    };
    let rm = modrm.is_register && modrm.rm == SP;
    let reg = modrm.reg == SP;
    match reading.map {
        Map::One => one_writes_sp(reading, modrm, reg, rm),
        Map::Two => match reading.opcode {
            0x2c
            | 0x2d
            | 0x40..=0x4f
            | 0x50
            | 0x93
            | 0xaf
            | 0xb6..=0xb8
            | 0xbc..=0xbf
            | 0xc5
            | 0xd7 => reg || rm,
            0x7e | 0x90..=0x92 | 0x94..=0x9f | 0xa4 | 0xa5 | 0xab..=0xad | 0xb3 | 0xba | 0xbb => rm,
            0xb0 | 0xb1 | 0xc0 | 0xc1 => reg || rm,
            _ => false,
        },
        Map::Three8 => reading.opcode >= 0xf0 && (reg || rm || reading.third == SP),
        Map::Three10 => matches!(reading.opcode, 0x14..=0x17 | 0xf0) && (reg || rm),
    }
}

fn one_writes_sp(reading: &Reading, modrm: ModRm, reg: bool, rm: bool) -> bool {
    match reading.opcode {
        0x38..=0x3b | 0x84 | 0x85 | 0xd8..=0xdf => false,
        0x00..=0x3f if reading.opcode & 2 == 0 => rm,
        0x00..=0x3f | 0x63 | 0x69 | 0x6b | 0x8a | 0x8b | 0x8d => reg,
        0x80..=0x83 => rm && modrm.reg & 7 != 7 && !is_little(reading, modrm),
        0x88 | 0x89 | 0x8c | 0x8f | 0xc0 | 0xc1 | 0xc6 | 0xc7 | 0xd0..=0xd3 => rm,
        0xf6 | 0xf7 => rm && matches!(modrm.reg & 7, 2 | 3),
        0xfe | 0xff => rm && modrm.reg & 7 < 2,
        _ => reg || rm,
    }
}

/// Whether it adds or subtracts at most 256, in 64 bits, and keeps 8-byte alignment.
fn is_little(reading: &Reading, modrm: ModRm) -> bool {
    let is_sum = matches!(modrm.reg & 7, 0 | 5) && reading.rex & 8 != 0;
    let amount = reading.immediate.unwrap_or(i64::MAX);
    is_sum && amount.unsigned_abs() <= 256 && amount % 8 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(bytes: &[u8]) -> Option<&'static str> {
        unfit(&Reading::of(bytes).unwrap())
    }

    /// movsb, xlat, maskmovq and vmaskmovdqu.
    #[test]
    fn a_segment_moves_implied_memory() {
        for bytes in [
            &[0xa4][..],
            &[0xd7],
            &[0x0f, 0xf7, 0xc1],
            &[0xc5, 0xf9, 0xf7, 0xc1],
        ] {
            assert_eq!(why(bytes), None, "{bytes:x?}");
            for segment in [0x64, 0x65] {
                let moved = [&[segment], bytes].concat();
                assert_eq!(why(&moved), Some(ELSEWHERE), "{moved:x?}");
            }
        }
    }

    /// vroundss and vroundsd, and vroundps, which has vectors of both lengths.
    #[test]
    fn a_scalar_rounding_has_no_long_vectors() {
        for (opcode, expected) in [(0x0a, Some(ABORTS)), (0x0b, Some(ABORTS)), (0x08, None)] {
            assert_eq!(why(&[0xc4, 0xe3, 0x79, opcode, 0xc1, 0]), None);
            assert_eq!(why(&[0xc4, 0xe3, 0x7d, opcode, 0xc1, 0]), expected);
        }
    }

    /// paddq, movq that stores, psrlw by a number, pshufb and palignr.
    #[test]
    fn no_register_of_mmx_is_extended() {
        for bytes in [
            &[0x0f, 0xd4, 0xc1][..],
            &[0x0f, 0x7f, 0xc8],
            &[0x0f, 0x71, 0xd1, 1],
            &[0x0f, 0x38, 0x00, 0xc1],
            &[0x0f, 0x3a, 0x0f, 0xc1, 1],
        ] {
            assert_eq!(why(bytes), None, "{bytes:x?}");
            let extended = [&[0x41], bytes].concat();
            assert_eq!(why(&extended), Some(LOST), "{extended:x?}");
            let of_sse = [&[0x66, 0x41], bytes].concat();
            assert_eq!(why(&of_sse), None, "{of_sse:x?}");
        }
        // movd from a general register, and paddq from memory.
        assert_eq!(why(&[0x41, 0x0f, 0x6e, 0xc1]), None);
        assert_eq!(why(&[0x41, 0x0f, 0xd4, 0x01]), None);
    }
}
