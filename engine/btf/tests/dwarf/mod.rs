//! Debug information that the host's compiler makes, converted.

pub mod build;
mod classes;
mod damaged;
mod functions;
mod judge;
mod kernel;
mod orders;
mod show;
mod types;
mod variables;
