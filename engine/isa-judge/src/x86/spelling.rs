//! x86-64 as two disassemblers write it, and in what they may differ.

use capstone::prelude::*;
use engine_isa::x86::{self, ROWS, Relocation};
use engine_isa::{Plan, Why};

use super::made;
use super::shape::{Bytes, Shape};
use crate::spelling::{Difference, Reading, Said, Set};

/// x86-64 as it is read.
pub const SET: Set<Bytes> = Set {
    name: "x86",
    disassembler: || {
        let builder = Capstone::new().x86();
        builder.mode(arch::x86::ArchMode::Mode64).build()
    },
    any: made::one,
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
        Plan::Relocate(_) => Said::Name(name(&bytes).to_owned()),
        Plan::Refuse(Why::Undefined) => Said::Nothing,
        Plan::Refuse(_) => Said::Refused,
    }
}

fn name(bytes: &Bytes) -> &'static str {
    ROWS[x86::row(bytes)].name
}

/// Whether a text is what capstone reads. What does nothing is to us whatever it does nothing to.
fn same_text(_: Bytes, text: &str, reading: &Reading) -> bool {
    let theirs = format!("{} {}", reading.mnemonic, reading.operands);
    let does_nothing = text == "nop" && ["nop", "endbr32", "endbr64"].contains(&mnemonic(reading));
    does_nothing || plain(text) == plain(theirs.trim())
}

/// One spelling of several: without prefixes, segments that say nothing, an index that is none, and a
/// return that gives nothing back saying so.
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

/// What capstone writes before a mnemonic.
const PREFIXES: [&str; 9] = [
    "lock", "rep", "repe", "repne", "repz", "repnz", "notrack", "bnd", "xacquire",
];

/// The mnemonic without what is before it.
fn mnemonic(reading: &Reading) -> &str {
    reading.mnemonic.rsplit(' ').next().unwrap_or_default()
}

/// Whether a row's name is about an instruction of this mnemonic, if it says of which it is, and what is
/// counted from the instruction pointer is counted anew in the slot. A branch is never the same elsewhere.
fn same_name(bytes: Bytes, name: &str, reading: &Reading) -> bool {
    let mnemonic = mnemonic(reading);
    is_counted_anew(&bytes) == names_ip(reading)
        && !is_near_branch(mnemonic, name)
        && (is_family(name) || is_named(mnemonic, name))
}

/// Whether the instruction pointer is among the operands.
fn names_ip(reading: &Reading) -> bool {
    reading.operands.contains("[rip") || reading.operands.contains("[eip")
}

fn is_counted_anew(bytes: &Bytes) -> bool {
    relocation(bytes).is_some_and(|relocation| relocation.to_string().contains('['))
}

fn relocation(bytes: &Bytes) -> Option<Relocation> {
    match x86::plan(bytes) {
        Plan::Relocate(relocation) => Some(relocation),
        _ => None,
    }
}

/// Whether a mnemonic is that of a call, return or branch that says how far to go, or leaves where it
/// stands on the stack.
fn is_near_branch(mnemonic: &str, name: &str) -> bool {
    let goes = ["call", "ret", "loop", "loope", "loopne"];
    let is_relative = mnemonic.starts_with('j') && name != "jmp r/m";
    (is_relative || goes.contains(&mnemonic)) && !name.contains("far")
}

/// Whether a name stands for many instructions, of which it says the first and the last, or only what
/// they have in common.
fn is_family(name: &str) -> bool {
    let first = name.split([' ', ',']).next().unwrap_or_default();
    name.contains(" to ") || ["x87", "hint"].contains(&first)
}

fn is_named(mnemonic: &str, name: &str) -> bool {
    let words = name.split([' ', ',', '/']);
    words.into_iter().any(|word| is_spelled(mnemonic, word))
}

/// Whether one word of a row's name is what the mnemonic spells.
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
    ("pushf", &["pushfq"]),
    ("popf", &["popfq"]),
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

