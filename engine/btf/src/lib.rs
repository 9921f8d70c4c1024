//! Types of kernels as data: BTF.
//!
//! A kernel describes its types, functions and variables in the BPF type format, if it was built
//! so: `/sys/kernel/btf/vmlinux`, and a file beside it for each module, which is *split*: its IDs
//! and strings continue the kernel's. [`Btf`] reads both, [`write::Builder`] writes both, and
//! [`find`] finds them. With the feature `dwarf`, the module of that name makes BTF of debug
//! information, for kernels that have none and for variables, which no kernel's own has.
//!
//! Invariants:
//!
//! - **Nothing read is trusted.** [`Btf::read`] checks every word once, in one pass: kinds, lengths,
//!   names and references. Afterwards the types are as they are in the file, unchanged and not
//!   copied, and no accessor fails for their shape. What only a graph can have wrong (a typedef of
//!   itself, an array of more bytes than there are) is found by whoever follows it, and each walk
//!   has a bound.
//! - **Memory is bounded by the input:** four bytes per type, and as many again for each table of
//!   names or places, made when first used.
//! - **An unknown kind is an error that names it**, since the length of what follows is unknown.
//! - **BTF does not know the size of a pointer.** Whoever asks for a size tells it;
//!   [`Btf::pointer_size`] infers it from `long unsigned int`.

#![forbid(unsafe_code)]

mod btf;
mod declare;
#[cfg(feature = "dwarf")]
pub mod dwarf;
mod error;
pub mod find;
mod format;
mod header;
mod id;
mod index;
mod kind;
mod layout;
mod list;
mod lookup;
mod names;
mod places;
mod tags;
mod types;
#[cfg(feature = "dwarf")]
mod words;
pub mod write;

pub use btf::Btf;
pub use error::{Error, Result};
pub use header::Endian;
pub use id::TypeId;
pub use kind::{Int, Kind, Linkage, Type};
pub use layout::Found;
pub use list::{Element, Enumerator, List, Member, Parameter, SectionEntry};
pub use lookup::{Class, PER_CPU, Place, Variable};
