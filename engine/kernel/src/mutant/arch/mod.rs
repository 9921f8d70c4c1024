//! Defects of one architecture each, wrapped round its instruction set.

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
