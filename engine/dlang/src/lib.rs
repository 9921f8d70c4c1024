//! The D compiler: from the text of programs to a block that the kernel runs, and to what the command
//! needs to know of it to print what comes back.
//!
//! Each text is read in one go ([`lex`](self), then syntax), which carries out its declarations; then
//! each clause is checked, and code made of it, in order, since what comes first says what a variable is.

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

/// A text to be compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub source: String,
    /// Where it is from.
    pub kind: Kind,
    /// What `$0`, `$1` and so on stand for in it.
    pub arguments: Vec<String>,
}

/// Where a text is from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Kind {
    /// An argument of `-n`: clauses may be without actions.
    #[default]
    Specifier,
    /// A script.
    File {
        /// Its name.
        name: String,
    },
}

/// What programs are compiled for and with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Bytes of a pointer and of C's `long` in the kernel: 4 or 8.
    pub pointer: u32,
    /// Bytes of a string, its NUL included; `#pragma D option strsize` overrides it.
    pub string_size: u32,
    /// The values of the macro variables, by their names without the `$`: `pid`, `target`.
    pub macros: BTreeMap<String, i64>,
    /// How many program counters `stack()` has where it is not told.
    pub stack_frames: u32,
    /// Whether errors have their tag.
    pub error_tags: bool,
    /// Whether macro arguments that were not given are 0 or empty.
    pub default_arguments: bool,
    /// Whether the last macro argument may be one that nothing refers to.
    pub unreferenced_arguments: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pointer: 8,
            string_size: 256,
            macros: BTreeMap::new(),
            stack_frames: 20,
            error_tags: false,
            default_arguments: false,
            unreferenced_arguments: false,
        }
    }
}
