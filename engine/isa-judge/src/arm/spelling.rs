//! A32 as two disassemblers write it, and in what they may differ.

use capstone::prelude::*;
use engine_isa::arm::{self, ROWS};
use engine_isa::{Plan, Why};

use super::words;
use crate::spelling::{Difference, Reading, Said, Set};

/// A32 as it is read.
pub const SET: Set = Set {
    name: "arm",
    disassembler: || Capstone::new().arm().mode(arch::arm::ArchMode::Arm).build(),
    any: words::any,
    said,
    same_text,
    same_name,
    differences: DIFFERENCES,
};

fn said(word: u32) -> Said {
    match arm::plan(word) {
        Plan::Emulate(emulation) => Said::Text(emulation.to_string()),
        Plan::Relocate(_) => Said::Name(ROWS[arm::row(word)].name.to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

fn same_text(word: u32, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    canonical(word, text) == canonical(word, &theirs)
}

/// One spelling of several: the condition apart from the mnemonic, operands plain, and for what has
/// two names the longer one.
fn canonical(word: u32, text: &str) -> Option<(String, String)> {
    let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let base = mnemonic.strip_suffix(condition(word))?;
    Some(unabbreviated(word, base, plain(operands)))
}

/// The longer of two names for the same thing.
fn unabbreviated(word: u32, base: &str, operands: String) -> (String, String) {
    let is_list = word >> 25 & 7 == 0b100;
    let (base, operands) = match base {
        "push" if is_list => ("stmdb", format!("sp!,{operands}")),
        "push" => (
            "str",
            format!("{},[sp,-4]!", operands.trim_matches(['{', '}'])),
        ),
        "pop" if is_list => ("ldm", format!("sp!,{operands}")),
        "pop" => (
            "ldr",
            format!("{},[sp],4", operands.trim_matches(['{', '}'])),
        ),
        "ldmia" => ("ldm", operands),
        "stmia" => ("stm", operands),
        _ => match base.strip_suffix('s').unwrap_or(base) {
            shift @ ("lsl" | "lsr" | "asr" | "ror") => {
                let moved = operands.rsplit_once(',');
                let operands = moved.map(|(registers, by)| format!("{registers},{shift}{by}"));
                let flags = if base.ends_with('s') { "movs" } else { "mov" };
                (flags, operands.unwrap_or_default())
            }
            "rrx" => (
                if base == "rrxs" { "movs" } else { "mov" },
                format!("{operands},rrx"),
            ),
            _ => (base, operands),
        },
    };
    (base.to_owned(), operands)
}

/// Operands with registers by number, numbers in decimals, constants as they are after their
/// rotation, places as distances, offsets of nothing left out, and no blanks.
fn plain(operands: &str) -> String {
    let mut out = String::new();
    let mut rest = operands;
    while let Some(first) = rest.chars().next() {
        let is_token = first.is_ascii_alphanumeric();
        let taken = if is_token {
            token(rest)
        } else {
            &rest[..first.len_utf8()]
        };
        if !matches!(first, ' ' | '#') {
            out.push_str(&plain_token(taken));
        }
        rest = &rest[taken.len()..];
    }
    placed(&rotated(&out))
        .replace(",0]", "]")
        .replace(",-0]", "]")
}

/// `.+8` and `.-8` as the addresses that they are if the instruction stands at 0.
fn placed(operands: &str) -> String {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let away = |distance: u32| distance.to_string();
    let up = operands.strip_prefix(".+").and_then(number);
    let down = operands.strip_prefix(".-").and_then(number);
    match (up, down) {
        (Some(distance), _) => away(distance),
        (_, Some(distance)) => away(distance.wrapping_neg()),
        _ => operands.to_owned(),
    }
}

/// `r0,120,16`, where a constant and its rotation are written by themselves, as `r0,7864320`.
fn rotated(operands: &str) -> String {
    let mut parts = operands.rsplitn(3, ',');
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
    let (rotation, constant) = (number(), number());
    match (constant, rotation, parts.next()) {
        (Some(constant @ ..256), Some(rotation @ ..32), Some(before)) => {
            format!("{before},{}", constant.rotate_right(rotation))
        }
        _ => operands.to_owned(),
    }
}

fn token(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    &text[..end]
}

fn plain_token(token: &str) -> String {
    let number = token.strip_prefix("0x").map_or_else(
        || token.parse::<u64>().ok(),
        |digits| u64::from_str_radix(digits, 16).ok(),
    );
    match (token, number) {
        (_, Some(number)) => number.to_string(),
        ("sb", _) => "r9".to_owned(),
        ("sl", _) => "r10".to_owned(),
        ("fp", _) => "r11".to_owned(),
        ("ip", _) => "r12".to_owned(),
        _ => token.to_owned(),
    }
}

const CONDITIONS: [&str; 15] = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "",
];

/// The condition as it is written.
fn condition(word: u32) -> &'static str {
    CONDITIONS
        .get((word >> 28) as usize)
        .copied()
        .unwrap_or_default()
}

/// Whether one of the words of a row's name is the mnemonic: `vmax, vmin` is about two.
fn same_name(word: u32, name: &str, reading: &Reading) -> bool {
    let mnemonic = reading.mnemonic.split('.').next().unwrap_or_default();
    let Some(base) = mnemonic.strip_suffix(condition(word)) else {
        return false;
    };
    let sets_flags = word >> 20 & 1 == 1;
    let without = base.strip_suffix('s').filter(|_| sets_flags);
    let mut words = name.split([' ', ',', '.']);
    words.any(|word| word == base || Some(word) == without)
}

const DIFFERENCES: &[Difference] = &[Difference {
    reason: "capstone has a name for what is undefined for ever",
    explains: |_, reading, said| {
        *said == Said::Nothing && reading.is_some_and(|reading| reading.mnemonic == "udf")
    },
}];
