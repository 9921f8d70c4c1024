//! x86-64, by `int3`.

use core::arch::asm;
use core::ffi::c_int;

use engine_tracer::{Blacklist, blacklist};

/// Its instruction set.
#[cfg(not(trapline_mutants))]
pub type Native = engine_isa::x86::X86;

/// Where no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::X86;

/// The bytes of stack that a firing takes, with a walk of the stack, a fault, `ERROR`, and a trap amid it that is turned
/// away: see doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

unsafe extern "C" {
    safe fn shim_other_stack(bytes: usize) -> c_int;
}

/// Whether a firing has room on this stack: as a rule the thread's, which the kernel need not have aligned.
#[inline(always)]
pub fn has_stack() -> bool {
    let [task_of_cpu, stack_of_task] = super::trapline_stacks.place;
    let stack: usize;
    // SAFETY: a CPU's GS leads to its own data, where `task_of_cpu` is the thread that it runs, which has its stack's
    // address there.
    unsafe {
        asm!(
            "mov {stack}, gs:[{task}]",
            "mov {stack}, [{stack} + {offset}]",
            task = in(reg) task_of_cpu,
            offset = in(reg) stack_of_task,
            stack = out(reg) stack,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    super::is_room(super::stack_end().wrapping_sub(stack)) || shim_other_stack(FIRING_STACK) != 0
}
