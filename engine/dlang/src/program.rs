//! The result of a compilation.

use std::rc::Rc;

use engine_abi::{AggregateFunction, Description};

use crate::depends::Dependency;
use crate::format::Format;
use crate::shape::Shape;
use crate::stability::Attributes;

/// All the programs of one run of the command, compiled as one.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The block for the kernel (`engine_abi::ProgramHeader` and its tables).
    pub block: Vec<u64>,
    /// Whether the block may change the system when it runs, and so needs the option `destructive`.
    pub is_destructive: bool,
    /// Its clauses; a clause's index is its row in the block.
    pub clauses: Vec<Clause>,
    /// Its aggregations, in the order of their rows in the block.
    pub aggregations: Vec<Aggregation>,
    /// Its `#pragma D option`s, in order.
    pub options: Vec<Setting>,
    /// Its `#pragma D depends_on`s, in order.
    pub needs: Vec<Need>,
}

/// A thing that a text says it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The thing.
    pub dependency: Dependency,
    /// The number of the text.
    pub text: usize,
    /// The line in that text, from 1, or in the file.
    pub line: u32,
    /// The file that a control line names.
    pub file: Option<Rc<str>>,
}

/// An option that a program sets: `name`, or `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
    /// The number of the text that sets it.
    pub text: usize,
    /// The line in that text, from 1, or in the file.
    pub line: u32,
    /// The file that a control line names.
    pub file: Option<Rc<str>>,
}

/// A clause, as the command needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// The number of the text that it is in.
    pub text: usize,
    /// The line in that text, from 1, or in the file.
    pub line: u32,
    /// The file that a control line names.
    pub file: Option<Rc<str>>,
    /// The probes that it is for, each as written and as parsed.
    pub descriptions: Vec<(String, Description)>,
    /// What to do with its records, in order.
    pub actions: Vec<Action>,
    /// Whether it has no statements, and only reports that its probe fired.
    pub is_empty: bool,
    /// The least stability attributes of its descriptions, and those of its predicate and statements.
    pub attributes: [Attributes; 2],
}

/// A field of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its offset in the record's data, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// Its type.
    pub kind: FieldType,
}

/// The type of a field or of a key's component.
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
    /// Kernel program counters of 8 bytes each, padded with zeros.
    Stack,
    /// The ID of a process, and program counters of its stack likewise.
    UserStack,
    /// The ID of a process, and an address in it, of 8 bytes each.
    UserAddress(Detail),
    /// An address of the kernel, of 8 bytes.
    KernelAddress(Detail),
}

/// How much of an address's name is printed. What is not is not part of a key either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// `uaddr`: object, function and offset.
    Offset,
    /// `usym`, `ufunc`, `sym`, `func`: object and function.
    Function,
    /// `umod`, `mod`: the object.
    Object,
}

impl Action {
    /// Whether it may change the system, and so needs the option `destructive`.
    pub fn is_destructive(&self) -> bool {
        matches!(self, Self::System(..) | Self::Freopen(..))
    }
}

/// What the command does with a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// `trace(expression)`, `uaddr(address)` and the like
    Trace(Field),
    /// `print(expression)`: the value, and for a pointer to a structure its address.
    Print(Rc<Shape>, Field, Option<Field>),
    /// `stack()`, `ustack()`
    Stack(Field),
    /// `tracemem(address, size[, number])`: the bytes, and how many of them are printed.
    Tracemem(Field, Option<Field>),
    /// `printf(format, ...)`
    Printf(Rc<Format>, Vec<Field>),
    /// `system(format, ...)`
    System(Rc<Format>, Vec<Field>),
    /// `freopen(format, ...)`
    Freopen(Rc<Format>, Vec<Field>),
    /// `ftruncate()`
    Ftruncate,
    /// `setopt(name[, value])`
    Setopt(Field, Option<Field>),
    /// `printa([format,] @aggregation, ...)`
    Printa(Option<Rc<Format>>, Vec<usize>),
    /// `exit(status)`
    Exit(Field),
    /// `clear(@aggregation)`
    Clear(usize),
    /// `trunc(@aggregation[, number])`; without the field, all keys are removed.
    Trunc(usize, Option<Field>),
    /// `normalize(@aggregation, factor)`
    Normalize(usize, Field),
    /// `denormalize(@aggregation)`
    Denormalize(usize),
}

/// An aggregation, as the command needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregation {
    /// Its name without the `@`: empty for `@`.
    pub name: String,
    /// Its function.
    pub function: AggregateFunction,
    /// The parameters of `lquantize` and `llquantize`, as in its row in the block.
    pub parameters: [i32; 4],
    /// The components of its key. A number's size is that of a type that covers those of every use,
    /// but it takes 8 bytes of the key.
    pub keys: Vec<Field>,
    /// Size of the key in bytes.
    pub key_size: u32,
    /// Whether its values are signed.
    pub is_signed: bool,
}
