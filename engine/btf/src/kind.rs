//! A type as data: its name, and what it is.

use crate::id::TypeId;
use crate::list::{Enumerator, List, Member, Parameter, SectionEntry};

/// A type.
#[derive(Debug, Clone, Copy)]
pub struct Type<'b> {
    /// Its ID.
    pub id: TypeId,
    /// Its name, empty if it has none. Of a tag, what it says.
    pub name: &'b str,
    /// What it is.
    pub kind: Kind<'b>,
}

/// What a type is.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'b> {
    /// No type; also the target of a `void *`.
    Void,
    /// An integer.
    Int(Int),
    /// A pointer to a type. BTF does not say of how many bytes; see
    /// [`Btf::pointer_size`](crate::Btf::pointer_size).
    Pointer(TypeId),
    /// An array.
    Array {
        /// The type of its elements.
        element: TypeId,
        /// The type that counts them.
        index: TypeId,
        /// Their number; 0 also if it is not known.
        count: u32,
    },
    /// A struct.
    Struct {
        /// Its size in bytes.
        size: u32,
        /// Its members.
        members: List<'b, Member<'b>>,
    },
    /// A union.
    Union {
        /// Its size in bytes.
        size: u32,
        /// Its members.
        members: List<'b, Member<'b>>,
    },
    /// An enumeration of 32 bits per value.
    Enum {
        /// Its size in bytes.
        size: u32,
        /// Whether its values are signed.
        is_signed: bool,
        /// Its values.
        values: List<'b, Enumerator<'b>>,
    },
    /// An enumeration of 64 bits per value.
    Enum64 {
        /// Its size in bytes.
        size: u32,
        /// Whether its values are signed.
        is_signed: bool,
        /// Its values.
        values: List<'b, Enumerator<'b>>,
    },
    /// A struct or a union that is declared, not defined.
    Forward {
        /// Whether it is a union.
        is_union: bool,
    },
    /// Another name of a type.
    Typedef(TypeId),
    /// `volatile`.
    Volatile(TypeId),
    /// `const`.
    Const(TypeId),
    /// `restrict`.
    Restrict(TypeId),
    /// A function.
    Function {
        /// Its [`Kind::Prototype`].
        prototype: TypeId,
        /// Who can call it.
        linkage: Linkage,
    },
    /// What a function takes and returns.
    Prototype {
        /// The type that it returns.
        returns: TypeId,
        /// Its parameters, without the `...` of a variadic one.
        parameters: List<'b, Parameter<'b>>,
        /// Whether more may follow.
        is_variadic: bool,
    },
    /// A variable. [`Btf::variable`](crate::Btf::variable) also finds where it is.
    Variable {
        /// Its type.
        target: TypeId,
        /// Who can use it.
        linkage: Linkage,
    },
    /// A section with variables.
    Section {
        /// Its size in bytes.
        size: u32,
        /// Its variables.
        entries: List<'b, SectionEntry>,
    },
    /// A number with a fraction.
    Float {
        /// Its size in bytes.
        size: u32,
    },
    /// A tag of a declaration. The name is its text.
    DeclTag {
        /// What it is attached to.
        target: TypeId,
        /// The number of the member or parameter; none if the whole is meant.
        component: Option<u32>,
    },
    /// A tag of a type, which is one of the qualifiers. The name is its text.
    TypeTag(TypeId),
}

/// An integer's representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Int {
    /// The bytes that it is stored in.
    pub size: u32,
    /// The number of its bits.
    pub bits: u8,
    /// The bits that are before its own.
    pub offset: u8,
    /// Whether it has a sign.
    pub is_signed: bool,
    /// Whether it is a character. Compilers of kernels do not say so; see the name.
    pub is_char: bool,
    /// Whether it is a truth value.
    pub is_bool: bool,
}

/// Who can refer to a function or a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Linkage {
    /// Its own file.
    #[default]
    Static,
    /// Everybody.
    Global,
    /// It is defined elsewhere.
    Extern,
    /// A number that the format does not define.
    Other(u32),
}

impl Linkage {
    pub(crate) fn of(number: u32) -> Self {
        match number {
            0 => Self::Static,
            1 => Self::Global,
            2 => Self::Extern,
            other => Self::Other(other),
        }
    }

    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Static => 0,
            Self::Global => 1,
            Self::Extern => 2,
            Self::Other(number) => number,
        }
    }
}

impl Kind<'_> {
    /// What a typedef or a qualifier is of.
    pub(crate) fn behind(&self) -> Option<TypeId> {
        match self {
            Self::Typedef(target)
            | Self::Volatile(target)
            | Self::Const(target)
            | Self::Restrict(target)
            | Self::TypeTag(target) => Some(*target),
            _ => None,
        }
    }
}
