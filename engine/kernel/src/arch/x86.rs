//! x86-64: the trap is `int3`.

use core::arch::asm;
use core::ffi::c_int;

use engine_tracer::{Blacklist, blacklist};

/// The instruction set of this kernel.
#[cfg(not(trapline_mutants))]
pub type Native = engine_isa::x86::X86;

/// Functions and paths on which no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::X86;

/// The most stack that a firing uses, in bytes: with a stack walk, a fault, an `ERROR` probe that
/// walks the stack again, and a nested trap that is turned away. See doc/probe-context.md.
pub const FIRING_STACK: usize = 6144;

unsafe extern "C" {
    safe fn shim_other_stack(bytes: usize) -> c_int;
}

/// Whether the current stack has room for a firing. Callable in probe context, before the guard.
///
/// Usually that is the thread's stack, whose base is read from its `task_struct`, as the stack need
/// not be aligned to its size. Only on another stack is C asked.
#[inline(always)]
pub fn has_stack() -> bool {
    let [task_of_cpu, stack_of_task] = super::trapline_stacks.place;
    let stack: usize;
    // SAFETY: GS is the base of this CPU's per-CPU data, where `task_of_cpu` is the offset of
    // `current_task`; `stack_of_task` is the offset of `stack` in the `task_struct` that it points
    // to.
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
    super::has_room(super::stack_pointer().wrapping_sub(stack))
        || shim_other_stack(FIRING_STACK) != 0
}
