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
        Plan::Relocate(_) => Said::Name(mnemonic_of(ROWS[arm::row(word)].name).to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

/// What a row is about: the first word of its name.
fn mnemonic_of(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

fn same_text(_word: u32, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    plain(text) == plain(&theirs)
}

/// A text with registers by number, numbers in decimals, and no blanks but the one behind the
/// mnemonic.
fn plain(text: &str) -> String {
    let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let mut out = format!("{mnemonic} ");
    let mut rest = operands;
    while let Some(first) = rest.chars().next() {
        let taken = if first.is_ascii_alphanumeric() {
            token(rest)
        } else {
            &rest[..first.len_utf8()]
        };
        if first != ' ' {
            out.push_str(&plain_token(taken));
        }
        rest = &rest[taken.len()..];
    }
    out.replace("#", "")
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

fn same_name(word: u32, name: &str, reading: &Reading) -> bool {
    let (base, kind) = reading
        .mnemonic
        .split_once('.')
        .unwrap_or((&reading.mnemonic, ""));
    let base = base.strip_suffix(condition(word)).unwrap_or(base);
    let (name, _) = name.split_once('.').unwrap_or((name, kind));
    let flags = word >> 20 & 1 == 1;
    base == name || flags && base.strip_suffix('s') == Some(name)
}

const DIFFERENCES: &[Difference] = &[];
