//! arm64, whose processors must be told of instructions that have been written.

use std::arch::global_asm;

use super::Function;

/// Instructions do not overlap.
pub const OVERLAPS: &[Function] = &[];

/// Instructions are aligned, so none lies in two pages.
pub const CROSSING: &[Function] = &[];

const RETURN: u32 = 0xd65f_03c0;

/// `mov w0, number`.
fn load(number: u8) -> u32 {
    0x5280_0000 | u32::from(number) << 5
}

/// `mov w0, number; ret`.
pub fn code_returning(number: u8) -> [u8; 8] {
    returning(number).to_le_bytes()
}

/// The same as a word.
pub fn returning(number: u8) -> usize {
    (u64::from(RETURN) << 32 | u64::from(load(number))) as usize
}

/// The lower half of `mov w0, number`, which has the constant.
pub fn constant(number: u8) -> usize {
    (load(number) & 0xffff) as usize
}

global_asm!(
    ".macro function name",
    ".globl \\name",
    ".hidden \\name",
    ".type \\name, %function",
    "\\name:",
    ".endm",
    ".macro end name",
    ".size \\name, . - \\name",
    ".endm",
    // Makes what was stored at an address the instructions there.
    ".macro written at",
    "dc cvau, \\at",
    "dsb ish",
    "ic ivau, \\at",
    "dsb ish",
    "isb",
    ".endm",
    ".text",
    ".p2align 4",
    "function random_hand_prologue",
    "stp x29, x30, [sp, #-32]!",
    "2: mov x29, sp",
    "str x0, [x29, #16]",
    "add x0, x0, x0, lsl #1",
    "ldr x2, [x29, #16]",
    "eor x0, x0, x2",
    "add x0, x0, x1",
    "ldp x29, x30, [sp], #32",
    "ret",
    "end random_hand_prologue",
    "function random_hand_behind",
    "stp x29, x30, [sp, #-32]!",
    "3: eor x1, x1, #0x78",
    "lsr x0, x0, #1",
    "tbnz x0, #2, 3b",
    "b 2b",
    "end random_hand_behind",
    "function random_hand_falling",
    "add x0, x0, x1, lsl #3",
    "eor x1, x1, x0",
    "end random_hand_falling",
    "function random_hand_landing",
    "mov w2, #77",
    "madd x0, x0, x2, x1",
    "ret",
    "end random_hand_landing",
    "function random_hand_writer",
    "stp x29, x30, [sp, #-16]!",
    "mov x29, sp",
    "str x1, [x0]",
    "written x0",
    "blr x0",
    "ldp x29, x30, [sp], #16",
    "ret",
    "end random_hand_writer",
);

global_asm!(
    ".section .text.random_patched, \"ax\", %progbits",
    ".p2align 12",
    "function random_hand_patched",
    "adr x2, 2f",
    "str x0, [x2]",
    "written x2",
    ".p2align 3",
    "2: mov w0, #99",
    "ret",
    "end random_hand_patched",
    ".p2align 12",
    "function random_hand_constant",
    "adr x2, 2f",
    "strh w0, [x2]",
    "written x2",
    "2: mov w0, #99",
    "ret",
    "end random_hand_constant",
    ".p2align 12",
    ".text",
);

global_asm!(
    "function random_hand_table",
    "and w2, w0, #3",
    "adr x3, 2f",
    "ldrsw x2, [x3, x2, lsl #2]",
    "add x2, x2, x3",
    "br x2",
    "end random_hand_table",
    "2: .long random_hand_case0 - 2b, random_hand_case1 - 2b, random_hand_case2 - 2b, random_hand_case3 - 2b",
    "function random_hand_case0",
    "add w0, w0, w1",
    "ret",
    "end random_hand_case0",
    ".long 0xd4200000",
    "function random_hand_case1",
    "eor w0, w0, w1",
    "b random_hand_case0",
    "end random_hand_case1",
    ".long 0xffffffff",
    "function random_hand_case2",
    "sub w0, w0, w1",
    "end random_hand_case2",
    "function random_hand_case3",
    "ldr w2, 3f",
    "mul w0, w0, w2",
    "ret",
    "end random_hand_case3",
    "3: .long 0xd65f03c1",
);
