//! x86-64 as two disassemblers write it, and in what they may differ.

use capstone::prelude::*;
use engine_isa::x86::{self, ROWS};
use engine_isa::{Plan, Why};

use super::shape::{self, Bytes};
use crate::spelling::{Difference, Reading, Said, Set};

/// x86-64 as it is read.
pub const SET: Set<Bytes> = Set {
    name: "x86",
    disassembler: || {
        Capstone::new()
            .x86()
            .mode(arch::x86::ArchMode::Mode64)
            .build()
    },
    any: shape::any,
    bytes: |bytes| bytes.to_vec(),
    length: x86::length,
    said,
    same_text,
    same_name,
    names_its_place: |_| false,
    differences: DIFFERENCES,
};

fn said(bytes: Bytes) -> Said {
    match x86::plan(&bytes) {
        Plan::Emulate(emulation) => Said::Text(emulation.to_string()),
        Plan::Relocate(_) => Said::Name(ROWS[x86::row(&bytes)].name.to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

fn same_text(_: Bytes, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    plain(text) == plain(theirs.trim())
}

/// One spelling of several.
fn plain(text: &str) -> String {
    text.replace(", ", ",")
}

/// Whether one of the words of a row's name is the mnemonic.
fn same_name(_: Bytes, name: &str, reading: &Reading) -> bool {
    let mut words = name.split([' ', ',', '.', ':']);
    words.any(|word| word == reading.mnemonic)
}

const DIFFERENCES: &[Difference<Bytes>] = &[];
