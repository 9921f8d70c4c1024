//! Calling conventions and traps, for each instruction set on any host.

use engine_isa::arm::{self, Arm};
use engine_isa::arm64::{self, Arm64, Processor};
use engine_isa::body::Leaves;
use engine_isa::x86::{self, Mode, X86};
use engine_isa::{Arch, Away, Fault, Memory, Plan, Unreadable, Width};

/// A processor without pointer authentication.
#[derive(Debug, Default)]
struct Unsigned;

impl Processor for Unsigned {
    fn sign(&self, pointer: u64, _: u64) -> u64 {
        pointer
    }

    fn has_branch_types(&self) -> bool {
        false
    }
}

type A64 = Arm64<Unsigned>;

/// A stack of words of `bytes` bytes, each with its index as the value, from 0 at the top.
fn numbered(top: u64, bytes: usize) -> impl FnMut(u64, &mut [u8]) -> Result<(), Unreadable> {
    move |address, word| {
        assert_eq!(word.len(), bytes);
        let index = address.checked_sub(top).ok_or(Unreadable)? / bytes as u64;
        word.fill(0);
        word[0] = u8::try_from(index).map_err(|_| Unreadable)?;
        Ok(())
    }
}

#[test]
fn arguments_are_in_registers_first_and_then_on_the_stack() {
    let mut regs = arm::Regs::default();
    regs.r[..4].copy_from_slice(&[10, 11, 12, 13]);
    regs.r[13] = 0x8000;
    let load = &mut numbered(0x8000, 4);
    let of_arm = [0, 3, 4, 6].map(|n| Arm::argument(&regs, arm::Mode::A32, n, load));
    assert_eq!(of_arm, [10, 13, 0, 2]);

    let mut regs = arm64::Regs::default();
    regs.x[..8].copy_from_slice(&[10, 11, 12, 13, 14, 15, 16, 17]);
    regs.sp = 0x8000;
    let load = &mut numbered(0x8000, 8);
    let of_arm64 = [0, 7, 8, 10].map(|n| A64::argument(&regs, (), n, load));
    assert_eq!(of_arm64, [10, 17, 0, 2]);

    let regs = x86::Regs {
        di: 10,
        si: 11,
        dx: 12,
        cx: 13,
        r8: 14,
        r9: 15,
        sp: 0x8000,
        ..x86::Regs::default()
    };
    let load = &mut numbered(0x8000, 8);
    let of_long = [0, 1, 2, 3, 4, 5, 6, 8].map(|n| X86::argument(&regs, Mode::Long, n, load));
    assert_eq!(of_long, [10, 11, 12, 13, 14, 15, 1, 3]);
    let load = &mut numbered(0x8000, 4);
    let of_compat = [0, 5].map(|n| X86::argument(&regs, Mode::Compat, n, load));
    assert_eq!(of_compat, [1, 6]);
}

#[test]
fn an_argument_that_cannot_be_read_is_0() {
    let load = &mut |_, _: &mut [u8]| Err(Unreadable);
    let regs = x86::Regs::default();
    assert_eq!(X86::argument(&regs, Mode::Long, u64::MAX, load), 0);
    assert_eq!(
        Arm::argument(&arm::Regs::default(), arm::Mode::A32, 4, load),
        0
    );
    assert_eq!(X86::caller(&regs, Mode::Compat, load), 0);
}

#[test]
fn the_caller_is_in_the_link_register_or_on_top_of_the_stack() {
    let load = &mut |address: u64, word: &mut [u8]| {
        assert_eq!(address, 0x8000);
        word.fill(0x11);
        Ok(())
    };
    let regs = x86::Regs {
        sp: 0x8000,
        ..x86::Regs::default()
    };
    assert_eq!(X86::caller(&regs, Mode::Long, load), 0x1111_1111_1111_1111);
    assert_eq!(X86::caller(&regs, Mode::Compat, load), 0x1111_1111);
    let mut regs = arm::Regs::default();
    regs.r[14] = 7;
    assert_eq!(Arm::caller(&regs, arm::Mode::A32, load), 7);
    let mut regs = arm64::Regs::default();
    regs.x[30] = 7;
    assert_eq!(A64::caller(&regs, (), load), 7);
}

