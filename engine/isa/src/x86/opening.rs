//! How an instruction begins: its prefixes, or a VEX, EVEX or XOP in place of
//! them, its opcode, and the byte behind that.

use super::LONGEST;
use super::encoding::Map;
use super::traits::Traits;

/// What the processor takes bytes for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Bits64,
    Bits32,
}

/// How an instruction begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) mode: Mode,
    pub(super) prefixes: Prefixes,
    pub(super) map: Map,
    pub(super) opcode: u8,
    /// The byte behind the opcode, whether it is a ModRM byte or not; 0 if
    /// there is none.
    pub(super) modrm: u8,
    /// Where that is.
    pub(super) at: usize,
    /// What a VEX, EVEX or XOP says.
    vector: Traits,
}

/// Prefixes, and what a VEX, EVEX or XOP has in place of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prefixes {
    /// 66.
    pub(super) size: bool,
    /// 67.
    pub(super) address: bool,
    /// FS or GS; the others have no meaning in 64-bit mode.
    pub(super) segment: bool,
    lock: bool,
    /// The last of F2 and F3.
    repeat: Option<u8>,
    /// WRXB.
    rex: u8,
    has_rex: bool,
}

impl Prefixes {
    pub(super) const W: u8 = 0b1000;
    pub(super) const R: u8 = 0b0100;
    pub(super) const X: u8 = 0b0010;
    pub(super) const B: u8 = 0b0001;

    pub(super) const fn has(&self, bit: u8) -> bool {
        self.rex & bit != 0
    }

    /// A register's number with the bit of REX that extends it.
    pub(super) const fn extend(&self, bit: u8, number: u8) -> u8 {
        if self.has(bit) {
            number | 0b1000
        } else {
            number
        }
    }

    /// Takes one. A REX that is not the last prefix of all means nothing.
    fn take(&mut self, byte: u8, mode: Mode) -> bool {
        if let (0x40..=0x4f, Mode::Bits64) = (byte, mode) {
            (self.rex, self.has_rex) = (byte & 0b1111, true);
            return true;
        }
        match byte {
            0x66 => self.size = true,
            0x67 => self.address = true,
            0x64 | 0x65 => self.segment = true,
            0x26 | 0x2e | 0x36 | 0x3e => self.segment &= matches!(mode, Mode::Bits64),
            0xf0 => self.lock = true,
            0xf2 | 0xf3 => self.repeat = Some(byte),
            _ => return false,
        }
        (self.rex, self.has_rex) = (0, false);
        true
    }

    /// Whether there is one that a VEX must not follow.
    const fn exclude_vex(&self) -> bool {
        self.size || self.lock || self.repeat.is_some() || self.has_rex
    }

    fn traits(&self) -> Traits {
        let size = if self.size {
            Traits::SIZE
        } else {
            Traits::NO_SIZE
        };
        let repeat = match self.repeat {
            None => Traits::NO_REPEAT,
            Some(0xf3) => Traits::F3,
            Some(_) => Traits::F2,
        };
        let w = if self.has(Self::W) {
            Traits::W1
        } else {
            Traits::W0
        };
        size.and(repeat).and(w).and(Traits::LOCK.when(self.lock))
    }

    /// Notes the prefix that two bits stand for.
    fn imply(&mut self, bits: u8) {
        match bits & 0b11 {
            0 => {}
            1 => self.size = true,
            2 => self.repeat = Some(0xf3),
            _ => self.repeat = Some(0xf2),
        }
    }
}

impl Opening {
    /// Reads how `text` begins; none if nothing begins so.
    pub(super) fn read(mode: Mode, text: &[u8; LONGEST]) -> Option<Self> {
        let mut prefixes = Prefixes::default();
        let mut at = 0_usize;
        let mut byte = *text.first()?;
        while prefixes.take(byte, mode) {
            at = at.wrapping_add(1);
            byte = *text.get(at)?;
        }
        let behind = text.get(at.wrapping_add(1)..)?;
        let is_memory = behind.first().is_none_or(|&modrm| modrm < 0xc0);
        let old = matches!(mode, Mode::Bits32) && is_memory;
        let reader = Reader {
            mode,
            prefixes,
            text,
        };
        match (byte, behind) {
            (0x0f, [0x38, ..]) => reader.opcode(Map::Three38, at.wrapping_add(2)),
            (0x0f, [0x3a, ..]) => reader.opcode(Map::Three3A, at.wrapping_add(2)),
            (0x0f, _) => reader.opcode(Map::Two, at.wrapping_add(1)),
            (0xc5, [one, ..]) if !old => reader.short_vex(*one, at.wrapping_add(2)),
            (0xc4, [one, two, ..]) if !old => {
                reader.vex(vex_map(*one)?, *one, *two, at.wrapping_add(3))
            }
            (0x8f, [one, two, ..]) if one & 0b1_1000 != 0 => {
                reader.vex(xop_map(*one)?, *one, *two, at.wrapping_add(3))
            }
            (0x62, [one, two, three, ..]) if !old => {
                reader.evex([*one, *two, *three], at.wrapping_add(4))
            }
            _ => reader.opcode(Map::One, at),
        }
    }

