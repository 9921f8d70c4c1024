//! The architecture: what needs assembly or knowledge of the kernel's frames.
//!
//! One file for each, with the same items:
//!
//! - `Native`: the instruction set, an [`Arch`];
//! - `SIGNAL`: the signal of its trap, `BLACKLIST`: as the engine wants it;
//! - `Context`: what the kernel passes to a handler of signals, with the registers;
//! - `register`: a register by its number in the layout of ptrace(2);
//! - `thread_pointer`: what is different for each thread;
//! - `handler`, `restorer`: the addresses of a handler and of what it returns to;
//! - `trapline_enter`: the agent's first instructions;
//! - `pc`: the address of a detour's site, as its code has stored it in the registers;
//! - `JUMP`, `REACH`, `Window`, `Body`, `jump`, `branch_targets`, `gate`, `GATE`, `DETOUR_MAX`: see
//!   [`jumps`](crate::jumps).

#![cfg_attr(
    trapline_agent,
    expect(
        unsafe_code,
        reason = "the compiler calls some functions by their names in C"
    )
)]

use engine_isa::Arch;

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::*;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;

/// The trap.
pub const TRAP: &[u8] = <Native as Arch>::TRAP;

/// The registers of a thread.
pub type Regs = <Native as Arch>::Regs;

/// Maps the slots for the agent, whose first stack has little room. Returns the top of its next one;
/// there is no agent without.
extern "C" fn begin() -> usize {
    crate::slots::map().unwrap_or_else(|| crate::sys::exit())
}

/// The stack on which [`begin`] runs.
#[repr(C, align(64))]
struct Stack([u8; 16 << 10]);

/// Written by the agent's first instructions only.
static mut FIRST: Stack = Stack([0; 16 << 10]);

/// Compares as C's `memcmp` does.
///
/// # Safety
/// Both are valid for reads of `length` bytes.
#[cfg(trapline_agent)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    for place in 0..length {
        // SAFETY: the caller's promise.
        let of = |bytes: *const u8| i32::from(unsafe { bytes.add(place).read() });
        let difference = of(left).wrapping_sub(of(right));
        if difference != 0 {
            return difference;
        }
    }
    0
}

/// Compares as C's `bcmp` does.
///
/// # Safety
/// As for [`memcmp`].
#[cfg(trapline_agent)]
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { memcmp(left, right, length) }
}
