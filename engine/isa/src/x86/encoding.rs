//! An encoding written as the manual's opcode column writes it, where the text
//! *is* the test.
//!
//! `[66 REX.W] C7 /0 iz` reads from left to right:
//!
//! - prefixes, which must be there; those in brackets may be there. A prefix
//!   that is not written must be absent, but for the bits of REX that extend a
//!   register which the rest of the text draws;
//! - opcode bytes, the last with `+r` if a register is in its low bits;
//! - `/r`, a ModRM byte, or `/0` to `/7`, one with this digit in its middle;
//! - an immediate: `ib` of 1 byte, `iz` of the operand's size but at most 4,
//!   `iv` of the operand's size.
//!
//! Texts are read at compile time only, and a wrong one is a build error.

use super::LONGEST;

/// An encoding's text, and the test for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    text: &'static str,
    mask: u64,
    value: u64,
    pub(super) shape: Shape,
}

/// What follows the prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of opcode bytes.
    pub(super) opcode: usize,
    /// Where the register field is.
    pub(super) register: Option<RegisterField>,
    /// Whether a ModRM byte follows the opcode.
    pub(super) modrm: bool,
    /// The immediate at the end.
    pub(super) immediate: Option<Immediate>,
}

/// Where an encoding names a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegisterField {
    /// In the low bits of the opcode: `+r`.
    Opcode,
    /// In the middle of the ModRM byte: `/r`.
    ModRm,
}

/// The size of an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Immediate {
    /// `ib`.
    Byte,
    /// `iz`.
    UpToFour,
    /// `iv`.
    Full,
}

/// The prefixes of an instruction: one bit for 66, one for a REX, and the four
/// that a REX holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefixes(u8);

impl Prefixes {
    pub(super) const SIZE: Self = Self(0x20);
    pub(super) const REX: Self = Self(0x10);
    pub(super) const W: Self = Self(0x08);
    pub(super) const R: Self = Self(0x04);
    pub(super) const X: Self = Self(0x02);
    pub(super) const B: Self = Self(0x01);

    /// Takes them off the front of `text`, in the only order that has a row:
    /// 66, then REX. Anything else stays, as the opcode byte that it is not.
    pub(super) const fn split(text: &[u8; LONGEST]) -> (Self, &[u8]) {
        let (size, rest) = match text.as_slice() {
            [0x66, rest @ ..] => (Self::SIZE.0, rest),
            rest => (0, rest),
        };
        match rest {
            [rex @ 0x40..=0x4f, rest @ ..] => (Self(size | Self::REX.0 | (*rex & 0x0f)), rest),
            rest => (Self(size), rest),
        }
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The prefixes above the four bytes behind them: what masks apply to.
    const fn above(self, bytes: u32) -> u64 {
        (self.0 as u64) << 32 | bytes as u64
    }
}

impl Encoding {
    /// The encoding of whatever is left.
    pub(super) const ANY: Self = Self {
        text: "any",
        mask: 0,
        value: 0,
        shape: Reading::new("any").shape(),
    };

    /// Reads a text; panics, which is a build error in a constant, unless it
    /// is written as the head of this file says.
    pub(super) const fn new(text: &'static str) -> Self {
        let mut reading = Reading::new(text);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = reading.step(rest);
        }
        reading.finish()
    }

    /// Whether every instruction that `other` matches is matched by this too.
    pub(super) const fn covers(&self, other: &Self) -> bool {
        self.mask & other.mask == self.mask && other.value & self.mask == self.value
    }

