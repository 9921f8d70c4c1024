//! Judges of the instruction tables that share no code with them: a disassembler of other making
//! reads the same words, a processor of other making executes them, and a kernel's whole text is
//! counted beside what its own probes would accept.
//!
//! Nothing here is part of the tracer. An instruction set has a folder with the same files: `words`
//! says how its words are drawn by chance, `spelling` in what two disassemblers may differ, `state`
//! what a word is executed on, `machine` how the other processor is driven, `compare` what must then
//! be the same, and `kprobes` what the kernel's own probes accept. What executes is behind the feature `unicorn`, which takes minutes
//! to build.

#![forbid(unsafe_code)]

pub mod arm;
pub mod census;
pub mod chance;
pub mod image;
pub mod spelling;
