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
mod emit;
mod error;
mod fold;
pub mod format;
mod functions;
mod lex;
mod missing;
mod names;
mod parse;
pub mod program;
pub mod size;
mod tables;
mod tag;
mod tree;
mod types;

use std::collections::BTreeMap;

pub use compile::compile;
pub use error::Error;
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
}

/// Target and options of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Size of the kernel's pointers and of its `long`, in bytes: 4 or 8.
    pub pointer: u32,
    /// Size of a string in bytes, including its NUL; `#pragma D option strsize` overrides it.
    pub string_size: u32,
    /// The values of the macro variables, by name without the `$`: `pid`, `target`.
    pub macros: BTreeMap<String, i64>,
    /// The default number of frames of `stack()`.
    pub stack_frames: u32,
    /// The default number of frames of `ustack()`.
    pub user_stack_frames: u32,
    /// Named constants besides `NULL`: the indices of `uregs[]`.
    pub constants: Vec<(String, u64)>,
    /// Whether error messages include the tag.
    pub error_tags: bool,
    /// Whether missing macro arguments are 0 or empty.
    pub default_arguments: bool,
    /// Whether the last macro argument may be unreferenced.
    pub unreferenced_arguments: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pointer: 8,
            string_size: 256,
            macros: BTreeMap::new(),
            stack_frames: 20,
            user_stack_frames: 100,
            constants: Vec::new(),
            error_tags: false,
            default_arguments: false,
            unreferenced_arguments: false,
        }
    }
}
