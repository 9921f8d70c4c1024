//! The arguments of a note: `SIZE@OPERAND`, separated by spaces.
//!
//! The size is in bytes, negative if the argument is signed, with an `f` behind it if it is a
//! floating-point number: `-4@%edi 8f@-16(%rbp)`. Without a size it is that of an unsigned word, as in
//! notes written by hand. Spaces inside of brackets and parentheses belong to the operand.

use super::operand::{Operand, Parsed, Place, parse};
use crate::elf::Elf;
use crate::elf::header::Class;
use crate::reason::{Reason, Unreadable};

/// The most arguments of a probe. `sys/sdt.h` allows 12.
const MOST: usize = 32;

/// An argument of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Its size in bytes: 1, 2, 4 or 8. Another one is [`Unreadable::Size`].
    pub size: u8,
    /// Whether it is a signed integer.
    pub is_signed: bool,
    /// Whether it is a floating-point number.
    pub is_float: bool,
    /// Where it is when the probe fires.
    pub at: Operand,
    /// As noted.
    pub text: String,
}

/// An argument whose symbol is not looked up yet.
pub struct Noted<'d> {
    text: &'d str,
    size: u8,
    is_signed: bool,
    is_float: bool,
    at: Parsed<'d>,
}

impl<'d> Noted<'d> {
    /// The arguments of a note.
    pub fn all(elf: &Elf, text: &'d str) -> Result<Vec<Self>, Reason> {
        let mut all = Vec::new();
        for (number, text) in split(text).enumerate() {
            if number == MOST {
                return Err(Reason::Arguments(MOST));
            }
            all.push(Self::one(elf, number, text)?);
        }
        Ok(all)
    }

    fn one(elf: &Elf, number: usize, text: &'d str) -> Result<Self, Reason> {
        let malformed = || Reason::Argument(number, text.to_owned());
        let (size, operand) = match size(text) {
            Some((size, operand)) => (size.ok_or_else(malformed)?, operand),
            None => (Size::word(elf), text),
        };
        let Size {
            bytes,
            is_signed,
            is_float,
        } = size;
        let parsed =
            parse(elf.machine, operand).ok_or_else(|| Reason::Machine(elf.machine.to_string()))?;
        Ok(Self {
            text,
            size: bytes,
            is_signed,
            is_float,
            at: parsed.ok_or_else(|| Reason::Operand(number, text.to_owned()))?,
        })
    }

    /// The symbol that it names.
    pub fn symbol(&self) -> Option<&'d str> {
        self.at.symbol()
    }

    pub fn argument(&self, place: &Place<'_>) -> Argument {
        let at = match self.size {
            1 | 2 | 4 | 8 => self.at.operand(self.size, place),
            other => Err(Unreadable::Size(other)),
        };
        Argument {
            size: self.size,
            is_signed: self.is_signed,
            is_float: self.is_float,
            at: at.unwrap_or_else(Operand::Unreadable),
            text: self.text.to_owned(),
        }
    }
}

struct Size {
    bytes: u8,
    is_signed: bool,
    is_float: bool,
}

impl Size {
    fn word(elf: &Elf) -> Self {
        let bytes = match elf.class {
            Class::Elf32 => 4,
            Class::Elf64 => 8,
        };
        Self {
            bytes,
            is_signed: false,
            is_float: false,
        }
    }

    fn of(text: &str) -> Option<Self> {
        let (text, is_float) = match text.strip_suffix('f') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (digits, is_signed) = match text.strip_prefix('-') {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let bytes = digits
            .parse()
            .ok()
            .filter(|bytes| is_number && *bytes > 0)?;
        Some(Self {
            bytes,
            is_signed,
            is_float,
        })
    }
}

/// The size before an operand, if there is one, and whether it is well-formed. An `@` in a symbol,
/// as in `x@GOTPCREL(%rip)`, follows other characters than a size has.
fn size(text: &str) -> Option<(Option<Size>, &str)> {
    let (size, operand) = text.split_once('@')?;
    let is_size = |byte: u8| byte.is_ascii_digit() || b"-f".contains(&byte);
    size.bytes().all(is_size).then(|| (Size::of(size), operand))
}

/// The arguments in a text.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |letter| {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = (depth - 1).max(0),
            _ => {}
        }
        letter == ' ' && depth == 0
    });
    parts.filter(|part| !part.is_empty())
}
