//! The table answers for every instruction, in agreement with others: it emulates exactly what a
//! plain reading of the manual does, what it accepts is known to capstone with the same length, and
//! a copy in a slot refers to what the original referred to.

use std::collections::BTreeSet;

use capstone::prelude::*;
use engine_isa::x86::{self, Emulation, LONGEST, ROWS, Relocation};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use super::reading::{Operation, Read, read};

type Answer = Plan<Emulation, Relocation>;

/// The length of an emulated instruction.
fn emulated(plan: Answer) -> Option<usize> {
    match plan {
        Plan::Emulate(emulation) => Some(emulation.length().into()),
        Plan::Relocate(_) | Plan::Refuse(_) => None,
    }
}

/// The length of an accepted instruction.
fn accepted(plan: Answer) -> Option<usize> {
    match plan {
        Plan::Relocate(relocation) => Some(relocation.length()),
        plan => emulated(plan),
    }
}

fn prefixes() -> impl Strategy<Value = Vec<u8>> {
    let legacy = prop::sample::select(&[0x66, 0x67, 0x2e, 0x3e, 0x64, 0x65, 0xf0, 0xf2, 0xf3][..]);
    let some = prop_oneof![
        6 => Just(Vec::new()),
        3 => Just(vec![0x66]),
        1 => Just(vec![0xf2]),
        1 => Just(vec![0xf3]),
        2 => prop::collection::vec(legacy, 1..3),
    ];
    let rex = prop_oneof![2 => Just(None), 1 => (0x40_u8..0x50).prop_map(Some)];
    (some, rex).prop_map(|(some, rex)| some.into_iter().chain(rex).collect())
}

/// The opcode of an emulated instruction, or close to one.
pub fn text_near_emulation() -> impl Strategy<Value = [u8; LONGEST]> {
    let one = prop_oneof![
        0x50_u8..0x58,
        0x70_u8..0x80,
        0xe0_u8..0xf0,
        Just(0x68),
        Just(0x6a),
        Just(0x90),
        Just(0xc2),
        Just(0xc3),
    ]
    .prop_map(|one| vec![one]);
    let two = prop_oneof![0x80_u8..0x90, 0x1e_u8..0x20].prop_map(|two| vec![0x0f, two]);
    let indirect = (any::<bool>(), 0_u8..32).prop_map(|(call, other)| {
        let digit = if call { 0x10 } else { 0x20 };
        vec![0xff, digit | other & 7 | other << 3 & 0xc0]
    });
    let endbr = Just(vec![0xf3, 0x0f, 0x1e, 0xfa]);
    let opcode = prop_oneof![4 => one, 2 => two, 3 => indirect, 1 => endbr];
    (prefixes(), opcode, any::<[u8; LONGEST]>()).prop_map(|(prefixes, opcode, after)| {
        first_bytes(prefixes.into_iter().chain(opcode).chain(after))
    })
}

fn first_bytes(bytes: impl Iterator<Item = u8>) -> [u8; LONGEST] {
    bytes.take(LONGEST).collect::<Vec<u8>>().try_into().unwrap()
}

/// Any opcode of any map after any prefixes.
fn any_instruction() -> impl Strategy<Value = [u8; LONGEST]> {
    let byte = || any::<u8>();
    let map = prop_oneof![
        4 => byte().prop_map(|one| vec![one]),
        4 => byte().prop_map(|two| vec![0x0f, two]),
        1 => byte().prop_map(|three| vec![0x0f, 0x38, three]),
        1 => byte().prop_map(|three| vec![0x0f, 0x3a, three]),
        2 => (byte(), byte()).prop_map(|(one, opcode)| vec![0xc5, one, opcode]),
        2 => (byte(), 1_u8..4, byte(), byte())
            .prop_map(|(rxb, map, two, opcode)| vec![0xc4, rxb & 0xe0 | map, two, opcode]),
        4 => (byte(), 1_u8..7, byte(), byte(), byte()).prop_map(|(rxb, map, two, three, opcode)| {
            vec![0x62, rxb & 0xf0 | map, two | 4, three | 8, opcode]
        }),
        1 => (byte(), 8_u8..11, byte(), byte())
            .prop_map(|(rxb, map, two, opcode)| vec![0x8f, rxb & 0xe0 | map, two & !3, opcode]),
    ];
    (prefixes(), map, any::<[u8; LONGEST]>()).prop_map(|(prefixes, map, after)| {
        first_bytes(prefixes.into_iter().chain(map).chain(after))
    })
}

fn disassembler(mode: arch::x86::ArchMode) -> Capstone {
    Capstone::new().x86().mode(mode).build().unwrap()
}

thread_local! {
    static OF_64_BITS: Capstone = disassembler(arch::x86::ArchMode::Mode64);
    static OF_32_BITS: Capstone = disassembler(arch::x86::ArchMode::Mode32);
}

