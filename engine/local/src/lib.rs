//! The process that this runs in as the engine's platform: clocks, timers and threads, and nothing to probe.
//!
//! It serves programs that need no kernel, those that use only the providers `dtrace` and `profile`; it asks for no
//! right and leaves nothing behind.

mod locks;
mod machine;
mod timer;

pub use machine::Machine;
