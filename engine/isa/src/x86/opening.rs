//! The beginning of an instruction: its prefixes, or a VEX, EVEX or XOP in their place, its opcode,
//! and the byte after that.

use super::LONGEST;
use super::encoding::Map;
use super::traits::Traits;
use crate::mutant::{self, Mutant};

/// The mode in which the processor decodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// 64-bit mode.
    Long,
    /// Compatibility mode, of 32-bit programs.
    Compat,
}

/// The beginning of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) mode: Mode,
    pub(super) prefixes: Prefixes,
    pub(super) map: Map,
    pub(super) opcode: u8,
    /// The byte after the opcode, a ModRM byte or not; 0 if there is none.
    pub(super) modrm: u8,
    /// Offset of that byte.
    pub(super) at: usize,
    /// The traits of a VEX, EVEX or XOP.
    vector: Traits,
}

/// Prefixes, and their equivalents in a VEX, EVEX or XOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefixes {
    /// Their traits, except for REX.W.
    traits: Traits,
    /// 67.
    pub(super) address: bool,
    /// FS or GS; the other segments are ignored in 64-bit mode.
    pub(super) segment: bool,
    /// WRXB.
    rex: u8,
    has_rex: bool,
}

/// The traits of having no prefix.
const PLAIN: Traits = Traits::NO_SIZE.and(Traits::NO_REPEAT);

impl Prefixes {
    pub(super) const W: u8 = 0b1000;
    pub(super) const R: u8 = 0b0100;
    pub(super) const X: u8 = 0b0010;
    pub(super) const B: u8 = 0b0001;

    const NONE: Self = Self {
        traits: PLAIN,
        address: false,
        segment: false,
        rex: 0,
        has_rex: false,
    };

    pub(super) const fn has(&self, bit: u8) -> bool {
        self.rex & bit != 0
    }

    /// Whether there is a 66.
    pub(super) const fn has_size(&self) -> bool {
        self.traits.has_any(Traits::SIZE)
    }

    /// Whether there is an F2 or F3.
    pub(super) const fn has_repeat(&self) -> bool {
        !self.traits.has_any(Traits::NO_REPEAT)
    }

    /// A register's number with the REX bit that extends it.
    pub(super) const fn extend(&self, bit: u8, number: u8) -> u8 {
        if self.has(bit) {
            number | 0b1000
        } else {
            number
        }
    }

    /// Takes a prefix. A REX that is not the last prefix is ignored.
    #[inline]
    fn take(&mut self, byte: u8, mode: Mode) -> bool {
        if let (0x40..=0x4f, Mode::Long) = (byte, mode) {
            (self.rex, self.has_rex) = (byte & 0b1111, true);
            return true;
        }
        match byte {
            0x66 => self.say_size(),
            0x67 => self.address = true,
            0x64 | 0x65 => self.segment = true,
            0x26 | 0x2e | 0x36 | 0x3e => self.segment &= matches!(mode, Mode::Long),
            0xf0 => self.traits = self.traits.and(Traits::LOCK),
            0xf2 => self.say_repeat(Traits::F2),
            0xf3 => self.say_repeat(Traits::F3),
            _ => return false,
        }
        (self.rex, self.has_rex) = (0, false);
        true
    }

    const fn say_size(&mut self) {
        self.traits = self.traits.but(Traits::NO_SIZE).and(Traits::SIZE);
    }

    /// The last of F2 and F3 counts.
    const fn say_repeat(&mut self, which: Traits) {
        const BOTH: Traits = Traits::F2.and(Traits::F3);
        self.traits = self.traits.but(Traits::NO_REPEAT.and(BOTH)).and(which);
    }

    /// Whether there is a prefix that may not precede a VEX.
    fn exclude_vex(&self) -> bool {
        self.traits != PLAIN || self.has_rex
    }

    fn traits(&self) -> Traits {
        let w = self.has(Self::W);
        self.traits.and(Traits::W1.when(w)).and(Traits::W0.when(!w))
    }

    /// Adds the prefix that two bits of a VEX stand for.
    const fn imply(&mut self, bits: u8) {
        match bits & 0b11 {
            0 => {}
            1 => self.say_size(),
            2 => self.say_repeat(Traits::F3),
            _ => self.say_repeat(Traits::F2),
        }
    }
}

