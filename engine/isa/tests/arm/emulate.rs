//! Emulation does what the manual's pseudocode says, and nothing else: for
//! every word that the table accepts, on any registers, the whole of the
//! registers and of memory is compared with a model written from that
//! pseudocode (DDI 0406C: A8.8.133, A8.8.201, A8.8.225).

use std::collections::BTreeMap;

use engine_isa::arm::{self, Emulation, Regs, Version};
use engine_isa::{Fault, Memory, Plan, Width};
use proptest::prelude::*;

const SP: usize = 13;
const PC: usize = 15;

/// Memory by bytes, which takes a limited number of stores.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ram {
    bytes: BTreeMap<u64, u8>,
    stores_left: usize,
}

impl Ram {
    fn of_stores(stores_left: usize) -> Self {
        Self {
            bytes: BTreeMap::new(),
            stores_left,
        }
    }
}

impl Memory for Ram {
    fn load(&mut self, address: u64, _: Width) -> Result<u64, Fault> {
        panic!("nothing here loads, but {address:#x} is loaded from")
    }

    fn store(&mut self, address: u64, width: Width, word: u64) -> Result<(), Fault> {
        assert_eq!((width, word >> 32), (Width::Four, 0));
        self.stores_left = self.stores_left.checked_sub(1).ok_or(Fault { address })?;
        for (offset, byte) in (0..4).zip(word.to_le_bytes()) {
            self.bytes.insert(address.wrapping_add(offset), byte);
        }
        Ok(())
    }
}

/// A machine in the manual's terms.
struct Model {
    regs: Regs,
    ram: Ram,
}

impl Model {
    fn execute(&mut self, word: u32) -> Result<(), Fault> {
        if self.condition_passed(word >> 28) {
            match (word >> 20) & 0xff {
                0b1001_0010 => self.store(word & 0xffff, true)?,
                0b0101_0010 => self.store(1 << ((word >> 12) & 0xf), false)?,
                0b0010_0100 => self.regs.r[SP] = self.regs.r[SP].wrapping_sub(expand_imm(word)),
                other => panic!("{word:08x}: the model has no operation {other:08b}"),
            }
        }
        self.regs.r[PC] = self.regs.r[PC].wrapping_add(4);
        Ok(())
    }

    fn condition_passed(&self, condition: u32) -> bool {
        let flag = |bit: u32| (self.regs.cpsr >> bit) & 1 == 1;
        let (n, z, c, v) = (flag(31), flag(30), flag(29), flag(28));
        match condition {
            0 => z,
            1 => !z,
            2 => c,
            3 => !c,
            4 => n,
            5 => !n,
            6 => v,
            7 => !v,
            8 => c && !z,
            9 => !c || z,
            10 => n == v,
            11 => n != v,
            12 => !z && n == v,
            13 => z || n != v,
            14 => true,
            other => panic!("{other} is no condition"),
        }
    }

    fn store(&mut self, registers: u32, must_be_aligned: bool) -> Result<(), Fault> {
        let lowered = self.regs.r[SP].wrapping_sub(4 * registers.count_ones());
        let mut address = lowered;
        for i in 0..16 {
            if registers & (1 << i) == 0 {
                continue;
            }
            if must_be_aligned && !address.is_multiple_of(4) {
                let address = u64::from(address);
                return Err(Fault { address });
            }
            let value = self.regs.r[i].into();
            self.ram.store(address.into(), Width::Four, value)?;
            address = address.wrapping_add(4);
        }
        self.regs.r[SP] = lowered;
        Ok(())
    }
}

/// ARMExpandImm: the low byte, rotated right by twice the four bits above it.
fn expand_imm(word: u32) -> u32 {
    let twice = u64::from(word & 0xff) * 0x1_0000_0001;
    let turned = twice >> (2 * ((word >> 8) & 0xf));
    (turned & 0xffff_ffff) as u32
}

fn emulation(word: u32) -> Emulation {
    match arm::plan(word) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{word:08x} is not accepted: {other}"),
    }
}

/// Every word that the table accepts.
fn accepted_word() -> impl Strategy<Value = u32> {
    let operation = prop_oneof![
        // Any list with neither sp nor pc, and not empty.
        (1_u32..0x4000).prop_map(|bits| 0x092d_0000 | bits & 0x1fff | (bits & 0x2000) << 1),
        (0_u32..16)
            .prop_filter("neither sp nor pc", |&t| t != 13 && t != 15)
            .prop_map(|t| 0x052d_0004 | t << 12),
        (0_u32..0x1000).prop_map(|imm12| 0x024d_d000 | imm12),
    ];
    // Half of them unconditional, as nearly all code is.
    let condition = prop_oneof![Just(14_u32), 0_u32..15];
    (operation, condition).prop_map(|(operation, condition)| operation | condition << 28)
}

/// Any registers; the stack pointer mostly aligned, and at times near the ends
/// of the address space.
fn any_regs() -> impl Strategy<Value = Regs> {
    let sp = prop_oneof![
        6 => any::<u32>().prop_map(|sp| sp & !0b11),
        1 => any::<u32>(),
        1 => (0_u32..128).prop_map(|near| near.wrapping_sub(64)),
    ];
    (any::<[u32; 16]>(), sp, any::<u32>()).prop_map(|(mut r, sp, cpsr)| {
        r[SP] = sp;
        Regs { r, cpsr }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn emulation_agrees_with_the_model(word in accepted_word(), before in any_regs()) {
        let mut model = Model { regs: before, ram: Ram::of_stores(16) };
        let expected = model.execute(word);

        let (mut regs, mut ram) = (before, Ram::of_stores(16));
        let result = emulation(word).run(Version::V6, &mut regs, &mut ram);

        prop_assert_eq!(result, expected);
        prop_assert_eq!(ram, model.ram);
        prop_assert_eq!(regs, if expected.is_ok() { model.regs } else { before });
    }

    #[test]
    fn a_fault_leaves_the_registers_and_can_be_run_again(
        word in accepted_word(),
        before in any_regs(),
        stores in 0_usize..16,
    ) {
        let (mut regs, mut ram) = (before, Ram::of_stores(stores));
        let mut model = Model { regs: before, ram: ram.clone() };
        let expected = model.execute(word);
        let result = emulation(word).run(Version::V6, &mut regs, &mut ram);

        prop_assert_eq!(result, expected);
        prop_assert_eq!(&ram.bytes, &model.ram.bytes);
        if result.is_err() {
            prop_assert_eq!(regs, before);
            ram.stores_left = 16;
            model = Model { regs: before, ram: Ram::of_stores(16) };
            prop_assert_eq!(emulation(word).run(Version::V6, &mut regs, &mut ram), model.execute(word));
            prop_assert_eq!(&ram.bytes, &model.ram.bytes);
        }
    }
}

/// The push that killed bash in 2013, on numbers that can be followed by eye.
#[test]
fn push_r4_lr_stores_both_below_the_stack_pointer() {
    let mut before = Regs::default();
    before.r[4] = 0x4444_4444;
    before.r[SP] = 0xc000_2000;
    before.r[14] = 0xc001_0000;
    before.r[PC] = 0xc002_0000;

    let (mut regs, mut ram) = (before, Ram::of_stores(2));
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
