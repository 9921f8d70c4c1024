//! The mutants of each architecture, as a wrapper around its instruction set.
//!
//! One file per architecture, each with the same items:
//!
//! - `Seeded`: the instruction set with the selected mutant; it replaces `Native` of `crate::arch`;
//! - `memory`: the memory that emulated instructions access;
//! - `MUTANTS`: the names of the mutants of this architecture;
//! - `MISNAMES`: functions that a mutant hides from the blacklist, each as mutant and function
//!   name;
//! - `FORKS` and `EXECVE`: system-call numbers that the mutants of all architectures need.

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::*;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;

#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod arm;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use arm::*;
