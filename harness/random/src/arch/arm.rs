//! ARM, whose kernel is asked to tell the processor of instructions that have been written.

use std::arch::global_asm;

use super::Function;

/// Instructions do not overlap.
pub const OVERLAPS: &[Function] = &[];

/// See [`random_hand_crossing`](self::random_hand_crossing).
#[cfg(target_feature = "v7")]
pub const CROSSING: &[Function] = &[random_hand_crossing];
/// Without Thumb-2, instructions are aligned.
#[cfg(not(target_feature = "v7"))]
pub const CROSSING: &[Function] = &[];

#[cfg(target_feature = "v7")]
unsafe extern "C" {
    /// Its only conditional instructions are of 32 bits, and the first lies in two pages.
    fn random_hand_crossing(x: usize, y: usize) -> usize;
}

/// `mov r0, number; bx lr`.
pub fn code_returning(number: u8) -> [u8; 8] {
    [number, 0x00, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1]
}

/// Its first instruction.
pub fn returning(number: u8) -> usize {
    0xe3a0_0000 | usize::from(number)
}

/// The byte of that which is the constant.
pub fn constant(number: u8) -> usize {
    number.into()
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
    // Makes the word that was stored at r0 the instruction there: cacheflush(r0, r0 + 4, 0).
    ".macro written",
    "add r1, r0, #4",
    "mov r2, #0",
    "mov r7, #0xf0000",
    "add r7, r7, #2",
    "svc #0",
    ".endm",
    ".text",
    ".arm",
    ".p2align 2",
    "function random_hand_prologue",
    "push {{r4, lr}}",
    "2: sub sp, sp, #16",
    "str r0, [sp, #4]",
    "add r0, r0, r0, lsl #1",
    "ldr r4, [sp, #4]",
    "eor r0, r0, r4",
    "add r0, r0, r1",
    "add sp, sp, #16",
    "pop {{r4, pc}}",
    "end random_hand_prologue",
    "function random_hand_behind",
    "push {{r4, lr}}",
    "3: eor r1, r1, #0x78",
    "lsr r0, r0, #1",
    "tst r0, #4",
    "bne 3b",
    "b 2b",
    "end random_hand_behind",
    "function random_hand_falling",
    "add r0, r0, r1, lsl #3",
    "eor r1, r1, r0",
    "end random_hand_falling",
    "function random_hand_landing",
    "mov r2, #77",
    "mla r0, r2, r0, r1",
    "bx lr",
    "end random_hand_landing",
    "function random_hand_writer",
    "push {{r4, r7, r8, lr}}",
    "mov r4, r0",
    "str r1, [r0]",
    "written",
    "mov lr, pc",
    "bx r4",
    "pop {{r4, r7, r8, pc}}",
    "end random_hand_writer",
);

global_asm!(
    ".section .text.random_patched, \"ax\", %progbits",
    ".p2align 12",
    "function random_hand_patched",
    "push {{r7, lr}}",
    "mov r3, r0",
    "adr r0, 2f",
    "str r3, [r0]",
    "written",
    "2: mov r0, #99",
    "pop {{r7, pc}}",
    "end random_hand_patched",
    ".p2align 12",
    "function random_hand_constant",
    "push {{r7, lr}}",
    "mov r3, r0",
    "adr r0, 2f",
    "strb r3, [r0]",
    "written",
    "2: mov r0, #99",
    "pop {{r7, pc}}",
    "end random_hand_constant",
    ".p2align 12",
    ".text",
);

global_asm!(
    "function random_hand_table",
    "and r2, r0, #3",
    "adr r3, 2f",
    "ldr r2, [r3, r2, lsl #2]",
    "add pc, r2, r3",
    "end random_hand_table",
    "2: .long random_hand_case0 - 2b, random_hand_case1 - 2b, random_hand_case2 - 2b, random_hand_case3 - 2b",
    "function random_hand_case0",
    "add r0, r0, r1",
    "bx lr",
    "end random_hand_case0",
    ".long 0xe7f001f0",
    "function random_hand_case1",
    "eor r0, r0, r1",
    "b random_hand_case0",
    "end random_hand_case1",
    ".long 0xffffffff",
    "function random_hand_case2",
    "sub r0, r0, r1",
    "end random_hand_case2",
    "function random_hand_case3",
    "ldr r2, 3f",
    "mul r0, r2, r0",
    "bx lr",
    "end random_hand_case3",
    "3: .long 0xe12fff1f",
);

#[cfg(target_feature = "v7")]
global_asm!(
    ".section .text.random_crossing, \"ax\", %progbits",
    ".p2align 12",
    ".space 0xff8",
    ".thumb",
    ".thumb_func",
    "function random_hand_crossing",
    "tst.w r0, #4",
    "ite eq",
    "addeq.w r0, r0, r1, lsl #3",
    "eorne.w r0, r0, r1, lsl #5",
    "bx lr",
    "end random_hand_crossing",
    ".arm",
    ".text",
);
