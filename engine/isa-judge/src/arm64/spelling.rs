//! A64 as two disassemblers write it, and in what they may differ.

use capstone::prelude::*;
use engine_isa::arm64::{self, ROWS};
use engine_isa::{Plan, Why};

use crate::spelling::{Difference, Reading, Said, Set};
use crate::words;

/// A64 as it is read.
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
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    plain(text) == plain(theirs.trim())
}

/// One spelling of several.
fn plain(text: &str) -> String {
    text.replace("#", "").replace(", ", ",")
}

/// Whether one of the words of a row's name is the mnemonic.
fn same_name(_: u32, name: &str, reading: &Reading) -> bool {
    let mut words = name.split([' ', ',', '.', ':']);
    words.any(|word| word == reading.mnemonic)
}

/// No operand that is relocated names the pc: what does is written as an address.
fn names_its_place(reading: &Reading) -> bool {
    ["adr", "adrp"].contains(&&*reading.mnemonic)
}

const DIFFERENCES: &[Difference<u32>] = &[];
