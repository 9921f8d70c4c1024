//! A32 as two disassemblers print it, and their permitted differences.

use capstone::prelude::*;
use engine_isa::arm::{self, ROWS};
use engine_isa::{Plan, Why};

use super::usual;
use crate::spelling::{Difference, Reading, Said, Set};
use crate::words;

/// A32 for the reference disassembler.
pub const SET: Set<u32> = Set {
    name: "arm",
    disassembler: || Capstone::new().arm().mode(arch::arm::ArchMode::Arm).build(),
    any: |rng| words::any(ROWS, usual, rng),
    bytes: |word| word.to_le_bytes().to_vec(),
    length: |_| None,
    said,
    same_text,
    same_name,
    names_its_place: names_pc,
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

/// A canonical spelling: the condition separate from the mnemonic, operands plain, and the longer
/// of two names.
fn canonical(word: u32, text: &str) -> Option<(String, String)> {
    let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let base = mnemonic.strip_suffix(condition(word))?;
    Some(unabbreviated(word, base, plain(operands)))
}

/// The longer of two names for the same instruction.
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

/// Operands with numbered registers, decimal numbers, rotated constants evaluated, addresses as
/// distances, zero offsets and white space removed.
pub(crate) fn plain(operands: &str) -> String {
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
        .replace("],-0", "],0")
}

/// `.+8` and `.-8` as addresses, with the instruction at 0.
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

/// `r0,120,16`, a constant with a separate rotation, as `r0,7864320`.
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

/// The condition suffix.
fn condition(word: u32) -> &'static str {
    CONDITIONS
        .get((word >> 28) as usize)
        .copied()
        .unwrap_or_default()
}

/// Whether one of the words of a row's name is the mnemonic: `vmax, vmin` is two.
fn same_name(word: u32, name: &str, reading: &Reading) -> bool {
    let mnemonic = reading.mnemonic.split('.').next().unwrap_or_default();
    let Some(base) = mnemonic.strip_suffix(condition(word)) else {
        return false;
    };
    let mut words = name.split([' ', ',', '.', ':']);
    words.any(|word_of_name| forms(word, base).any(|form| form == word_of_name))
        || name.contains("1 to vld4") && starts(Some(reading), &["vld", "vst"])
}

/// Whether the pc is an operand, read or written.
pub(crate) fn names_pc(reading: &Reading) -> bool {
    let mut words = reading.operands.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| matches!(word, "pc" | "r15"))
}

/// A mnemonic, with and without the suffixes that a row's name may omit.
fn forms(word: u32, base: &str) -> impl Iterator<Item = String> {
    let sets_flags = word >> 20 & 1 == 1;
    let multiplies = word >> 23 & 31 == 0b0_1110;
    let moves_several = word >> 25 & 7 == 0b100;
    let compares = base.starts_with("vcmp");
    let without = |letter: char, may: bool| base.strip_suffix(letter).filter(|_| may);
    let shorter = [
        without('s', sets_flags),
        without('r', multiplies),
        without('x', multiplies),
        without('e', compares),
        without('r', base == "vcvtr"),
        base.get(..3).filter(|_| matches!(base, "cpsie" | "cpsid")),
        base.get(..3).filter(|_| moves_several),
    ];
    let ascending = format!("{base}ia");
    let stack = match base {
        "pop" => Some("ldmia"),
        "push" => Some("stmdb"),
        "vpop" => Some("vldmia"),
        "vpush" => Some("vstmdb"),
        _ => None,
    };
    let forms = shorter
        .into_iter()
        .flatten()
        .chain(stack)
        .map(str::to_owned);
    let forms = forms.chain(moves_several.then_some(ascending));
    std::iter::once(base.to_owned())
        .chain(forms)
        .collect::<Vec<_>>()
        .into_iter()
}

const DIFFERENCES: &[Difference<u32>] = &[
    Difference {
        reason: "capstone has a name for what is undefined for ever",
        explains: |_, reading, said| *said == Said::Nothing && starts(reading, &["udf"]),
    },
    Difference {
        reason: "capstone reads what would be a coprocessor's though there is none of that number",
        explains: |_, reading, said| *said == Said::Nothing && starts(reading, COPROCESSOR),
    },
    Difference {
        reason: "ARMv8 has given the word a meaning",
        explains: |_, reading, said| {
            *said == Said::Nothing && (starts(reading, NEW) || halves(reading))
        },
    },
    Difference {
        reason: "ARMv8 has a name of its own for this barrier",
        explains: |_, reading, said| starts(reading, &["dfb"]) && is_name(said, "dsb"),
    },
    Difference {
        reason: "a hint that is not allocated does nothing, and capstone does not know it",
        explains: |_, reading, said| reading.is_none() && is_name(said, "not allocated"),
    },
    Difference {
        reason: "a hint that is not allocated does nothing, and capstone has its number or a later name",
        explains: |_, reading, said| {
            starts(reading, &["csdb", "esb", "hint"]) && is_name(said, "yield")
        },
    },
    Difference {
        reason: "a hint about instructions at the pc may be one about others",
        explains: |_, reading, said| starts(reading, &["pli"]) && is_name(said, "pli [pc"),
    },
    Difference {
        reason: "a hint about data at the pc is emulated as nothing",
        explains: |_, reading, said| {
            *said == Said::Text("nop".to_owned()) && starts(reading, &["pld", "pldw"])
        },
    },
    Difference {
        reason: "capstone has the old name where an odd number of words is moved",
        explains: |_, reading, said| {
            starts(reading, &["fldm"]) && is_name(said, "vldm")
                || starts(reading, &["fstm"]) && is_name(said, "vstm")
        },
    },
];

/// Coprocessor instructions.
pub(crate) const COPROCESSOR: &[&str] = &["cdp", "ldc", "mcr", "mrc", "mrrc", "stc"];
/// Prefixes of instructions that ARMv7-A does not have.
pub(crate) const NEW: &[&str] = &[
    "vudot", "vsdot", "vcvta", "vcvtm", "vcvtn", "vcvtp", "vlldm", "vlstm", "vmaxnm", "vminnm",
    "vrint", "vsel",
];

pub(crate) fn starts(reading: Option<&Reading>, names: &[&str]) -> bool {
    reading.is_some_and(|reading| names.iter().any(|name| reading.mnemonic.starts_with(name)))
}

/// Half-precision arithmetic.
pub(crate) fn halves(reading: Option<&Reading>) -> bool {
    let kinds = |reading: &Reading| {
        let (name, kind) = reading.mnemonic.split_once('.')?;
        Some(kind.contains("f16") || kind == "16" && name.starts_with('v'))
    };
    reading.and_then(kinds).unwrap_or_default()
}

pub(crate) fn is_name(said: &Said, part: &str) -> bool {
    matches!(said, Said::Name(name) if name.contains(part))
}