    /// What the instruction has of what encodings can ask.
    #[inline]
    pub(super) fn traits(&self) -> Traits {
        let prefixes = self.prefixes.traits();
        let mode = match self.mode {
            Mode::Bits64 => Traits::MODE_64,
            Mode::Bits32 => Traits::MODE_32,
        };
        let middle = Traits::digit(self.modrm >> 3);
        let (is_register, end) = (self.modrm >= 0xc0, self.modrm & 0b111);
        let operand = if is_register {
            let locked = prefixes.has_any(Traits::LOCK);
            let end = Traits::last_digit(end);
            end.and(Traits::REGISTER)
                .and(Traits::LOCK_REGISTER.when(locked))
        } else {
            Traits::MEMORY.and(Traits::NO_SIB.when(end != 0b100))
        };
        let about_b = Traits::BROADCAST.when(!is_register);
        let about_b = about_b.and(Traits::ROUNDING.when(is_register));
        let vector = if self.vector.has_any(Traits::BROADCAST) {
            let vector = self.vector.but(Traits::BROADCAST);
            vector.but(Traits::LENGTHS.when(is_register)).and(about_b)
        } else {
            self.vector
        };
        prefixes.and(mode).and(middle).and(operand).and(vector)
    }
}

/// What is behind the prefixes, as it is read.
struct Reader<'a> {
    mode: Mode,
    prefixes: Prefixes,
    text: &'a [u8; LONGEST],
}

impl Reader<'_> {
    fn opcode(self, map: Map, at: usize) -> Option<Opening> {
        self.opening(map, at, Traits::NONE)
    }

    fn opening(self, map: Map, at: usize, vector: Traits) -> Option<Opening> {
        let behind = at.wrapping_add(1);
        Some(Opening {
            mode: self.mode,
            prefixes: self.prefixes,
            map,
            opcode: *self.text.get(at)?,
            modrm: self.text.get(behind).copied().unwrap_or(0),
            at: behind,
            vector,
        })
    }

    /// C5: R, vvvv, L, pp.
    fn short_vex(mut self, one: u8, at: usize) -> Option<Opening> {
        if self.prefixes.exclude_vex() {
            return None;
        }
        self.prefixes.rex = if one & 0x80 == 0 { Prefixes::R } else { 0 };
        self.prefixes.imply(one);
        self.opening(Map::Vex1, at, vex_traits(one))
    }

    /// C4 and 8F: R, X, B and the map; W, vvvv, L, pp.
    fn vex(mut self, map: Map, one: u8, two: u8, at: usize) -> Option<Opening> {
        if self.prefixes.exclude_vex() {
            return None;
        }
        self.prefixes.rex = !one >> 5 | two >> 4 & Prefixes::W;
        self.prefixes.imply(two);
        self.opening(map, at, vex_traits(two))
    }

    /// 62: R, X, B, R' and the map; W, vvvv, 1, pp; z, L'L, b, V', aaa.
    fn evex(mut self, [one, two, three]: [u8; 3], at: usize) -> Option<Opening> {
        let map = match one & 0b1111 {
            1 => Map::Evex1,
            2 => Map::Evex2,
            3 => Map::Evex3,
            5 => Map::Evex5,
            6 => Map::Evex6,
            _ => return None,
        };
        let traits = evex_traits(two, three)?;
        if self.prefixes.exclude_vex() {
            return None;
        }
        self.prefixes.rex = !one >> 5 | two >> 4 & Prefixes::W;
        self.prefixes.imply(two);
        self.opening(map, at, traits)
    }
}

/// The map that a VEX says.
const fn vex_map(one: u8) -> Option<Map> {
    match one & 0b1_1111 {
        1 => Some(Map::Vex1),
        2 => Some(Map::Vex2),
        3 => Some(Map::Vex3),
        _ => None,
    }
}

/// The map that an XOP says.
const fn xop_map(one: u8) -> Option<Map> {
    match one & 0b1_1111 {
        8 => Some(Map::Xop8),
        9 => Some(Map::Xop9),
        10 => Some(Map::XopA),
        _ => None,
    }
}

/// The traits that vvvv and L make.
fn vex_traits(byte: u8) -> Traits {
    let length = if byte & 0b100 == 0 {
        Traits::L128
    } else {
        Traits::L256
    };
    length.and(second(byte))
}

/// vvvv, with all bits the other way round.
fn second(byte: u8) -> Traits {
    Traits::SECOND.when(byte & 0b0111_1000 != 0b0111_1000)
}

/// The traits that an EVEX's last two bytes make; none if they are of no instruction.
fn evex_traits(two: u8, three: u8) -> Option<Traits> {
    let (zeroing, rounding) = (three & 0x80 != 0, three & 0x10 != 0);
    let masked = three & 0b111 != 0;
    let length = match three >> 5 & 0b11 {
        0 => Traits::L128,
        1 => Traits::L256,
        2 => Traits::L512,
        _ => Traits::NO_LENGTH,
    };
    let mask = if masked {
        Traits::MASKED
    } else {
        Traits::UNMASKED
    };
    if two & 0b100 == 0 || zeroing && !masked {
        return None;
    }
    let traits = length.and(second(two)).and(mask);
    let traits = traits.and(Traits::SECOND_HIGH.when(three & 0b1000 == 0));
    let traits = traits.and(Traits::BROADCAST.when(rounding));
    Some(traits.and(Traits::ZEROING.when(zeroing)))
}
