//! An encoding drawn as in its manual; the drawing *is* the mask.
//!
//! `cccc 0010 0100 1101 1101 rrrr iiii iiii` reads from bit 31 down to bit 0: `0` and `1` are fixed
//! bits, a lower-case letter is a bit of the field of that name, `x` is ignored, and spaces are for
//! readability. A drawing of 16 bits is of the upper half of a word: of a short instruction and
//! whatever follows it. Drawings are parsed at compile time only. A malformed one is a build error: the
//! message is the drawing, and the line that it points at says what is wrong with it.

/// An encoding's text, and the test for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: &'static str,
    test: Test,
}

/// The mask of the fixed bits, and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    mask: u32,
    value: u32,
}

/// The test that every word passes.
pub(crate) const ANY: Test = Test { mask: 0, value: 0 };

impl Test {
    /// Whether `word` passes.
    #[inline]
    pub(crate) const fn matches(self, word: u32) -> bool {
        word & self.mask == self.value
    }

    /// Whether no word passes both.
    const fn excludes(self, other: Self) -> bool {
        (self.value ^ other.value) & self.mask & other.mask != 0
    }

    /// Whether every word that passes also passes `other`.
    pub(crate) const fn implies(self, other: Self) -> bool {
        self.mask & other.mask == other.mask && self.value & other.mask == other.value
    }

    /// The values of `key` for words that pass.
    pub(crate) const fn values(self, key: Key) -> Values {
        let split = if self.implies(key.split) {
            (0, 1)
        } else if self.excludes(key.split) {
            (0, 0)
        } else {
            (1, 0)
        };
        Values {
            free: !self.mask.wrapping_shr(key.shift) & 0xff | split.0 << 8,
            fixed: self.value.wrapping_shr(key.shift) & 0xff | split.1 << 8,
            next: Some(0),
        }
    }
}

/// Nine bits that separate most words of an instruction set: eight bits of the word, and above them
/// whether it passes a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    shift: u32,
    split: Test,
}

impl Key {
    /// How many values a key has.
    pub(crate) const VALUES: usize = 512;

    /// The eight bits from bit `shift` up, and whether a word matches `split`.
    pub(crate) const fn new(shift: u32, split: &'static str) -> Self {
        Self {
            shift,
            split: Pattern::new(split).test,
        }
    }

    /// The key of `word`.
    #[inline]
    pub(crate) const fn of(self, word: u32) -> usize {
        let split = self.split.matches(word) as u32;
        (word.wrapping_shr(self.shift) & 0xff | split << 8) as usize
    }
}

/// Iterator of [`Test::values`].
pub(crate) struct Values {
    free: u32,
    fixed: u32,
    /// The next setting of the free bits.
    next: Option<u32>,
}

impl Values {
    /// The next value, in ascending order.
    pub(crate) const fn next(&mut self) -> Option<usize> {
        let Some(chosen) = self.next else {
            return None;
        };
        // With all fixed bits set, the carry propagates past them.
        let following = (chosen | !self.free).wrapping_add(1) & self.free;
        self.next = if following == 0 {
            None
        } else {
            Some(following)
        };
        Some((self.fixed | chosen) as usize)
    }
}

impl Pattern {
    /// Parses a drawing; panics, a build error in a constant, unless it has exactly 32 bits, or 16.
    pub(crate) const fn new(text: &'static str) -> Self {
        assert!(draws_an_instruction(text), "{}", text);
        let ones = bits_drawn(text, b'1');
        let mask = ones | bits_drawn(text, b'0');
        let value = ones;
        Self {
            text,
            test: Test { mask, value },
        }
    }

    /// The field called `name`; panics, a build error in a constant, if the drawing has none.
    pub(crate) const fn field(&self, name: &str) -> Field {
        let bits = match name.as_bytes() {
            [letter @ b'a'..=b'w'] => bits_drawn(self.text, *letter),
            _ => 0,
        };
        let field_is_drawn = bits != 0;
        assert!(field_is_drawn, "{}", self.text);
        Field { bits }
    }

    /// The test, without the text.
    pub(crate) const fn test(&self) -> Test {
        self.test
    }

    /// Whether the drawing fixes no bit.
    pub(crate) const fn matches_all(&self) -> bool {
        self.test.mask == 0
    }

    /// Whether `word` is an instance of this encoding.
    #[must_use]
    #[inline]
    pub const fn matches(&self, word: u32) -> bool {
        self.test.matches(word)
    }

    /// The drawing.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

/// A named field of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    bits: u32,
}

impl Field {
    /// The field's value in `word`. Its bits keep their relative positions; the lowest becomes bit
    /// 0.
    #[inline]
    pub(crate) const fn of(self, word: u32) -> u32 {
        (word & self.bits).wrapping_shr(self.bits.trailing_zeros())
    }
}

