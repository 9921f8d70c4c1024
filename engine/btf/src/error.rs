//! What can be wrong with BTF, and with a question asked of it.

use thiserror::Error;

use crate::id::TypeId;

/// Why BTF cannot be read, or a type has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// Shorter than the header says, or than a header is.
    #[error("not BTF: {0} bytes are too few for its header")]
    Short(usize),
    /// Another magic number: the first two bytes.
    #[error("not BTF: it begins with {0:02x?}")]
    Magic([u8; 2]),
    /// Another version, or flags, which nobody has defined.
    #[error(
        "BTF of version {version} with flags {flags:#x}; only version 1 without flags is known"
    )]
    Version {
        /// The version.
        version: u8,
        /// The flags.
        flags: u8,
    },
    /// A part lies outside the data, or is not aligned.
    #[error("the {part} at {offset:#x}, {length} bytes, do not fit into {size} bytes")]
    Part {
        /// Which part.
        part: &'static str,
        /// Its offset behind the header.
        offset: u32,
        /// Its length.
        length: u32,
        /// The size of all.
        size: usize,
    },
    /// The strings do not begin or do not end with a NUL.
    #[error("the strings do not begin and end with NUL")]
    Strings,
    /// The strings are not UTF-8: the offset of the first byte that is not.
    #[error("the strings are not UTF-8 at {0:#x}")]
    Utf8(usize),
    /// A split BTF has another byte order than its base.
    #[error("the base has another byte order")]
    BaseOrder,
    /// More types than an ID can number.
    #[error("too many types")]
    TooMany,
    /// A kind that the format does not have.
    #[error("type {id} is of unknown kind {kind}")]
    UnknownKind {
        /// The type.
        id: TypeId,
        /// Its kind's number.
        kind: u32,
    },
    /// A type goes on beyond the end of all types.
    #[error("type {0} is cut off")]
    Cut(TypeId),
    /// A type has a name that is not among the strings.
    #[error("type {id} has a name at {offset:#x}, outside the strings")]
    Name {
        /// The type.
        id: TypeId,
        /// The offset of the name.
        offset: u32,
    },
    /// A type refers to one that does not exist.
    #[error("type {id} refers to type {to}, of {count}")]
    Reference {
        /// The type.
        id: TypeId,
        /// What it refers to.
        to: TypeId,
        /// The number of types.
        count: u32,
    },
    /// There is no type with this ID.
    #[error("there is no type {0}")]
    NoType(TypeId),
    /// Typedefs and qualifiers lead back to themselves, or nest deeper than any compiler's.
    #[error("type {0} is defined by itself, or nests too deeply")]
    Endless(TypeId),
    /// The type has no size: a function, a forward declaration, `void`.
    #[error("type {0} has no size")]
    NoSize(TypeId),
    /// The size of an array is larger than 64 bits.
    #[error("type {0} is larger than any memory")]
    Huge(TypeId),
    /// The type has no members.
    #[error("type {0} is no struct or union")]
    NoMembers(TypeId),
}

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why types cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WriteError {
    /// More members, parameters or values than the format can count.
    #[error("`{name}` has {count} elements, at most 65535 can be written")]
    Elements {
        /// The type's name.
        name: String,
        /// Their number.
        count: usize,
    },
    /// A member of a struct with bit-fields begins too far behind.
    #[error("the bit-fields of `{0}` are too far from its beginning")]
    FarBits(String),
    /// A name contains a NUL.
    #[error("a name contains a NUL: {0:?}")]
    Nul(String),
    /// More types or strings than 32 bits can count.
    #[error("more than 4 GiB")]
    Huge,
    /// What was written cannot be read.
    #[error("written badly: {0}")]
    Unreadable(#[from] Error),
}
