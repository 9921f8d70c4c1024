//! x86, in AT&T's syntax: `%edi`, `$-1`, `-8(%rbp)`, `(%rax,%rcx,4)`, `40+CheckpointStats(%rip)`.

use super::forms::{Extension, Index, Parsed};
use crate::reason::Unreadable;
use crate::usdt::expression::Sum;

const RIP: u8 = 16;

/// The registers that have names of their own, each with its place and its names for 8, 4 and 2 bytes
/// and for the lowest byte.
const NAMED: [(u8, [&str; 4]); 9] = [
    (10, ["rax", "eax", "ax", "al"]),
    (5, ["rbx", "ebx", "bx", "bl"]),
    (11, ["rcx", "ecx", "cx", "cl"]),
    (12, ["rdx", "edx", "dx", "dl"]),
    (13, ["rsi", "esi", "si", "sil"]),
    (14, ["rdi", "edi", "di", "dil"]),
    (4, ["rbp", "ebp", "bp", "bpl"]),
    (19, ["rsp", "esp", "sp", "spl"]),
    (RIP, ["rip", "eip", "ip", ""]),
];
/// Those of the second lowest byte.
const HIGH: [(u8, &str); 4] = [(10, "ah"), (5, "bh"), (11, "ch"), (12, "dh")];
/// The places of `r8` to `r15`.
const NUMBERED: [u8; 8] = [9, 8, 7, 6, 3, 2, 1, 0];
/// How the names of registers begin that are not in the frame of a trap.
const VECTOR: [&str; 6] = ["xmm", "ymm", "zmm", "mm", "st", "k"];

/// Parses an operand.
pub fn parse(text: &str) -> Option<Parsed<'_>> {
    if let Some(value) = text.strip_prefix('$') {
        return Some(Parsed::Immediate(Sum::parse(value)?));
    }
    match text.strip_prefix('%') {
        Some(name) => match name.split_once(':') {
            Some((segment, address)) => in_segment(segment, address),
            None => direct(name),
        },
        None => memory(text),
    }
}

/// Memory with a segment register: that of threads, or one whose base is 0.
fn in_segment<'d>(segment: &str, address: &'d str) -> Option<Parsed<'d>> {
    let parsed = memory(address)?;
    match segment {
        "fs" | "gs" => Some(Parsed::Unreadable(Unreadable::ThreadLocal)),
        "cs" | "ds" | "es" | "ss" => Some(parsed),
        _ => None,
    }
}

fn direct(name: &str) -> Option<Parsed<'_>> {
    if let Some((number, shift)) = register(name) {
        return Some(Parsed::Register { number, shift });
    }
    let mut vectors = VECTOR.iter();
    let is_vector = vectors.any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|number| number.bytes().all(|byte| b"0123456789()".contains(&byte)))
    });
    is_vector.then_some(Parsed::Unreadable(Unreadable::Vector))
}

/// `DISPLACEMENT(BASE,INDEX,SCALE)`, of which any part can be left out.
fn memory(text: &str) -> Option<Parsed<'_>> {
    let Some(rest) = text.strip_suffix(')') else {
        return Some(Parsed::Memory {
            base: None,
            index: None,
            displacement: Sum::parse(text)?,
        });
    };
    let (displacement, registers) = rest.split_once('(')?;
    let displacement = match displacement {
        "" => Sum::ZERO,
        text => Sum::parse(text)?,
    };
    let mut parts = registers.split(',').map(str::trim);
    let base = match parts.next()? {
        "" => None,
        name => Some(full(name)?),
    };
    let index = parts.next();
    let scale = match parts.next() {
        Some(scale) => scale.parse().ok()?,
        None => 1,
    };
    let index = match index {
        None | Some("") => None,
        Some(name) => Some(Index {
            register: full(name).filter(|number| *number != RIP)?,
            scale,
            extension: Extension::Whole,
        }),
    };
    if parts.next().is_some() || ![1, 2, 4, 8].contains(&scale) || (base, index) == (None, None) {
        return None;
    }
    match (base, index) {
        (Some(RIP), None) => Some(Parsed::Relative(displacement)),
        (Some(RIP), Some(_)) => None,
        _ => Some(Parsed::Memory {
            base,
            index,
            displacement,
        }),
    }
}

/// A register that can be a part of an address.
fn full(name: &str) -> Option<u8> {
    let (number, shift) = register(name.strip_prefix('%')?)?;
    (shift == 0).then_some(number)
}

/// The place of a register, and of its part there.
fn register(name: &str) -> Option<(u8, u8)> {
    if let Some((number, _)) = HIGH.iter().find(|(_, high)| *high == name) {
        return Some((*number, 8));
    }
    if let Some((number, _)) = NAMED.iter().find(|(_, names)| names.contains(&name)) {
        return (!name.is_empty()).then_some((*number, 0));
    }
    let digits = name.strip_prefix('r')?;
    let digits = digits.strip_suffix(['d', 'w', 'b']).unwrap_or(digits);
    let which = ["8", "9", "10", "11", "12", "13", "14", "15"];
    let which = which.iter().position(|number| *number == digits)?;
    Some((*NUMBERED.get(which)?, 0))
}
