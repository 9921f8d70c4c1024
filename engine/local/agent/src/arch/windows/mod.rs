//! How a jump takes the place of a trap; see [`jumps`](crate::jumps).
//!
//! - `JUMP`: the length of a jump, `jump`: one; `REACH`: how far it goes;
//! - `Body`: a function, with the `Window`s for sites of it, and their detours; `BEFORE`: how far before a
//!   window a site that it fires can be;
//! - `branch_targets`: where the code of an object may branch to;
//! - `Guard`, `guards`: see [`masks`](crate::masks);
//! - `GATE`, `gate`, `DETOUR_MAX`: the code by which detours get to the agent's, and the longest detour;
//! - `REGION`, `TALLIES`: bytes of a region's code, and of the tallies behind it.

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
pub use arm64::*;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::*;
