//! Integer, character and string constants.

use super::{Integer, Lexer, TokenKind};
use crate::error::Mistake;
use crate::tag::Tag;

/// The message for a floating-point constant.
pub(super) const FRACTION: &str = "floating-point constants are not permitted";

impl<'a> Lexer<'a> {
    /// An integer constant, with its suffix.
    pub(super) fn integer(&mut self) -> Result<TokenKind, Mistake> {
        let begin = self.at;
        let digits = self.digits();
        if self.has_fraction(digits) {
            return Err(self.mistake(Tag::Syntax, FRACTION));
        }
        let (is_unsigned, longs) = self.suffix();
        let spelt = self.text.source.get(begin..self.at).unwrap_or_default();
        let value = match parse(digits) {
            Ok(value) => value,
            Err(Number::TooGreat) => {
                let message = format!("constant {spelt} results in integer overflow");
                return Err(self.mistake(Tag::IntOflow, message));
            }
            Err(Number::Digit(digit)) => {
                let message = format!("constant {spelt} contains invalid digit {digit}");
                return Err(self.mistake(Tag::IntDigit, message));
            }
        };
        Ok(TokenKind::Integer(Integer {
            value,
            is_decimal: !digits.starts_with('0'),
            is_unsigned,
            longs,
            is_negative: false,
        }))
    }

    /// Decimal, octal, or hexadecimal digits with their `0x`.
    fn digits(&mut self) -> &'a str {
        let begin = self.at;
        let is_hex = self.peek(0) == Some(b'0')
            && matches!(self.peek(1), Some(b'x' | b'X'))
            && self.peek(2).is_some_and(|byte| byte.is_ascii_hexdigit());
        if is_hex {
            self.at += 2;
            self.take_while(|byte| byte.is_ascii_hexdigit());
        } else {
            self.take_while(|byte| byte.is_ascii_digit());
        }
        self.text.source.get(begin..self.at).unwrap_or_default()
    }

    /// Whether what follows the digits makes this a floating-point constant.
    fn has_fraction(&self, digits: &str) -> bool {
        let is_exponent = |at: usize| match self.peek(at) {
            Some(b'+' | b'-') => self.peek(at + 1).is_some_and(|byte| byte.is_ascii_digit()),
            other => other.is_some_and(|byte| byte.is_ascii_digit()),
        };
        !digits.starts_with("0x")
            && !digits.starts_with("0X")
            && match self.peek(0) {
                Some(b'.' | b'f' | b'F') => true,
                Some(b'e' | b'E') => is_exponent(1),
                _ => false,
            }
    }

    /// Whether there is a `u`, and how many `l`.
    fn suffix(&mut self) -> (bool, u8) {
        let is_unsigned = self.take(b"uU");
        let longs = u8::from(self.take(b"lL")) + u8::from(self.take(b"lL"));
        (is_unsigned, longs)
    }

    /// Consumes the next byte if it is one of these.
    fn take(&mut self, any: &[u8]) -> bool {
        let found = self.peek(0).is_some_and(|byte| any.contains(&byte));
        self.at += usize::from(found);
        found
    }

    /// A string constant.
    pub(super) fn string(&mut self) -> Result<TokenKind, Mistake> {
        let message = "newline encountered in string literal";
        let text = self.quoted(b'"', Tag::StrNl, message)?;
        Ok(TokenKind::Text(text.into()))
    }

    /// A character constant: up to eight characters, the first in the most significant byte.
    pub(super) fn character(&mut self) -> Result<TokenKind, Mistake> {
        let message = "newline encountered in character constant";
        let begin = self.at;
        let characters = self.quoted(b'\'', Tag::ChrNl, message)?;
        if self.at - begin == 2 {
            return Err(self.mistake(Tag::ChrNull, "empty character constant"));
        }
        if characters.len() > 8 {
            return Err(self.mistake(Tag::ChrOflow, "character constant is too long"));
        }
        let place = |value, byte: &u8| value << 8 | u64::from(*byte);
        let value = characters.iter().fold(0, place);
        Ok(TokenKind::Integer(Integer::plain(value)))
    }

    /// The text between two `quote`s, with escapes replaced.
    fn quoted(&mut self, quote: u8, tag: Tag, message: &str) -> Result<Vec<u8>, Mistake> {
        let begin = self.at + 1;
        let mut end = begin;
        loop {
            match self.bytes.get(end) {
                Some(b'\n') => return Err(self.mistake(tag, message)),
                Some(b'\\') if self.bytes.get(end + 1).is_some_and(|&byte| byte != b'\n') => {
                    end += 2;
                }
                Some(&byte) if byte == quote => break,
                Some(_) => end += 1,
                None => return Err(self.stray(quote)),
            }
        }
        self.at = end + 1;
        Ok(unescape(self.bytes.get(begin..end).unwrap_or_default()))
    }
}

/// Why a sequence of digits is not a number.
pub(super) enum Number {
    /// It exceeds 64 bits.
    TooGreat,
    /// A digit that is invalid in its base.
    Digit(char),
}

/// The value of these digits: hexadecimal after `0x`, octal after `0`.
pub(super) fn parse(digits: &str) -> Result<u64, Number> {
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let (digits, base) = match (hex, digits.strip_prefix('0')) {
        (Some(rest), _) => (rest, 16),
        (None, Some(rest)) => (rest, 8),
        (None, None) => (digits, 10),
    };
    digits.chars().try_fold(0u64, |value, digit| {
        let worth = digit.to_digit(base).ok_or(Number::Digit(digit))?;
        let value = value.checked_mul(base.into()).ok_or(Number::TooGreat)?;
        value.checked_add(worth.into()).ok_or(Number::TooGreat)
    })
}

/// `text` with C's escapes replaced. As in DTrace any other backslash is kept, also those of `\?` and
/// `\'`.
pub(super) fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'\\', [escaped, tail @ ..]) => match escape(*escaped, tail) {
                Some((byte, tail)) => {
                    plain.push(byte);
                    rest = tail;
                }
                None => plain.push(*first),
            },
            _ => plain.push(*first),
        }
    }
    plain
}

/// The byte that the escape of this letter stands for, and the rest; `None` if it is no escape.
fn escape(letter: u8, rest: &[u8]) -> Option<(u8, &[u8])> {
    let byte = match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'0'..=b'7' => return Some(numeric(letter - b'0', rest, 8, 2)),
        b'x' if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
            return Some(numeric(0, rest, 16, rest.len()));
        }
        b'"' | b'\\' => letter,
        _ => return None,
    };
    Some((byte, rest))
}

/// A numeric escape that begins with `value` and has at most `most` more digits.
fn numeric(value: u8, rest: &[u8], base: u32, most: usize) -> (u8, &[u8]) {
    let worth = |byte: &u8| char::from(*byte).to_digit(base);
    let count = rest
        .iter()
        .take(most)
        .take_while(|byte| worth(byte).is_some());
    let (digits, rest) = rest.split_at(count.count());
    let value = digits
        .iter()
        .filter_map(worth)
        .fold(u32::from(value), |value, digit| {
            value.wrapping_mul(base).wrapping_add(digit)
        });
    // Only the low byte of a longer value counts.
    (value.to_le_bytes()[0], rest)
}
