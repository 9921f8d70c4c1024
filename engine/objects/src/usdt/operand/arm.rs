//! 32-bit ARM, A32 and Thumb: `r6`, `fp`, `#-1`, `[r4, #-32]`, `[r3, r2, lsl #2]`, `.L4+8`.

use super::forms::{Extension, Index, Parsed};
use crate::reason::Unreadable;
use crate::usdt::expression::Sum;

const PC: u8 = 15;
/// Other names of registers.
const ALIASES: [(&str, u8); 19] = [
    ("sb", 9),
    ("sl", 10),
    ("fp", 11),
    ("ip", 12),
    ("sp", 13),
    ("lr", 14),
    ("pc", PC),
    ("a1", 0),
    ("a2", 1),
    ("a3", 2),
    ("a4", 3),
    ("v1", 4),
    ("v2", 5),
    ("v3", 6),
    ("v4", 7),
    ("v5", 8),
    ("v6", 9),
    ("v7", 10),
    ("v8", 11),
];
/// Registers of the floating-point and vector unit: their first letters.
const VECTOR: [char; 3] = ['s', 'd', 'q'];

/// Parses an operand.
pub fn parse(text: &str) -> Option<Parsed<'_>> {
    if let Some(inside) = text.strip_prefix('[') {
        return memory(inside.strip_suffix(']')?);
    }
    if let Some(value) = text.strip_prefix(['#', '$']) {
        return Some(Parsed::Immediate(Sum::parse(value)?));
    }
    if let Some(number) = register(text) {
        return Some(Parsed::Register { number, shift: 0 });
    }
    let mut vectors = VECTOR
        .iter()
        .filter_map(|letter| text.strip_prefix(*letter));
    if vectors.any(|digits| digits.parse().is_ok_and(|number: u8| number < 32)) {
        return Some(Parsed::Unreadable(Unreadable::Vector));
    }
    let sum = Sum::parse(text)?;
    Some(match sum.symbol {
        None => Parsed::Immediate(sum),
        // A literal, which is addressed relative to the instruction.
        Some(_) => Parsed::Relative(sum),
    })
}

/// `BASE`, `BASE, NUMBER` or `BASE, INDEX, SHIFT NUMBER`.
fn memory(text: &str) -> Option<Parsed<'_>> {
    let mut parts = text.split(',').map(str::trim);
    let base = register(parts.next()?)?;
    let (second, third) = (parts.next(), parts.next());
    if parts.next().is_some() {
        return None;
    }
    let parsed = match second {
        None => simple(base, 0),
        Some(second) => match (second.strip_prefix('#'), third) {
            (Some(number), None) => simple(base, Sum::parse(number)?.constant()?),
            (Some(_), Some(_)) => return None,
            (None, shift) => indexed(base, second, shift)?,
        },
    };
    Some(match base {
        PC => Parsed::Unreadable(Unreadable::Relative),
        _ => parsed,
    })
}

fn simple<'d>(base: u8, number: i64) -> Parsed<'d> {
    Parsed::Memory {
        base: Some(base),
        index: None,
        displacement: Sum {
            symbol: None,
            number,
        },
    }
}

fn indexed<'d>(base: u8, index: &str, shift: Option<&str>) -> Option<Parsed<'d>> {
    let (index, is_negative) = match index.strip_prefix('-') {
        Some(name) => (name, true),
        None => (index, false),
    };
    let register = register(index).filter(|number| *number != PC)?;
    let amount = match shift {
        None => 0,
        Some("rrx") => return Some(Parsed::Unreadable(Unreadable::Index)),
        Some(shift) => {
            let (kind, amount) = shift.split_once(' ')?;
            let amount: u32 = amount.trim().strip_prefix('#')?.parse().ok()?;
            match kind {
                "lsl" if amount < 32 => amount,
                "asr" | "lsr" | "ror" if (1..=32).contains(&amount) => {
                    return Some(Parsed::Unreadable(Unreadable::Index));
                }
                _ => return None,
            }
        }
    };
    if is_negative {
        return Some(Parsed::Unreadable(Unreadable::Index));
    }
    Some(Parsed::Memory {
        base: Some(base),
        index: Some(Index {
            register,
            scale: 1 << amount,
            extension: Extension::Whole,
        }),
        displacement: Sum::ZERO,
    })
}

/// The place of a register.
fn register(name: &str) -> Option<u8> {
    if let Some((_, number)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return Some(*number);
    }
    let digits = name.strip_prefix('r')?;
    let number: u8 = digits.parse().ok()?;
    (number <= PC && number.to_string() == digits).then_some(number)
}
