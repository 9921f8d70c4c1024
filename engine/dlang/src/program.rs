//! What a compilation ends in.

use std::rc::Rc;

use engine_abi::{AggregateFunction, Description};

use crate::format::Format;

/// Compiled programs: all that one run of the command was given, as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// What the kernel is given (`engine_abi::ProgramHeader` and the tables behind it).
    pub block: Vec<u64>,
    /// Its clauses, in their order; a clause's number is its row in the block.
    pub clauses: Vec<Clause>,
    /// Its aggregations, in the order of their rows in the block.
    pub aggregations: Vec<Aggregation>,
    /// `#pragma D option`, in their order.
    pub options: Vec<Setting>,
}

/// An option that a program sets: `name`, or `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
    /// Which of the texts sets it, and where in it.
    pub text: usize,
    /// Its line there, from 1.
    pub line: u32,
}

/// A clause, as the command knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// Which of the texts that were given it is from.
    pub text: usize,
    /// Its line there, from 1.
    pub line: u32,
    /// The probes it is for; each as it was written, and as it was meant.
    pub descriptions: Vec<(String, Description)>,
    /// What becomes of its records, in order.
    pub actions: Vec<Action>,
    /// Whether it has no statement at all, and so only tells that its probe has fired.
    pub is_empty: bool,
}

/// A place in a record and what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Where it begins in the record's data.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// What it is.
    pub kind: FieldType,
}

/// What a field, or a part of a key, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// A signed number of 1, 2, 4 or 8 bytes.
    Signed,
    /// An unsigned number of 1, 2, 4 or 8 bytes.
    Unsigned,
    /// A string.
    Text,
    /// Bytes: an array or a structure.
    Bytes,
    /// Kernel program counters of 8 bytes each, 0 behind the last.
    Stack,
}

/// What the command does when a record has arrived.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `trace(expression)`
    Trace(Field),
    /// `stack()`
    Stack(Field),
    /// `printf(format, ...)`
    Printf(Rc<Format>, Vec<Field>),
    /// `printa([format,] @aggregation, ...)`
    Printa(Option<Rc<Format>>, Vec<usize>),
    /// `exit(status)`
    Exit(Field),
    /// `clear(@aggregation)`
    Clear(usize),
    /// `trunc(@aggregation[, most])`; without the field, nothing of it stays.
    Trunc(usize, Option<Field>),
    /// `normalize(@aggregation, factor)`
    Normalize(usize, Field),
    /// `denormalize(@aggregation)`
    Denormalize(usize),
}

/// An aggregation, as the command knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// Its name without the `@`: empty for `@`.
    pub name: String,
    /// What it keeps.
    pub function: AggregateFunction,
    /// What `lquantize` and `llquantize` were given, as in its row in the block.
    pub parameters: [i32; 4],
    /// Its key: each part's place in it. A number has the size of a type that has those of every use, but
    /// takes 8 bytes of the key.
    pub keys: Vec<Field>,
    /// Bytes of the key.
    pub key_size: u32,
    /// Whether its values are signed.
    pub is_signed: bool,
}
