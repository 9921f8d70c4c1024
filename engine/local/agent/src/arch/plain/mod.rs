//! Which code leaves alone what is not saved where a hit is only recorded; see
//! [`recorded`](crate::recorded):
//!
//! - `is_plain`: whether that holds of the code at an address and of all that it may call. It may call
//!   through one place in memory: its address is given, and what is there.

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::*;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;
