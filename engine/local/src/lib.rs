//! A platform for the probe engine in an ordinary process: clocks, timers and threads, but nothing
//! to probe. It needs no privilege and leaves nothing behind.
//!
//! It serves D programs that use only the providers `dtrace` and `profile`. [`Machine`] has one
//! CPU, which is a mutex: the thread that holds it runs "with interrupts disabled", and a grace
//! period is to take it once. Timers are threads. All of it may sleep: the rules for trap context
//! bind the engine's code, not this crate.

mod actions;
mod locks;
mod machine;
mod timer;

pub use machine::Machine;
