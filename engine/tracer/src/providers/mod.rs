//! Where probes come from.

pub mod dtrace;
pub mod fbt;
pub mod proc;
pub mod profile;
pub mod syscall;

pub use fbt::Role;
