//! Emulation does what the manual's pseudocode says, and nothing else: for instructions of every
//! emulated row, on any registers and at any place of an IT block, all registers and memory are
//! compared with a model written from that pseudocode.

use engine_isa::Plan;
use engine_isa::arm::t32::{self, ROWS};
use engine_isa::arm::{Arm, Block, Emulation, Mode, Regs, Version};
use engine_isa::{Arch, Away, Control};
use proptest::prelude::*;

use super::model::{Model, is_block, with_itstate};
use crate::model_of_arm::{LR, PC, Ram, SP};
use crate::words;

/// More accesses than any instruction makes.
const PLENTY: usize = 32;
const THUMB: u32 = 1 << 5;
const BIG_ENDIAN: u32 = 1 << 9;

/// What is emulated in a block with this ITSTATE.
fn emulated(word: u32, state: u32) -> Option<Emulation> {
    match t32::plan(word, Block::of(with_itstate(0, state))) {
        Plan::Emulate(emulation) => Some(emulation),
        _ => None,
    }
}

fn emulated_word() -> impl Strategy<Value = u32> {
    words::of_rows(ROWS, |word| emulated(word, 0).is_some())
}

/// ITSTATE: half of the time 0, else the first condition of a block and what is left of its mask.
fn any_state() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0),
        (0_u32..256).prop_filter("no block", |&state| is_block(state)),
    ]
}

/// Any registers: many aligned, and some near the ends of the address space. Data are little-endian.
fn any_regs() -> impl Strategy<Value = Regs> {
    let register = prop_oneof![
        6 => any::<u32>().prop_map(|value| value & !0b11),
        2 => any::<u32>(),
        1 => (0_u32..128).prop_map(|near| near.wrapping_sub(64)),
        1 => Just(0),
    ];
    let registers = proptest::collection::vec(register, 16);
    (registers, any::<u32>()).prop_map(|(registers, cpsr)| {
        let mut r: [u32; 16] = registers.try_into().unwrap();
        r[PC] &= !1;
        let cpsr = cpsr & !BIG_ENDIAN | THUMB;
        Regs { r, cpsr }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32768))]

    #[test]
    fn emulation_agrees_with_the_model(
        word in emulated_word(),
        before in any_regs(),
        state in any_state(),
        accesses in prop_oneof![3 => Just(PLENTY), 1 => 0_usize..16],
    ) {
        let Some(emulation) = emulated(word, state) else {
            return Ok(());
        };
        let before = Regs { cpsr: with_itstate(before.cpsr, state), ..before };
        let mut model = Model::new(before, Ram::of_accesses(accesses));
        let expected = model.execute(word);
        let after = if expected.is_ok() { model.regs } else { before };

        for version in [Version::V6, Version::V7] {
            let (mut regs, mut ram) = (before, Ram::of_accesses(accesses));
            let result = emulation.run(version, &mut regs, &mut ram);
            prop_assert_eq!(result, expected, "{:08x}", word);
            prop_assert_eq!(&ram, &model.ram, "{:08x}", word);
            prop_assert_eq!(regs, after, "{:08x}", word);
        }
    }
}

fn run(word: u32, before: Regs) -> Regs {
    let mut after = before;
    let emulation = emulated(word, 0).unwrap();
    let mut ram = Ram::of_accesses(PLENTY);
    assert_eq!(emulation.run(Version::V7, &mut after, &mut ram), Ok(()));
    after
}

fn at(pc: u32) -> Regs {
    let mut regs = Regs::default();
    regs.r[PC] = pc;
    regs.r[SP] = 0x2000;
    regs.cpsr = THUMB;
    regs
}

