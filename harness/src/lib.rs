//! The proving ground: boots the tracer in guests, runs scenarios against it and judges what came out.
//!
//! The harness sees what a user of the tracer sees (a command, its output, a kernel that lives or
//! dies) and links nothing of the engine. One scenario runs one way:
//!
//! ```text
//! YAML -> scenario -> plan -> job (boot, load, trace, workload, unload) -> transcript
//!      -> normalise -> snapshot -> verdict -> report
//! ```
//!
//! Modules that only compute: [`scenario`], [`plan`], [`transcript`], [`normalise`], [`health`],
//! [`changes`], [`verdict`], [`setting`], [`sips`], [`report`]. Modules that touch the world: [`image`], [`machine`], [`qemu`],
//! [`ssh`], [`console`], [`guest`], [`text`], [`ftrace`], [`lock`], [`evidence`], [`snapshot`],
//! [`course`], [`job`], [`kept`], [`suite`], [`repro`], [`hunt`], [`shell`].

pub mod changes;
pub mod console;
pub mod course;
pub mod described;
pub mod error;
pub mod evidence;
pub mod files;
pub mod ftrace;
pub mod guest;
pub mod health;
pub mod hunt;
pub mod image;
pub mod interrupt;
pub mod job;
pub mod kept;
pub mod line;
pub mod lock;
pub mod machine;
pub mod manner;
pub mod module;
pub mod normalise;
pub mod plan;
pub mod progress;
pub mod qemu;
pub mod report;
pub mod repro;
pub mod saved;
pub mod scenario;
pub mod setting;
pub mod shell;
pub mod sips;
pub mod snapshot;
pub mod ssh;
pub mod start;
pub mod suite;
pub mod text;
pub mod transcript;
pub mod tree;
pub mod verdict;
pub mod whole;
