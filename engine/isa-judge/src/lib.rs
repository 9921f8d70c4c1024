//! Independent checks of the instruction tables, which share no code with them. An independent
//! disassembler (capstone) decodes the same words, an independent processor (Unicorn, and on x86-64
//! the host's own) executes them, and the census of a kernel's text is compared with what the
//! kernel's kprobes would accept.
//!
//! A test tool only: no part of the tracer links this. The procedure is the same for every
//! instruction set; each has a folder with its own parts: `set` defines the registers and generates
//! instructions and values, `guest` drives Unicorn, `judged` lists what cannot be compared and why,
//! `spelling` lists how two disassemblers may differ, and `kprobes` is what the kernel's kprobes
//! accept. Everything that executes is behind the feature `unicorn`, which takes minutes to build.

pub mod arm;
pub mod arm64;
pub mod bodies;
#[cfg(feature = "unicorn")]
pub mod case;
pub mod census;
#[cfg(feature = "unicorn")]
pub mod compare;
pub mod counted;
#[cfg(feature = "unicorn")]
pub mod execution;
pub mod image;
#[cfg(feature = "unicorn")]
pub mod machine;
pub mod prng;
#[cfg(feature = "unicorn")]
pub mod regression;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod sets;
#[cfg(feature = "unicorn")]
pub mod shrink;
pub mod spelling;
pub mod state;
pub mod t32;
pub mod window;
pub mod words;
pub mod x86;