/// capstone's name for an instruction in 64-bit mode, without prefixes.
fn mnemonic(text: &[u8; LONGEST]) -> Option<String> {
    OF_64_BITS.with(|capstone| {
        let found = capstone.disasm_count(text, 0, 1).unwrap();
        let insn = found.iter().next()?;
        Some(insn.mnemonic()?.split(' ').next_back()?.to_owned())
    })
}

/// capstone's length and text; `None` if the instruction is undefined to it.
fn disassembled(wide: bool, text: &[u8], at: u64) -> Option<(usize, String)> {
    let capstone = if wide { &OF_64_BITS } else { &OF_32_BITS };
    capstone.with(|capstone| disassembled_by(capstone, text, at))
}

fn disassembled_by(capstone: &Capstone, text: &[u8], at: u64) -> Option<(usize, String)> {
    let found = capstone.disasm_count(text, at, 1).unwrap();
    let insn = found.iter().next()?;
    let text = format!("{} {}", insn.mnemonic()?, insn.op_str()?);
    Some((insn.bytes().len(), text.trim().to_owned()))
}

/// Encodings that capstone does not know, or decodes differently, each with the reason.
const UNKNOWN: &[(&str, &str)] = &[
    (
        "EVEX.",
        "it knows no FP16, and asks which mask registers there are",
    ),
    (
        "VEX.",
        "it asks which mask registers there are, and knows no AMX and less of AVX-VNNI",
    ),
    ("XOP.", "it asks for registers that a form has no use for"),
    ("0F 0D /r", "reserved for prefetching"),
    ("0F 18-1E /r", "reserved for hints"),
    ("0F 01", "newer than it"),
    ("NP 0F 01", "newer than it"),
    ("66 0F 01", "newer than it"),
    ("F2 0F 01", "newer than it"),
    ("F3 0F 01", "newer than it"),
    ("F2 0F 00 /6", "newer than it"),
    ("66 0F AE", "newer than it"),
    ("F2 0F AE", "newer than it"),
    ("F3 0F AE", "newer than it"),
    ("F3 0F C7", "newer than it"),
    ("F2 0F 38", "newer than it"),
    ("F3 0F 38", "newer than it"),
    ("F3 0F 3A F0 C0", "newer than it"),
    ("66 0F 38 F", "newer than it"),
    ("NP 0F 38 F", "newer than it"),
    ("NP 0F AE /5-7 reg", "it minds the last digit of a fence"),
    ("0F BC-BD /r", "F2 means nothing here"),
    ("F3 90", "66 means nothing here"),
    (
        "o64 63 /r",
        "without REX.W it extends nothing, but it is one",
    ),
    ("0F B9 /r", "it has no ModRM byte there"),
    ("0F FF /r", "it has no ModRM byte there"),
];

/// Whether capstone should know the instruction. For branches with 66 or 67 its lengths and targets
/// differ from every processor's.
fn is_known(wide: bool, text: &[u8; LONGEST]) -> bool {
    let row = if wide { x86::row } else { x86::row_ia32 };
    let row = ROWS[row(text)].encoding.text();
    let sized = text.contains(&0x66) || text.contains(&0x67);
    let branches = row.ends_with(" cd") || ["C2 iw", "E0-E3 cb"].contains(&row);
    let unknown = UNKNOWN.iter().any(|(start, _)| row.starts_with(start));
    !(unknown || branches && sized)
}

/// Comparisons whose predicate is part of capstone's name.
const COMPARISONS: [&str; 5] = ["cmp", "vcmp", "vpcmp", "vpcom", "pcmp"];

/// Whether one of the words of a row's name is capstone's mnemonic, ignoring prefixes.
fn is_named(row: &x86::Row, said: &str) -> bool {
    let comparison = |stem: &&str| said.starts_with(*stem) && row.name.starts_with(*stem);
    row.name.split([' ', ',']).any(|word| word == said) || COMPARISONS.iter().any(comparison)
}

/// Whether it has more than one prefix, or 67, which can make capstone misread the others.
fn is_odd(text: &[u8; LONGEST]) -> bool {
    const PREFIXES: [u8; 10] = [0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0xf0, 0xf2, 0xf3];
    let prefixes = text.iter().take_while(|byte| PREFIXES.contains(byte));
    let count = prefixes.count();
    count > 1 || text[..=count].contains(&0x67)
}

