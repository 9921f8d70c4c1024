//! The instruction set, and what the kernel's frames look like:
//!
//! - `Native`: the instruction set, an [`Arch`];
//! - `SIGNAL`: the signal of its trap, `CODE`: what it says of the cause, `is_trap`: which instructions have the signal;
//! - `BLACKLIST`: as the engine wants it;
//! - `Context`: what the kernel passes to a handler of signals, with the registers;
//! - `register`: a register by its number in the layout of ptrace(2);
//! - `system_call`, `set_result`: what a system call is made with, and what is different after it;
//! - `pc`: the address of a detour's site, as its code has stored it in the registers;
//! - `thread_pointer`: what is different for each thread; `begin_with`: what the processor has.

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