    /// Whether the instruction that `text` begins with is encoded so.
    #[must_use]
    pub fn matches(&self, text: &[u8; LONGEST]) -> bool {
        let (prefixes, rest) = Prefixes::split(text);
        let bytes = rest
            .first_chunk()
            .map_or(0, |&first| u32::from_be_bytes(first));
        prefixes.above(bytes) & self.mask == self.value
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

/// A text that is being read.
struct Reading {
    text: &'static str,
    required: u8,
    allowed: u8,
    in_brackets: bool,
    bytes: u32,
    mask: u32,
    value: u32,
    register: Option<RegisterField>,
    modrm: bool,
    immediate: Option<Immediate>,
}

impl Reading {
    const fn new(text: &'static str) -> Self {
        Self {
            text,
            required: 0,
            allowed: 0,
            in_brackets: false,
            bytes: 0,
            mask: 0,
            value: 0,
            register: None,
            modrm: false,
            immediate: None,
        }
    }

    /// Reads one part of the text and returns what is behind it.
    const fn step<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        match text {
            [b' ', rest @ ..] => rest,
            [bracket @ (b'[' | b']'), rest @ ..] => {
                self.in_brackets = *bracket == b'[';
                rest
            }
            [b'6', b'6', rest @ ..] if self.bytes == 0 => self.prefix(Prefixes::SIZE.0, rest),
            [b'R', b'E', b'X', b'.', b'W', rest @ ..] => {
                self.prefix(Prefixes::REX.0 | Prefixes::W.0, rest)
            }
            [b'+', b'r', rest @ ..] => self.register_in_opcode(rest),
            [b'+', b' ', rest @ ..] => rest,
            [b'/', b'r', rest @ ..] => self.register_in_modrm(rest),
            [b'/', digit @ b'0'..=b'7', rest @ ..] => {
                self.modrm(0o070, digit.wrapping_sub(b'0') << 3, rest)
            }
            [b'i', size, rest @ ..] => self.immediate(*size, rest),
            [high, low, rest @ ..] => {
                let byte = self.digit(*high) << 4 | self.digit(*low);
                self.byte(0xff, byte, rest)
            }
            _ => self.wrong(),
        }
    }

    const fn prefix<'a>(&mut self, bits: u8, rest: &'a [u8]) -> &'a [u8] {
        self.allowed |= bits;
        if !self.in_brackets {
            self.required |= bits;
        }
        rest
    }

    const fn byte<'a>(&mut self, mask: u8, value: u8, rest: &'a [u8]) -> &'a [u8] {
        self.bytes = self.bytes.wrapping_add(1);
        self.mask = self.mask << 8 | mask as u32;
        self.value = self.value << 8 | value as u32;
        rest
    }

    const fn modrm<'a>(&mut self, mask: u8, value: u8, rest: &'a [u8]) -> &'a [u8] {
        self.modrm = true;
        self.allowed |= Prefixes::REX.0 | Prefixes::X.0 | Prefixes::B.0;
        self.byte(mask, value, rest)
    }

    const fn register_in_modrm<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.register = Some(RegisterField::ModRm);
        self.allowed |= Prefixes::R.0;
        self.modrm(0, 0, rest)
    }

    const fn register_in_opcode<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.register = Some(RegisterField::Opcode);
        self.allowed |= Prefixes::REX.0 | Prefixes::B.0;
        self.mask &= !0b111;
        self.value &= !0b111;
        rest
    }

    const fn immediate<'a>(&mut self, size: u8, rest: &'a [u8]) -> &'a [u8] {
        self.immediate = Some(match size {
            b'b' => Immediate::Byte,
            b'z' => Immediate::UpToFour,
            b'v' => Immediate::Full,
            _ => self.wrong(),
        });
        rest
    }

    const fn digit(&self, digit: u8) -> u8 {
        match digit {
            b'0'..=b'9' => digit.wrapping_sub(b'0'),
            b'A'..=b'F' => digit.wrapping_sub(b'A').wrapping_add(10),
            _ => self.wrong(),
        }
    }

    const fn shape(&self) -> Shape {
        Shape {
            opcode: self.bytes.wrapping_sub(self.modrm as u32) as usize,
            register: self.register,
            modrm: self.modrm,
            immediate: self.immediate,
        }
    }

    const fn finish(self) -> Encoding {
        let has_opcode = self.bytes > self.modrm as u32;
        let fits = self.bytes <= 4;
        assert!(has_opcode && fits && !self.in_brackets, "{}", self.text);
        let behind = 4_u32.wrapping_sub(self.bytes).wrapping_mul(8);
        let decided = Prefixes(!self.allowed & 0x3f | self.required);
        Encoding {
            text: self.text,
            mask: decided.above(self.mask.wrapping_shl(behind)),
            value: Prefixes(self.required).above(self.value.wrapping_shl(behind)),
            shape: self.shape(),
        }
    }

    #[expect(clippy::panic, reason = "a wrong text is a build error")]
    const fn wrong(&self) -> ! {
        panic!("{}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, LONGEST};

    fn matches(encoding: &'static str, bytes: &[u8]) -> bool {
        let mut text = [0; LONGEST];
        text[..bytes.len()].copy_from_slice(bytes);
        Encoding::new(encoding).matches(&text)
    }

    #[test]
    fn opcode_bytes_digits_and_registers_decide() {
        assert!(matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfa]));
        assert!(!matches("F3 0F 1E FA", &[0xf3, 0x0f, 0x1e, 0xfb]));
        assert!(matches("50+r", &[0x57]) && !matches("50+r", &[0x58]));
        assert!(matches("C7 /0 iz", &[0xc7, 0xc7]) && !matches("C7 /0 iz", &[0xc7, 0xcf]));
        assert!(matches("0F FF /7", &[0x0f, 0xff, 0x38]));
        assert!(matches("89 /r", &[0x89, 0x00]) && matches("89 /r", &[0x89, 0xff]));
    }

    #[test]
    fn a_prefix_that_is_not_written_must_be_absent() {
        assert!(!matches("90", &[0x66, 0x90]) && !matches("90", &[0x40, 0x90]));
        assert!(!matches("89 /r", &[0x66, 0x89]) && !matches("89 /r", &[0x48, 0x89]));
        assert!(matches("REX.W + 63 /r", &[0x48, 0x63]));
        assert!(!matches("REX.W + 63 /r", &[0x63]) && !matches("REX.W + 63 /r", &[0x40, 0x63]));
        assert!(matches("66 90", &[0x66, 0x90]) && !matches("66 90", &[0x90]));
        for prefixes in [&[][..], &[0x66], &[0x48], &[0x66, 0x48]] {
            let text = [prefixes, &[0x89]].concat();
            assert!(matches("[66 REX.W] 89 /r", &text), "{text:02x?}");
        }
    }

    #[test]
    fn rex_may_extend_what_is_drawn() {
        for rex in 0x40..0x48 {
            let (r, xb) = (rex & 4 != 0, rex & 3);
            assert!(matches("89 /r", &[rex, 0x89]));
            assert_eq!(matches("C6 /0 ib", &[rex, 0xc6]), !r, "{rex:02x}");
            assert_eq!(matches("50+r", &[rex, 0x50]), !r && xb < 2, "{rex:02x}");
            assert!(!matches("6A ib", &[rex, 0x6a]));
        }
    }

    #[test]
    #[should_panic(expected = "89 /x")]
    fn what_is_no_part_of_an_encoding_is_an_error() {
        let _ = Encoding::new("89 /x");
    }

    #[test]
    #[should_panic(expected = "[66 89 /r")]
    fn a_bracket_left_open_is_an_error() {
        let _ = Encoding::new("[66 89 /r");
    }

    #[test]
    #[should_panic(expected = "66 /r")]
    fn an_encoding_without_an_opcode_is_an_error() {
        let _ = Encoding::new("66 /r");
    }

    #[test]
    #[should_panic(expected = "0F 38 F3 00 01")]
    fn an_encoding_of_five_bytes_is_an_error() {
        let _ = Encoding::new("0F 38 F3 00 01");
    }
}