/// Whether `text` consists of 32 or 16 digits 0 and 1 and letters a to x, and of spaces.
const fn draws_an_instruction(text: &str) -> bool {
    let mut count: u32 = 0;
    let mut rest = text.as_bytes();
    while let [drawn, tail @ ..] = rest {
        rest = tail;
        match drawn {
            b' ' => {}
            b'0' | b'1' | b'a'..=b'x' => count = count.wrapping_add(1),
            _ => return false,
        }
    }
    count == 32 || count == 16
}

/// The mask of the bits drawn with the character `wanted`.
const fn bits_drawn(text: &str, wanted: u8) -> u32 {
    let mut bits = 0;
    let mut bit = 1 << 31;
    let mut rest = text.as_bytes();
    while let [drawn, tail @ ..] = rest {
        rest = tail;
        if *drawn == wanted {
            bits |= bit;
        }
        if *drawn != b' ' {
            bit >>= 1;
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::{Pattern, draws_an_instruction};

    const STORE: Pattern = Pattern::new("cccc 0101 0010 1101 tttt 0000 0000 0100");
    const SPLIT: Pattern = Pattern::new("xxxx 0000 0000 0000 0m0l llll llll llxx");

    #[test]
    fn the_fixed_bits_decide() {
        assert!(STORE.matches(0xe52d_e004));
        assert!(STORE.matches(0x052d_0004));
        assert!(!STORE.matches(0xe52d_e008));
        assert!(!STORE.matches(0xe42d_e004));
    }

    #[test]
    fn a_field_moves_down_to_bit_zero() {
        assert_eq!(STORE.field("c").of(0xe52d_9004), 14);
        assert_eq!(STORE.field("t").of(0xe52d_9004), 9);
        assert_eq!(SPLIT.field("l").of(0xffff_ffff), 0x7ff);
        assert_eq!(SPLIT.field("m").of(0x0000_4000), 1);
    }

    #[test]
    fn a_drawing_implies_one_that_matches_all_of_its_words() {
        let covers = |one: &Pattern, other: &Pattern| other.test.implies(one.test);
        let any = Pattern::new("xxxx xxxx xxxx xxxx xxxx xxxx xxxx xxxx");
        let sp = Pattern::new("cccc 0101 0010 1101 1101 0000 0000 0100");
        assert!(covers(&any, &STORE) && !covers(&STORE, &any));
        assert!(covers(&STORE, &sp) && !covers(&sp, &STORE));
        assert!(covers(&STORE, &STORE));
        assert!(!covers(&SPLIT, &STORE) && !covers(&STORE, &SPLIT));
        assert!(any.matches_all() && !STORE.matches_all());
    }

    #[test]
    fn a_drawing_of_16_bits_is_of_the_upper_half() {
        let pop = Pattern::new("1011 110p llll llll");
        assert!(pop.matches(0xbd10_ffff) && pop.matches(0xbc00_0000) && !pop.matches(0xb510_0000));
        assert_eq!(pop.field("l").of(0xbd10_ffff), 0x10);
        assert_eq!(pop.field("p").of(0xbd10_0000), 1);
    }

    #[test]
    fn only_32_digits_letters_and_spaces_or_16_are_a_drawing() {
        assert!(draws_an_instruction(
            "cccc 0101 0010 1101 tttt 0000 0000 0100"
        ));
        assert!(draws_an_instruction("cccc010100101101tttt000000000100"));
        assert!(draws_an_instruction("cccc 0101 0010 1101"));
        let short = "cccc 0101 0010 1101 tttt 0000 0000 010";
        let long = "cccc 0101 0010 1101 tttt 0000 0000 0100 0";
        let stray = "cccc 0101 0010 1101 tttt 0000 0000 01O0";
        let last_letters = "cccc 0101 0010 1101 tttt 0000 0000 01yz";
        let half = "cccc 0101 0010 110";
        for text in [short, long, stray, last_letters, half, ""] {
            assert!(!draws_an_instruction(text), "{text}");
        }
    }

    #[test]
    #[should_panic(expected = "cccc 0101 0010 1101 tttt 0000 0000 010")]
    fn a_wrong_drawing_is_an_error() {
        let _ = Pattern::new("cccc 0101 0010 1101 tttt 0000 0000 010");
    }

    #[test]
    #[should_panic(expected = "cccc 0101 0010 1101 tttt 0000 0000 0100")]
    fn a_field_that_is_not_drawn_is_an_error() {
        let _ = STORE.field("l");
    }

    #[test]
    #[should_panic(expected = "xxxx 0000 0000 0000 0m0l llll llll llxx")]
    fn the_bits_that_do_not_matter_are_no_field() {
        let _ = SPLIT.field("x");
    }
}
