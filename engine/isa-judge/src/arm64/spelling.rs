//! A64 as two disassemblers print it, and their permitted differences.

use capstone::prelude::*;
use engine_isa::arm64::{self, ROWS};
use engine_isa::{Plan, Why};

use crate::spelling::{Difference, Reading, Said, Set};
use crate::words;

/// A64 for the reference disassembler.
pub const SET: Set<u32> = Set {
    name: "arm64",
    disassembler: || {
        let builder = Capstone::new().arm64();
        builder.mode(arch::arm64::ArchMode::Arm).build()
    },
    any: |rng| words::any(ROWS, |word, _| word, rng),
    bytes: |word| word.to_le_bytes().to_vec(),
    length: |_| None,
    said,
    same_text,
    same_name,
    names_its_place,
    differences: DIFFERENCES,
};

fn said(word: u32) -> Said {
    match arm64::plan(word) {
        Plan::Emulate(emulation) => Said::Text(emulation.to_string()),
        Plan::Relocate(_) => Said::Name(ROWS[arm64::row(word)].name.to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

fn same_text(_: u32, text: &str, reading: &Reading) -> bool {
    let written = format!("{} {}", reading.mnemonic, reading.operands);
    let theirs = worked_out(reading).unwrap_or(written);
    plain(text) == plain(theirs.trim())
}

/// `movn w25, #0xffff, lsl #16`, which capstone does not print as `mov`, as the moved value.
fn worked_out(reading: &Reading) -> Option<String> {
    let (register, rest) = reading.operands.split_once(", #")?;
    let (half, shift) = rest.split_once(", lsl #").unwrap_or((rest, "0"));
    let value = !(number(half)? << number(shift)?);
    (reading.mnemonic == "movn").then(|| format!("mov {register}, #{value:#x}"))
}

/// A canonical spelling: numbers as their bits, addresses with the instruction at 0, and offsets
/// without the name of their extension.
fn plain(text: &str) -> String {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let mnemonic = if mnemonic == "movz" { "mov" } else { mnemonic };
    let mnemonic = match mnemonic.strip_prefix("ldur") {
        Some(kind) => format!("ldr{kind}"),
        None => mnemonic.to_owned(),
    };
    let of_32_bits = operands.starts_with('w');
    let operands: Vec<String> = operands
        .split(", ")
        .filter(|operand| {
            *operand != "lsl #0" && !(mnemonic == "mov" && operand.starts_with("lsl"))
        })
        .map(|operand| plain_operand(operand, of_32_bits && mnemonic == "mov"))
        .collect();
    format!("{mnemonic} {}", operands.join(","))
}

/// A number or an address in canonical form; anything else without decoration.
fn plain_operand(operand: &str, of_32_bits: bool) -> String {
    let (digits, end) = match operand.strip_suffix(']') {
        Some(digits) => (digits, "]"),
        None => (operand, ""),
    };
    let signed = [("#-", true), (".-", true), ("#", false), (".+", false)];
    let found = signed
        .iter()
        .find_map(|(sign, negative)| Some((number(digits.strip_prefix(sign)?)?, *negative)));
    match found {
        Some((number, true)) => plain_number(number.wrapping_neg(), of_32_bits) + end,
        Some((number, false)) => plain_number(number, of_32_bits) + end,
        None => operand.to_owned(),
    }
}

fn plain_number(number: u64, of_32_bits: bool) -> String {
    if of_32_bits {
        (number as u32).to_string()
    } else {
        number.to_string()
    }
}

fn number(digits: &str) -> Option<u64> {
    match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Whether one of the words of a row's name is the mnemonic, with or without ordering suffixes.
fn same_name(_: u32, name: &str, reading: &Reading) -> bool {
    let mut words = name
        .split([' ', ',', '.', ':'])
        .filter(|word| !word.is_empty());
    let mnemonic = without_condition(reading);
    words.any(|word| mnemonic == word || is_ordered(mnemonic, word))
}

/// The mnemonic without a condition: `b` for `b.eq`.
fn without_condition(reading: &Reading) -> &str {
    reading.mnemonic.split('.').next().unwrap_or_default()
}

/// Whether a mnemonic is an atomic operation with ordering suffixes: `ldadd`, `ldaddalb`; or a
/// store form of one, `staddlb`.
fn is_ordered(mnemonic: &str, word: &str) -> bool {
    let sized = word.strip_suffix(['b', 'h']).unwrap_or(word);
    let size = &word[sized.len()..];
    let is_atomic = word.starts_with("ld") || word.starts_with("swp");
    let loads = match mnemonic.strip_prefix("st") {
        Some(operation) => format!("ld{operation}"),
        None => mnemonic.to_owned(),
    };
    let orders = ["", "a", "l", "al"];
    let mut forms = orders.iter().map(|order| format!("{sized}{order}{size}"));
    is_atomic && forms.any(|form| loads == form)
}

/// Whether a relocated instruction is pc-relative, which it must not be. Of those mnemonics only
/// `adr` is also a vector instruction.
fn names_its_place(reading: &Reading) -> bool {
    let counts = ["adr", "adrp", "b", "bl", "cbz", "cbnz", "tbz", "tbnz"];
    let is_literal = reading
        .operands
        .ends_with(|last: char| last.is_ascii_hexdigit())
        && reading.operands.contains(", #")
        && ["ldr", "ldrsw", "prfm"].contains(&&*reading.mnemonic)
        && !reading.operands.contains('[');
    counts.contains(&without_condition(reading)) && !reading.operands.starts_with('z') || is_literal
}

const DIFFERENCES: &[Difference<u32>] = &[
    Difference {
        reason: "capstone has a name for what exists in order to trap",
        explains: |_, reading, said| {
            *said == Said::Nothing && is_one_of(reading, &["brk", "hlt", "udf"])
        },
    },
    Difference {
        reason: "capstone has a name for what traps outside of a debugger",
        explains: |_, reading, said| {
            *said == Said::Nothing && is_one_of(reading, &["drps", "dcps1", "dcps2", "dcps3"])
        },
    },
    Difference {
        reason: "capstone takes for a system register what is none: op0 is 0",
        explains: |word, reading, said| {
            let op0 = word >> 19 & 3;
            *said == Said::Nothing && is_one_of(reading, &["msr", "mrs"]) && op0 == 0
        },
    },
    Difference {
        reason: "capstone has no name for a kind of prefetch that is not allocated, and leaves it out",
        explains: |_, reading, said| {
            let left_out = reading.is_some_and(|reading| reading.operands.starts_with(','));
            matches!(said, Said::Text(text) if text.starts_with("prfm #")) && left_out
        },
    },
    Difference {
        reason: "it is newer than capstone",
        explains: |_, reading, said| {
            let newer = ["stgp", "ldtr,", "ldtrsb,"];
            reading.is_none()
                && matches!(said, Said::Name(name) if newer.iter().any(|new| name.starts_with(new)))
        },
    },
];

fn is_one_of(reading: Option<&Reading>, names: &[&str]) -> bool {
    reading.is_some_and(|reading| names.contains(&&*reading.mnemonic))
}
