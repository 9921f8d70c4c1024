//! The D compiler: from the source of programs to a block that the kernel runs, and to what the
//! command needs to print the drained records.
//!
//! Each text is lexed and parsed in one pass (`lex`, `parse`), which also evaluates its
//! declarations and folds constants. Then each clause is checked (`check`), which resolves names
//! and types, and code is emitted for it (`emit`), in order: a variable's first use determines its
//! type. The result is a [`program::Program`], whose block the compiler verifies itself before it
//! returns it.
//!
//! Runs in the command only, on untrusted text: it must not panic, nesting is bounded, and memory
//! grows with the texts.

#![forbid(unsafe_code)]

mod ast;
mod builtin;
mod check;
mod compile;
mod conversion;
pub mod depends;
mod emit;
mod error;
mod fold;
pub mod format;
mod functions;
pub mod header;
pub mod kernel;
mod lex;
pub mod library;
mod lines;
mod member;
mod missing;
mod names;
mod nearest;
mod parse;
mod passes;
mod pragmas;
pub mod program;
mod provider;
pub mod shape;
pub mod signature;
pub mod size;
pub mod stability;
mod tables;
mod tag;
mod tree;
mod types;

use std::collections::BTreeMap;
use std::rc::Rc;

pub use error::Error;
use kernel::Kernel;
pub use nearest::nearest;
pub use passes::compile;
use stability::Attributes;
pub use tag::Tag;

/// A source text to compile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The source.
    pub source: String,
    /// Where it comes from.
    pub kind: Kind,
    /// The macro arguments: `$0`, `$1` and so on.
    pub arguments: Vec<String>,
}

/// Where a text comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Kind {
    /// An argument of `-n`: its clauses may have no actions.
    #[default]
    Specifier,
    /// A script.
    File {
        /// Its name.
        name: String,
    },
    /// A library: declarations for the programs. All libraries are compiled before them.
    Library {
        /// The name of its file.
        name: String,
    },
}

impl Text {
    /// The name of its file.
    pub fn file(&self) -> Option<&str> {
        match &self.kind {
            Kind::Specifier => None,
            Kind::File { name } | Kind::Library { name } => Some(name),
        }
    }

    fn is_library(&self) -> bool {
        matches!(self.kind, Kind::Library { .. })
    }
}

/// Target and options of a compilation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Size of the kernel's pointers and of its `long`, in bytes: 4 or 8.
    pub pointer: u32,
    /// Size of a string in bytes, including its NUL, which `#pragma D option strsize` does not count.
    pub string_size: u32,
    /// Bytes for `alloca` and `copyin` in one run of a clause; `#pragma D option scratchsize`
    /// overrides it.
    pub scratch_size: u32,
    /// The values of the macro variables, by name without the `$`: `pid`, `target`.
    pub macros: BTreeMap<String, i64>,
    /// The default number of frames of `stack()`.
    pub stack_frames: u32,
    /// The default number of frames of `ustack()`.
    pub user_stack_frames: u32,
    /// The default number of frames of `jstack()`.
    pub java_stack_frames: u32,
    /// Named constants besides `NULL`: the indices of `uregs[]`, the last of which bounds it.
    pub constants: Vec<(String, u64)>,
    /// Whether error messages include the tag.
    pub error_tags: bool,
    /// Whether missing macro arguments are 0 or empty.
    pub default_arguments: bool,
    /// Whether the last macro argument may be unreferenced.
    pub unreferenced_arguments: bool,
    /// The traced kernel, if its types and variables are known.
    pub kernel: Option<Rc<dyn Kernel>>,
    /// Whether a text may have no clauses.
    pub empty_programs: bool,
    /// Whether the clauses of scripts may have no actions, as those of `-n`.
    pub plain_specifiers: bool,
    /// The maximum number of frames of `stack()`, whatever it asks for.
    pub frames_max: u32,
    /// The least stability attributes of what programs may use.
    pub minimum: Option<Attributes>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pointer: 8,
            string_size: 257,
            scratch_size: 64 << 10,
            macros: BTreeMap::new(),
            stack_frames: 20,
            user_stack_frames: 100,
            java_stack_frames: 50,
            constants: Vec::new(),
            error_tags: false,
            default_arguments: false,
            unreferenced_arguments: false,
            kernel: None,
            empty_programs: false,
            plain_specifiers: false,
            frames_max: u32::MAX,
            minimum: None,
        }
    }
}
