//! From a command line to jobs, and from a job to what it leaves: [`plan`] says which, [`suite`] runs them all, [`job`]
//! runs one.

pub mod hunt;
pub mod interrupt;
pub mod job;
pub mod job_file;
pub mod plan;
pub mod progress;
pub mod repro;
pub mod shell;
pub mod suite;
pub mod variation;
