//! Parses the text of an [`Encoding`], in the notation of [`encoding`](super::encoding). Runs at
//! compile time only: a malformed text panics, which is a build error there.

use super::encoding::{Encoding, Immediate, Map, Test};
use super::traits::Traits;

impl Encoding {
    /// Parses a text; panics, a build error in a constant, if it is not in the notation of
    /// [`encoding`](super::encoding).
    pub(super) const fn new(text: &'static str) -> Self {
        Reading::of(text).finish()
    }
}

/// Splits at the first `at`.
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

/// Every trait of prefixes.
const PREFIXES: Traits = Traits::SIZE
    .and(Traits::NO_SIZE)
    .and(Traits::F3)
    .and(Traits::F2)
    .and(Traits::NO_REPEAT);
const ALL_DIGITS: u8 = 0xff;
/// Traits that are excluded unless written.
const UNUSUAL: Traits = Traits::LOCK
    .and(Traits::LOCK_REGISTER)
    .and(Traits::NO_LENGTH)
    .and(Traits::ROUNDING)
    .and(Traits::BROADCAST)
    .and(Traits::SECOND)
    .and(Traits::SECOND_HIGH)
    .and(Traits::MASKED)
    .and(Traits::ZEROING);

/// The state of parsing.
pub(super) struct Reading {
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
    /// Parses a text.
    pub(super) const fn of(text: &'static str) -> Self {
        let mut reading = Self::new(text);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (word, behind) = split(rest, b' ');
            reading.word(word);
            rest = behind;
        }
        reading
    }

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

    /// Whether 0F was the last byte.
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

    /// The dotted parts of a VEX, an EVEX or an XOP.
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

    /// The digits of a list such as `0-3,7`, as a bitmap.
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

    /// Excludes values of the ModRM byte's reg and r/m fields.
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

    /// The opcode, or the ModRM byte after it; a range of either.
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

    /// Register forms whose two digits each have a range.
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

    /// The parsed encoding.
    pub(super) const fn finish(mut self) -> Encoding {
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

/// The bits from `first` up to `last`; only the lowest three bits of each count.
const fn range_of_bits(first: u8, last: u8) -> u8 {
    let from = ALL_DIGITS.wrapping_shl((first & 7) as u32);
    let to = ALL_DIGITS.wrapping_shr(7_u8.wrapping_sub(last & 7) as u32);
    from & to
}

#[cfg(test)]
mod tests {
    use super::Encoding;

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
