//! AArch64.

use core::arch::naked_asm;
use core::mem::offset_of;

use engine_abi::channel::Start;

use super::{FIRST, Stack, begin};
use crate::arch::frame::Regs;
use crate::handler::{finish, hit, leave};
use crate::masks::call;
use crate::serve::serve;
use crate::slots::occupy;

/// What is recorded is fired: no detour calls another entrance for it.
pub use self::trapline_detour as trapline_recorded;

/// Nothing calls it: there are no detours.
pub unsafe extern "C" fn trapline_detour() {}

/// Bytes of q0 to q31, which the agent's code may use.
const VECTORS: usize = 32 * 16;

const _: () = assert!(offset_of!(Regs, x) == 0 && size_of::<Regs>().is_multiple_of(16));

/// What guards call, with x29 and x30 saved: makes a system call. All other registers but x0 are as before
/// afterwards, flags and vectors too.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_call() {
    naked_asm!(
        "sub sp, sp, #{regs} + {room}",
        "stp x0, x1, [sp, #0]",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "stp x8, x9, [sp, #64]",
        "stp x10, x11, [sp, #80]",
        "stp x12, x13, [sp, #96]",
        "stp x14, x15, [sp, #112]",
        "stp x16, x17, [sp, #128]",
        "stp x18, x19, [sp, #144]",
        "stp x20, x21, [sp, #160]",
        "stp x22, x23, [sp, #176]",
        "stp x24, x25, [sp, #192]",
        "stp x26, x27, [sp, #208]",
        "stp x28, x29, [sp, #224]",
        "str x30, [sp, #240]",
        "mrs x1, nzcv",
        "str x1, [sp, #{pstate}]",
        "stp q0, q1, [sp, #{vectors} + 0]",
        "stp q2, q3, [sp, #{vectors} + 32]",
        "stp q4, q5, [sp, #{vectors} + 64]",
        "stp q6, q7, [sp, #{vectors} + 96]",
        "stp q8, q9, [sp, #{vectors} + 128]",
        "stp q10, q11, [sp, #{vectors} + 160]",
        "stp q12, q13, [sp, #{vectors} + 192]",
        "stp q14, q15, [sp, #{vectors} + 224]",
        "stp q16, q17, [sp, #{vectors} + 256]",
        "stp q18, q19, [sp, #{vectors} + 288]",
        "stp q20, q21, [sp, #{vectors} + 320]",
        "stp q22, q23, [sp, #{vectors} + 352]",
        "stp q24, q25, [sp, #{vectors} + 384]",
        "stp q26, q27, [sp, #{vectors} + 416]",
        "stp q28, q29, [sp, #{vectors} + 448]",
        "stp q30, q31, [sp, #{vectors} + 480]",
        "mov x0, sp",
        "bl {call}",
        "ldp q0, q1, [sp, #{vectors} + 0]",
        "ldp q2, q3, [sp, #{vectors} + 32]",
        "ldp q4, q5, [sp, #{vectors} + 64]",
        "ldp q6, q7, [sp, #{vectors} + 96]",
        "ldp q8, q9, [sp, #{vectors} + 128]",
        "ldp q10, q11, [sp, #{vectors} + 160]",
        "ldp q12, q13, [sp, #{vectors} + 192]",
        "ldp q14, q15, [sp, #{vectors} + 224]",
        "ldp q16, q17, [sp, #{vectors} + 256]",
        "ldp q18, q19, [sp, #{vectors} + 288]",
        "ldp q20, q21, [sp, #{vectors} + 320]",
        "ldp q22, q23, [sp, #{vectors} + 352]",
        "ldp q24, q25, [sp, #{vectors} + 384]",
        "ldp q26, q27, [sp, #{vectors} + 416]",
        "ldp q28, q29, [sp, #{vectors} + 448]",
        "ldp q30, q31, [sp, #{vectors} + 480]",
        "ldr x1, [sp, #{pstate}]",
        "msr nzcv, x1",
        "ldp x0, x1, [sp]",
        "ldp x2, x3, [sp, #16]",
        "ldp x4, x5, [sp, #32]",
        "ldp x6, x7, [sp, #48]",
        "ldp x8, x9, [sp, #64]",
        "ldp x10, x11, [sp, #80]",
        "ldp x12, x13, [sp, #96]",
        "ldp x14, x15, [sp, #112]",
        "ldp x16, x17, [sp, #128]",
        "ldp x18, x19, [sp, #144]",
        "ldp x20, x21, [sp, #160]",
        "ldp x22, x23, [sp, #176]",
        "ldp x24, x25, [sp, #192]",
        "ldp x26, x27, [sp, #208]",
        "ldp x28, x29, [sp, #224]",
        "ldr x30, [sp, #240]",
        "add sp, sp, #{regs} + {room}",
        "ret",
        regs = const size_of::<Regs>(),
        vectors = const size_of::<Regs>(),
        room = const VECTORS,
        pstate = const offset_of!(Regs, pstate),
        call = sym call,
    )
}

