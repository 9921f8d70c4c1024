//! An encoding written as the manual's opcode column writes it, where the text
//! *is* the test.
//!
//! `[LOCK] 80 /0-6 ib` reads from left to right:
//!
//! - prefixes. `NP` says that none of 66, F2 and F3 may be there, `NFx` that
//!   neither F2 nor F3 may, `66`, `F3` and `F2` that it must: of F2 and F3 the
//!   last counts, and 66 if there is neither. Where none of these is written,
//!   any may be there: 66 is the size of the operand then, and the others say
//!   nothing or repeat. `REX.W` must be set, or clear for `W0`. LOCK may be there
//!   if it is written in brackets and memory is written to. Segments, 67 and a
//!   REX go without saying;
//! - or `VEX`, `EVEX` or `XOP` with what they say in place of the prefixes, with
//!   dots between: `NDS` for a register in vvvv, which else must be empty, the
//!   lengths `128`, `256` and `512`, the prefix, the map, and `W0` or `W1`.
//!   What is not written is ignored;
//! - the opcode, of which `+r` and `70-7F` are ranges. `i64` before it is for
//!   what is invalid in 64-bit mode, `o64` for what is valid only there;
//! - `/r`, a ModRM byte, or one whose middle is a digit (`/0`, `/0-3,7`); `mem`
//!   and `reg` for what it may refer to, `vsib` for memory by a vector of
//!   indices; or the byte itself (`0F 01 C8`, `D9 E8-EE`);
//! - of EVEX `{k}` for a mask, `{kz}` for one that may also clear, `{k!}` for one that
//!   must be there, `{bcst}` for one element of memory for all, `{er}` for rounding;
//! - what is at the end: `ib`, `iw` or `id` of 1, 2 or 4 bytes, `iz` of the
//!   operand's size but at most 4, `iv` of the operand's size, `cb` and `cd` to
//!   count from the instruction pointer, `cp` for a selector behind an
//!   address, `mo` for an address.
//!
//! Texts are read at compile time only, and a wrong one is a build error.

use super::traits::Traits;

/// An encoding's text, and the test for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    text: &'static str,
    pub(super) map: Map,
    pub(super) first: u8,
    pub(super) last: u8,
    pub(super) test: Test,
}

/// What is asked of an instruction of the right map and opcode, and what is
/// behind that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    ruled_out: Traits,
    pub(super) modrm: bool,
    pub(super) immediate: Immediate,
}

/// The maps of opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Map {
    /// Without an escape.
    One,
    /// 0F.
    Two,
    /// 0F 38.
    Three38,
    /// 0F 3A.
    Three3A,
    Vex1,
    Vex2,
    Vex3,
    Evex1,
    Evex2,
    Evex3,
    Evex5,
    Evex6,
    Xop8,
    Xop9,
    XopA,
}

impl Map {
    /// How many there are.
    pub(super) const COUNT: usize = 15;
}

/// What is at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Immediate {
    None,
    /// `ib`, `cb`.
    One,
    /// `iw`.
    Two,
    /// `iw ib`.
    Three,
    /// `id`.
    Four,
    /// `cd`.
    Near,
    /// `iz`.
    UpToFour,
    /// `iv`.
    Full,
    /// `mo`.
    Address,
    /// `cp`.
    Far,
}

impl Test {
    /// Whether an instruction with these traits passes.
    #[inline]
    pub(super) const fn passes(self, traits: Traits) -> bool {
        !self.ruled_out.has_any(traits)
    }
}

impl Encoding {
    /// The encoding of whatever is left.
    pub(super) const ANY: Self = Self {
        text: "any",
        map: Map::XopA,
        first: 0xff,
        last: 0,
        test: Test {
            ruled_out: Traits::NONE,
            modrm: false,
            immediate: Immediate::None,
        },
    };

