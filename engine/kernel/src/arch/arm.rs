//! ARM: the trap is an undefined instruction.

use engine_tracer::{Blacklist, FrameLayout, FrameRecord, UserFrame, blacklist};

use super::Regs;

/// The instruction set of this kernel.
#[cfg(not(trapline_mutants))]
pub type Native = engine_isa::arm::Arm;

/// Functions and paths on which no trap can be taken.
pub const BLACKLIST: &Blacklist = &blacklist::ARM;

/// The most stack that a firing uses, in bytes: with a stack walk, a fault, an `ERROR` probe that
/// walks the stack again, and a nested trap that is turned away. See doc/probe-context.md.
pub const FIRING_STACK: usize = 3584;

/// Whether the current stack has room for a firing. Callable in probe context, before the guard.
///
/// Every stack, a thread's or the interrupts', starts at a multiple of `THREAD_ALIGN`, a power of
/// two that is at least its size, so the low bits of the stack pointer are the number of bytes
/// left.
#[inline(always)]
pub fn has_stack() -> bool {
    let [mask, _] = super::trapline_stacks.place;
    super::has_room(super::stack_pointer() & mask)
}

/// The frame of a user thread with these registers. Compilers keep no frames in r11 in Thumb code.
pub fn user_frame(regs: &Regs) -> UserFrame {
    /// The bit of the program status that says so.
    const THUMB: u32 = 1 << 5;
    let [.., fp, _, sp, lr, pc] = regs.r;
    let [pc, sp, fp, lr] = [pc, sp, fp, lr].map(u64::from);
    let record = match regs.cpsr & THUMB {
        0 => FrameRecord::Pushed,
        _ => FrameRecord::Unknown,
    };
    let layout = FrameLayout {
        word: 4,
        has_link: true,
        record,
        // The lowest bit of a return address says that the code there is Thumb.
        mask: 0xffff_fffe,
    };
    UserFrame {
        pc,
        sp,
        fp,
        lr,
        layout,
    }
}
