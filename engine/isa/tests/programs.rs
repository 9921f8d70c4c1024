//! 32-bit programs on AArch64: which set decodes them, and where their registers are.

use engine_isa::arm::{self, Block};
use engine_isa::arm64::programs::{Mode, Relocation};
use engine_isa::arm64::{Processor, Regs, TRAP, WithPrograms};
use engine_isa::{Arch, Fault, Memory, Plan, Unreadable, Width};

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

type Both = WithPrograms<Unsigned>;

/// One word of memory.
struct Word(u64, u64);

impl Memory for Word {
    fn load(&mut self, address: u64, _: Width) -> Result<u64, Fault> {
        (address == self.0)
            .then_some(self.1)
            .ok_or(Fault { address })
    }

    fn store(&mut self, address: u64, _: Width, value: u64) -> Result<(), Fault> {
        *self = Self(address, value);
        Ok(())
    }
}

const A32: Mode = Mode::Compat(arm::Mode::A32);
const T32: Mode = Mode::Compat(arm::Mode::T32(Block::NONE));

/// User mode of AArch32, and Thumb state.
const USER: u64 = 0x10;
const THUMB: u64 = 0x20;

/// The registers of a 32-bit program, with what it cannot see in the upper halves.
fn regs(pc: u64, pstate: u64) -> Regs {
    let mut regs = Regs {
        pc,
        pstate,
        ..Regs::default()
    };
    for (number, x) in (0..).zip(&mut regs.x) {
        *x = 0xdead_beef << 32 | number << 8;
    }
    regs
}

fn emulate(regs: &mut Regs, text: [u8; 4], mode: Mode, memory: &mut Word) {
    match Both::plan(&text, mode) {
        Plan::Emulate(emulation) => Both::emulate(emulation, regs, memory).unwrap(),
        other => panic!("{text:x?}: {:?}", Both::length(&other)),
    }
}

/// The slot of a relocated instruction of a 32-bit program.
fn slot(text: [u8; 4], mode: Mode) -> Vec<u8> {
    match Both::plan(&text, mode) {
        Plan::Relocate(relocation @ Relocation::Compat(_)) => {
            let slot = Both::slot(relocation, 0x2_0000, 0x1_0000, 0x1_0004).unwrap();
            assert_eq!(slot.as_ref().len(), Both::slot_size(mode));
            slot.as_ref().to_vec()
        }
        _ => panic!("{text:x?} is not relocated"),
    }
}

#[test]
fn a_function_is_of_the_set_of_its_program() {
    assert_eq!(Both::code_at(0x1_0001, false), (0x1_0001, Mode::Long));
    assert_eq!(Both::code_at(0x1_0000, true), (0x1_0000, A32));
    assert_eq!(Both::code_at(0x1_0001, true), (0x1_0000, T32));
}

#[test]
fn each_state_has_a_breakpoint_of_its_own() {
    assert_eq!(Both::trap(Mode::Long, 4), TRAP.to_le_bytes());
    assert_eq!(Both::trap(A32, 4), 0xe120_0f7b_u32.to_le_bytes());
    // Of 16 bits even in an IT block, whose condition it does not have.
    let inside = Mode::Compat(arm::Mode::T32(Block::begun(0b0000_1000)));
    assert_eq!(Both::trap(inside, 4), 0xbefb_u16.to_le_bytes());
    for mode in [Mode::Long, A32, T32] {
        assert!(Both::is_trap(Both::trap(mode, 4)));
    }
    assert!(!Both::is_trap(&arm::TRAP.to_le_bytes()));
}

#[test]
fn the_upper_halves_of_registers_are_not_a_programs() {
    let mut of_program = regs(0x1_0000, USER);
    of_program.x[13] |= 3;
    let load = &mut |address: u64, word: &mut [u8]| {
        assert_eq!((address, word.len()), (0xd03 + 4, 4));
        word.fill(0x11);
        Ok::<_, Unreadable>(())
    };
    let arguments = [0, 3, 5].map(|number| Both::argument(&of_program, A32, number, load));
    assert_eq!(arguments, [0, 0x300, 0x1111_1111]);
    assert_eq!(Both::returned(&of_program), 0);
    assert_eq!(Both::caller(&of_program, T32, load), 0xe00);
    let kernel = regs(0x1_0000, 0b0101);
    assert_eq!(Both::returned(&kernel), 0xdead_beef << 32);
}

#[test]
fn an_emulated_instruction_works_where_the_exception_has_saved_its_registers() {
    // push {lr}
    let (mut after, mut memory) = (regs(0x1_0000, USER), Word(0, 0));
    emulate(&mut after, 0xe52d_e004_u32.to_le_bytes(), A32, &mut memory);
    assert_eq!((memory.0, memory.1), (0xcfc, 0xe00));
    assert_eq!(
        (after.x[13], after.pc, after.pstate),
        (0xcfc, 0x1_0004, USER)
    );
    assert_eq!(after.x[15..], regs(0, 0).x[15..]);
    // bx lr, to Thumb
    after.x[14] = 0x2_0001;
    emulate(&mut after, 0xe12f_ff1e_u32.to_le_bytes(), A32, &mut memory);
    assert_eq!((after.pc, after.pstate), (0x2_0000, USER | THUMB));
    // it eq
    emulate(&mut after, [0x08, 0xbf, 0, 0], T32, &mut memory);
    assert_eq!((after.pc, after.pstate), (0x2_0002, USER | THUMB | 0x800));
}

#[test]
fn a_slot_goes_on_in_the_programs_set() {
    // add r0, r0, #1 and ldr pc, [pc, #-4]
    let of_a32 = slot(0xe280_0001_u32.to_le_bytes(), A32);
    assert_eq!(of_a32[4..8], 0xe51f_f004_u32.to_le_bytes());
    assert_eq!(of_a32[8..], 0x1_0004_u32.to_le_bytes());
    // adds r0, #1, ldr.w pc, [pc, #4]
    let of_t32 = slot([0x01, 0x30, 0, 0], T32);
    assert_eq!(of_t32[2..6], [0xdf, 0xf8, 0x04, 0xf0]);
    assert_eq!(of_t32[8..], 0x1_0005_u32.to_le_bytes());
    // In a block with others behind it: a breakpoint that the kernel reports.
    let inside = Mode::Compat(arm::Mode::T32(Block::begun(0b0000_0100)));
    assert!(Both::ends_in_trap(inside));
    let ending = slot([0x01, 0x30, 0, 0], inside);
    assert_eq!(ending[2..4], *Both::trap(inside, 2));
}

#[test]
fn a_slot_is_entered_in_a_block_of_its_own_and_left_with_the_rest() {
    let block = Block::begun(0b0000_0100);
    let status = block.in_status((USER | THUMB) as u32).into();
    let mut of_program = regs(0x1_0000, status);
    Both::enter(&mut of_program, 0x2_0000);
    let alone = block.alone().in_status((USER | THUMB) as u32);
    assert_eq!((of_program.pc, of_program.pstate), (0x2_0000, alone.into()));
    let mode = Mode::Compat(arm::Mode::T32(block));
    Both::leave(&mut of_program, mode, 0x1_0002);
    let next = block.next().in_status((USER | THUMB) as u32);
    assert_eq!((of_program.pc, of_program.pstate), (0x1_0002, next.into()));
    assert_eq!(Both::status(mode), block.in_status(THUMB as u32));
}
