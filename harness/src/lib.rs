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
//! [`scenario`] reads what is to be run; [`run`] says which jobs that comes to and runs them, in a [`guest`]; [`judge`]
//! says of what came out whether it is as it should be; [`report`] tells people.

pub mod atomic_write;
pub mod error;
pub mod files;
pub mod guest;
pub mod judge;
pub mod report;
pub mod run;
pub mod scenario;
pub mod tree;
