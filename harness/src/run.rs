//! From a command line to jobs, and from a job to its evidence.
//!
//! [`select`] applies filters to scenarios; [`plan`] crosses scenarios with guests and mutants, and
//! yields jobs; [`suite`] runs a list of them in a pool of workers, within the host's memory;
//! [`job`] runs one, from start to verdict. [`repro`] runs a job again from its job file, also under gdb or recorded; [`hunt`]
//! repeats a scenario with varied CPUs, memory, clock and seed until it fails; [`shell`] opens an
//! ssh session instead of running a scenario.
//!
//! Each job owns its guest and its evidence folder, and nothing else is shared between workers but
//! snapshot files, which are replaced atomically, and saved guests, which are locked. Every
//! blocking wait checks [`interrupt`], and those on a guest have a deadline. Verdicts are decided
//! in [`crate::judge`]; nothing here decides whether a claim holds.

pub mod hunt;
pub mod interrupt;
pub mod job;
pub mod job_file;
pub mod plan;
pub mod progress;
pub mod repro;
pub mod select;
pub mod shell;
pub mod suite;
pub mod variation;
