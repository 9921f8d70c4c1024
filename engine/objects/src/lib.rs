//! The ELF objects that a process has mapped, and the functions of each.
//!
//! The `pid` provider's names come from here: `pid123:libc.so.6:malloc:entry` takes the objects of
//! process 123 ([`Objects`]), those that answer to `libc.so.6` ([`Object::answers_to`]), and their
//! functions named `malloc` ([`Functions`]). Addresses of a user stack go the other way
//! ([`Symbols`]): to object, function and offset, also when the process has gone.
//!
//! Invariants:
//!
//! - **The file read is the file mapped.** It is opened through `/proc/PID/map_files`, which follows
//!   the mapping itself; or by its path below the process's own root, but then only with the device
//!   and the inode that the mapping has. So a deleted file, a replaced one, and one in another mount
//!   namespace are read right or not at all.
//! - **The process is the one that was opened.** [`Process`] holds its `/proc` directory, so a PID
//!   that is used again does not lead elsewhere: what is left of the old process is
//!   [`Error::Gone`].
//! - **Nothing read is trusted.** A file decides neither an index nor an allocation beyond its own
//!   size; decompression has a limit. A file that cannot be read at all is an [`Error`] with its
//!   name and a [`Fault`]; what is wrong with a part of it is a fault that [`Functions::faults`]
//!   lists beside what the rest gave.
//! - **No name is lost.** Several names of one address and several addresses of one name are all
//!   there, each with its own flags. Exactly equal entries of several tables are one.
//! - Addresses in [`Elf`] and [`Functions`] are the file's; [`Object::bias`] leads from them to the
//!   process's.
//!
//! ELF is read from bytes: [`Elf::read`] and [`Functions::of_bytes`] need neither file nor process.
#![forbid(unsafe_code)]

mod auxiliary;
mod debug;
mod elf;
mod error;
mod file;
mod functions;
mod maps;
mod names;
mod object;
mod objects;
mod process;
mod symbols;

pub use elf::Elf;
pub use elf::header::{Class, DebugLink, Endian, Kind};
pub use elf::machine::Machine;
pub use error::{Error, Fault, Table};
pub use file::Root;
pub use functions::{Binding, Extent, Function, Functions, Mode};
pub use maps::{Device, Mapping, parse as parse_maps};
pub use names::Role;
pub use object::{CodeRange, Object};
pub use objects::Objects;
pub use process::Process;
pub use symbols::{Place, Symbols};
