//! Where probes come from.

pub mod dtrace;
pub mod fbt;
pub mod profile;
mod toxic;
