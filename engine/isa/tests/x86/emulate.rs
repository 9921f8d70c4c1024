//! Emulation does what the manual says, and nothing else: for any accepted instruction, on any
//! registers, all registers and memory are compared with a model that executes the plain reading.

use engine_isa::x86::{self, Emulation, Regs};
use engine_isa::{Fault, Plan};
use proptest::prelude::*;

use super::model::{Model, OTHERS, Ram, laid_out, mask};
use super::reading::read;
use super::table::text_near_emulation;

fn emulation(wide: bool, text: &[u8; 15]) -> Emulation {
    let plan = if wide { x86::plan } else { x86::plan_ia32 };
    match plan(text) {
        Plan::Emulate(emulation) => emulation,
        other => panic!("{text:02x?} is not emulated: {other}"),
    }
}

/// An emulated instruction, and whether it is for 64-bit mode.
fn emulated_text() -> impl Strategy<Value = (bool, [u8; 15])> {
    let text = (any::<bool>(), text_near_emulation());
    text.prop_filter("emulated", |(wide, text)| read(*wide, text).is_some())
}

/// Any registers, half of them canonical addresses, and a few near the ends of the address space or
/// small. For 32-bit mode they are truncated.
fn any_regs() -> impl Strategy<Value = [u64; 17]> {
    let near_an_end = (0_u64..128).prop_map(|near| near.wrapping_sub(64));
    let address = any::<i64>().prop_map(|value| (value >> 17).cast_unsigned());
    let aligned = address.clone().prop_map(|address| address & !7);
    proptest::array::uniform17(prop_oneof![
        2 => any::<u64>(), 3 => address, 3 => aligned, 1 => near_an_end, 1 => 0_u64..3
    ])
}

fn narrowed(wide: bool, mut r: [u64; 17]) -> [u64; 17] {
    if !wide {
        r.iter_mut().for_each(|register| *register &= mask(32));
    }
    r
}

fn model(wide: bool, r: [u64; 17], flags: u64, ram: Ram) -> Model {
    Model {
        wide,
        r,
        flags,
        ram,
    }
}

fn with_flags(regs: Regs, flags: u64) -> Regs {
    Regs { flags, ..regs }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn emulation_agrees_with_the_model(
        (wide, text) in emulated_text(),
        before in any_regs(),
        flags: u16,
    ) {
        let (before, flags) = (narrowed(wide, before), flags.into());
        let mut model = model(wide, before, flags, Ram::default());
        let expected = model.execute(&text);

        let (mut regs, mut ram) = (with_flags(laid_out(&before), flags), Ram::default());
        let result = emulation(wide, &text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, expected, "{:02x?}", text);
        let after = if expected.is_ok() { model.r } else { before };
        prop_assert_eq!(regs, with_flags(laid_out(&after), flags), "{:02x?}", text);
        prop_assert_eq!(ram, model.ram, "{:02x?}", text);
    }

    #[test]
    fn a_fault_is_the_models_and_leaves_everything(
        (wide, text) in emulated_text(),
        before in any_regs(),
        flags: u16,
    ) {
        let (before, flags) = (narrowed(wide, before), flags.into());
        let mut model = model(wide, before, flags, Ram::missing());
        let expected = model.execute(&text);

        let (mut regs, mut ram) = (with_flags(laid_out(&before), flags), Ram::missing());
        let result = emulation(wide, &text).run(&mut regs, &mut ram);

        prop_assert_eq!(result, expected, "{:02x?}", text);
        let after = if expected.is_ok() { model.r } else { before };
        prop_assert_eq!(regs, with_flags(laid_out(&after), flags), "{:02x?}", text);
    }
}

/// An instruction padded with zeros.
fn followed(bytes: &[u8]) -> [u8; 15] {
    let mut text = [0; 15];
    text[..bytes.len()].copy_from_slice(bytes);
    text
}

/// A function's prologue, with readable numbers.
#[test]
fn push_rbp_stores_it_below_the_stack_pointer() {
    let before = Regs {
        bp: 0x1122_3344_5566_7788,
        sp: 0xffff_c900_0000_2000,
        ip: 0xffff_ffff_8100_0000,
        ..OTHERS
    };
    let (mut regs, mut ram) = (before, Ram::default());
    let push = emulation(true, &followed(&[0x55]));
    assert_eq!(push.run(&mut regs, &mut ram), Ok(()));

    let after = Regs {
        sp: 0xffff_c900_0000_1ff8,
        ip: 0xffff_ffff_8100_0001,
        ..before
    };
    assert_eq!(regs, after);
    let stored: Vec<(u64, u8)> = ram.written.into_iter().collect();
    let bytes = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    let wanted: Vec<(u64, u8)> = (0xffff_c900_0000_1ff8..).zip(bytes).collect();
    assert_eq!(stored, wanted);
}

#[test]
fn push_rsp_stores_what_it_was() {
    let mut regs = Regs {
        sp: 0x2000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    emulation(true, &followed(&[0x54]))
        .run(&mut regs, &mut ram)
        .unwrap();
    assert_eq!(regs.sp, 0x1ff8);
    assert_eq!(ram.fetch(0x1ff8, 8), Ok(0x2000));
}

#[test]
fn what_is_relative_to_rip_counts_from_the_end_of_the_instruction() {
    // jmp qword ptr [rip + 0xa], of six bytes.
    let text = followed(&[0xff, 0x25, 0x0a, 0x00, 0x00, 0x00]);
    let mut regs = Regs {
        ip: 0x1000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    emulation(true, &text).run(&mut regs, &mut ram).unwrap();
    assert_eq!(ram.loads, [(0x1010, 8)]);
}

/// A corrupted return address is detected at the return.
#[test]
fn a_branch_to_where_nothing_can_be_faults_where_it_is() {
    const POISON: u64 = 0xdead_0000_0000_0100;
    let before = Regs {
        ip: 0xffff_ffff_8100_0000,
        sp: 0x2000,
        ax: POISON,
        ..OTHERS
    };
    for text in [&[0xc3][..], &[0xff, 0xe0], &[0xff, 0xd0], &[0xc2, 8, 0]] {
        let (mut regs, mut ram) = (before, Ram::default());
        ram.put(0x2000, 8, POISON).unwrap();
        let result = emulation(true, &followed(text)).run(&mut regs, &mut ram);
        let fault = Fault { address: POISON };
        assert_eq!((result, regs), (Err(fault), before), "{text:02x?}");
        assert_eq!(ram.fetch(0x1ff8, 8), Ram::default().fetch(0x1ff8, 8));
    }
}

/// call qword ptr [rsp + 8] loads its target before it pushes the return address.
#[test]
fn a_call_by_the_stack_reads_it_as_it_was() {
    let text = followed(&[0xff, 0x54, 0x24, 0x08]);
    let mut regs = Regs {
        ip: 0x1000,
        sp: 0x2000,
        ..OTHERS
    };
    let mut ram = Ram::default();
    ram.put(0x2008, 8, 0x7777).unwrap();
    emulation(true, &text).run(&mut regs, &mut ram).unwrap();
    assert_eq!((regs.ip, regs.sp), (0x7777, 0x1ff8));
    assert_eq!(ram.fetch(0x1ff8, 8), Ok(0x1004));
}