    /// Reads a text; panics, which is a build error in a constant, unless it
    /// is written as the head of this file says.
    pub(super) const fn new(text: &'static str) -> Self {
        let mut reading = Reading::new(text);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (word, behind) = split(rest, b' ');
            reading.word(word);
            rest = behind;
        }
        reading.finish()
    }

    /// Whether every instruction that `other` matches is matched by this too.
    pub(super) const fn covers(&self, other: &Self) -> bool {
        self.map as u8 == other.map as u8
            && self.first <= other.first
            && self.last >= other.last
            && other.test.ruled_out.has_all(self.test.ruled_out)
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

/// What is before the first `at`, and what is behind it.
const fn split(text: &[u8], at: u8) -> (&[u8], &[u8]) {
    let mut place = 0_usize;
    while place < text.len() {
        let (before, rest) = text.split_at(place);
        if let [found, behind @ ..] = rest
            && *found == at
        {
            return (before, behind);
        }
        place = place.wrapping_add(1);
    }
    (text, &[])
}

/// All answers about prefixes.
const PREFIXES: Traits = Traits::SIZE
    .and(Traits::NO_SIZE)
    .and(Traits::F3)
    .and(Traits::F2)
    .and(Traits::NO_REPEAT);
const ALL_DIGITS: u8 = 0xff;
/// What must be said to be allowed.
const UNUSUAL: Traits = Traits::LOCK
    .and(Traits::LOCK_REGISTER)
    .and(Traits::NO_LENGTH)
    .and(Traits::ROUNDING)
    .and(Traits::BROADCAST)
    .and(Traits::SECOND)
    .and(Traits::SECOND_HIGH)
    .and(Traits::MASKED)
    .and(Traits::ZEROING);

/// A text that is being read.
struct Reading {
    text: &'static str,
    map: Option<Map>,
    opcode: Option<(u8, u8)>,
    ruled_out: Traits,
    /// The lengths that were written, if any.
    lengths: Traits,
    modrm: bool,
    immediate: Immediate,
}

impl Reading {
    const fn new(text: &'static str) -> Self {
        Self {
            text,
            map: None,
            opcode: None,
            ruled_out: UNUSUAL,
            lengths: Traits::NONE,
            modrm: false,
            immediate: Immediate::None,
        }
    }

    const fn word(&mut self, word: &[u8]) {
        match word {
            b"" | b"+" => {}
            [b'V', b'E', b'X', b'.', parts @ ..] => self.parts(parts, Map::Vex1),
            [b'E', b'V', b'E', b'X', b'.', parts @ ..] => self.parts(parts, Map::Evex1),
            [b'X', b'O', b'P', b'.', parts @ ..] => self.parts(parts, Map::Xop8),
            b"i64" => self.rule_out(Traits::MODE_64),
            b"o64" => self.rule_out(Traits::MODE_32),
            b"[LOCK]" => self.allow(Traits::LOCK),
            b"REX.W" => self.rule_out(Traits::W0),
            b"W0" => self.rule_out(Traits::W1),
            b"NP" | b"NFx" | b"66" | b"F3" | b"F2" if self.map.is_none() => self.prefix(word),
            b"0F" if self.map.is_none() => self.map = Some(Map::Two),
            b"38" if self.is_escaped() => self.map = Some(Map::Three38),
            b"3A" if self.is_escaped() => self.map = Some(Map::Three3A),
            b"mem" => self.rule_out(Traits::REGISTER),
            b"reg" => self.rule_out(Traits::MEMORY),
            b"vsib" => self.indices(),
            [b'{', ..] => self.decoration(word),
            [b'/', digits @ ..] => self.digits(digits),
            [b'i' | b'c' | b'm', _] => self.immediate(word),
            _ => self.bytes(word),
        }
    }

    const fn rule_out(&mut self, traits: Traits) {
        self.ruled_out = self.ruled_out.and(traits);
    }

    const fn allow(&mut self, traits: Traits) {
        self.ruled_out = self.ruled_out.but(traits);
    }

    /// Whether 0F was the last that was read.
    const fn is_escaped(&self) -> bool {
        matches!(self.map, Some(Map::Two)) && self.opcode.is_none()
    }

    const fn prefix(&mut self, word: &[u8]) {
        let must_be = match word {
            b"NP" => Traits::NO_SIZE.and(Traits::NO_REPEAT),
            b"NFx" => Traits::SIZE.and(Traits::NO_SIZE).and(Traits::NO_REPEAT),
            b"66" => Traits::SIZE.and(Traits::NO_REPEAT),
            b"F3" => Traits::SIZE.and(Traits::NO_SIZE).and(Traits::F3),
            _ => Traits::SIZE.and(Traits::NO_SIZE).and(Traits::F2),
        };
        self.rule_out(PREFIXES.but(must_be));
    }

    /// The parts of a VEX, an EVEX or an XOP, whose first map is given.
    const fn parts(&mut self, parts: &[u8], first: Map) {
        let mut rest = parts;
        while !rest.is_empty() {
            let (part, behind) = split(rest, b'.');
            match part {
                b"NDS" => self.allow(Traits::SECOND.and(Traits::SECOND_HIGH)),
                b"128" => self.lengths = self.lengths.and(Traits::L128),
                b"256" => self.lengths = self.lengths.and(Traits::L256),
                b"512" => self.lengths = self.lengths.and(Traits::L512),
                b"NP" | b"66" | b"F3" | b"F2" => self.prefix(part),
                b"W0" => self.rule_out(Traits::W1),
                b"W1" => self.rule_out(Traits::W0),
                _ => self.map = Some(self.map_of(part, first)),
            }
            rest = behind;
        }
    }

    const fn map_of(&self, part: &[u8], first: Map) -> Map {
        match (first, part) {
            (Map::Vex1, b"0F") => Map::Vex1,
            (Map::Vex1, b"0F38") => Map::Vex2,
            (Map::Vex1, b"0F3A") => Map::Vex3,
            (Map::Evex1, b"0F") => Map::Evex1,
            (Map::Evex1, b"0F38") => Map::Evex2,
            (Map::Evex1, b"0F3A") => Map::Evex3,
            (Map::Evex1, b"MAP5") => Map::Evex5,
            (Map::Evex1, b"MAP6") => Map::Evex6,
            (Map::Xop8, b"08") => Map::Xop8,
            (Map::Xop8, b"09") => Map::Xop9,
            (Map::Xop8, b"0A") => Map::XopA,
            _ => self.wrong(),
        }
    }

    const fn indices(&mut self) {
        self.rule_out(Traits::REGISTER.and(Traits::NO_SIB));
        self.allow(Traits::SECOND_HIGH);
    }

    const fn decoration(&mut self, word: &[u8]) {
        match word {
            b"{k}" => self.allow(Traits::MASKED),
            b"{kz}" => self.allow(Traits::MASKED.and(Traits::ZEROING)),
            b"{k!}" => {
                self.allow(Traits::MASKED);
                self.rule_out(Traits::UNMASKED);
            }
            b"{bcst}" => self.allow(Traits::BROADCAST),
            b"{er}" => self.allow(Traits::ROUNDING),
            _ => self.wrong(),
        }
    }

    const fn digits(&mut self, digits: &[u8]) {
        self.modrm = true;
        match digits {
            b"r" => {}
            _ => self.rule_out_digits(!self.list(digits), 0),
        }
    }

    /// The digits of a list such as `0-3,7`, as bits.
    const fn list(&self, list: &[u8]) -> u8 {
        let (mut rest, mut bits) = (list, 0_u8);
        while !rest.is_empty() {
            let (item, behind) = split(rest, b',');
            bits |= match item {
                [one @ b'0'..=b'7'] => range_of_bits(*one, *one),
                [first @ b'0'..=b'7', b'-', last @ b'0'..=b'7'] => range_of_bits(*first, *last),
                _ => self.wrong(),
            };
            rest = behind;
        }
        bits
    }

    /// Rules out digits in the middle of the ModRM byte, and at its end.
    const fn rule_out_digits(&mut self, middle: u8, end: u8) {
        let mut digit = 0_u8;
        while digit < 8 {
            let bit = 1_u8.wrapping_shl(digit as u32);
            self.rule_out(Traits::digit(digit).when(middle & bit != 0));
            self.rule_out(Traits::last_digit(digit).when(end & bit != 0));
            digit = digit.wrapping_add(1);
        }
    }

    const fn immediate(&mut self, word: &[u8]) {
        self.immediate = match (self.immediate, word) {
            (Immediate::None, b"ib" | b"cb") => Immediate::One,
            (Immediate::None, b"iw") => Immediate::Two,
            (Immediate::Two, b"ib") => Immediate::Three,
            (Immediate::None, b"id") => Immediate::Four,
            (Immediate::None, b"cd") => Immediate::Near,
            (Immediate::None, b"iz") => Immediate::UpToFour,
            (Immediate::None, b"iv") => Immediate::Full,
            (Immediate::None, b"mo") => Immediate::Address,
            (Immediate::None, b"cp") => Immediate::Far,
            _ => self.wrong(),
        };
    }

    /// The opcode, or behind it the ModRM byte; a range of either.
    const fn bytes(&mut self, word: &[u8]) {
        let (first, last) = match word {
            [a, b] => (self.byte(*a, *b), self.byte(*a, *b)),
            [a, b, b'-', c, d] => (self.byte(*a, *b), self.byte(*c, *d)),
            [a, b, b'+', b'r'] => (self.byte(*a, *b), self.byte(*a, *b) | 0b111),
            _ => self.wrong(),
        };
        if self.opcode.is_none() {
            self.opcode = Some((first, last));
        } else {
            self.modrm_bytes(first, last);
        }
    }

    /// Register forms whose two digits are each of a range.
    const fn modrm_bytes(&mut self, first: u8, last: u8) {
        let middle = range_of_bits(first >> 3 & 7, last >> 3 & 7);
        let end = range_of_bits(first & 7, last & 7);
        let is_product = first >> 3 == last >> 3 || first & 7 == 0 && last & 7 == 7;
        assert!(is_product && first >= 0xc0 && !self.modrm, "{}", self.text);
        self.modrm = true;
        self.rule_out(Traits::MEMORY);
        self.rule_out_digits(!middle, !end);
    }

    const fn byte(&self, high: u8, low: u8) -> u8 {
        self.digit(high) << 4 | self.digit(low)
    }

    const fn digit(&self, digit: u8) -> u8 {
        match digit {
            b'0'..=b'9' => digit.wrapping_sub(b'0'),
            b'A'..=b'F' => digit.wrapping_sub(b'A').wrapping_add(10),
            _ => self.wrong(),
        }
    }

    const fn finish(mut self) -> Encoding {
        let Some((first, last)) = self.opcode else {
            self.wrong()
        };
        assert!(first <= last, "{}", self.text);
        if self.lengths.has_any(Traits::LENGTHS) {
            self.rule_out(Traits::LENGTHS.but(self.lengths));
        }
        Encoding {
            text: self.text,
            map: match self.map {
                Some(map) => map,
                None => Map::One,
            },
            first,
            last,
            test: Test {
                ruled_out: self.ruled_out,
                modrm: self.modrm,
                immediate: self.immediate,
            },
        }
    }

    #[expect(clippy::panic, reason = "a wrong text is a build error")]
    const fn wrong(&self) -> ! {
        panic!("{}", self.text)
    }
}

/// The bits from `first` up to `last`, of which only the lowest three bits count.
const fn range_of_bits(first: u8, last: u8) -> u8 {
    let from = ALL_DIGITS.wrapping_shl((first & 7) as u32);
    let to = ALL_DIGITS.wrapping_shr(7_u8.wrapping_sub(last & 7) as u32);
    from & to
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Map};
    use crate::x86::LONGEST;
    use crate::x86::opening::{Mode, Opening};

    fn matches_in(mode: Mode, encoding: &'static str, bytes: &[u8]) -> bool {
        let mut text = [0; LONGEST];
        text[..bytes.len()].copy_from_slice(bytes);
        let encoding = Encoding::new(encoding);
        let Some(opening) = Opening::read(mode, &text) else {
            return false;
        };
        opening.map == encoding.map
            && (encoding.first..=encoding.last).contains(&opening.opcode)
            && encoding.test.passes(opening.traits())
    }

    fn matches(encoding: &'static str, bytes: &[u8]) -> bool {
        matches_in(Mode::Bits64, encoding, bytes)
    }

    #[test]
    fn opcode_bytes_digits_and_registers_decide() {
        assert!(matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfa]));
        assert!(!matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfb]));
        assert!(matches("50+r", &[0x57]) && !matches("50+r", &[0x58]));
        assert!(matches("70-7F cb", &[0x7f]) && !matches("70-7F cb", &[0x80]));
        assert!(matches("C7 /0 iz", &[0xc7, 0xc7]) && !matches("C7 /0 iz", &[0xc7, 0xcf]));
        assert!(matches("80 /0-6 ib", &[0x80, 0xf0]) && !matches("80 /0-6 ib", &[0x80, 0xf8]));
        assert!(matches("D0 /0-5,7", &[0xd0, 0xf8]) && !matches("D0 /0-5,7", &[0xd0, 0xf0]));
        assert!(matches("D9 E8-EE", &[0xd9, 0xee]) && !matches("D9 E8-EE", &[0xd9, 0xef]));
        assert!(!matches("D9 E8-EE", &[0xd9, 0x28]));
    }

    #[test]
    fn memory_and_registers_are_told_apart() {
        assert!(matches("8D /r mem", &[0x8d, 0x07]) && !matches("8D /r mem", &[0x8d, 0xc7]));
        assert!(!matches("0F AE /0 reg", &[0x0f, 0xae, 0x07]));
        assert!(matches("[LOCK] 00 /r", &[0xf0, 0x00, 0x07]));
        assert!(!matches("[LOCK] 00 /r", &[0xf0, 0x00, 0xc7]));
        assert!(!matches("00 /r", &[0xf0, 0x00, 0x07]));
    }

    #[test]
    fn the_last_of_f2_and_f3_counts_and_66_only_without_them() {
        assert!(matches("NP 0F 10 /r", &[0x0f, 0x10]));
        for (prefixes, which) in [
            (&[0x66][..], "66 0F 10 /r"),
            (&[0xf3, 0x66], "F3 0F 10 /r"),
            (&[0xf2, 0xf3], "F3 0F 10 /r"),
            (&[0xf3, 0x66, 0xf2], "F2 0F 10 /r"),
        ] {
            let text = [prefixes, &[0x0f, 0x10]].concat();
            for encoding in ["NP 0F 10 /r", "66 0F 10 /r", "F3 0F 10 /r", "F2 0F 10 /r"] {
                assert_eq!(matches(encoding, &text), encoding == which, "{text:02x?}");
            }
            assert!(matches("0F 10 /r", &text));
        }
    }

    #[test]
    fn vex_and_evex_say_what_prefixes_say() {
        // vaddps ymm0, ymm1, ymm2; vaddpd zmm0{k1}{z}, zmm1, zmm2; the same rounded.
        let vex = &[0xc5, 0xf4, 0x58, 0xc2];
        assert!(matches("VEX.NDS.NP.0F 58 /r", vex) && matches("VEX.NDS.256.NP.0F 58 /r", vex));
        assert!(!matches("VEX.NP.0F 58 /r", vex) && !matches("VEX.NDS.128.NP.0F 58 /r", vex));
        let evex = &[0x62, 0xf1, 0xf5, 0xc9, 0x58, 0xc2];
        assert!(matches("EVEX.NDS.66.0F.W1 58 /r {kz}", evex));
        assert!(!matches("EVEX.NDS.66.0F.W1 58 /r {k}", evex));
        assert!(!matches("EVEX.NDS.66.0F.W0 58 /r {kz}", evex));
        let rounded = &[0x62, 0xf1, 0xf5, 0x78, 0x58, 0xc2];
        assert!(matches("EVEX.NDS.512.66.0F.W1 58 /r {kz} {er}", rounded));
        assert!(!matches("EVEX.NDS.66.0F.W1 58 /r {kz} {bcst}", rounded));
    }

    #[test]
    fn the_modes_differ() {
        assert!(matches_in(Mode::Bits32, "i64 40-4F", &[0x48]));
        assert!(!matches("i64 40-4F", &[0x48]));
        assert!(matches_in(Mode::Bits32, "i64 C5 /r mem", &[0xc5, 0x07]));
        assert!(matches_in(
            Mode::Bits32,
            "VEX.NP.0F 77",
            &[0xc5, 0xf8, 0x77]
        ));
    }

    #[test]
    fn special_is_not_general() {
        let (all, some) = (Encoding::new("0F BC /r"), Encoding::new("F3 0F BC /r"));
        assert!(all.covers(&some) && !some.covers(&all) && all.covers(&all));
        assert_eq!(all.map, Map::Two);
    }

    #[test]
    #[should_panic(expected = "89 /x")]
    fn what_is_no_part_of_an_encoding_is_an_error() {
        let _ = Encoding::new("89 /x");
    }

    #[test]
    #[should_panic(expected = "66 /r")]
    fn an_encoding_without_an_opcode_is_an_error() {
        let _ = Encoding::new("66 /r");
    }

    #[test]
    #[should_panic(expected = "D9 E5-F2")]
    fn a_range_that_is_no_product_of_digits_is_an_error() {
        let _ = Encoding::new("D9 E5-F2");
    }

    #[test]
    #[should_panic(expected = "VEX.0F39 00 /r")]
    fn a_map_that_there_is_not_is_an_error() {
        let _ = Encoding::new("VEX.0F39 00 /r");
    }
}
