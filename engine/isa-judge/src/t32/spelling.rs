//! T16 and T32 as two disassemblers print them, and their permitted differences.

use capstone::prelude::*;
use engine_isa::arm::Block;
use engine_isa::arm::t32::{self, ROWS};
use engine_isa::{Plan, Why};

use super::{Placed, any};
use crate::arm::spelling::{COPROCESSOR, NEW, halves, is_name, names_pc, plain, starts};
use crate::spelling::{Difference, Reading, Said, Set};

/// T16 and T32 for the reference disassembler, outside of IT blocks.
pub const SET: Set<Placed> = Set {
    name: "t32",
    disassembler: || {
        Capstone::new()
            .arm()
            .mode(arch::arm::ArchMode::Thumb)
            .build()
    },
    any,
    bytes: Placed::bytes,
    length: |one| Some(t32::length(one.word)),
    said,
    same_text,
    same_name,
    names_its_place: names_pc,
    differences: DIFFERENCES,
};

fn said(one: Placed) -> Said {
    match t32::plan(one.word, Block::NONE) {
        Plan::Emulate(emulation) => Said::Text(emulation.to_string()),
        Plan::Relocate(_) => Said::Name(ROWS[t32::row(one.word)].name.to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

fn same_text(_: Placed, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    canonical(text) == canonical(&theirs)
}

/// A canonical spelling: the longer of two names without its width, and plain operands.
fn canonical(text: &str) -> (String, String) {
    let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let base = mnemonic.strip_suffix(".w").unwrap_or(mnemonic);
    let (first, distance) = operands.rsplit_once(", ").unwrap_or_default();
    let operands = match base {
        // `plain` has a distance alone as an address.
        "cbz" | "cbnz" => format!("{},{}", plain(first), plain(distance)),
        _ => plain(operands),
    };
    let stacked = |direction: &str| (direction.to_owned(), format!("sp!,{operands}"));
    match base {
        "push" => stacked("stmdb"),
        "pop" => stacked("ldm"),
        "str" if operands.ends_with(",[sp,-4]!") => {
            let register = operands.split(',').next().unwrap_or_default();
            ("stmdb".to_owned(), format!("sp!,{{{register}}}"))
        }
        "ldr" if operands == "pc,[sp],4" => ("ldm".to_owned(), "sp!,{pc}".to_owned()),
        "ldmia" => ("ldm".to_owned(), operands),
        // Two registers where the first is also the second operand.
        "sub" | "subw" if operands.starts_with("sp,sp,") => {
            ("sub".to_owned(), unsigned(&operands.replacen("sp,", "", 1)))
        }
        "sub" => ("sub".to_owned(), operands),
        "add" => {
            let shorter = without_first(&operands);
            ("add".to_owned(), shorter.unwrap_or(operands))
        }
        "addw" => ("adr".to_owned(), operands.replace(",pc,", ",")),
        "subw" if operands.ends_with(",0") => ("adr".to_owned(), operands.replace(",pc,", ",")),
        "subw" => ("adr".to_owned(), operands.replace(",pc,", ",-")),
        _ => (base.to_owned(), operands),
    }
}

/// `r0,r0,r1` and `r0,r1,r0` as `r0,r1`: the operands of a sum with three.
fn without_first(operands: &str) -> Option<String> {
    let (first, rest) = operands.split_once(',')?;
    let (one, other) = rest.split_once(',')?;
    let added = if one == first { other } else { one };
    [one, other]
        .contains(&first)
        .then(|| format!("{first},{added}"))
}

/// `sp,-1` as `sp,4294967295`.
fn unsigned(operands: &str) -> String {
    let negative = operands.split_once(",-");
    let number = negative.and_then(|(to, digits)| Some((to, digits.parse::<u32>().ok()?)));
    number.map_or_else(
        || operands.to_owned(),
        |(to, number)| format!("{to},{}", number.wrapping_neg()),
    )
}

/// Whether one of the words of a row's name is the mnemonic: `vmax, vmin` is two.
fn same_name(_: Placed, name: &str, reading: &Reading) -> bool {
    let base = reading.mnemonic.split('.').next().unwrap_or_default();
    let mut words = name.split([' ', ',', '.', ':']);
    words.any(|word_of_name| forms(base).any(|form| form == word_of_name))
        || name.contains("1 to vld4") && starts(Some(reading), &["vld", "vst"])
}

/// A mnemonic, with and without the suffixes that a row's name may omit.
fn forms(base: &str) -> impl Iterator<Item = String> {
    let several = ["ldm", "stm", "vldm", "vstm"].contains(&base);
    let multiplies = base.starts_with("sm") || base.starts_with("usad");
    let without = |letter: char, may: bool| base.strip_suffix(letter).filter(|_| may);
    let shorter = [
        without('s', true),
        without('r', multiplies || base == "vcvtr"),
        without('x', multiplies),
        without('e', base.starts_with("vcmp")),
        base.get(..3).filter(|_| matches!(base, "cpsie" | "cpsid")),
    ];
    let other = match base {
        "pop" => Some("ldmia"),
        "vpop" => Some("vldmia"),
        "vpush" => Some("vstmdb"),
        _ => None,
    };
    let shorter = shorter.into_iter().flatten().chain(other);
    let ascending = several.then(|| format!("{base}ia"));
    let forms = shorter.map(str::to_owned).chain(ascending);
    std::iter::once(base.to_owned())
        .chain(forms)
        .collect::<Vec<_>>()
        .into_iter()
}

const DIFFERENCES: &[Difference<Placed>] = &[
    Difference {
        reason: "capstone has a name for what is undefined for ever",
        explains: |_, reading, said| *said == Said::Nothing && starts(reading, &["udf", "trap"]),
    },
    Difference {
        reason: "capstone reads what would be a coprocessor's though there is none of that number",
        explains: |_, reading, said| *said == Said::Nothing && starts(reading, COPROCESSOR),
    },
    Difference {
        reason: "ARMv8 has given the word a meaning",
        explains: |_, reading, said| {
            let is_new = starts(reading, NEW) || starts(reading, NEW_IN_T32) || halves(reading);
            *said == Said::Nothing && is_new
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
            *said == Said::Text("nop".to_owned()) && starts(reading, &["pld"])
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

/// Prefixes of instructions of ARMv8 that A32 has elsewhere.
const NEW_IN_T32: &[&str] = &["lda", "stl"];
