//! The test harness: boots QEMU guests with the tracer in them, runs scenarios and judges the
//! result.
//!
//! The harness sees what a user of the tracer sees (a command, its output, a kernel that survives
//! or not) and links nothing of the engine. Every scenario takes the same path:
//!
//! ```text
//! YAML -> scenario -> plan -> job (boot, load, trace, workload, unload) -> transcript
//!      -> normalise -> snapshot -> verdict -> report
//! ```
//!
//! [`scenario`] parses the input; [`run`] expands it into jobs and executes each in a [`guest`] of
//! its own; [`judge`] compares what was observed with what was expected; [`report`] renders the
//! verdicts. Errors come in two kinds that never mix: a [`judge::health::Finding`] is the guest's,
//! an [`error::HostError`] is the host's or the harness's own, and a job that meets the latter is
//! broken, not failed.

pub mod atomic_write;
pub mod error;
pub mod files;
pub mod guest;
pub mod judge;
pub mod report;
pub mod run;
pub mod scenario;
pub mod tree;