/// The agent's first instructions. The command has set the register of the first argument, which is
/// that of [`serve`]: a [`Start`], and behind it is the other.
#[cfg_attr(trapline_agent, unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_enter() -> ! {
    naked_asm!(
        "mov x29, xzr",
        "adrp x9, {first}",
        "add x9, x9, :lo12:{first}",
        "add x9, x9, {size}",
        "mov sp, x9",
        "mov x19, x0",
        "bl {begin}",
        "mov sp, x0",
        "mov x0, x19",
        "add x1, x19, {start}",
        "bl {serve}",
        "brk #1",
        first = sym FIRST,
        size = const size_of::<Stack>(),
        start = const size_of::<Start>(),
        begin = sym begin,
        serve = sym serve,
    )
}

/// The handler of traps.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_handler() {
    naked_asm!(
        "stp x29, x30, [sp, #-48]!",
        "mov x29, sp",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "mov x20, x0",
        "mov x21, x1",
        "mov x22, x2",
        "bl {occupy}",
        "mov x19, x0",
        "mov sp, x0",
        "mov x0, x22",
        "mov x1, x21",
        "bl {hit}",
        "mov sp, x29",
        "mov x1, x0",
        "mov x0, x19",
        "mov x19, x1",
        "bl {leave}",
        "mov x0, x19",
        "mov x1, x20",
        "mov x2, x21",
        "mov x3, x22",
        "bl {finish}",
        "ldp x21, x22, [sp, #32]",
        "ldp x19, x20, [sp, #16]",
        "ldp x29, x30, [sp], #48",
        "ret",
        occupy = sym occupy,
        hit = sym hit,
        leave = sym leave,
        finish = sym finish,
    )
}

/// What it returns to: rt_sigreturn(2).
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_restorer() {
    naked_asm!("mov x8, #139", "svc #0", "brk #1")
}

/// What the compiler calls, and no C library provides here. Their names are C's.
#[cfg(trapline_agent)]
mod bytes {
    use core::arch::naked_asm;

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memcpy() {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "subs x2, x2, #8",
            "b.lo 3f",
            "ldr x4, [x1], #8",
            "str x4, [x3], #8",
            "b 2b",
            "3:",
            "adds x2, x2, #8",
            "b.eq 5f",
            "4:",
            "ldrb w4, [x1], #1",
            "strb w4, [x3], #1",
            "subs x2, x2, #1",
            "b.ne 4b",
            "5:",
            "ret",
        )
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memmove() {
        naked_asm!(
            "sub x3, x0, x1",
            "cmp x3, x2",
            "b.hs {memcpy}",
            // The end of the source is overwritten first otherwise.
            "2:",
            "cbz x2, 3f",
            "sub x2, x2, #1",
            "ldrb w4, [x1, x2]",
            "strb w4, [x0, x2]",
            "b 2b",
            "3:",
            "ret",
            memcpy = sym memcpy,
        )
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memset() {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "cbz x2, 3f",
            "strb w1, [x3], #1",
            "sub x2, x2, #1",
            "b 2b",
            "3:",
            "ret",
        )
    }
}
