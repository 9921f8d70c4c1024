//! Decodes an instruction, following the manual's format and independently of the engine's tables.

/// Opcode map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// One-byte opcodes.
    One,
    /// 0F.
    Two,
    /// 0F 38.
    Three8,
    /// 0F 3A.
    Three10,
}

/// ModRM, with register numbers extended by REX or VEX.
#[derive(Clone, Copy, Debug)]
pub struct ModRm {
    /// Whether `rm` is a register rather than memory.
    pub is_register: bool,
    /// The `reg` field: a register or an opcode extension.
    pub reg: u8,
    /// The `rm` field.
    pub rm: u8,
}

/// A memory operand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Operand {
    /// Base register.
    pub base: Option<u8>,
    /// Index register and its shift.
    pub index: Option<(u8, u8)>,
    /// Displacement.
    pub displacement: i64,
    /// Whether it is RIP-relative.
    pub is_relative: bool,
    /// Offset in the instruction of a four-byte displacement.
    pub place: Option<usize>,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Length in bytes.
    pub length: usize,
    /// Operand-size prefix, 66.
    pub is_short: bool,
    /// Address-size prefix, 67.
    pub has_short_address: bool,
    /// F2 or F3.
    pub repeats: bool,
    /// LOCK, F0.
    pub locks: bool,
    /// FS or GS, 64 or 65.
    pub segment: bool,
    /// REX, or zero; for VEX the equivalent bits.
    pub rex: u8,
    /// Whether a REX is ignored since another prefix follows it.
    pub has_lost_rex: bool,
    /// VEX encoding.
    pub is_vex: bool,
    /// VEX.L: vectors of 256 bits.
    pub vex_l: bool,
    /// EVEX encoding.
    pub is_evex: bool,
    /// VEX.vvvv.
    pub third: u8,
    /// Opcode map.
    pub map: Map,
    /// The opcode.
    pub opcode: u8,
    /// Its ModRM byte.
    pub modrm: Option<ModRm>,
    /// Memory operand.
    pub operand: Option<Operand>,
    /// What follows the operands, if it is one byte or at least four.
    pub immediate: Option<i64>,
    /// Offset of the opcode.
    at: usize,
}

