//! The table answers for every instruction, and as a plain reading of the
//! manual does: what it accepts is exactly what that reading accepts, and what
//! it makes of it is what a disassembler of other making says.

use std::collections::BTreeSet;

use capstone::prelude::*;
use engine_isa::x86::{self, LONGEST, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::reading::{Operation, read};

fn answer(text: &[u8; LONGEST]) -> Result<usize, Why> {
    match x86::plan(text) {
        Plan::Emulate(emulation) => Ok(emulation.length().into()),
        Plan::Relocate(_) => Err(Why::Unported),
        Plan::Refuse(why) => Err(why),
    }
}

/// Bytes of some row's opcode behind any prefixes that a row may have, with
/// anything after, and now and then one bit flipped.
pub fn text_near_a_row() -> impl Strategy<Value = [u8; LONGEST]> {
    let rex = prop_oneof![Just(None), (0x40_u8..0x50).prop_map(Some)];
    let flip = prop_oneof![3 => Just(None), 1 => (0_u32..40).prop_map(Some)];
    (
        any::<bool>(),
        rex,
        0..ROWS.len(),
        any::<[u8; LONGEST]>(),
        flip,
    )
        .prop_map(|(size, rex, row, after, flip)| {
            let prefixes = size.then_some(0x66).into_iter().chain(rex);
            let bytes = prefixes.chain(opcode(row, after[0])).chain(after);
            let mut text: [u8; LONGEST] =
                bytes.take(LONGEST).collect::<Vec<u8>>().try_into().unwrap();
            if let Some(bit) = flip {
                text[bit as usize / 8] ^= 1 << (bit % 8);
            }
            text
        })
}

/// The bytes that a row's text writes, `free` where it leaves bits open.
fn opcode(row: usize, free: u8) -> Vec<u8> {
    let text = ROWS[row].encoding.text();
    let text = text.rsplit(']').next().unwrap().replace("REX.W +", "");
    text.split_whitespace()
        .filter_map(|part| match part.strip_suffix("+r") {
            Some(digits) => u8::from_str_radix(digits, 16)
                .ok()
                .map(|byte| byte | free & 7),
            None => u8::from_str_radix(part, 16).ok(),
        })
        .collect()
}

fn disassembler() -> Capstone {
    let x86 = Capstone::new().x86();
    x86.mode(arch::x86::ArchMode::Mode64).build().unwrap()
}

/// Capstone's length and text; none if it knows no such instruction. A mov
/// of 64 immediate bits has another name there.
fn disassembled(capstone: &Capstone, text: &[u8]) -> Option<(usize, String)> {
    let found = capstone.disasm_count(text, 0, 1).unwrap();
    let insn = found.iter().next()?;
    let (mnemonic, operands) = (insn.mnemonic()?, insn.op_str()?);
    let text = format!("{mnemonic} {operands}").replace("movabs", "mov");
    Some((insn.bytes().len(), text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(65536))]

    #[test]
    fn any_bytes_are_answered_as_the_manual_reads(text: [u8; LONGEST]) {
        let length = read(&text).map(|read| read.length);
        prop_assert_eq!(answer(&text).ok(), length, "{:02x?}", text);
    }

    #[test]
    fn bytes_near_a_row_are_answered_as_the_manual_reads(text in text_near_a_row()) {
        let length = read(&text).map(|read| read.length);
        prop_assert_eq!(answer(&text).ok(), length, "{:02x?}", text);
    }

    #[test]
    fn capstone_reads_what_is_accepted_alike(text in text_near_a_row()) {
        if let Some(read) = read(&text) {
            let (length, operands) = disassembled(&disassembler(), &text).unwrap();
            prop_assert_eq!(answer(&text), Ok(length), "{:02x?}", text);
            // A no-op has operands there, and so has an address that has no index.
            if !matches!(read.operation, Operation::Nop) && !operands.contains("riz") {
                let said = x86::plan(&text).to_string();
                prop_assert_eq!(said, format!("emulate {operands}"), "{:02x?}", text);
            }
        }
    }
}

#[test]
fn the_trap_itself_is_refused() {
    for after in 0..=u8::MAX {
        let mut text = [after; LONGEST];
        text[0] = x86::TRAP;
        assert_eq!(answer(&text), Err(Why::Undefined));
    }
}

/// Each before `mov rdi, qword ptr [rdi + 0x70]`, which is accepted alone.
#[test]
fn a_prefix_that_no_row_has_is_refused() {
    let mov = [0x48, 0x8b, 0x7f, 0x70];
    let with = |prefix: &[u8]| {
        let mut text = [0; LONGEST];
        let bytes = prefix.iter().chain(&mov);
        text.iter_mut()
            .zip(bytes)
            .for_each(|(to, &from)| *to = from);
        answer(&text)
    };
    assert_eq!(with(&[]), Ok(4));
    for prefix in [0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67, 0xf0, 0xf2, 0xf3] {
        assert_eq!(with(&[prefix]), Err(Why::Unported), "{prefix:02x}");
        assert_eq!(with(&[0x66, prefix]), Err(Why::Unported), "66 {prefix:02x}");
        assert_eq!(with(&[0x48, prefix]), Err(Why::Unported), "48 {prefix:02x}");
    }
}

#[test]
fn no_two_rows_share_a_name() {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ROWS.len());
}
