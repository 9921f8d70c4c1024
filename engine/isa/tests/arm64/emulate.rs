//! Emulation does what the manual's pseudocode says, and nothing else: for words of every emulated
//! row, on any registers, all registers and the loads made are compared with a model written from
//! that pseudocode.

use engine_isa::Plan;
use engine_isa::arm64::{self, Emulation, ROWS, Regs};
use proptest::prelude::*;

use super::model::{BTYPE, Cpu, Model, Rom, add_pacia, cpu};
use crate::words;

fn emulation(word: u32) -> Emulation {
    match arm64::plan(word) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{word:08x} is not emulated: {other}"),
    }
}

fn is_emulated(word: u32) -> bool {
    matches!(arm64::plan(word), Plan::Emulate(_))
}

/// An emulated word; register 31 is frequent.
fn emulated_word() -> impl Strategy<Value = u32> {
    let rows = words::of_rows(ROWS, is_emulated);
    let ones = prop_oneof![4 => Just(0), 1 => Just(31), 1 => Just(31 << 5), 1 => Just(31 << 16)];
    (rows, ones).prop_map(|(word, ones)| {
        if is_emulated(word | ones) {
            word | ones
        } else {
            word
        }
    })
}

/// Any registers, some of them zero or small; the stack pointer mostly aligned, and sometimes near
/// the ends of the address space.
fn any_regs() -> impl Strategy<Value = Regs> {
    let register = prop_oneof![
        4 => any::<u64>(),
        1 => Just(0),
        1 => any::<u32>().prop_map(|high| u64::from(high) << 32),
        1 => any::<u32>().prop_map(u64::from),
    ];
    let registers = proptest::collection::vec(register, 31);
    let sp = prop_oneof![
        6 => any::<u64>().prop_map(|sp| sp & !0b1111),
        1 => any::<u64>(),
        1 => (0_u64..16).prop_map(|near| (16 * near).wrapping_sub(128)),
    ];
    (registers, sp, any::<u64>(), any::<u64>()).prop_map(|(x, sp, pc, pstate)| Regs {
        x: x.try_into().unwrap(),
        sp,
        pc: pc & !0b11,
        pstate,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn emulation_agrees_with_the_model(
        word in emulated_word(),
        before in any_regs(),
        seed: u64,
        bti: bool,
    ) {
        let mut model = Model { regs: before, rom: Rom::of_loads(2, seed), bti };
        let expected = model.execute(word);

        let (mut regs, mut rom) = (before, Rom::of_loads(2, seed));
        let result = emulation(word).run(&mut regs, &mut rom, &cpu(bti));

        prop_assert_eq!(result, expected, "{:08x}", word);
        prop_assert_eq!(rom, model.rom, "{:08x}", word);
        prop_assert_eq!(regs.sp, before.sp, "{:08x}", word);
        prop_assert_eq!(regs, if expected.is_ok() { model.regs } else { before }, "{:08x}", word);
    }

    #[test]
    fn a_fault_leaves_the_registers_and_can_be_run_again(
        word in emulated_word(),
        before in any_regs(),
        seed: u64,
        loads in 0_usize..2,
    ) {
        let model_of = |loads| Model { regs: before, rom: Rom::of_loads(loads, seed), bti: true };
        let (mut regs, mut rom) = (before, Rom::of_loads(loads, seed));
        let mut model = model_of(loads);
        let expected = model.execute(word);
        let result = emulation(word).run(&mut regs, &mut rom, &cpu(true));

        prop_assert_eq!(result, expected);
        prop_assert_eq!(&rom, &model.rom);
        if result.is_err() {
            prop_assert_eq!(regs, before);
            (rom, model) = (Rom::of_loads(2, seed), model_of(2));
            let again = emulation(word).run(&mut regs, &mut rom, &cpu(true));
            prop_assert_eq!(again, model.execute(word));
            prop_assert_eq!(regs, if again.is_ok() { model.regs } else { before });
        }
    }
}

/// What ftrace puts at the entry, with readable numbers.
#[test]
fn mov_x9_x30_copies_the_return_address_and_moves_on() {
    let mut before = Regs::default();
    before.x[30] = 0xffff_8000_0801_2340;
    before.sp = 0xffff_8000_0a00_3e50;
    before.pc = 0xffff_8000_0802_0000;
    before.pstate = 0x6000_0005 | BTYPE;

    let (mut regs, mut rom) = (before, Rom::of_loads(0, 0));
    let result = emulation(0xaa1e_03e9).run(&mut regs, &mut rom, &cpu(true));
    assert_eq!(result, Ok(()));

    let mut after = before;
    after.x[9] = 0xffff_8000_0801_2340;
    after.pc = 0xffff_8000_0802_0004;
    after.pstate = 0x6000_0005;
    assert_eq!(regs, after);
}

/// A call through a pointer, and the return from it.
#[test]
fn blr_leaves_the_way_back_for_ret() {
    let mut before = Regs::default();
    before.x[8] = 0xffff_8000_0801_2340;
    before.x[30] = 0x1234;
    before.pc = 0xffff_8000_0802_0000;
    before.pstate = 0x6000_0005;

    let (mut regs, mut rom) = (before, Rom::of_loads(0, 0));
    let called = emulation(0xd63f_0100).run(&mut regs, &mut rom, &cpu(true));
    let mut inside = before;
    inside.x[30] = 0xffff_8000_0802_0004;
    inside.pc = 0xffff_8000_0801_2340;
    inside.pstate = 0x6000_0805;
    assert_eq!((called, regs), (Ok(()), inside));

    let returned = emulation(0xd65f_03c0).run(&mut regs, &mut rom, &cpu(true));
    inside.pc = 0xffff_8000_0802_0004;
    inside.pstate = 0x6000_0005;
    assert_eq!((returned, regs), (Ok(()), inside));
}

/// 4 GiB in either direction, relative to the page rather than the instruction.
#[test]
fn adrp_reaches_as_far_as_33_bits() {
    for (word, expected) in [
        (0x9080_0000, 0xffff_7fff_0802_0000),
        (0xf07f_ffe0, 0xffff_8001_0801_f000),
    ] {
        let mut regs = Regs {
            pc: 0xffff_8000_0802_0abc,
            ..Regs::default()
        };
        let result = emulation(word).run(&mut regs, &mut Rom::of_loads(0, 0), &cpu(false));
        assert_eq!((result, regs.x[0]), (Ok(()), expected), "{word:08x}");
    }
}

#[test]
fn paciasp_signs_the_return_address_with_the_stack_pointer() {
    let mut regs = Regs::default();
    regs.x[30] = 0xffff_8000_0801_2340;
    regs.sp = 0xffff_8000_0a00_3e50;
    let sign = |pointer: u64, modifier: u64| {
        assert_eq!(modifier, 0xffff_8000_0a00_3e50);
        pointer ^ 0x1234 << 48
    };
    let signs = Cpu { sign, bti: true };
    let result = emulation(0xd503_233f).run(&mut regs, &mut Rom::of_loads(0, 0), &signs);
    assert_eq!(result, Ok(()));
    assert_eq!(regs.x[30], 0xedcb_8000_0801_2340);
}

/// A processor without authentication leaves the pointer alone, and only `paciasp` signs.
#[test]
fn nothing_but_paciasp_signs() {
    let words = [
        0xd503_201f,
        0xd503_245f,
        0xaa1e_03e9,
        0x9100_03fd,
        0xd280_0001,
        0xd65f_03c0,
    ];
    for word in words {
        let sign = |pointer: u64, _: u64| panic!("{word:08x} signs {pointer:#x}");
        let never = Cpu { sign, bti: true };
        let result = emulation(word).run(&mut Regs::default(), &mut Rom::of_loads(0, 0), &never);
        assert_eq!(result, Ok(()));
    }
    let mut regs = Regs::default();
    regs.x[30] = 0xffff_8000_0801_2340;
    let as_it_is = Cpu {
        sign: |pointer: u64, _: u64| pointer,
        bti: false,
    };
    let result = emulation(0xd503_233f).run(&mut regs, &mut Rom::of_loads(0, 0), &as_it_is);
    assert_eq!((result, regs.x[30]), (Ok(()), 0xffff_8000_0801_2340));
    assert_ne!(add_pacia(1, 2), 1);
}
