//! A compiled D program, as the command hands it to the kernel: one block of tables.
//!
//! The block begins with a [`ProgramHeader`]; the tables follow it in the order of its counts, each
//! beginning at a multiple of 8. A number in one table that points into another counts that table's
//! rows. What the kernel need not know stays with the compiler: types, formats, what becomes of a
//! record once it was drained.
//!
//! Nothing in it is true until it was verified (`engine-dvm`).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::codes;

/// What a program begins with: "D" and the version of this layout.
pub const MAGIC: u32 = 0x4400_0001;

/// The head of a program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ProgramHeader {
    /// [`MAGIC`].
    pub magic: u32,
    /// Bytes of a string, its NUL included: the option `strsize`.
    pub string_size: u32,
    /// Rows of [`ClauseRow`].
    pub clauses: u32,
    /// Rows of [`Instruction`].
    pub code: u32,
    /// Rows of u32: where each action begins, as an instruction of the whole code.
    pub actions: u32,
    /// Rows of [`FieldRow`].
    pub fields: u32,
    /// Rows of [`VariableRow`].
    pub variables: u32,
    /// Rows of [`AggregationRow`].
    pub aggregations: u32,
    /// Rows of [`KeyRow`].
    pub keys: u32,
    /// Bytes of strings, each with a NUL behind it.
    pub strings: u32,
    /// Bytes that one run of any clause may take from scratch memory besides what `alloca` asks for.
    pub scratch: u32,
    /// Zero.
    pub reserved: u32,
}

/// Rows of another table that belong together.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Span {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// A clause: what an enabled probe does.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ClauseRow {
    /// Its predicate and its actions, as one piece of code.
    pub code: Span,
    /// Where its actions begin.
    pub actions: Span,
    /// The fields of its record.
    pub fields: Span,
    /// Bytes of its record without the header, a multiple of 8.
    pub record_size: u32,
    /// Zero.
    pub reserved: u32,
}

/// One instruction: `op d, a, b, immediate`; what a field means is the op's to say.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Instruction {
    /// Which.
    pub op: u8,
    /// The register that takes the result.
    pub d: u8,
    /// The first operand's register.
    pub a: u8,
    /// The second's.
    pub b: u8,
    /// A constant, a row of a table, or an instruction of the same clause.
    pub immediate: u32,
}

/// A place in a clause's record.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct FieldRow {
    /// Where it begins in the record, behind the header.
    pub offset: u32,
    /// Its bytes.
    pub size: u32,
    /// A [`FieldKind`].
    pub kind: u8,
    /// Zero.
    pub reserved: [u8; 7],
}

codes! {
    /// What stands in a field.
    FieldKind: u8, word {
        /// A number of 1, 2, 4 or 8 bytes.
        Scalar = 0 "scalar",
        /// A string, NULs behind it.
        Text = 1 "text",
        /// Bytes as they lay in memory.
        Bytes = 2 "bytes",
        /// Program counters of 8 bytes each, innermost first, zeros behind them.
        Stack = 3 "stack",
    }
}

/// A variable that the program declares or just uses.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct VariableRow {
    /// Its name, by the byte at which it begins in the strings.
    pub name: u32,
    /// Its bytes: 8 for a scalar.
    pub size: u32,
    /// A [`Scope`].
    pub scope: u8,
    /// A [`ValueKind`].
    pub kind: u8,
    /// Zero.
    pub reserved: u16,
    /// The key of an associative array; none is a plain variable.
    pub keys: Span,
}

codes! {
    /// Who sees a variable.
    Scope: u8, word {
        /// Everybody.
        Global = 0 "global",
        /// `self->`: the thread.
        Thread = 1 "self",
        /// `this->`: the clauses of one firing.
        Clause = 2 "this",
    }
}

codes! {
    /// How a value is held.
    ValueKind: u8, word {
        /// In a register: a number, or an address.
        Scalar = 0 "scalar",
        /// A string, by its address.
        Text = 1 "text",
        /// Bytes of a fixed number, by their address.
        Bytes = 2 "bytes",
    }
}

/// A part of a key: of an associative array, or of an aggregation.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct KeyRow {
    /// Its bytes in the key, a multiple of 8: 8 for a scalar, `string_size` rounded up for a string.
    pub size: u32,
    /// A [`FieldKind`].
    pub kind: u8,
    /// Zero.
    pub reserved: [u8; 3],
}

/// An aggregation.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct AggregationRow {
    /// Its name, by the byte at which it begins in the strings: empty for `@`.
    pub name: u32,
    /// An [`AggregateFunction`].
    pub function: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// Its key.
    pub keys: Span,
    /// What `lquantize` and `llquantize` were given: base, limit, step; factor, low, high, steps.
    pub parameters: [i32; 4],
}

codes! {
    /// What an aggregation keeps of the values it is given. The words behind its key are u64 or i64.
    AggregateFunction: u8, word {
        /// How many: one word.
        Count = 0 "count",
        /// Their sum: one word.
        Sum = 1 "sum",
        /// The least: one word.
        Min = 2 "min",
        /// The greatest: one word.
        Max = 3 "max",
        /// Their mean: how many, and their sum.
        Avg = 4 "avg",
        /// Their standard deviation: how many, their sum, the sum of their squares in two words, low
        /// word first.
        Stddev = 5 "stddev",
        /// How many in each power of two: [`QUANTIZE_BUCKETS`] words.
        Quantize = 6 "quantize",
        /// How many in each step: below the base, each step, at or above the limit.
        Lquantize = 7 "lquantize",
        /// How many in each step of each order of magnitude: below, each, at or above.
        Llquantize = 8 "llquantize",
    }
}

/// Buckets of `quantize`: 63 for the powers of two, as many below zero, and zero's.
pub const QUANTIZE_BUCKETS: u32 = 127;

const _: () = {
    assert!(size_of::<ProgramHeader>() == 48);
    assert!(size_of::<ClauseRow>() == 32);
    assert!(size_of::<Instruction>() == 8);
    assert!(size_of::<FieldRow>() == 16);
    assert!(size_of::<VariableRow>() == 20);
    assert!(size_of::<KeyRow>() == 8);
    assert!(size_of::<AggregationRow>() == 32);
};