impl Reading {
    /// Decodes an instruction; `None` if it is truncated or its map is unknown.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut reading = Self {
            length: bytes.len(),
            is_short: false,
            has_short_address: false,
            repeats: false,
            locks: false,
            segment: false,
            rex: 0,
            has_lost_rex: false,
            is_vex: false,
            vex_l: false,
            is_evex: false,
            third: 0,
            map: Map::One,
            opcode: 0,
            modrm: None,
            operand: None,
            immediate: None,
            at: 0,
        };
        let mut at = reading.prefixes(bytes);
        at = reading.find_opcode(bytes, at)?;
        reading.at = at;
        reading.opcode = *bytes.get(at)?;
        let mut rest = at + 1;
        if reading.has_modrm() {
            rest = reading.read_modrm(bytes, rest)?;
        }
        reading.immediate = immediate(bytes.get(rest..)?);
        Some(reading)
    }

    /// Reads the legacy prefixes and REX; returns where they end. A REX that is not last has no
    /// effect.
    fn prefixes(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            if byte >> 4 == 4 {
                self.rex = byte;
                continue;
            }
            match byte {
                0x66 => self.is_short = true,
                0x67 => self.has_short_address = true,
                0xf2 | 0xf3 => self.repeats = true,
                0xf0 => self.locks = true,
                0x64 | 0x65 => self.segment = true,
                0x26 | 0x2e | 0x36 | 0x3e => {}
                _ => return at,
            }
            self.has_lost_rex |= self.rex != 0;
            self.rex = 0;
        }
        bytes.len()
    }

    /// Reads VEX, EVEX or escape bytes; returns the offset of the opcode.
    fn find_opcode(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let map = |bits: u8| match bits {
            1 => Some(Map::Two),
            2 => Some(Map::Three8),
            3 => Some(Map::Three10),
            _ => None,
        };
        match *bytes.get(at)? {
            0xc5 => {
                let second = *bytes.get(at + 1)?;
                (self.is_vex, self.map) = (true, Map::Two);
                self.rex = !second >> 7 << 2;
                self.third = !second >> 3 & 0xf;
                self.vex_l = second & 4 != 0;
                Some(at + 2)
            }
            0xc4 => {
                let (second, third) = (*bytes.get(at + 1)?, *bytes.get(at + 2)?);
                (self.is_vex, self.map) = (true, map(second & 0x1f)?);
                self.rex = !second >> 5;
                self.third = !third >> 3 & 0xf;
                self.vex_l = third & 4 != 0;
                Some(at + 3)
            }
            0x62 => {
                (self.is_evex, self.map) = (true, map(bytes.get(at + 1)? & 7)?);
                Some(at + 4)
            }
            0x0f => match *bytes.get(at + 1)? {
                0x38 => {
                    self.map = Map::Three8;
                    Some(at + 2)
                }
                0x3a => {
                    self.map = Map::Three10;
                    Some(at + 2)
                }
                _ => {
                    self.map = Map::Two;
                    Some(at + 1)
                }
            },
            _ => Some(at),
        }
    }

    fn has_modrm(&self) -> bool {
        match self.map {
            Map::One => match self.opcode {
                0x00..=0x3f => self.opcode & 7 < 4,
                0x62 | 0x63 | 0x69 | 0x6b | 0x80..=0x8f => true,
                0xc0 | 0xc1 | 0xc6 | 0xc7 | 0xd0..=0xd3 | 0xd8..=0xdf => true,
                0xf6 | 0xf7 | 0xfe | 0xff => true,
                _ => false,
            },
            Map::Two if self.is_vex => self.opcode != 0x77,
            Map::Two => !matches!(
                self.opcode,
                0x04..=0x09 | 0x0b | 0x0e | 0x30..=0x37 | 0x77 | 0x80..=0x8f | 0xa0..=0xa2
                    | 0xa8..=0xaa | 0xc8..=0xcf
            ),
            Map::Three8 | Map::Three10 => true,
        }
    }

    /// Reads ModRM, SIB and displacement at `at`; returns where they end.
    fn read_modrm(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let byte = *bytes.get(at)?;
        let mode = byte >> 6;
        self.modrm = Some(ModRm {
            is_register: mode == 3,
            reg: byte >> 3 & 7 | self.extension(2),
            rm: byte & 7 | self.extension(0),
        });
        if mode == 3 {
            return Some(at + 1);
        }
        let mut rest = at + 1;
        let mut operand = match byte & 7 {
            4 => {
                rest += 1;
                self.read_sib(mode, *bytes.get(at + 1)?)
            }
            rm => {
                let is_relative = rm == 5 && mode == 0;
                let base = (!is_relative).then_some(rm | self.extension(0));
                Operand {
                    base,
                    is_relative,
                    ..Operand::default()
                }
            }
        };
        let is_long = mode == 2 || mode == 0 && operand.base.is_none();
        if is_long {
            operand.place = Some(rest);
            operand.displacement = four(bytes.get(rest..)?)?;
            rest += 4;
        } else if mode == 1 {
            operand.displacement = i64::from(*bytes.get(rest)? as i8);
            rest += 1;
        }
        self.operand = Some(operand);
        Some(rest)
    }

    fn read_sib(&self, mode: u8, sib: u8) -> Operand {
        let index = sib >> 3 & 7 | self.extension(1);
        let base = (sib & 7 != 5 || mode != 0).then_some(sib & 7 | self.extension(0));
        Operand {
            base,
            index: (index != 4).then_some((index, sib >> 6)),
            ..Operand::default()
        }
    }

    /// Bit 3 of a register number, from this bit of REX.
    fn extension(&self, bit: u8) -> u8 {
        (self.rex >> bit & 1) << 3
    }

    /// Offset of a jump's or call's four-byte displacement.
    pub fn jump(&self) -> Option<usize> {
        let is_jump = match self.map {
            Map::One => matches!(self.opcode, 0xe8 | 0xe9),
            Map::Two => self.opcode >> 4 == 8 && !self.is_vex && !self.is_evex,
            _ => false,
        };
        (is_jump && self.at + 5 == self.length).then_some(self.at + 1)
    }

    /// Number of bytes it pushes, if it does.
    pub fn pushed(&self) -> Option<u64> {
        let selects = self.modrm.map_or(0, |modrm| modrm.reg & 7);
        let pushes = match (self.map, self.opcode) {
            (Map::One, 0x50..=0x57 | 0x68 | 0x6a | 0x9c) => true,
            (Map::One, 0xe8) => return Some(8),
            (Map::One, 0xff) if selects == 2 => return Some(8),
            (Map::One, 0xff) => selects == 6,
            (Map::Two, 0xa0 | 0xa8) => !self.is_vex,
            _ => false,
        };
        pushes.then_some(if self.is_short { 2 } else { 8 })
    }
}

