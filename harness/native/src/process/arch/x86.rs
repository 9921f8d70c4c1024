//! x86-64: `struct sigcontext`, and the area of XSAVE that it points to.

use std::ffi::c_int;
use std::ops::Range;
use std::slice::from_raw_parts_mut;

use zerocopy::FromZeros;

use super::copy;
use crate::x86::State;

/// The set that this machine executes.
pub type Own = crate::x86::X86;
/// There is no Thumb state.
pub type Thumb = Own;
pub const HAS_THUMB: bool = false;

/// `EM_X86_64`.
pub const MACHINE: u16 = 62;
/// Those of an ELF file's header.
pub const ELF_FLAGS: u32 = 0;
/// The signal of the instruction that ends a run.
pub const EXIT: c_int = libc::SIGTRAP;

pub type Registers = [i64; 23];

/// The greg_t of each field of `struct pt_regs` that a process can set, by the field's number.
const GENERAL: [(usize, c_int); 17] = [
    (0, libc::REG_R15),
    (1, libc::REG_R14),
    (2, libc::REG_R13),
    (3, libc::REG_R12),
    (4, libc::REG_RBP),
    (5, libc::REG_RBX),
    (6, libc::REG_R11),
    (7, libc::REG_R10),
    (8, libc::REG_R9),
    (9, libc::REG_R8),
    (10, libc::REG_RAX),
    (11, libc::REG_RCX),
    (12, libc::REG_RDX),
    (13, libc::REG_RSI),
    (14, libc::REG_RDI),
    (16, libc::REG_RIP),
    (19, libc::REG_RSP),
];
const IP: usize = 16;
const FLAGS: usize = 18;

/// The flags that a run sets: carry, parity, adjust, zero, sign, direction, overflow.
const SET: u64 = 0xcd5;
/// RF, which the processor sets in what it saves for a fault, and not for a trap.
const RESUME: u64 = 1 << 16;

/// Where FXSAVE's part ends that programs can use.
const LEGACY: usize = 416;
/// What Linux writes behind it: a magic number, the components, and the area's size.
const MAGIC: Range<usize> = 464..468;
const COMPONENTS: Range<usize> = 472..480;
const SIZE: Range<usize> = 480..484;
const IS_XSAVE: u32 = 0x4650_5853;
/// MXCSR_MASK, which is constant.
const MASK: Range<usize> = 28..32;
/// The components in use, and the upper halves of ymm.
const IN_USE: Range<usize> = 512..520;
const UPPER: Range<usize> = 576..832;
/// x87 and SSE; and AVX.
const BASE: u64 = 3;
const AVX: u64 = 4;

pub fn registers(context: &libc::ucontext_t) -> Registers {
    context.uc_mcontext.gregs
}

pub fn set_registers(context: &mut libc::ucontext_t, registers: &Registers) {
    context.uc_mcontext.gregs = *registers;
}

/// The area that the kernel saved floating point and vectors in.
pub fn extended(context: &mut libc::ucontext_t) -> &mut [u8] {
    let area = context.uc_mcontext.fpregs.cast::<u8>();
    // SAFETY: the kernel saved at least FXSAVE's 512 bytes in the signal's frame, which is there as
    // long as the context.
    let legacy = unsafe { from_raw_parts_mut(area, 512) };
    let size = match four(legacy, MAGIC) {
        IS_XSAVE => four(legacy, SIZE) as usize,
        _ => 512,
    };
    // SAFETY: as above; this is the size that the kernel states.
    unsafe { from_raw_parts_mut(area, size) }
}

/// Nothing of a run is in the way of its handler.
pub fn begin_handler() {}

/// Lets the context begin a run in this state.
pub fn load(state: &State, context: &mut libc::ucontext_t) {
    let registers = &mut context.uc_mcontext.gregs;
    for (field, number) in GENERAL {
        registers[number as usize] = state.registers[field] as i64;
    }
    let flags = &mut registers[libc::REG_EFL as usize];
    *flags = (*flags as u64 & !SET | state.registers[FLAGS] & SET) as i64;
    let area = extended(context);
    copy(&mut area[..MASK.start], &state.extended);
    copy(
        &mut area[MASK.end..LEGACY],
        &state.extended[MASK.end..LEGACY],
    );
    let components = components(area);
    if components != 0 {
        let in_use = eight(area, IN_USE) | components & (BASE | AVX);
        copy(&mut area[IN_USE], &in_use.to_le_bytes());
    }
    if components & AVX != 0 {
        copy(&mut area[UPPER], &state.extended[UPPER]);
    }
}

/// The state that a run ended in.
pub fn store(context: &mut libc::ucontext_t) -> State {
    let mut state = State::new_zeroed();
    let registers = &context.uc_mcontext.gregs;
    for (field, number) in GENERAL {
        state.registers[field] = registers[number as usize] as u64;
    }
    state.registers[FLAGS] = registers[libc::REG_EFL as usize] as u64 & !RESUME;
    let area = extended(context);
    copy(&mut state.extended[..LEGACY], area);
    if components(area) & AVX != 0 {
        copy(&mut state.extended[UPPER], &area[UPPER]);
    }
    state
}

/// The address of the next instruction.
pub fn pc(state: &State) -> u64 {
    state.registers[IP]
}

/// The components that the area has room for; 0 if it is FXSAVE's.
fn components(area: &[u8]) -> u64 {
    match four(area, MAGIC) {
        IS_XSAVE => eight(area, COMPONENTS),
        _ => 0,
    }
}

fn four(area: &[u8], at: Range<usize>) -> u32 {
    let mut bytes = [0; 4];
    copy(&mut bytes, &area[at]);
    u32::from_le_bytes(bytes)
}

fn eight(area: &[u8], at: Range<usize>) -> u64 {
    let mut bytes = [0; 8];
    copy(&mut bytes, &area[at]);
    u64::from_le_bytes(bytes)
}
