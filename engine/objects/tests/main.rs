//! The reader over files that the host's compiler makes, over made ones, over damaged ones, and over
//! real processes.

mod build;
mod debug_files;
mod functions;
mod hostile;
mod made;
mod processes;
mod symbols;
mod unwind;
mod usdt;
