//! Where probes come from.

pub mod dtrace;
pub mod fbt;
pub mod proc;
pub mod profile;
pub mod subscriptions;
pub mod syscall;
