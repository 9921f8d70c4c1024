//! Emulation does what the manual's pseudocode says, and nothing else: for words of every emulated
//! row, on any registers, all registers and memory are compared with a model written from that
//! pseudocode.

use engine_isa::Plan;
use engine_isa::arm::{self, Emulation, ROWS, Regs, Version};
use proptest::prelude::*;

use super::model::{Model, PC, Ram, SP};
use crate::words;

/// More accesses than any instruction makes.
const PLENTY: usize = 32;

fn emulation(word: u32) -> Emulation {
    match arm::plan(word) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{word:08x} is not emulated: {other}"),
    }
}

/// An emulated word; half of them are unconditional, as nearly all code is.
fn emulated_word() -> impl Strategy<Value = u32> {
    let rows = words::of_rows(ROWS, |word| matches!(arm::plan(word), Plan::Emulate(_)));
    (rows, any::<bool>()).prop_map(|(word, always)| {
        let unconditional = word & 0x0fff_ffff | 14 << 28;
        let has_condition = word >> 28 != 15;
        if always && has_condition {
            unconditional
        } else {
            word
        }
    })
}

/// Any registers: many aligned, and some near the ends of the address space. The pc is in ARM
/// state, and data are little-endian.
fn any_regs() -> impl Strategy<Value = Regs> {
    const THUMB_AND_BIG_ENDIAN: u32 = 1 << 5 | 1 << 9;
    let register = prop_oneof![
        6 => any::<u32>().prop_map(|value| value & !0b11),
        2 => any::<u32>(),
        1 => (0_u32..128).prop_map(|near| near.wrapping_sub(64)),
    ];
    let registers = proptest::collection::vec(register, 16);
    (registers, any::<u32>()).prop_map(|(registers, cpsr)| {
        let mut r: [u32; 16] = registers.try_into().unwrap();
        r[PC] &= !0b11;
        let cpsr = cpsr & !THUMB_AND_BIG_ENDIAN;
        Regs { r, cpsr }
    })
}

fn any_version() -> impl Strategy<Value = Version> {
    prop_oneof![Just(Version::V6), Just(Version::V7)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn emulation_agrees_with_the_model(
        word in emulated_word(),
        before in any_regs(),
        version in any_version(),
    ) {
        let mut model = Model::new(version, before, Ram::of_accesses(PLENTY));
        let expected = model.execute(word);

        let (mut regs, mut ram) = (before, Ram::of_accesses(PLENTY));
        let result = emulation(word).run(version, &mut regs, &mut ram);

        prop_assert_eq!(result, expected, "{:08x}", word);
        prop_assert_eq!(ram, model.ram, "{:08x}", word);
        prop_assert_eq!(regs, if expected.is_ok() { model.regs } else { before }, "{:08x}", word);
    }

    #[test]
    fn a_fault_leaves_the_registers_and_can_be_run_again(
        word in emulated_word(),
        before in any_regs(),
        accesses in 0_usize..16,
    ) {
        let version = Version::V6;
        let (mut regs, mut ram) = (before, Ram::of_accesses(accesses));
        let mut model = Model::new(version, before, ram.clone());
        let expected = model.execute(word);
        let result = emulation(word).run(version, &mut regs, &mut ram);

        prop_assert_eq!(result, expected);
        prop_assert_eq!(&ram.bytes, &model.ram.bytes);
        if result.is_err() {
            prop_assert_eq!(regs, before);
            ram.accesses_left = PLENTY;
            model = Model::new(version, before, Ram::of_accesses(PLENTY));
            prop_assert_eq!(emulation(word).run(version, &mut regs, &mut ram), model.execute(word));
            prop_assert_eq!(&ram.bytes, &model.ram.bytes);
        }
    }
}

/// The push that killed bash in 2013, with readable numbers.
#[test]
fn push_r4_lr_stores_both_below_the_stack_pointer() {
    let mut before = Regs::default();
    before.r[4] = 0x4444_4444;
    before.r[SP] = 0xc000_2000;
    before.r[14] = 0xc001_0000;
    before.r[PC] = 0xc002_0000;

    let (mut regs, mut ram) = (before, Ram::of_accesses(2));
    assert_eq!(
        emulation(0xe92d_4010).run(Version::V6, &mut regs, &mut ram),
        Ok(())
    );

    let mut after = before;
    after.r[SP] = 0xc000_1ff8;
    after.r[PC] = 0xc002_0004;
    assert_eq!(regs, after);
    let stored: Vec<(u64, u8)> = ram.bytes.into_iter().collect();
    let bytes = [0x44, 0x44, 0x44, 0x44, 0x00, 0x00, 0x01, 0xc0];
    assert_eq!(stored, (0xc000_1ff8..).zip(bytes).collect::<Vec<_>>());
}

/// An emulated instruction stores at most as far below the stack pointer as `doc/probe-context.md`
/// says.
#[test]
fn a_push_stores_at_most_56_bytes_below_the_stack_pointer() {
    let mut regs = Regs::default();
    regs.r[SP] = 0xc000_2000;
    let mut ram = Ram::of_accesses(PLENTY);
    let pushes_all = emulation(0xe92d_5fff);
    assert_eq!(pushes_all.run(Version::V6, &mut regs, &mut ram), Ok(()));
    assert_eq!(ram.bytes.keys().next(), Some(&(0xc000_2000 - 56)));
}
