//! Unwind tables: of this machine's objects, of running programs, and of malformed files.

mod figures;
mod hostile;
mod image;
mod vectors;
mod walks;
