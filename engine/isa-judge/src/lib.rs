//! Judges of the instruction tables that share no code with them: a disassembler of other making
//! reads the same words, a processor of other making executes them, and a kernel's whole text is
//! counted beside what its own probes would accept.
//!
//! Nothing here is part of the tracer. What goes on is the same for every instruction set; each has a
//! folder with what is its own: `set` says what its registers are and how instructions and values are
//! drawn by chance, `guest` how the other processor is driven, `judged` what cannot be compared and why,
//! `spelling` in what two disassemblers may differ, and `kprobes` what the kernel's own probes accept.
//! What executes is behind the feature `unicorn`, which takes minutes to build.

pub mod arm;
pub mod arm64;
pub mod bodies;
#[cfg(feature = "unicorn")]
pub mod case;
pub mod census;
pub mod chance;
#[cfg(feature = "unicorn")]
pub mod compare;
pub mod counted;
#[cfg(feature = "unicorn")]
pub mod execution;
pub mod image;
#[cfg(feature = "unicorn")]
pub mod machine;
#[cfg(feature = "unicorn")]
pub mod regression;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod sets;
#[cfg(feature = "unicorn")]
pub mod shrink;
pub mod spelling;
pub mod state;
pub mod window;
pub mod words;
pub mod x86;
