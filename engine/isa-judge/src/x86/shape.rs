//! A minimal decoder of x86 instructions, independent of the tables: enough to point an address at
//! mapped memory.

use crate::prng::{Rng, percent, small};
use crate::state::State;
use crate::window::{self, CODE};

use super::places::{FS_BASE, RSP};

/// As many bytes as the longest instruction has.
pub type Bytes = [u8; engine_isa::x86::LONGEST];

/// The fields of an instruction, assuming a ModRM byte after its opcode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// F3, F2, 66, 67, LOCK or a segment, as the bits below.
    pub prefixes: u8,
    /// W, R, X and B of a REX, or of a VEX or EVEX.
    pub rex: u8,
    /// 0 for one-byte opcodes, 1 for 0F, 2 for 0F 38, 3 for 0F 3A, or the map of a VEX or EVEX.
    pub map: u8,
    /// Whether a VEX, EVEX or XOP begins it.
    pub is_vector: bool,
    /// The opcode.
    pub opcode: u8,
    /// Offset of the opcode.
    pub at: usize,
}

impl Shape {
    /// F3 or F2.
    pub const REPEAT: u8 = 1;
    /// 67.
    pub const ADDRESS: u8 = 2;
    /// FS or GS.
    pub const SEGMENT: u8 = 4;
    /// LOCK.
    pub const LOCK: u8 = 8;
    /// 66.
    pub const SIZE: u8 = 16;

    /// Decodes the beginning of an instruction in 64-bit mode.
    pub fn read(bytes: &Bytes) -> Self {
        Self::read_in(true, bytes)
    }

    /// The same in either mode. In 32-bit mode there is no REX, and a VEX is told from LDS, LES and
    /// BOUND by a register operand.
    pub fn read_in(wide: bool, bytes: &Bytes) -> Self {
        let mut shape = Self::default();
        // The last of several REX counts, and only immediately before the opcode.
        while shape.at < 12 {
            match (prefix(bytes[shape.at]), bytes[shape.at]) {
                (Some(prefix), _) => (shape.prefixes, shape.rex) = (shape.prefixes | prefix, 0),
                (None, rex @ 0x40..=0x4f) if wide => shape.rex = rex & 15,
                _ => break,
            }
            shape.at += 1;
        }
        let rest = &bytes[shape.at..];
        let begins = wide || rest[1] >= 0xc0;
        let (map, length, rex) = match *rest {
            [0xc5, a, ..] if begins => (1, 2, !a >> 5 & 4),
            [0xc4, a, b, ..] if begins => (a & 31, 3, !a >> 5 & 7 | b >> 4 & 8),
            [0x8f, a, b, ..] if a & 31 >= 8 => (a & 31, 3, !a >> 5 & 7 | b >> 4 & 8),
            [0x62, a, b, _, ..] if begins => (a & 7, 4, !a >> 5 & 7 | b >> 4 & 8),
            [0x0f, 0x38, ..] => (2, 2, shape.rex),
            [0x0f, 0x3a, ..] => (3, 2, shape.rex),
            [0x0f, ..] => (1, 1, shape.rex),
            _ => (0, 0, shape.rex),
        };
        shape.is_vector =
            begins && matches!(rest[0], 0xc4 | 0xc5 | 0x62) || rest[0] == 0x8f && map >= 8;
        shape.map = map;
        shape.rex = rex;
        shape.at = (shape.at + length).min(bytes.len() - 1);
        shape.opcode = bytes[shape.at];
        shape
    }

    fn modrm(&self, bytes: &Bytes) -> Option<u8> {
        bytes.get(self.at + 1).copied()
    }

