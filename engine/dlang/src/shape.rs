//! The shapes of values: what `print` needs to print a value by its type.

use std::rc::Rc;

/// A type, as far as it is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// How the type is spelt.
    pub name: String,
    /// Its size in bytes.
    pub size: u32,
    /// What it consists of.
    pub kind: Kind,
}

/// What a type consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A signed number.
    Signed,
    /// An unsigned number.
    Unsigned,
    /// A pointer.
    Pointer,
    /// Characters up to a NUL: a string.
    Text,
    /// Bytes about which nothing is known.
    Opaque,
    /// An enumeration, with its values and their names.
    Enumeration(Vec<(i64, Rc<str>)>),
    /// Elements, as many as there is room for.
    Array(Box<Shape>),
    /// The members of a structure or a union.
    Members(Vec<Member>),
}

/// A member of a structure or a union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name; `None` if it is anonymous.
    pub name: Option<Rc<str>>,
    /// Its offset in bytes; for a bit-field, that of its unit.
    pub offset: u32,
    /// For a bit-field: its lowest bit in the unit, and its width.
    pub bits: Option<(u32, u32)>,
    /// Its type.
    pub shape: Shape,
}
