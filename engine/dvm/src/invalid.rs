//! Why a block is not a valid program: the place and the reason.

use core::fmt;

use crate::table::Table;

/// What is wrong with a block, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid {
    /// The place.
    pub place: Place,
    /// The reason.
    pub why: Why,
}

/// A place in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Its header, or the block as a whole.
    Header,
    /// A row of a table.
    Row(Table, u32),
    /// An instruction of a clause, relative to the clause's first.
    Instruction {
        /// The clause.
        clause: u32,
        /// The instruction.
        at: u32,
    },
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident $sentence:literal,)*) => {
        /// What is wrong with a block.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Why {
            $($(#[$doc])* $variant,)*
        }

        impl Why {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The predicate of a sentence whose subject is the place.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

reasons! {
    /// More bytes than `PROGRAM_MAX`.
    TooLong "exceeds the maximum program size",
    /// Fewer bytes than a header has.
    TooShort "is shorter than the program header",
    /// Wrong magic.
    Magic "has a wrong magic number or version",
    /// The tables do not fill the block, or exceed it.
    Length "has a length that does not match its tables",
    /// A reserved field is not zero.
    Reserved "has a nonzero reserved field",
    /// `string_size` out of bounds.
    StringSize "has a string size that is out of range",
    /// `scratch` or `heap` out of bounds.
    Scratch "requests too much scratch memory",
    /// The strings do not end with a NUL.
    Strings "has a string table that does not end with a NUL",
    /// The name's offset is not in the strings.
    Name "has a name that is not in the string table",
    /// An unknown code.
    Code "has an undefined code",
    /// A size out of bounds, or that its kind cannot have.
    Size "has a size that is invalid for its kind",
    /// A field outside its record, overlapping another, or misaligned.
    Offset "is outside its record, overlaps another, or is misaligned",
    /// A record's size out of bounds.
    RecordSize "has a record size that is out of range",
    /// More than `CODE_MAX` instructions or actions.
    CodeTooLong "has too many instructions or actions",
    /// A key with too many components, or too long.
    Key "has a key that is too long",
    /// A clause-local associative array.
    Array "is a clause-local array",
    /// Invalid parameters of `lquantize` or `llquantize`.
    Parameters "has parameters that are invalid for its function",
    /// Rows of another table that do not exist.
    Span "refers to rows that do not exist",
    /// Rows of another table that an earlier row owns.
    Owned "refers to rows that an earlier row owns",
    /// An action that begins outside its clause, or before an earlier one.
    Action "begins outside its clause, or before an earlier one",
    /// An unknown op.
    Op "has an undefined opcode",
    /// A register or an immediate that the op does not use is not zero.
    Unused "sets a field that its opcode does not use",
    /// A register that does not exist.
    Register "names a register that does not exist",
    /// A register that is not set on some path.
    Unset "reads a register that is not set on every path to it",
    /// An immediate that names nothing of the kind that the op needs.
    Immediate "has an immediate that is invalid for its opcode",
    /// A branch target that is not forward in the clause.
    Target "does not branch forward within its clause",
    /// Too many targets.
    Targets "has too many branches across it",
    /// A branch, its target or a `ret` between a push and its use.
    Pushed "branches, is a branch target, or ends while the tuple stack is not empty",
    /// More pushed than the longest key.
    PushedTooMuch "pushes more than a key can hold",
    /// The pushed components do not match the key.
    KeyMismatch "needs a different key than was pushed",
    /// The pushed values do not match the arguments.
    Arguments "needs different arguments than were pushed",
    /// A destructive subroutine in a program without the flag.
    Destructive "calls a destructive subroutine, which the header does not allow",
    /// `open` on a path where a record may be open.
    OpenTwice "opens a record that may already be open",
    /// `commit` on a path where a record may be open.
    CommitOpen "commits while a record may be open",
    /// `rec` where a record is not open on every path.
    NotOpen "records where no record is open on every path to it",
    /// No `ret` at the end.
    FallsOff "has code that does not end with a ret",
}

impl Why {
    pub(crate) const fn of_header(self) -> Invalid {
        self.at(Place::Header)
    }

    pub(crate) const fn of_row(self, table: Table, row: u32) -> Invalid {
        self.at(Place::Row(table, row))
    }

    pub(crate) const fn at(self, place: Place) -> Invalid {
        Invalid { place, why: self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Header => f.write_str("the program"),
            Self::Row(table, row) => write!(f, "{} {row}", table.word()),
            Self::Instruction { clause, at } => write!(f, "instruction {at} of clause {clause}"),
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.place, self.why.sentence())
    }
}

impl core::error::Error for Invalid {}
