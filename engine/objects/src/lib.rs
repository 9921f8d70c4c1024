//! The ELF objects that a process has mapped, and the functions of each.
//!
//! The `pid` provider resolves its probe descriptions here: `pid123:libc.so.6:malloc:entry` selects
//! among the objects of process 123 ([`Objects`]) those with the name `libc.so.6`
//! ([`Object::answers_to`]), and of each the functions named `malloc` ([`Functions`]). [`Symbols`]
//! resolves addresses of user stacks to object, function and offset, also after the process has
//! exited. [`UnwindTable`] is what the kernel module unwinds those stacks by. [`Sites`] are the USDT
//! probes of an object.
//!
//! Invariants:
//!
//! - **The file read is the file mapped.** It is opened through `/proc/PID/map_files`, which follows
//!   the mapping itself; or by its path below the process's own root, but then only with the device
//!   and the inode that the mapping has. The contents of deleted or replaced files, and of files in
//!   other mount namespaces, are therefore right, or there is an error.
//! - **The process is the one that was opened.** [`Process`] keeps its `/proc` directory open, so a
//!   reused PID is never another process: reading the old one fails with [`Error::Gone`].
//! - **Nothing read is trusted.** No number in a file is an index before it is checked, and no allocation
//!   is larger than the file, or than a fixed limit. A file that cannot be read at all is an
//!   [`Error`] with its path and a [`Fault`]. If only a part of it is malformed, the rest is read,
//!   and [`Functions::faults`] lists the fault.
//! - **No name is lost.** Several names of one address and several addresses of one name are all
//!   there, each with its own flags. Entries with the same address, name and
//!   instruction set are one function, whichever tables they are in.
//! - Addresses in [`Elf`] and [`Functions`] are link-time addresses; [`Object::bias`] added to one
//!   is the address in the process.
//!
//! [`Elf::read`], [`Functions::of_bytes`] and [`Sites::of_bytes`] read ELF from bytes and need neither file nor process.

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
mod reason;
mod symbols;
mod unwind;
mod usdt;

pub use auxiliary::value as auxiliary_value;
pub use elf::Elf;
pub use elf::header::{Class, DebugLink, Endian, Kind};
pub use elf::machine::Machine;
pub use error::{Error, Fault, Table};
pub use file::Root;
pub use functions::demangle::demangled;
pub use functions::{Binding, Extent, Function, Functions, Mode};
pub use maps::{Device, Mapping, parse as parse_maps};
pub use names::Role;
pub use object::{CodeRange, Object};
pub use objects::Objects;
pub use process::Process;
pub use reason::{Reason, Unreadable};
pub use symbols::{Library, Place, Symbols};
pub use unwind::{Coverage, UnwindTable};
pub use usdt::{Argument, Extension, Index, Operand, Site, Sites};
