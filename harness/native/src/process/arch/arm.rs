//! ARM: `struct sigcontext`, and the record of floating point behind the mask of signals.

#[cfg(target_feature = "v7")]
use std::arch::asm;
use std::ffi::c_int;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

use zerocopy::{FromZeros, IntoBytes};

use super::copy;
use super::records::{four, record};
use crate::arm::State;

/// The set that this machine executes.
pub type Own = crate::arm::A32;
/// The one that it executes in Thumb state.
pub type Thumb = crate::arm::t32::T32;
pub const HAS_THUMB: bool = true;

/// `EM_ARM`.
pub const MACHINE: u16 = 40;
/// Those of an ELF file's header: version 5 of the EABI.
pub const ELF_FLAGS: u32 = 5 << 24;
/// The signal of the instruction that ends a run.
pub const EXIT: c_int = libc::SIGILL;

/// r0 to pc, and CPSR.
pub type Registers = ([u32; 16], u32);

/// N, Z, C, V and Q, the four of SIMD, the place in an IT block, and whether the state is Thumb's:
/// what a signal interrupts may be a function of Thumb.
const FLAGS: u32 = 0x1f << 27 | 0xf << 16 | 0x3f << 10 | 0b11 << 25 | 1 << 5;

/// SSBS of ARMv8, which the kernel sets and clears when it switches threads.
const SSBS: u32 = 1 << 23;

const PC: usize = 15;

/// `VFP_MAGIC`, which begins the record of floating point, and what is where in it.
const DOUBLES_MAGIC: u32 = 0x5646_5001;
const DOUBLES: Range<usize> = 8..264;
const FPSCR: Range<usize> = 264..268;

/// r0 to pc, to be read or assigned.
macro_rules! general {
    ($machine:expr) => {
        [
            $machine.arm_r0,
            $machine.arm_r1,
            $machine.arm_r2,
            $machine.arm_r3,
            $machine.arm_r4,
            $machine.arm_r5,
            $machine.arm_r6,
            $machine.arm_r7,
            $machine.arm_r8,
            $machine.arm_r9,
            $machine.arm_r10,
            $machine.arm_fp,
            $machine.arm_ip,
            $machine.arm_sp,
            $machine.arm_lr,
            $machine.arm_pc,
        ]
    };
}

pub fn registers(context: &libc::ucontext_t) -> Registers {
    let machine = &context.uc_mcontext;
    (general!(machine), machine.arm_cpsr)
}

pub fn set_registers(context: &mut libc::ucontext_t, (general, cpsr): &Registers) {
    let machine = &mut context.uc_mcontext;
    general!(machine) = *general;
    machine.arm_cpsr = *cpsr;
}

/// The records of coprocessors.
pub fn extended(context: &mut libc::ucontext_t) -> &mut [u8] {
    let records = &raw mut context.uc_regspace;
    // SAFETY: they are bytes of the context, and borrowed with it.
    unsafe { from_raw_parts_mut(records.cast(), size_of_val(&context.uc_regspace)) }
}

/// Has floating point as the handler's code expects it. A 64-bit kernel leaves the vectors' length as a
/// run had it, with which a processor without short vectors has no scalar instructions. Such kernels run
/// no build for ARMv6, whose assembler need not know the instruction.
pub fn begin_handler() {
    #[cfg(target_feature = "v7")]
    // SAFETY: writes a register of the handler's own: the frame has that of the run.
    unsafe {
        asm!("vmsr fpscr, {}", in(reg) 0, options(nomem, nostack))
    };
}

/// Lets the context begin a run in this state.
pub fn load(state: &State, context: &mut libc::ucontext_t) {
    let cpsr = context.uc_mcontext.arm_cpsr & !FLAGS | state.cpsr & FLAGS;
    set_registers(context, &(state.registers, cpsr));
    let record = record(extended(context), DOUBLES_MAGIC);
    copy(&mut record[DOUBLES], state.doubles.as_bytes());
    copy(&mut record[FPSCR], &state.fpscr.to_le_bytes());
}

/// The state that a run ended in.
pub fn store(context: &mut libc::ucontext_t) -> State {
    let mut state = State::new_zeroed();
    (state.registers, state.cpsr) = registers(context);
    state.cpsr &= !SSBS;
    let record = record(extended(context), DOUBLES_MAGIC);
    copy(state.doubles.as_mut_bytes(), &record[DOUBLES]);
    state.fpscr = four(record, FPSCR);
    state
}

/// The address of the next instruction.
pub fn pc(state: &State) -> u64 {
    state.registers[PC].into()
}
