//! A compiled D program as the command passes it to the kernel: one block of tables.
//!
//! The block begins with a [`ProgramHeader`]. The tables follow in the order of its counts, each
//! aligned to 8 bytes. A reference from one table to another is a row number. Types, formats and
//! everything else that only matters after draining stay with the compiler.
//!
//! A block is untrusted until it has been verified (`engine-dvm`).

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::codes;

/// A program's magic number: "D" and the version of this layout.
pub const MAGIC: u32 = 0x4400_0002;

/// In [`ProgramHeader::flags`]: the program may change the system (`-w`). Without it, code that calls
/// a destructive subroutine is invalid.
pub const DESTRUCTIVE: u32 = 1;

/// The header of a program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ProgramHeader {
    /// [`MAGIC`].
    pub magic: u32,
    /// Size of a string in bytes, including its NUL: the option `strsize`.
    pub string_size: u32,
    /// Number of [`ClauseRow`]s.
    pub clauses: u32,
    /// Number of [`Instruction`]s.
    pub code: u32,
    /// Number of u32s that give the first instruction of each action, as an index into the whole
    /// code.
    pub actions: u32,
    /// Number of [`FieldRow`]s.
    pub fields: u32,
    /// Number of [`VariableRow`]s.
    pub variables: u32,
    /// Number of [`AggregationRow`]s.
    pub aggregations: u32,
    /// Number of [`KeyRow`]s.
    pub keys: u32,
    /// Size of the strings in bytes; each ends with a NUL.
    pub strings: u32,
    /// Scratch memory that one run of any clause may use, in bytes.
    pub scratch: u32,
    /// Memory for `alloca` and `copyin` in one run of a clause, in bytes.
    pub heap: u32,
    /// [`DESTRUCTIVE`], or 0.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
}

/// A range of rows in another table.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Span {
    /// The first row.
    pub first: u32,
    /// The number of rows.
    pub count: u32,
}

/// A clause: what an enabling runs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ClauseRow {
    /// Its predicate and its actions, contiguous.
    pub code: Span,
    /// The first instructions of its actions.
    pub actions: Span,
    /// The fields of its record.
    pub fields: Span,
    /// Size of its record in bytes without the header, a multiple of 8.
    pub record_size: u32,
    /// Zero.
    pub reserved: u32,
}

/// One instruction: `op d, a, b, immediate`. The op determines which fields it uses.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Instruction {
    /// The op's code.
    pub op: u8,
    /// The destination register.
    pub d: u8,
    /// The first operand's register.
    pub a: u8,
    /// The second operand's register.
    pub b: u8,
    /// A constant, a row of a table, or an instruction of the same clause.
    pub immediate: u32,
}

/// A field of a clause's record.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct FieldRow {
    /// Its offset in the record, after the header, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// A [`FieldKind`].
    pub kind: u8,
    /// Zero.
    pub reserved: [u8; 7],
}

codes! {
    /// What a field contains.
    FieldKind: u8, word {
        /// A number of 1, 2, 4 or 8 bytes.
        Scalar = 0 "scalar",
        /// A string, padded with NULs.
        Text = 1 "text",
        /// Bytes copied from memory.
        Bytes = 2 "bytes",
        /// Program counters of 8 bytes each, innermost first, padded with zeros.
        Stack = 3 "stack",
        /// The ID of the current process, and program counters like those of a stack.
        UserStack = 4 "ustack",
    }
}

impl FieldKind {
    /// Whether it is filled by a walk over a stack, and not from a register.
    pub const fn is_stack(self) -> bool {
        matches!(self, Self::Stack | Self::UserStack)
    }
}

/// A variable, declared or implicit.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct VariableRow {
    /// Its name, as an offset into the strings.
    pub name: u32,
    /// Its size in bytes: 8 for a scalar.
    pub size: u32,
    /// A [`Scope`].
    pub scope: u8,
    /// A [`ValueKind`].
    pub kind: u8,
    /// Zero.
    pub reserved: u16,
    /// The key of an associative array; empty for a plain variable.
    pub keys: Span,
}

codes! {
    /// The scope of a variable.
    Scope: u8, word {
        /// Every clause and thread.
        Global = 0 "global",
        /// `self->`: one thread.
        Thread = 1 "self",
        /// `this->`: the clauses of one firing.
        Clause = 2 "this",
    }
}

codes! {
    /// How a value is represented.
    ValueKind: u8, word {
        /// In a register: a number, or an address.
        Scalar = 0 "scalar",
        /// A string, as its address.
        Text = 1 "text",
        /// A fixed number of bytes, as their address.
        Bytes = 2 "bytes",
    }
}

/// A component of a key of an associative array or an aggregation.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct KeyRow {
    /// Its size in the key, a multiple of 8: 8 for a scalar, `string_size` rounded up for a string.
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
    /// Its name, as an offset into the strings: empty for `@`.
    pub name: u32,
    /// An [`AggregateFunction`].
    pub function: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// Its key.
    pub keys: Span,
    /// The parameters of `lquantize` (base, limit, step) or `llquantize` (factor, low, high,
    /// steps).
    pub parameters: [i32; 4],
}

codes! {
    /// What an aggregation computes. The words after its key are u64 or i64.
    AggregateFunction: u8, word {
        /// The number of values: one word.
        Count = 0 "count",
        /// Their sum: one word.
        Sum = 1 "sum",
        /// The minimum: one word.
        Min = 2 "min",
        /// The maximum: one word.
        Max = 3 "max",
        /// Their mean: the number and the sum.
        Avg = 4 "avg",
        /// Their standard deviation: the number, the sum, and the sum of squares in two words, low
        /// word first.
        Stddev = 5 "stddev",
        /// A count for each power of two: [`QUANTIZE_BUCKETS`] words.
        Quantize = 6 "quantize",
        /// A count for each step, one below the base, and one from the limit up.
        Lquantize = 7 "lquantize",
        /// A count for each step of each order of magnitude, one below and one above.
        Llquantize = 8 "llquantize",
    }
}

/// Buckets of `quantize`: 63 positive powers of two, 63 negative, and zero.
pub const QUANTIZE_BUCKETS: u32 = 127;

const _: () = {
    assert!(size_of::<ProgramHeader>() == 56);
    assert!(size_of::<ClauseRow>() == 32);
    assert!(size_of::<Instruction>() == 8);
    assert!(size_of::<FieldRow>() == 16);
    assert!(size_of::<VariableRow>() == 20);
    assert!(size_of::<KeyRow>() == 8);
    assert!(size_of::<AggregationRow>() == 32);
};
