//! AArch64: `struct sigcontext`, and the record of vectors behind its registers.

use std::ffi::c_int;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

use zerocopy::{FromZeros, IntoBytes};

use super::copy;
use super::records::{four, record};
use crate::arm64::State;

/// The set that this machine executes.
pub type Own = crate::arm64::A64;
/// There is no Thumb state.
pub type Thumb = Own;
pub const HAS_THUMB: bool = false;

/// `EM_AARCH64`.
pub const MACHINE: u16 = 183;
/// Those of an ELF file's header.
pub const ELF_FLAGS: u32 = 0;
/// The signal of the instruction that ends a run.
pub const EXIT: c_int = libc::SIGILL;

pub type Registers = ([u64; 31], [u64; 3]);

/// N, Z, C and V.
const FLAGS: u64 = 0xf << 28;

/// The bytes of the records, and their alignment.
const RECORDS: usize = 4096;
const ALIGNED: usize = 16;

/// `FPSIMD_MAGIC`, which begins the record of vectors, and what is where in it.
const VECTORS_MAGIC: u32 = 0x4650_8001;
const FPSR: Range<usize> = 8..12;
const FPCR: Range<usize> = 12..16;
const VECTORS: Range<usize> = 16..528;

pub fn registers(context: &libc::ucontext_t) -> Registers {
    let machine = &context.uc_mcontext;
    (machine.regs, [machine.sp, machine.pc, machine.pstate])
}

pub fn set_registers(context: &mut libc::ucontext_t, (general, others): &Registers) {
    let machine = &mut context.uc_mcontext;
    machine.regs = *general;
    [machine.sp, machine.pc, machine.pstate] = *others;
}

/// The records behind the registers.
pub fn extended(context: &mut libc::ucontext_t) -> &mut [u8] {
    let last = &raw mut context.uc_mcontext.pstate;
    let behind = last.wrapping_add(1).cast::<u8>();
    let records = behind.wrapping_add(behind.align_offset(ALIGNED));
    // SAFETY: the kernel's `struct sigcontext` ends with so many bytes there, and the signal's frame
    // is there as long as the context.
    unsafe { from_raw_parts_mut(records, RECORDS) }
}

/// Nothing of a run is in the way of its handler.
pub fn begin_handler() {}

/// Lets the context begin a run in this state.
pub fn load(state: &State, context: &mut libc::ucontext_t) {
    let others = [
        state.sp,
        state.pc,
        context.uc_mcontext.pstate & !FLAGS | state.pstate & FLAGS,
    ];
    set_registers(context, &(state.registers, others));
    let record = record(extended(context), VECTORS_MAGIC);
    copy(&mut record[FPSR], &state.fpsr.to_le_bytes());
    copy(&mut record[FPCR], &state.fpcr.to_le_bytes());
    copy(&mut record[VECTORS], state.vectors.as_bytes());
}

/// The state that a run ended in.
pub fn store(context: &mut libc::ucontext_t) -> State {
    let mut state = State::new_zeroed();
    (state.registers, [state.sp, state.pc, state.pstate]) = registers(context);
    let record = record(extended(context), VECTORS_MAGIC);
    state.fpsr = four(record, FPSR);
    state.fpcr = four(record, FPCR);
    copy(state.vectors.as_mut_bytes(), &record[VECTORS]);
    state
}

/// The address of the next instruction.
pub fn pc(state: &State) -> u64 {
    state.pc
}
