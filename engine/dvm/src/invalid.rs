//! Why a block is no program: the place and the reason.

use core::fmt;

use crate::table::Table;

/// What is wrong with a block, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid {
    /// Where.
    pub place: Place,
    /// What.
    pub why: Why,
}

/// A place in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Its header, or the block as a whole.
    Header,
    /// A row of a table.
    Row(Table, u32),
    /// An instruction of a clause, counted from the clause's first.
    Instruction {
        /// The clause.
        clause: u32,
        /// The instruction.
        at: u32,
    },
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident $sentence:literal,)*) => {
        /// What is wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Why {
            $($(#[$doc])* $variant,)*
        }

        impl Why {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The rest of the sentence that begins with the place.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

reasons! {
    /// More bytes than `PROGRAM_MAX`.
    TooLong "is longer than a program may be",
    /// Fewer bytes than a header has.
    TooShort "is shorter than a program's header",
    /// Another magic.
    Magic "has the magic of no program, or of another version's",
    /// The tables and the block have not the same length.
    Length "gives its tables another length than they have",
    /// A field that is for later has a value.
    Reserved "has a value where zero is reserved",
    /// `string_size` out of bounds.
    StringSize "gives strings a size that is out of bounds",
    /// `scratch` out of bounds.
    Scratch "asks for more scratch memory than there may be",
    /// Strings without an end.
    Strings "has strings that do not end with a NUL",
    /// No string begins there.
    Name "has a name that is not among the strings",
    /// A code that stands for nothing.
    Code "has a code that stands for nothing",
    /// A size out of bounds, or that its kind cannot have.
    Size "has a size that its kind cannot have",
    /// A field beyond the record, over another, or not aligned.
    Offset "lies beyond its record, over another, or across its alignment",
    /// A record's size out of bounds.
    RecordSize "has a record whose size is out of bounds",
    /// More than `CODE_MAX` instructions or actions.
    CodeTooLong "has more instructions or actions than a clause may have",
    /// A key of too many parts, or too long.
    Key "has a key that is too long",
    /// A clause-local array.
    Array "is an array, which a clause's variable cannot be",
    /// What `lquantize` or `llquantize` cannot be given.
    Parameters "has parameters that its function cannot be given",
    /// Rows of another table that are not there.
    Span "names rows that are not there",
    /// Rows of another table that an earlier row has.
    Owned "names rows that belong to an earlier one",
    /// An action that begins outside its clause, or before an earlier one.
    Action "begins outside its clause, or before an earlier one",
    /// No such op.
    Op "has an op that there is not",
    /// A register, or an immediate, that the op does not use.
    Unused "has a value in a field that its op does not use",
    /// No such register.
    Register "names a register that there is not",
    /// A register that some path leaves unset.
    Unset "reads a register that is not set on every path to it",
    /// An immediate that names nothing of the kind that the op needs.
    Immediate "has an immediate that names nothing of the kind that its op needs",
    /// A target that is not further on in the clause.
    Target "branches to what is not further on in its clause",
    /// Too many targets.
    Targets "has more branches over it than can be followed",
    /// A branch, its target or an end while something is pushed.
    Pushed "branches, is branched to, or ends while something is pushed",
    /// More was pushed than any key has.
    PushedTooMuch "pushes more than a key can have",
    /// What was pushed is not the key.
    KeyMismatch "needs another key than was pushed",
    /// What was pushed are not the arguments.
    Arguments "needs other arguments than were pushed",
    /// A second `open`.
    OpenTwice "opens a record that may be open already",
    /// `commit` beside a record.
    CommitOpen "commits while a record may be open",
    /// `rec` without a record.
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