/// The target of the first memory operand relative to the instruction pointer, and the text without
/// it.
fn named(text: &str, behind: u64) -> Option<(u64, String)> {
    let (before, rest) = text.split_once("[rip")?;
    let (distance, after) = rest.split_once(']')?;
    let (sign, number) = match distance.trim().split_at_checked(1) {
        Some((sign, number)) => (sign, number.trim()),
        None => ("+", "0"),
    };
    let number = match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => number.parse().ok()?,
    };
    let place = match sign {
        "-" => behind.wrapping_sub(number),
        _ => behind.wrapping_add(number),
    };
    Some((place, format!("{before}{after}")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32768))]

    #[test]
    fn what_the_manual_has_done_by_hand_is_emulated(text in text_near_emulation(), wide: bool) {
        let plan = if wide { x86::plan } else { x86::plan_ia32 };
        let length = read(wide, &text).map(|read| read.length);
        prop_assert_eq!(emulated(plan(&text)), length, "{:02x?}", text);
    }

    #[test]
    fn nothing_else_is(text in any_instruction(), wide: bool) {
        let plan = if wide { x86::plan } else { x86::plan_ia32 };
        let length = read(wide, &text).map(|read| read.length);
        prop_assert_eq!(emulated(plan(&text)), length, "{:02x?}", text);
    }

    #[test]
    fn capstone_knows_what_is_accepted(text in any_instruction()) {
        let length = accepted(x86::plan(&text));
        if length.is_some() && is_known(true, &text) {
            let said = disassembled(true, &text, 0);
            prop_assert_eq!(length, said.map(|(length, _)| length), "{:02x?}", text);
            let (row, name) = (&ROWS[x86::row(&text)], mnemonic(&text).unwrap());
            let is_text = emulated(x86::plan(&text)).is_some();
            let named = is_text || is_odd(&text) || is_named(row, &name);
            prop_assert!(named, "{:02x?}: {} is {}", text, row.name, name);
        }
    }

    #[test]
    fn capstone_reads_what_is_emulated_alike(text in text_near_emulation(), wide: bool) {
        let is_nop = |read: &Read| matches!(read.operation, Operation::Nop);
        let read = read(wide, &text).filter(|read| !is_nop(read) && is_known(wide, &text));
        if let Some(read) = read {
            let plan = if wide { x86::plan } else { x86::plan_ia32 };
            let said = disassembled(wide, &text, 0);
            prop_assert!(said.is_some(), "{:02x?}", text);
            let (length, said) = said.unwrap();
            prop_assert_eq!(read.length, length, "{:02x?}", text);
            // capstone prints an index for an address without one, meaningless segments, some
            // numbers unsigned, an absolute 32-bit address signed, and a return that releases 0.
            let odd = said.contains("iz") || said.contains("s:[");
            let odd = odd || said.starts_with("push 0x") && said.len() == "push 0x80000000".len();
            let odd = odd || said.contains("[0xffffffff") && text.contains(&0x67);
            let odd = odd || said.ends_with("ret 0");
            if !odd {
                let plan = plan(&text).to_string();
                let plan = plan.strip_prefix("emulate ").unwrap();
                prop_assert!(said.ends_with(plan), "{:02x?}: {} and {}", text, said, plan);
            }
        }
    }

    #[test]
    fn a_copy_names_what_the_original_named(
        text in any_instruction(),
        from in 0_u64..1 << 30,
        at in 0_u64..1 << 30,
    ) {
        if let Plan::Relocate(relocation) = x86::plan(&text) {
            let length = relocation.length();
            if let Some(slot) = relocation.slot(at, from) {
                let before = disassembled(true, &text[..length], from);
                let after = disassembled(true, &slot[..length], at);
                let named_before = before.and_then(|(_, said)| named(&said, from + length as u64));
                let named_after = after.and_then(|(_, said)| named(&said, at + length as u64));
                prop_assert_eq!(&named_before, &named_after, "{:02x?}", text);
                prop_assert!(named_before.is_some() || text[..length] == slot[..length] || slot_differs(&text));
                let (_, jump) = disassembled(true, &slot[length..], at + length as u64).unwrap();
                prop_assert_eq!(jump, format!("jmp {:#x}", from + length as u64));
            }
        }
    }
}

/// Whether capstone may not know the instruction, or prints it differently: `[eip + 8]`, `xbegin`.
fn slot_differs(text: &[u8; LONGEST]) -> bool {
    !is_known(true, text) || text.contains(&0x67) || text.contains(&0xc7)
}

#[test]
fn the_trap_itself_is_refused() {
    for after in 0..=u8::MAX {
        let mut text = [after; LONGEST];
        text[0] = x86::TRAP;
        assert_eq!(x86::plan(&text), Plan::Refuse(Why::Undefined));
        assert_eq!(x86::length(&text), Some(1));
    }
}

/// An instruction has at most fifteen bytes, whatever its prefixes.
#[test]
fn what_is_too_long_is_none() {
    let mut text = [0x66; LONGEST];
    text[14] = 0x90;
    assert_eq!(x86::length(&text), Some(15));
    text[13..].copy_from_slice(&[0x0f, 0x1f]);
    assert_eq!(x86::length(&text), None);
    assert_eq!(x86::length(&[0x66; LONGEST]), None);
}

#[test]
fn every_length_is_that_of_its_plan() {
    for first in 0..=u8::MAX {
        for second in 0..=u8::MAX {
            let mut text = [0x11; LONGEST];
            text[..2].copy_from_slice(&[first, second]);
            if let Some(length) = accepted(x86::plan(&text)) {
                assert_eq!(x86::length(&text), Some(length), "{first:02x} {second:02x}");
            }
        }
    }
}

#[test]
fn no_two_rows_share_a_name() {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ROWS.len());
}
