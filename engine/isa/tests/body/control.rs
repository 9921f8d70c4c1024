//! The predicted control flow of an instruction, compared with that of its emulation.

use engine_isa::arm::{self, Version};
use engine_isa::arm64::{self, Processor};
use engine_isa::x86;
use engine_isa::{Away, Control, Fault, Memory, Plan, Width};
use proptest::prelude::*;

use crate::words::of_rows;

/// The address of each instruction.
const AT: u64 = 0x40_0000;

/// Memory that is the same everywhere, and a processor without features.
struct Same(u64);

impl Memory for Same {
    fn load(&mut self, _: u64, width: Width) -> Result<u64, Fault> {
        Ok(match width {
            Width::Eight => self.0,
            width => self.0 & ((1 << (width.bytes() * 8)) - 1),
        })
    }

    fn store(&mut self, _: u64, _: Width, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

impl Processor for Same {
    fn sign(&self, pointer: u64, _: u64) -> u64 {
        pointer
    }

    fn has_branch_types(&self) -> bool {
        false
    }
}

/// What an emulated instruction did.
#[derive(Debug)]
struct Done {
    /// The result of its `goes`.
    goes: bool,
    /// The pc afterwards.
    to: u64,
    /// The address of the next instruction.
    next: u64,
    /// Whether it left a return address.
    calls: bool,
    /// Whether it would also fall through with other register values. An address computed from the
    /// pc may be the next one whatever these are: `sbc pc, pc, r0, lsr #31`.
    stays: bool,
}

fn agrees(control: Control, done: &Done) -> Result<(), TestCaseError> {
    let went_on = done.to == done.next;
    let holds = match control.away {
        None => done.calls || went_on,
        Some(_) if !done.goes => control.next && went_on,
        Some(Away::To(to)) => done.to == to,
        Some(_) => !(went_on && done.stays),
    };
    prop_assert!(holds, "{control:x?} {done:x?}");
    prop_assert!(control.next || done.goes, "{control:x?} {done:x?}");
    Ok(())
}

fn is_emulated_by_arm(word: u32) -> bool {
    matches!(arm::plan(word), Plan::Emulate(_))
}

fn is_emulated_by_arm64(word: u32) -> bool {
    matches!(arm64::plan(word), Plan::Emulate(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a32_goes_where_it_is_said_to_go(
        word in of_rows(arm::ROWS, is_emulated_by_arm),
        r in any::<[u32; 16]>(),
        flags in 0_u32..16,
        memory in any::<u32>(),
    ) {
        let Plan::Emulate(emulation) = arm::plan(word) else { unreachable!() };
        let mut regs = arm::Regs { r, cpsr: flags << 28 };
        regs.r[15] = AT as u32;
        let before = regs;
        prop_assume!(emulation.run(Version::V6, &mut regs, &mut Same(memory.into())).is_ok());
        let mut others = before;
        others.r = r.map(|value| !value);
        others.r[15] = AT as u32;
        prop_assume!(emulation.run(Version::V6, &mut others, &mut Same((!memory).into())).is_ok());
        agrees(arm::control(word, AT as u32), &Done {
            goes: emulation.goes(&before),
            to: regs.r[15].into(),
            next: AT + 4,
            calls: u64::from(regs.r[14]) == AT + 4,
            stays: u64::from(others.r[15]) == AT + 4 && word & 0x0c0f_0000 != 0x000f_0000,
        })?;
    }

    #[test]
    fn a64_goes_where_it_is_said_to_go(
        word in of_rows(arm64::ROWS, is_emulated_by_arm64),
        x in any::<[u64; 31]>(),
        zeros in any::<u32>(),
        flags in 0_u64..16,
    ) {
        let Plan::Emulate(emulation) = arm64::plan(word) else { unreachable!() };
        let mut regs = arm64::Regs { pc: AT, pstate: flags << 28, ..Default::default() };
        regs.x = std::array::from_fn(|place| if zeros >> place & 1 == 0 { x[place] } else { 0 });
        let before = regs;
        prop_assume!(emulation.run(&mut regs, &mut Same(1), &Same(0)).is_ok());
        agrees(arm64::control(word, AT), &Done {
            goes: emulation.goes(&before),
            to: regs.pc,
            next: AT + 4,
            calls: regs.x[30] == AT + 4,
            stays: true,
        })?;
    }

    #[test]
    fn x86_goes_where_it_is_said_to_go(
        text in x86_text(),
        [cx, r8] in any::<[u32; 2]>(),
        flags in any::<u64>(),
    ) {
        let Plan::Emulate(emulation) = x86::plan(&text) else { return Ok(()) };
        let mut regs = x86::Regs { ip: AT, flags, cx: cx.into(), r8: r8.into(), ..Default::default() };
        let before = regs;
        let mut memory = Same(0x50_0000);
        let next = AT + x86::length(&text).unwrap() as u64;
        prop_assume!(emulation.run(&mut regs, &mut memory).is_ok());
        agrees(x86::control(&text, AT), &Done {
            goes: emulation.goes(&before),
            to: regs.ip,
            next,
            calls: regs.sp == before.sp.wrapping_sub(8),
            stays: true,
        })?;
    }
}

/// An instruction, mostly an emulated one, with or without a prefix.
fn x86_text() -> impl Strategy<Value = [u8; 15]> {
    let one = prop_oneof![
        (0x70_u8..0x80, any::<u8>()).prop_map(|(opcode, modrm)| vec![opcode, modrm]),
        (0xe0_u8..0xf0, any::<u8>()).prop_map(|(opcode, modrm)| vec![opcode, modrm]),
        (0x80_u8..0x90).prop_map(|opcode| vec![0x0f, opcode]),
        (0xc2_u8..0xc4).prop_map(|opcode| vec![opcode]),
        (0x10_u8..0x30, any::<u8>()).prop_map(|(digit, rest)| vec![0xff, digit | rest & 0xc7]),
        (0x50_u8..0x58).prop_map(|opcode| vec![opcode]),
    ];
    let prefix = prop_oneof![3 => Just(vec![]), 1 => prop_oneof![0x40_u8..0x50, Just(0x2e), Just(0xf2)]
        .prop_map(|prefix| vec![prefix])];
    (prefix, one, any::<[u8; 15]>()).prop_map(|(prefix, one, after)| {
        let bytes = prefix.into_iter().chain(one).chain(after);
        bytes.take(15).collect::<Vec<u8>>().try_into().unwrap()
    })
}
