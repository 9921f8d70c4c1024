//! AArch64.

use core::arch::naked_asm;
use core::mem::offset_of;

use engine_abi::channel::Start;

use super::{FIRST, Stack, begin};
use crate::arch::frame::{FEATURES, Regs, SCALABLE};
use crate::arch::windows::SITE;
use crate::handler::{finish, hit, leave, passed, wait_for};
use crate::masks::call;
use crate::serve::serve;
use crate::slots::occupy;

/// What is recorded is fired: no detour calls another entrance for it.
pub use self::trapline_detour as trapline_recorded;

const _: () = assert!(offset_of!(Regs, x) == 0 && size_of::<Regs>().is_multiple_of(16));

/// The numbers of all vector registers, and of all predicates.
macro_rules! numbers {
    (vectors) => {
        "n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
    };
    (predicates) => {
        "n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
    };
}

/// Saves on the stack the vectors, which the agent's code may use; and the predicates, which the kernel
/// forgets at a system call. Uses x1.
#[unsafe(naked)]
unsafe extern "C" fn save_vectors() {
    naked_asm!(
        ".arch_extension sve",
        "adrp x1, {features}",
        "ldr w1, [x1, :lo12:{features}]",
        "tbnz w1, #{scalable}, 2f",
        "sub sp, sp, #512",
        concat!(".irp ", numbers!(vectors)),
        "str q\\n, [sp, #16 * \\n]",
        ".endr",
        "ret",
        "2:",
        "addvl sp, sp, #-32",
        concat!(".irp ", numbers!(vectors)),
        "str z\\n, [sp, #\\n, mul vl]",
        ".endr",
        // Room for 16 and FFR, which is a multiple of 16 bytes.
        "addvl sp, sp, #-3",
        concat!(".irp ", numbers!(predicates)),
        "str p\\n, [sp, #\\n, mul vl]",
        ".endr",
        "rdffr p0.b",
        "str p0, [sp, #16, mul vl]",
        "ret",
        features = sym FEATURES,
        scalable = const SCALABLE,
    )
}

/// Restores what [`save_vectors`] has saved, and the stack pointer.
#[unsafe(naked)]
unsafe extern "C" fn restore_vectors() {
    naked_asm!(
        ".arch_extension sve",
        "adrp x1, {features}",
        "ldr w1, [x1, :lo12:{features}]",
        "tbnz w1, #{scalable}, 2f",
        concat!(".irp ", numbers!(vectors)),
        "ldr q\\n, [sp, #16 * \\n]",
        ".endr",
        "add sp, sp, #512",
        "ret",
        "2:",
        "ldr p0, [sp, #16, mul vl]",
        "wrffr p0.b",
        concat!(".irp ", numbers!(predicates)),
        "ldr p\\n, [sp, #\\n, mul vl]",
        ".endr",
        "addvl sp, sp, #3",
        concat!(".irp ", numbers!(vectors)),
        "ldr z\\n, [sp, #\\n, mul vl]",
        ".endr",
        "addvl sp, sp, #16",
        "addvl sp, sp, #16",
        "ret",
        features = sym FEATURES,
        scalable = const SCALABLE,
    )
}

/// The code that detours call, with x29 and x30 saved: saves all registers, executes `$inner`, and restores
/// them: all but these two, flags and vectors too. x19 is the address of the [`Regs`] then. The address of the site
/// is [`SITE`] bytes before the return address.
macro_rules! detour {
    ([$($inner:literal,)*], $($operand:tt)*) => {
        naked_asm!(
        "sub sp, sp, #{regs}",
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
        "ldp x0, x1, [sp, #{regs}]",
        "stp x28, x0, [sp, #224]",
        "str x1, [sp, #240]",
        "add x0, sp, #{regs} + 16",
        "ldur x1, [x30, #-{site}]",
        "stp x0, x1, [sp, #{stack}]",
        "mrs x0, nzcv",
        "str x0, [sp, #{pstate}]",
        "mov x19, sp",
        "mov x20, x30",
        "bl {save}",
            $($inner,)*
        "bl {restore}",
        "mov x30, x20",
        "ldr x0, [sp, #{pstate}]",
        "msr nzcv, x0",
        // What is called preserves the others.
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
        "ldr x22, [sp, #176]",
        "add sp, sp, #{regs}",
        "ret",
        regs = const size_of::<Regs>(),
        stack = const offset_of!(Regs, sp),
        pstate = const offset_of!(Regs, pstate),
        site = const SITE,
        save = sym save_vectors,
        restore = sym restore_vectors,
            $($operand)*
        )
    };
}

/// Fires a site.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_detour() {
    detour!(
        [
            "mov x21, sp",
            "bl {occupy}",
            "mov x22, x0",
            "mov sp, x0",
            "mov x0, x19",
            "bl {passed}",
            "mov sp, x21",
            "mov x21, x0",
            "mov x0, x22",
            "bl {leave}",
            "mov w0, w21",
            "bl {wait}",
        ],
        occupy = sym occupy,
        passed = sym passed,
        leave = sym leave,
        wait = sym wait_for,
    )
}

/// Makes a system call.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_call() {
    detour!(
        ["mov x0, x19", "bl {call}",],
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
