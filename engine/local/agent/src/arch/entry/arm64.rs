//! AArch64.

use core::arch::naked_asm;

use engine_abi::channel::Start;

use super::{FIRST, Stack, begin};
use crate::handler::{finish, hit, leave};
use crate::serve::serve;
use crate::slots::occupy;

/// Nothing calls it: there are no detours.
pub unsafe extern "C" fn trapline_detour() {}

/// Nor this.
pub unsafe extern "C" fn trapline_call() {}

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