#[test]
fn a_trap_is_where_the_pc_says_but_on_x86_before_it() {
    let mut regs = x86::Regs {
        ip: 0x1001,
        ..x86::Regs::default()
    };
    assert_eq!(X86::pc(&regs), 0x1000);
    X86::set_pc(&mut regs, 0x1000);
    assert_eq!(regs.ip, 0x1000);
    let mut regs = arm::Regs::default();
    Arm::set_pc(&mut regs, 0x1000);
    assert_eq!(Arm::pc(&regs), 0x1000);
    let mut regs = arm64::Regs::default();
    A64::set_pc(&mut regs, 0x1000);
    assert_eq!(A64::pc(&regs), 0x1000);
}

/// Memory without contents: loads are 0, stores are ignored.
struct Nowhere;

impl Memory for Nowhere {
    fn load(&mut self, address: u64, _: Width) -> Result<u64, Fault> {
        Err(Fault { address })
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        Err(Fault { address })
    }
}

#[test]
fn what_leaves_an_arm_function_leads_to_its_caller() {
    const BX_LR: u32 = 0xe12f_ff1e;
    let mut regs = arm::Regs::default();
    regs.r[14] = 0x9000;
    let Plan::Emulate(bx) = Arm::plan(&BX_LR.to_le_bytes(), arm::Mode::A32) else {
        panic!("it is emulated");
    };
    for leaves in [Leaves::Return, Leaves::Tail] {
        let after = Arm::after(bx, leaves, &regs, &mut Nowhere).expect("it needs no memory");
        assert_eq!(after.r[15], 0x9000);
    }
}

fn text(bytes: &[u8]) -> [u8; x86::LONGEST] {
    let mut text = [0x90; x86::LONGEST];
    text[..bytes.len()].copy_from_slice(bytes);
    text
}

#[test]
fn a_byte_is_a_prefix_in_one_mode_and_an_instruction_in_the_other() {
    // In 64-bit mode `rex.w jmp`, in compatibility mode `dec eax`.
    let bytes = text(&[0x48, 0xe9, 0, 1, 0, 0]);
    let to = |mode| X86::control(&bytes, mode, 0x1000).away;
    assert_eq!(to(Mode::Long), Some(Away::To(0x1106)));
    assert_eq!(to(Mode::Compat), None);
    let length = |mode| X86::length(&X86::plan(&bytes, mode));
    assert_eq!((length(Mode::Long), length(Mode::Compat)), (6, 1));
}

#[test]
fn branches_of_compatibility_mode_wrap_around_at_32_bits() {
    let back = text(&[0xe9, 0xf0, 0xff, 0xff, 0xff]);
    let to = |mode| X86::control(&back, mode, 0).away;
    assert_eq!(to(Mode::Long), Some(Away::To(0xffff_ffff_ffff_fff5)));
    assert_eq!(to(Mode::Compat), Some(Away::To(0xffff_fff5)));
    // A 16-bit operand size truncates the instruction pointer.
    let short = text(&[0x66, 0xe9, 0, 1]);
    let away = X86::control(&short, Mode::Compat, 0).away;
    assert_eq!(away, Some(Away::Indirect));
}

#[test]
fn what_linux_rewrites_is_known_by_its_bytes() {
    for bytes in [
        &[0x0f, 0x1f, 0x44, 0, 0][..],
        &[0xe8, 0, 0, 0, 0],
        &[0xe9, 0, 0, 0, 0],
        &[0xeb, 0],
        &[0xc3],
        &[0x0f, 0x84, 0, 0, 0, 0],
        &[0x2e, 0x2e, 0x2e, 0x31, 0xc0],
    ] {
        assert!(X86::is_placeholder(&text(bytes)), "{bytes:x?}");
    }
    assert!(!X86::is_placeholder(&text(&[0x55])));
    // `lock inc [rax]` with DS in place of LOCK, and a DS prefix before an instruction that cannot
    // take LOCK.
    assert!(X86::will_be_rewritten(&text(&[0x3e, 0xff, 0x00])));
    assert!(!X86::will_be_rewritten(&text(&[0x3e, 0x8b, 0x00])));
    for word in [0xe320_f000u32, 0xe1a0_0000, 0xea00_0000] {
        assert!(Arm::is_placeholder(&word.to_le_bytes()), "{word:#x}");
    }
    for word in [0xd503_201fu32, 0x1400_0000] {
        assert!(A64::is_placeholder(&word.to_le_bytes()), "{word:#x}");
    }
    assert!(!Arm::begins_function(&0xc010_1234u32.to_le_bytes()));
}
