//! The recorder: records the path of a program, every instruction that it executes.
//!
//! The program's threads never execute its text, but a translation of it in a **code cache**: copies of its
//! instructions, in which a conditional branch also writes whether it is taken, and an indirect one where
//! it goes. The text itself is not changed. What the threads write is in memory that they share with the
//! command (`engine_abi::path`), which takes it when a buffer is full, and when the process has ended.
//!
//! So that the program notices nothing, return addresses on its stacks are those of its text, and so are
//! the program counters in the frames of signals: handlers of signals are the recorder's own, and translated
//! in their turn. System calls that make threads, act on signals or unmap text are made by the recorder.

#[cfg(target_arch = "x86_64")]
mod x86;