/// The traits of each ModRM byte.
static BY_MODRM: [Traits; 256] = by_modrm();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time only")]
const fn by_modrm() -> [Traits; 256] {
    let mut all = [Traits::NONE; 256];
    let mut modrm = 0_usize;
    while modrm < all.len() {
        let byte = modrm as u8;
        let end = byte & 0b111;
        let operand = if byte >= 0xc0 {
            Traits::REGISTER.and(Traits::last_digit(end))
        } else {
            Traits::MEMORY.and(Traits::NO_SIB.when(end != 0b100))
        };
        all[modrm] = operand.and(Traits::digit(byte >> 3));
        modrm = modrm.wrapping_add(1);
    }
    all
}

impl Opening {
    /// Decodes the beginning of `text`; `None` if it is invalid.
    #[inline]
    pub(super) fn read(mode: Mode, text: &[u8; LONGEST]) -> Option<Self> {
        let mut prefixes = Prefixes::NONE;
        let mut at = 0_usize;
        let mut byte = *text.first()?;
        while prefixes.take(byte, mode) {
            at = at.wrapping_add(1);
            byte = *text.get(at)?;
        }
        let behind = text.get(at.wrapping_add(1)..)?;
        let is_memory = behind.first().is_none_or(|&modrm| modrm < 0xc0);
        let old = matches!(mode, Mode::Compat) && is_memory;
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

    /// The traits that encodings test.
    #[inline]
    pub(super) fn traits(&self) -> Traits {
        const UNUSUAL: Traits = Traits::LOCK.and(Traits::BROADCAST);
        let mode = match self.mode {
            Mode::Long => Traits::MODE_64,
            Mode::Compat => Traits::MODE_32,
        };
        let operand = BY_MODRM.get(usize::from(self.modrm)).copied();
        let operand = operand.unwrap_or(Traits::NONE);
        let said = self.prefixes.traits().and(self.vector);
        let all = said.and(mode).and(operand);
        if said.has_any(UNUSUAL) && operand.has_any(Traits::REGISTER) {
            return of_register(all);
        }
        all
    }
}

/// The meaning of LOCK and EVEX.b without a memory operand.
fn of_register(all: Traits) -> Traits {
    let locked = all.has_any(Traits::LOCK) && !mutant::is_chosen(Mutant::LockAnywhere);
    let all = all.and(Traits::LOCK_REGISTER.when(locked));
    if all.has_any(Traits::BROADCAST) {
        let rest = all.but(Traits::BROADCAST).but(Traits::LENGTHS);
        return rest.and(Traits::ROUNDING);
    }
    all
}

/// Reads what follows the prefixes.
struct Reader<'a> {
    mode: Mode,
    prefixes: Prefixes,
    text: &'a [u8; LONGEST],
}

impl Reader<'_> {
    #[inline]
    fn opcode(self, map: Map, at: usize) -> Option<Opening> {
        self.opening(map, at, Traits::NONE)
    }

    #[inline]
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

/// The map of a VEX.
const fn vex_map(one: u8) -> Option<Map> {
    match one & 0b1_1111 {
        1 => Some(Map::Vex1),
        2 => Some(Map::Vex2),
        3 => Some(Map::Vex3),
        _ => None,
    }
}

/// The map of an XOP.
const fn xop_map(one: u8) -> Option<Map> {
    match one & 0b1_1111 {
        8 => Some(Map::Xop8),
        9 => Some(Map::Xop9),
        10 => Some(Map::XopA),
        _ => None,
    }
}

/// The traits of vvvv and L.
fn vex_traits(byte: u8) -> Traits {
    let length = if byte & 0b100 == 0 {
        Traits::L128
    } else {
        Traits::L256
    };
    length.and(second(byte))
}

/// The trait of vvvv, whose bits are inverted.
fn second(byte: u8) -> Traits {
    Traits::SECOND.when(byte & 0b0111_1000 != 0b0111_1000)
}

/// The traits of an EVEX's last two bytes; `None` if they are invalid.
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
