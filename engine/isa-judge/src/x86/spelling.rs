//! x86-64 and 32-bit programs as two disassemblers print them, and their permitted differences.

use capstone::prelude::*;
use engine_isa::x86::{self, Emulation, Relocation};
use engine_isa::{Plan, Why};

use super::differences::Differences;
use super::made;
use super::reading::{is_near_branch, length, mnemonic, row};
use super::shape::Bytes;
use crate::spelling::{Reading, Said, Set};

/// x86-64 for the reference disassembler.
pub const SET: Set<Bytes> = set::<true>("x86");

/// 32-bit programs for the reference disassembler.
pub const IA32: Set<Bytes> = set::<false>("ia32");

const fn set<const WIDE: bool>(name: &'static str) -> Set<Bytes> {
    Set {
        name,
        disassembler: || {
            let builder = Capstone::new().x86();
            let modes = [arch::x86::ArchMode::Mode32, arch::x86::ArchMode::Mode64];
            builder.mode(modes[usize::from(WIDE)]).build()
        },
        any: made::one::<WIDE>,
        bytes: |bytes| bytes.to_vec(),
        length: length::<WIDE>(),
        said: said::<WIDE>,
        same_text,
        same_name: same_name::<WIDE>,
        names_its_place: |_| false,
        differences: Differences::<WIDE>::ALL,
    }
}

fn plan<const WIDE: bool>(bytes: &Bytes) -> Plan<Emulation, Relocation> {
    if WIDE {
        x86::plan(bytes)
    } else {
        x86::plan_ia32(bytes)
    }
}

fn said<const WIDE: bool>(bytes: Bytes) -> Said {
    match plan::<WIDE>(&bytes) {
        Plan::Emulate(emulation) => Said::Text(emulation.to_string()),
        Plan::Relocate(_) => Said::Name(row::<WIDE>(&bytes).name.to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

/// Whether our text and capstone's are the same. Our no-ops have no operands.
fn same_text(_: Bytes, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    let does_nothing = text == "nop" && ["nop", "endbr32", "endbr64"].contains(&mnemonic(reading));
    does_nothing || plain(text) == plain(theirs.trim())
}

/// A canonical spelling: without prefixes, meaningless segments and null indexes, and with an
/// explicit 0 for a return that releases nothing.
fn plain(text: &str) -> String {
    let text = text
        .strip_suffix("ret 0")
        .map(|prefixes| format!("{prefixes}ret"))
        .unwrap_or(text.to_owned());
    let mut text = text.replace(", ", ",");
    for nothing in [
        "cs:", "ds:", "es:", "ss:", " + riz*2", " + riz*4", " + riz*8", " + riz", "riz*2 + ",
        "riz*4 + ", "riz*8 + ", "riz + ",
    ] {
        text = text.replace(nothing, "");
    }
    let words = text.split(' ').filter(|word| !PREFIXES.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Prefixes that capstone prints before a mnemonic.
const PREFIXES: [&str; 9] = [
    "lock", "rep", "repe", "repne", "repz", "repnz", "notrack", "bnd", "xacquire",
];

/// Whether a row's name matches a mnemonic, if it names instructions, and the slot adjusts what is
/// relative to the instruction pointer. A relocated branch never matches.
fn same_name<const WIDE: bool>(bytes: Bytes, name: &str, reading: &Reading) -> bool {
    let mnemonic = mnemonic(reading);
    is_counted_anew::<WIDE>(&bytes) == names_ip(reading)
        && !is_near_branch(mnemonic, name)
        && (is_family(name) || is_named(mnemonic, name))
}

/// Whether the instruction pointer is an operand.
fn names_ip(reading: &Reading) -> bool {
    reading.operands.contains("[rip") || reading.operands.contains("[eip")
}

fn is_counted_anew<const WIDE: bool>(bytes: &Bytes) -> bool {
    match plan::<WIDE>(bytes) {
        Plan::Relocate(relocation) => relocation.to_string().contains('['),
        _ => false,
    }
}

/// Whether a name is a range of instructions, given by its first and last, or by a common part.
fn is_family(name: &str) -> bool {
    let first = name.split([' ', ',']).next().unwrap_or_default();
    name.contains(" to ") || ["x87", "hint"].contains(&first)
}

fn is_named(mnemonic: &str, name: &str) -> bool {
    let words = name.split([' ', ',', '/']);
    words.into_iter().any(|word| is_spelled(mnemonic, word))
}

/// Whether one word of a row's name matches the mnemonic.
fn is_spelled(mnemonic: &str, word: &str) -> bool {
    let of_strings = ["ins", "outs", "movs", "cmps", "stos", "lods", "scas"];
    let (_, forms) = FORMS
        .iter()
        .find(|(name, _)| *name == word)
        .unwrap_or(&("", &[]));
    let is_sized = |size: &str| ["b", "w", "d", "q"].contains(&size);
    let size = mnemonic.strip_prefix(word);
    mnemonic == word
        || forms.contains(&mnemonic)
        || word
            .strip_suffix("cc")
            .is_some_and(|start| mnemonic.starts_with(start))
        || of_strings.contains(&word) && size.is_some_and(is_sized)
        || ["cmppd", "cmpps", "cmpss", "cmpsd"].contains(&word) && mnemonic.starts_with("cmp")
        || (["vcmp", "vpcmp", "vpcom", "pclmul", "vpclmul"].iter())
            .any(|start| word.starts_with(start) && mnemonic.starts_with(start))
}

/// Words of rows' names that stand for forms with names of their own.
const FORMS: [(&str, &[&str]); 19] = [
    ("mov", &["movabs"]),
    ("shift", &SHIFTS),
    ("pushf", &["pushfq", "pushfd"]),
    ("popf", &["popfq", "popfd"]),
    ("fwait", &["wait"]),
    ("xlat", &["xlatb"]),
    ("ret", &["retf", "retfq"]),
    ("cwde", &["cbw", "cdqe"]),
    ("cdq", &["cwd", "cqo"]),
    ("jmp", &["ljmp"]),
    ("call", &["lcall"]),
    ("nop", &["xchg"]),
    ("incssp", &["incsspd", "incsspq"]),
    ("wbinvd", &["wbnoinvd"]),
    ("prefetchw", &["prefetch", "prefetchwt1"]),
    ("shufps", &["shufpd"]),
    ("movntq", &["movntdq"]),
    ("maskmovq", &["maskmovdqu"]),
    ("movmskps", &["movmskpd"]),
];

const SHIFTS: [&str; 8] = ["rol", "ror", "rcl", "rcr", "shl", "shr", "sal", "sar"];