/// `bx lr` to ARM and to Thumb, and `ittee eq`.
#[test]
fn state_changes_where_it_should() {
    let mut before = at(0x1002);
    before.r[LR] = 0x3000;
    assert_eq!(
        (
            run(0x4770_0000, before).r[PC],
            run(0x4770_0000, before).cpsr
        ),
        (0x3000, 0)
    );
    before.r[LR] = 0x3001;
    assert_eq!(
        (
            run(0x4770_0000, before).r[PC],
            run(0x4770_0000, before).cpsr
        ),
        (0x3000, THUMB)
    );
    let begun = run(0xbf07_0000, at(0x1002));
    assert_eq!(
        (begun.r[PC], Block::of(begun.cpsr)),
        (0x1004, Block::begun(0x07))
    );
}

/// A copy in a slot is alone in its block, and the block goes on when the slot is left.
#[test]
fn a_block_goes_on_behind_a_slot() {
    let place = Block::begun(0b0001_0110);
    let mode = Mode::T32(place);
    let mut regs = at(0x1000);
    regs.cpsr = place.in_status(regs.cpsr);
    Arm::enter(&mut regs, 0x8000);
    assert_eq!((regs.r[PC], Block::of(regs.cpsr)), (0x8000, place.alone()));
    assert!(Arm::ends_in_trap(mode));
    regs.cpsr = Block::NONE.in_status(regs.cpsr);
    Arm::leave(&mut regs, mode, 0x1002);
    assert_eq!((regs.r[PC], Block::of(regs.cpsr)), (0x1002, place.next()));
    assert!(!Arm::ends_in_trap(Mode::T32(Block::begun(0b0001_1000))));
    assert!(!Arm::ends_in_trap(Mode::T32(Block::NONE)));
}

#[test]
fn the_mode_follows_the_blocks() {
    let text = |halves: [u16; 2]| {
        let [[a, b], [c, d]] = halves.map(u16::to_le_bytes);
        [a, b, c, d]
    };
    let it = text([0xbf0c, 0x2001]);
    let one = Arm::next_mode(&it, Mode::T32(Block::NONE));
    assert_eq!(one, Mode::T32(Block::begun(0x0c)));
    let two = Arm::next_mode(&text([0x2001, 0x2002]), one);
    assert_eq!(two, Mode::T32(Block::begun(0x18)));
    assert_eq!(
        Arm::next_mode(&text([0x2002, 0]), two),
        Mode::T32(Block::NONE)
    );
    assert_eq!(Arm::next_mode(&text([0xbf00, 0]), Mode::A32), Mode::A32);
}

#[test]
fn control_goes_where_the_instruction_says() {
    let control = |word, block| t32::control(word, block, 0x1000);
    let away = |away, next| Control {
        next,
        away: Some(away),
    };
    let last = Block::begun(0b0000_1000);
    for (word, expected) in [
        (0x4770_0000, away(Away::Return, false)),
        (0x4718_0000, away(Away::Indirect, false)),
        (0xbd10_0000, away(Away::Return, false)),
        (0xe8bd_8010, away(Away::Return, false)),
        (0xf85d_fb04, away(Away::Return, false)),
        (0xf8d3_f000, away(Away::Switch, false)),
        (0xf8df_f000, away(Away::Indirect, false)),
        (0x469f_0000, away(Away::Switch, false)),
        (0x4487_0000, away(Away::Switch, false)),
        (0x46f7_0000, away(Away::Return, false)),
        (0xe7fe_0000, away(Away::To(0x1000), false)),
        (0xd0fe_0000, away(Away::To(0x1000), true)),
        (0xf7ff_bffe, away(Away::To(0x1000), false)),
        (0xb100_0000, away(Away::To(0x1004), true)),
        (0xe8df_f003, away(Away::Switch, false)),
    ] {
        assert_eq!(control(word, Block::NONE), expected, "{word:08x}");
    }
    let falls_through = Control {
        next: true,
        away: None,
    };
    let ends = Control {
        next: false,
        away: None,
    };
    assert_eq!(control(0xf7ff_fffe, Block::NONE), falls_through);
    assert_eq!(control(0x4798_0000, Block::NONE), falls_through);
    assert_eq!(control(0xde00_0000, Block::NONE), ends);
    assert_eq!(control(0xf3de_8f04, Block::NONE), ends);
    assert_eq!(control(0x4770_0000, last), away(Away::Return, true));
}