    /// The length of an instruction with a VEX, EVEX or XOP, by its form alone.
    pub fn vector_length(&self, wide: bool, bytes: &Bytes) -> Option<usize> {
        // VZEROUPPER and VZEROALL.
        if (self.map, self.opcode) == (1, 0x77) && !self.is_evex(bytes) {
            return Some(self.at + 1);
        }
        let modrm = self.modrm(bytes)?;
        let (mode, base) = (modrm >> 6, modrm & 7);
        let is_narrow = !wide && self.prefixes & Self::ADDRESS != 0;
        let has_sib = mode != 3 && base == 4 && !is_narrow;
        let sib = if has_sib { *bytes.get(self.at + 2)? } else { 0 };
        let displacement = match (mode, is_narrow) {
            (0, true) if base == 6 => 2,
            (0, false) if base == 5 || has_sib && sib & 7 == 5 => 4,
            (1, _) => 1,
            (2, true) => 2,
            (2, false) => 4,
            _ => 0,
        };
        let immediate = match (self.map, self.opcode) {
            (1, 0x70..=0x73 | 0xc2 | 0xc4..=0xc6) | (3 | 8, _) => 1,
            (7 | 10, _) => 4,
            _ => 0,
        };
        Some(self.at + 2 + usize::from(has_sib) + displacement + immediate)
    }

    fn is_evex(&self, bytes: &Bytes) -> bool {
        self.at >= 4 && bytes[self.at - 4] == 0x62
    }

    /// Whether its memory operand, if any, is relative to the instruction pointer.
    fn counts_from_ip(&self, bytes: &Bytes) -> bool {
        self.modrm(bytes).is_some_and(|modrm| modrm & 0xc7 == 0x05)
    }

    /// The displacement relative to the instruction pointer.
    fn displacement<'a>(&self, bytes: &'a mut Bytes) -> Option<&'a mut [u8]> {
        let from = self.at + 2;
        self.counts_from_ip(bytes)
            .then(|| bytes.get_mut(from..from + 4))
            .flatten()
    }
}

const fn prefix(byte: u8) -> Option<u8> {
    match byte {
        0xf2 | 0xf3 => Some(Shape::REPEAT),
        0x67 => Some(Shape::ADDRESS),
        0x64 | 0x65 => Some(Shape::SEGMENT),
        0xf0 => Some(Shape::LOCK),
        0x66 => Some(Shape::SIZE),
        0x26 | 0x2e | 0x36 | 0x3e => Some(0),
        _ => None,
    }
}

/// Points relative addresses into the window, mostly.
pub fn let_it_reach(bytes: &mut Bytes, rng: &mut Rng) {
    let shape = Shape::read(bytes);
    if percent(rng, 90)
        && let Some(displacement) = shape.displacement(bytes)
    {
        let away = rng.i32(-0x1800..0x1800);
        displacement.copy_from_slice(&away.to_le_bytes());
    }
}

/// Points the registers of an address into the window.
pub fn aim(shape: &Shape, bytes: &Bytes, state: &mut State, rng: &mut Rng) {
    let Some(modrm) = shape.modrm(bytes).filter(|modrm| modrm >> 6 != 3) else {
        return;
    };
    let target = window::pointer(rng).wrapping_sub(segment(shape, state));
    let (rex_x, rex_b) = (shape.rex >> 1 & 1, shape.rex & 1);
    let sib = (modrm & 7 == 4).then(|| bytes.get(shape.at + 2).copied().unwrap_or_default());
    let displacement = displacement(bytes, shape.at + 2 + usize::from(sib.is_some()), modrm >> 6);
    let base = usize::from(sib.unwrap_or(modrm) & 7 | rex_b << 3);
    let Some(sib) = sib else {
        state[base] = target.wrapping_sub(displacement);
        return;
    };
    let index = usize::from(sib >> 3 & 7 | rex_x << 3);
    let mut offset = displacement;
    if index != RSP && index != base {
        state[index] = small(rng);
        offset = offset.wrapping_add(state[index] << (sib >> 6));
    }
    state[base] = target.wrapping_sub(offset);
}

fn segment(shape: &Shape, state: &State) -> u64 {
    match shape.prefixes & Shape::SEGMENT {
        0 => 0,
        _ => state[FS_BASE],
    }
}

/// The displacement at `at`, of a size given by `form`.
fn displacement(bytes: &Bytes, at: usize, form: u8) -> u64 {
    match (form, bytes.get(at..at + 4)) {
        (1, Some(four)) => i64::from(four[0].cast_signed()) as u64,
        (2, Some(four)) => {
            i64::from(i32::from_le_bytes([four[0], four[1], four[2], four[3]])) as u64
        }
        _ => 0,
    }
}

/// Whether an address is in the code page.
pub const fn is_code(address: u64) -> bool {
    address >> 12 == CODE >> 12
}