/// The immediate: one byte, or the first four.
fn immediate(rest: &[u8]) -> Option<i64> {
    match rest {
        [byte] => Some(i64::from(*byte as i8)),
        _ => four(rest),
    }
}

fn four(bytes: &[u8]) -> Option<i64> {
    let bytes = *bytes.first_chunk()?;
    Some(i32::from_le_bytes(bytes).into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::instruction::Plan;
    use crate::vectors;
    use crate::x86::X86;

    #[test]
    fn operands_are_found() {
        let read = |bytes: &[u8]| Reading::of(bytes).unwrap();
        let plain = read(&[0x48, 0x8b, 0x7f, 0x70]);
        assert_eq!(plain.operand.unwrap().base, Some(7));
        assert_eq!(plain.operand.unwrap().displacement, 0x70);
        let relative = read(&[0x48, 0x8b, 0x05, 1, 2, 3, 4]);
        let relative = relative.operand.unwrap();
        assert_eq!((relative.is_relative, relative.place), (true, Some(3)));
        let scaled = read(&[0x43, 0x8b, 0x44, 0xb5, 0xf8]).operand.unwrap();
        assert_eq!((scaled.base, scaled.index), (Some(13), Some((14, 2))));
        assert_eq!(scaled.displacement, -8);
        let vex = read(&[0xc4, 0xc1, 0x7a, 0x6f, 0x04, 0x24]);
        assert_eq!((vex.map, vex.opcode), (Map::Two, 0x6f));
        assert_eq!(vex.operand.unwrap().base, Some(12));
        let jump = read(&[0x0f, 0x84, 0, 1, 0, 0]);
        assert_eq!(jump.jump(), Some(2));
    }

    /// Whether its memory is implied by the opcode, or it is XOP, which is not decoded.
    fn is_special(reading: &Reading) -> bool {
        let opcodes = matches!(reading.opcode, 0x6c..=0x6f | 0x8f | 0xa0..=0xa7 | 0xaa..=0xaf);
        reading.is_evex || reading.map == Map::One && opcodes
    }

    #[test]
    fn an_operand_is_where_the_vectors_have_brackets() {
        for file in fs::read_dir("../../engine/isa/vectors/x86").unwrap() {
            let vectors = vectors::read::<X86>(&file.unwrap().path()).unwrap();
            let accepted = vectors.iter().filter(|vector| vector.plan != Plan::Refuse);
            for vector in accepted.filter(|vector| vector.disassembly != "-") {
                let Some(reading) = Reading::of(vector.text.bytes()) else {
                    continue;
                };
                let has_memory = reading.operand.is_some();
                let is_read =
                    vector.disassembly.contains('[') == has_memory || is_special(&reading);
                assert!(is_read, "{} {}", vector.text, vector.disassembly);
            }
        }
    }
}
