//! The format's own tables: the nineteen kinds, and which words follow the header of each.
//!
//! One row per kind serves the check of a file, the reader and the writer, so that they cannot
//! differ in what a kind looks like.

/// What a word of a type is, for the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// A number that any value is valid for.
    Plain,
    /// An offset of a string.
    Name,
    /// The ID of a type.
    Type,
}

use Word::{Name, Plain, Type};

/// A kind of type, by its number in the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    Int = 1,
    Pointer,
    Array,
    Struct,
    Union,
    Enum,
    Forward,
    Typedef,
    Volatile,
    Const,
    Restrict,
    Function,
    Prototype,
    Variable,
    Section,
    Float,
    DeclTag,
    TypeTag,
    Enum64,
}

impl Code {
    /// Whether it is a typedef or a qualifier: the type behind it has the same values.
    pub fn is_transparent(self) -> bool {
        use Code::{Const, Restrict, TypeTag, Typedef, Volatile};
        matches!(self, Typedef | Volatile | Const | Restrict | TypeTag)
    }
}

/// The longest chain of typedefs and qualifiers that is followed. Kernels stop at 32.
pub const LONGEST_CHAIN: usize = 64;

/// The words of a kind behind its name and its info.
#[derive(Debug)]
pub struct Row {
    /// The kind.
    pub code: Code,
    /// The third word: a size or a type.
    pub third: Word,
    /// The words that follow once.
    pub fixed: &'static [Word],
    /// The words that follow for each of its members, parameters or values.
    pub each: &'static [Word],
}

const fn row(
    code: Code,
    third: Word,
    fixed: &'static [Word],
    each: &'static [Word],
) -> Option<Row> {
    Some(Row {
        code,
        third,
        fixed,
        each,
    })
}

const ROWS: [Option<Row>; 20] = [
    None,
    row(Code::Int, Plain, &[Plain], &[]),
    row(Code::Pointer, Type, &[], &[]),
    row(Code::Array, Plain, &[Type, Type, Plain], &[]),
    row(Code::Struct, Plain, &[], &[Name, Type, Plain]),
    row(Code::Union, Plain, &[], &[Name, Type, Plain]),
    row(Code::Enum, Plain, &[], &[Name, Plain]),
    row(Code::Forward, Plain, &[], &[]),
    row(Code::Typedef, Type, &[], &[]),
    row(Code::Volatile, Type, &[], &[]),
    row(Code::Const, Type, &[], &[]),
    row(Code::Restrict, Type, &[], &[]),
    row(Code::Function, Type, &[], &[]),
    row(Code::Prototype, Type, &[], &[Name, Type]),
    row(Code::Variable, Type, &[Plain], &[]),
    row(Code::Section, Plain, &[], &[Type, Plain, Plain]),
    row(Code::Float, Plain, &[], &[]),
    row(Code::DeclTag, Type, &[Plain], &[]),
    row(Code::TypeTag, Type, &[], &[]),
    row(Code::Enum64, Plain, &[], &[Name, Plain, Plain]),
];

/// The row of a kind's number.
pub fn row_of(number: u32) -> Option<&'static Row> {
    ROWS.get(usize::try_from(number).ok()?)?.as_ref()
}

/// The second word of a type: its kind, a number of elements, and a flag.
#[derive(Debug, Clone, Copy)]
pub struct Info(pub u32);

impl Info {
    /// Makes the word.
    pub fn new(code: Code, count: u16, flag: bool) -> Self {
        Self(u32::from(flag) << 31 | (code as u32) << 24 | u32::from(count))
    }

    /// The kind's number.
    pub fn kind(self) -> u32 {
        (self.0 >> 24) & 0x1f
    }

    /// The number of elements.
    pub fn count(self) -> usize {
        (self.0 & 0xffff) as usize
    }

    /// The flag: members have bit-field sizes, values are signed, or a forward is a union's.
    pub fn flag(self) -> bool {
        self.0 >> 31 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_its_number() {
        let rows = (0..).zip(&ROWS).skip(1);
        rows.for_each(|(number, row)| assert_eq!(row.as_ref().unwrap().code as u8, number));
        assert!(row_of(0).is_none() && row_of(20).is_none() && row_of(u32::MAX).is_none());
    }

    #[test]
    fn info_keeps_its_parts_apart() {
        let info = Info::new(Code::Enum64, u16::MAX, true);
        assert_eq!((info.kind(), info.count(), info.flag()), (19, 65535, true));
        let info = Info::new(Code::Int, 0, false);
        assert_eq!((info.kind(), info.count(), info.flag()), (1, 0, false));
    }
}
