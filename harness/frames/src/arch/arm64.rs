//! arm64.

use std::arch::global_asm;

/// Words of a frame that `frames_swap` leaves, and the return address's place among them.
pub const FRAME: usize = 22;
/// See [`FRAME`].
pub const RETURN: usize = 11;
/// The offsets of the instructions of `frames_load`.
pub const LOAD: [usize; 3] = [0, 4, 8];
/// Those of `frames_fetch`.
pub const FETCH: [usize; 5] = [0, 4, 8, 12, 16];

/// The signal of an instruction that only the kernel may execute.
pub const PRIVILEGED: std::ffi::c_int = libc::SIGILL;
/// A function of special instructions that returns its argument plus 1, and their offsets.
pub const SPECIAL: Option<super::Special> = Some((frames_special, &[0, 4, 8, 12, 16, 20]));

/// Functions that begin with a landing pad of indirect branches, in pages of their own.
pub const GUARDED: &[super::Guarded] = &[
    ("frames_pad", frames_pad),
    ("frames_pad_signs", frames_pad_signs),
    ("frames_pad_loops", frames_pad_loops),
];

unsafe extern "C" {
    fn frames_special(number: u32) -> u32;
    fn frames_pad(number: usize, rounds: usize) -> usize;
    fn frames_pad_signs(number: usize, rounds: usize) -> usize;
    fn frames_pad_loops(number: usize, rounds: usize) -> usize;
}

/// The program counter that a signal found.
pub fn counter(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.pc as usize
}

/// The code of a function that returns this number: `mov w0, number; ret`.
pub fn returning(number: u8) -> [u8; 8] {
    let mov = 0x5280_0000 | u32::from(number) << 5;
    let [a, b, c, d] = mov.to_le_bytes();
    [a, b, c, d, 0xc0, 0x03, 0x5f, 0xd6]
}

global_asm!(
    ".macro function name",
    ".globl \\name",
    ".type \\name, %function",
    "\\name:",
    ".cfi_startproc",
    ".endm",
    ".macro end name",
    ".cfi_endproc",
    ".size \\name, . - \\name",
    ".endm",
    ".text",
    ".balign 4",
    "function frames_dive",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset w29, -16",
    ".cfi_offset w30, -8",
    "cbz x0, 2f",
    "sub x0, x0, #1",
    "bl frames_dive",
    "b 3f",
    "2: mov x0, x2",
    "blr x1",
    "3: ldp x29, x30, [sp], #16",
    "ret",
    "end frames_dive",
    "function frames_hold",
    ".cfi_personality 0x1b, frames_catch",
    "stp x29, x30, [sp, #-16]!",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset w29, -16",
    ".cfi_offset w30, -8",
    "mov x9, sp",
    "adr x10, 2f",
    "stp x9, x10, [x3]",
    "bl frames_dive",
    "mov w0, #0",
    "b 3f",
    "2: mov w0, #1",
    "3: ldp x29, x30, [sp], #16",
    "ret",
    "end frames_hold",
    "function frames_leap",
    "ldp x9, x10, [x0]",
    "mov sp, x9",
    "ret x10",
    "end frames_leap",
    "function frames_swap",
    "sub sp, sp, #176",
    "stp x19, x20, [sp]",
    "stp x21, x22, [sp, #16]",
    "stp x23, x24, [sp, #32]",
    "stp x25, x26, [sp, #48]",
    "stp x27, x28, [sp, #64]",
    "stp x29, x30, [sp, #80]",
    "stp d8, d9, [sp, #96]",
    "stp d10, d11, [sp, #112]",
    "stp d12, d13, [sp, #128]",
    "stp d14, d15, [sp, #144]",
    "mov x9, sp",
    "str x9, [x0]",
    "mov sp, x1",
    "ldp x19, x20, [sp]",
    "ldp x21, x22, [sp, #16]",
    "ldp x23, x24, [sp, #32]",
    "ldp x25, x26, [sp, #48]",
    "ldp x27, x28, [sp, #64]",
    "ldp x29, x30, [sp, #80]",
    "ldp d8, d9, [sp, #96]",
    "ldp d10, d11, [sp, #112]",
    "ldp d12, d13, [sp, #128]",
    "ldp d14, d15, [sp, #144]",
    "add sp, sp, #176",
    "ret",
    "end frames_swap",
    "function frames_start",
    "mov x0, x20",
    "blr x19",
    "brk #1",
    "end frames_start",
    "function frames_privileged",
    "mrs x0, sctlr_el1",
    "ret",
    "end frames_privileged",
    "function frames_trapped",
    "nop",
    "brk #0",
    "ret",
    "end frames_trapped",
    "function frames_clone3",
    "mov x8, #435",
    "svc #0",
    "ret",
    "end frames_clone3",
    "function frames_load",
    "mov x1, x0",
    "ldr x0, [x1]",
    "ret",
    "end frames_load",
    "function frames_fetch",
    "mov x1, x0",
    "ldr x2, [x1], #8",
    "sub x1, x1, x0",
    "add x0, x2, x1, lsr #4",
    "ret",
    "end frames_fetch",
    // Signs its return address, and checks it: PACIASP and AUTIASP, of the hint space.
    "function frames_special",
    "hint #25",
    "stp x29, x30, [sp, #-16]!",
    "add w0, w0, #1",
    "ldp x29, x30, [sp], #16",
    "hint #29",
    "ret",
    "end frames_special",
    ".balign 4096",
    "function frames_paged",
    "add x0, x0, #1",
    "ret",
    "end frames_paged",
    ".balign 4096",
    // BTI C; PACIASP, which is one too; and BTI C, behind which a loop begins.
    "function frames_pad",
    "hint #34",
    "add x0, x0, x1",
    "ret",
    "end frames_pad",
    "function frames_pad_signs",
    "hint #25",
    "stp x29, x30, [sp, #-16]!",
    "add x0, x0, x1",
    "ldp x29, x30, [sp], #16",
    "hint #29",
    "ret",
    "end frames_pad_signs",
    "function frames_pad_loops",
    "hint #34",
    "2: add x0, x0, #1",
    "sub x1, x1, #1",
    "cbnz x1, 2b",
    "ret",
    "end frames_pad_loops",
    ".balign 4096",
    ".purgem function",
    ".purgem end",
    options(raw)
);