fn is_row(bytes: &Bytes, starts: &[&str]) -> bool {
    let text = ROWS[x86::row(bytes)].encoding.text();
    starts.iter().any(|start| text.starts_with(start))
}

/// Whether what we have no such instruction for has one for capstone, by one of these names.
fn only_it_knows(said: &Said, reading: Option<&Reading>, names: &[&str]) -> bool {
    *said == Said::Nothing && reading.is_some_and(|reading| names.contains(&mnemonic(reading)))
}

/// Whether it has for capstone the length that it has for us.
fn is_as_long(bytes: &Bytes, reading: Option<&Reading>) -> bool {
    reading.is_some_and(|reading| x86::length(bytes) == Some(reading.length))
}

/// Whether we know it, and capstone does not.
fn only_we_know(said: &Said, reading: Option<&Reading>) -> bool {
    *said != Said::Nothing && reading.is_none()
}

const DIFFERENCES: &[Difference<Bytes>] = &[
    Difference {
        reason: "capstone has a name for what exists in order to trap",
        explains: |_, reading, said| {
            only_it_knows(said, reading, &["int1", "int3", "ud0", "ud1", "ud2"])
        },
    },
    Difference {
        reason: "capstone does not ask whether an instruction may be locked",
        explains: |bytes, reading, said| {
            let locked = Shape::read(&bytes).prefixes & Shape::LOCK != 0;
            *said == Said::Nothing && reading.is_some() && locked
        },
    },
    Difference {
        reason: "capstone lets 66, F2 or F3 be there where they make it none",
        explains: |bytes, reading, said| {
            let prefixes = Shape::read(&bytes).prefixes & (Shape::REPEAT | Shape::SIZE);
            *said == Said::Nothing && reading.is_some() && prefixes != 0
        },
    },
    Difference {
        reason: "there are no such control, debug and segment registers to be written",
        explains: |bytes, reading, said| {
            let shape = Shape::read(&bytes);
            let is_move = matches!(
                (shape.map, shape.opcode),
                (1, 0x20..=0x23) | (0, 0x8e | 0x8c)
            );
            only_it_knows(said, reading, &["mov"]) && is_move
        },
    },
    Difference {
        reason: "the manual does not have what processors do with these digits",
        explains: |_, reading, said| only_it_knows(said, reading, &UNDOCUMENTED),
    },
    Difference {
        reason: "only processors of one maker have it, or had it",
        explains: |bytes, reading, said| {
            let shape = Shape::read(&bytes);
            let of_maker =
                shape.map == 1 && matches!(shape.opcode, 0x0e | 0x0f | 0x37 | 0xa6 | 0xa7);
            *said == Said::Nothing && reading.is_some() && of_maker
        },
    },
    Difference {
        reason: "capstone does not look at every bit of a VEX, EVEX or XOP",
        explains: |bytes, reading, said| {
            *said == Said::Nothing && reading.is_some() && Shape::read(&bytes).is_vector
        },
    },
    Difference {
        reason: "it is newer than capstone, or capstone asks for registers that there are or need not be",
        explains: |bytes, reading, said| {
            only_we_know(said, reading) && is_row(&bytes, &["VEX", "EVEX", "XOP"])
        },
    },
    Difference {
        reason: "it is newer than capstone",
        explains: |bytes, reading, said| only_we_know(said, reading) && is_row(&bytes, NEWER),
    },
    Difference {
        reason: "capstone minds the last digit of a fence, and processors do not",
        explains: |bytes, reading, said| {
            only_we_know(said, reading) && is_row(&bytes, &["NP 0F AE /5-7 reg"])
        },
    },
    Difference {
        reason: "it is reserved for hints, and does nothing",
        explains: |bytes, reading, said| {
            only_we_know(said, reading) && is_row(&bytes, &["0F 0D /r", "0F 18-1E /r"])
        },
    },
    Difference {
        reason: "capstone takes a prefix for another instruction that here says nothing",
        explains: |bytes, reading, said| {
            only_we_know(said, reading) && is_row(&bytes, &["0F BC-BD /r", "F3 90", "o64 63 /r"])
        },
    },
    Difference {
        reason: "of several prefixes capstone takes another for the one that counts, or none",
        explains: |bytes, reading, said| {
            let prefixes = Shape::read(&bytes).prefixes;
            let several = prefixes & Shape::REPEAT != 0 && prefixes & Shape::SIZE != 0;
            matches!(said, Said::Name(_) | Said::Text(_))
                && several
                && (reading.is_none() || is_as_long(&bytes, reading))
        },
    },
    Difference {
        reason: "capstone takes 67 for 66",
        explains: |bytes, reading, said| {
            let narrow = Shape::read(&bytes).prefixes & Shape::ADDRESS != 0;
            let pairs = [("clflush,", "clflushopt"), ("clflush,", "clwb")];
            let is_pair = |(ours, theirs): &(&str, &str)| {
                let is_ours = matches!(said, Said::Name(name) if name.starts_with(ours));
                is_ours && reading.is_some_and(|reading| mnemonic(reading) == *theirs)
            };
            narrow && pairs.iter().any(is_pair) && is_as_long(&bytes, reading)
        },
    },
    Difference {
        reason: "capstone does not narrow the count where there is a REX, or takes a REX for more",
        explains: |bytes, reading, said| {
            let is_count = matches!(said, Said::Text(text) if text.starts_with("jecxz"));
            let is_pause = *said == Said::Name("pause".to_owned());
            (is_count || is_pause) && is_as_long(&bytes, reading)
        },
    },
    Difference {
        reason: "capstone asks for no prefix where there has to be one",
        explains: |_, reading, said| {
            let pairs = [
                ("mcommit", "monitorx"),
                ("lfence, mfence, sfence", "tpause"),
                ("senduipi", "rdrand"),
                ("seamops, seamcall", "encls"),
                ("clui, stui, testui", "rdpkru"),
                ("clui, stui, testui", "wrpkru"),
            ];
            let names = ["movdir64b", "tpause"];
            only_it_knows(said, reading, &names)
                || pairs.iter().any(|(ours, theirs)| {
                    *said == Said::Name((*ours).to_owned())
                        && reading.is_some_and(|reading| mnemonic(reading) == *theirs)
                })
        },
    },
    Difference {
        reason: "processors differ in how long a branch with 66 is",
        explains: |bytes, reading, said| {
            let sized = Shape::read(&bytes).prefixes & Shape::SIZE != 0;
            // And in how much of a transaction's displacement there is.
            let is_branch = matches!(said, Said::Refused | Said::Text(_));
            is_branch
                && sized
                && reading.is_some_and(|reading| {
                    let mnemonic = mnemonic(reading);
                    is_near_branch(mnemonic, "") || mnemonic == "xbegin"
                })
        },
    },
    Difference {
        reason: "capstone says where a transaction goes on when it is given up, and not how far that is",
        explains: |_, reading, said| {
            *said == Said::Name("xbegin".to_owned())
                && reading.is_some_and(|reading| mnemonic(reading) == "xbegin")
        },
    },
];

/// What they are called then.
const UNDOCUMENTED: [&str; 11] = [
    "sal",
    "test",
    "fstpnce",
    "ffreep",
    "fstp",
    "fcom",
    "fcomp",
    "fxch",
    "feni8087_nop",
    "fdisi8087_nop",
    "fsetpm",
];

/// What begins the encodings of instructions that capstone does not know yet.
const NEWER: &[&str] = &[
    "0F 01",
    "NP 0F 01",
    "66 0F 01",
    "F2 0F 01",
    "F3 0F 01",
    "F2 0F 00 /6",
    "66 0F AE",
    "F2 0F AE",
    "F3 0F AE",
    "F3 0F C7",
    "F2 0F 38",
    "F3 0F 38",
    "F3 0F 3A F0 C0",
    "66 0F 38 F",
    "NP 0F 38 F",
];
