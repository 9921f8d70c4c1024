//! arm64: `x0`, `w3`, `7`, `[sp, 152]`, `[x0, x1, lsl #3]`, `[x0, #:lo12:counter]`.

use super::forms::{Extension, Index, Parsed};
use crate::reason::Unreadable;
use crate::usdt::expression::Sum;

const SP: u8 = 31;
/// Registers of the floating-point and vector unit: their first letters.
const VECTOR: [char; 6] = ['b', 'h', 's', 'd', 'q', 'v'];

/// Parses an operand.
pub fn parse(text: &str) -> Option<Parsed<'_>> {
    if let Some(inside) = text.strip_prefix('[') {
        return memory(inside.strip_suffix(']')?);
    }
    if let Some(value) = text.strip_prefix('#') {
        return Some(Parsed::Immediate(Sum::parse(value)?));
    }
    match text {
        "xzr" | "wzr" => return Some(Parsed::Immediate(Sum::ZERO)),
        _ if is_vector(text) => return Some(Parsed::Unreadable(Unreadable::Vector)),
        _ => {}
    }
    if let Some((number, _)) = register(text) {
        return Some(Parsed::Register { number, shift: 0 });
    }
    let sum = Sum::parse(text)?;
    Some(match sum.symbol {
        None => Parsed::Immediate(sum),
        // A literal, which is addressed relative to the instruction.
        Some(_) => Parsed::Relative(sum),
    })
}

/// `BASE`, `BASE, NUMBER` or `BASE, INDEX, EXTENSION NUMBER`.
fn memory(text: &str) -> Option<Parsed<'_>> {
    let mut parts = text.split(',').map(str::trim);
    let (base, is_whole) = register(parts.next()?)?;
    if !is_whole {
        return None;
    }
    let (second, third) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let Some(second) = second else {
        return Some(simple(base, Sum::ZERO));
    };
    if let Some(index) = register(second) {
        return Some(Parsed::Memory {
            base: Some(base),
            index: Some(scaled(index, third)?),
            displacement: Sum::ZERO,
        });
    }
    let number = second.strip_prefix('#').unwrap_or(second);
    let parsed = match number.strip_prefix(":lo12:") {
        Some(address) => Parsed::Low12 {
            base,
            address: Sum::parse(address).filter(|sum| sum.symbol.is_some())?,
        },
        None if number.starts_with(':') => {
            Parsed::Unreadable(Unreadable::Linked(number.to_owned()))
        }
        None => simple(base, Sum::parse(number).filter(|sum| sum.symbol.is_none())?),
    };
    third.is_none().then_some(parsed)
}

fn simple(base: u8, displacement: Sum<'_>) -> Parsed<'_> {
    Parsed::Memory {
        base: Some(base),
        index: None,
        displacement,
    }
}

/// An index with what is done to it: `lsl #3`, `sxtw`, `uxtw 2`.
fn scaled(index: (u8, bool), extension: Option<&str>) -> Option<Index> {
    let (register, is_whole) = index;
    if register == SP {
        return None;
    }
    let (kind, amount) = match extension {
        None => ("lsl", 0),
        Some(text) => match text.split_once(' ') {
            None => (text, 0),
            Some((kind, amount)) => {
                let amount = amount.trim();
                (
                    kind,
                    amount.strip_prefix('#').unwrap_or(amount).parse().ok()?,
                )
            }
        },
    };
    let extension = match (kind, is_whole) {
        ("lsl" | "sxtx" | "uxtx", true) => Extension::Whole,
        ("sxtw", false) => Extension::SignedWord,
        ("uxtw", false) => Extension::UnsignedWord,
        _ => return None,
    };
    let scale = match amount {
        0..=4_u32 => 1 << amount,
        _ => return None,
    };
    Some(Index {
        register,
        scale,
        extension,
    })
}

/// The place of a register, and whether all of its bits are meant.
fn register(name: &str) -> Option<(u8, bool)> {
    let alias = match name {
        "sp" => Some((SP, true)),
        "wsp" => Some((SP, false)),
        "lr" => Some((30, true)),
        "fp" => Some((29, true)),
        "ip0" => Some((16, true)),
        "ip1" => Some((17, true)),
        _ => None,
    };
    let numbered = |prefix| number(name.strip_prefix(prefix)?, 30);
    let whole = || numbered('x').map(|number| (number, true));
    let half = || numbered('w').map(|number| (number, false));
    alias.or_else(whole).or_else(half)
}

fn is_vector(name: &str) -> bool {
    let mut names = VECTOR
        .iter()
        .filter_map(|letter| name.strip_prefix(*letter));
    names.any(|digits| number(digits, 31).is_some())
}

/// The number of a register, without leading zeros.
fn number(digits: &str, last: u8) -> Option<u8> {
    let number: u8 = digits.parse().ok().filter(|number| *number <= last)?;
    (number.to_string() == digits).then_some(number)
}
