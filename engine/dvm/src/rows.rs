//! Rows with their codes resolved.

use engine_abi::{
    AggregateFunction, AggregationRow, FieldKind, FieldRow, KeyRow, Scope, Span, ValueKind,
    VariableRow,
};

use crate::aggregate::Aggregate;
use crate::invalid::Why;
use crate::limits::{KEY_MAX, KEY_PARTS_MAX, VALUE_MAX};

/// A field of a clause's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Its offset in the record, after the header, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
    /// What it contains.
    pub kind: FieldKind,
}

/// A variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name, as an offset into the strings.
    pub name: u32,
    /// Its size in bytes: 8 for a scalar.
    pub size: u32,
    /// Its scope.
    pub scope: Scope,
    /// How its value is represented.
    pub kind: ValueKind,
    /// The key of an associative array; empty for a plain variable.
    pub keys: Span,
}

/// A component of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPart {
    /// Its size in the key in bytes, a multiple of 8.
    pub size: u32,
    /// What it contains.
    pub kind: FieldKind,
}

/// An aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregation {
    /// Its name, as an offset into the strings: empty for `@`.
    pub name: u32,
    /// Its function.
    pub aggregate: Aggregate,
    /// Its key.
    pub keys: Span,
}

impl Field {
    pub(crate) fn of(row: &FieldRow) -> Result<Self, Why> {
        let kind = FieldKind::from_code(row.kind).ok_or(Why::Code)?;
        zero(row.reserved == [0; 7])?;
        let sized = match kind {
            FieldKind::Scalar => matches!(row.size, 1 | 2 | 4 | 8),
            FieldKind::Text | FieldKind::Bytes => row.size > 0,
            FieldKind::Stack | FieldKind::UserStack => row.size > 0 && row.size.is_multiple_of(8),
        };
        let field = Self {
            offset: row.offset,
            size: row.size,
            kind,
        };
        sized.then_some(field).ok_or(Why::Size)
    }

    /// The alignment of its offset.
    pub(crate) const fn alignment(self) -> u32 {
        match self.kind {
            FieldKind::Scalar => self.size,
            FieldKind::Stack | FieldKind::UserStack => 8,
            FieldKind::Text | FieldKind::Bytes => 1,
        }
    }
}

impl Variable {
    pub(crate) fn of(row: &VariableRow) -> Result<Self, Why> {
        let scope = Scope::from_code(row.scope).ok_or(Why::Code)?;
        let kind = ValueKind::from_code(row.kind).ok_or(Why::Code)?;
        zero(row.reserved == 0)?;
        let sized = match kind {
            ValueKind::Scalar => row.size == 8,
            ValueKind::Text | ValueKind::Bytes => (1..=VALUE_MAX).contains(&row.size),
        };
        if !sized {
            return Err(Why::Size);
        }
        if scope == Scope::Clause && row.keys.count > 0 {
            return Err(Why::Array);
        }
        Ok(Self {
            name: row.name,
            size: row.size,
            scope,
            kind,
            keys: parts(row.keys)?,
        })
    }

    /// Whether it is an associative array.
    pub const fn is_array(self) -> bool {
        self.keys.count > 0
    }
}

impl KeyPart {
    pub(crate) fn of(row: &KeyRow) -> Result<Self, Why> {
        let kind = FieldKind::from_code(row.kind).ok_or(Why::Code)?;
        zero(row.reserved == [0; 3])?;
        let sized = match kind {
            FieldKind::Scalar => row.size == 8,
            _ => row.size.is_multiple_of(8) && (8..=KEY_MAX).contains(&row.size),
        };
        let part = Self {
            size: row.size,
            kind,
        };
        sized.then_some(part).ok_or(Why::Size)
    }
}

impl Aggregation {
    pub(crate) fn of(row: &AggregationRow) -> Result<Self, Why> {
        let function = AggregateFunction::from_code(row.function).ok_or(Why::Code)?;
        zero(row.reserved == [0; 3])?;
        Ok(Self {
            name: row.name,
            aggregate: Aggregate::new(function, row.parameters).ok_or(Why::Parameters)?,
            keys: parts(row.keys)?,
        })
    }
}

fn zero(is_zero: bool) -> Result<(), Why> {
    is_zero.then_some(()).ok_or(Why::Reserved)
}

fn parts(keys: Span) -> Result<Span, Why> {
    (keys.count <= KEY_PARTS_MAX)
        .then_some(keys)
        .ok_or(Why::Key)
}
