//! D's types, for one data model: an arena in which equal types have the same ID. The predefined
//! types come first, in a fixed order, so that their IDs are constants.

mod alignment;
mod basic;
mod import;
mod prototype;
mod relation;
mod shapes;
mod spelling;
mod structure;
mod syscall;

use std::collections::HashMap;
use std::rc::Rc;

use crate::kernel::Kernel;
use crate::program::Detail;

pub(crate) use basic::*;
use import::Imported;
pub(crate) use import::VMLINUX;
pub(crate) use prototype::{Parameter, Parameters};
use structure::Tagged;
pub(crate) use structure::{Bits, Builder, Family, Member, TagId};

/// The ID of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

/// The structure of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Integer(Integer),
    /// `float`, `double`: they can be declared, but not computed with.
    Float(&'static str, u32),
    Pointer(TypeId),
    Array(TypeId, u32),
    Typedef(String, TypeId),
    /// `string`
    Text,
    Function,
    /// A structure or a union.
    Structure(TagId),
    Enumeration(TagId),
    /// The result of `stack()`.
    Stack,
    /// The result of `ustack()`.
    UserStack,
    /// The result of `uaddr()` and the like: an address in a process.
    UserAddress(Detail),
    /// The result of `sym()` and the like: an address of the kernel.
    KernelAddress(Detail),
    /// An aggregation.
    Aggregation,
}

/// An integer type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Integer {
    pub name: &'static str,
    /// Bytes.
    pub size: u32,
    pub is_signed: bool,
    /// C's conversion rank.
    pub rank: u8,
}

impl Integer {
    /// Whether it represents every value of the other type with the same extension.
    pub(crate) fn has(self, other: Self) -> bool {
        other.size < self.size && (self.is_signed || !other.is_signed)
            || other.size == self.size && other.is_signed == self.is_signed
    }

    /// `value`, truncated to the type's size and extended according to its sign.
    pub(crate) fn extend(self, value: u64) -> u64 {
        let shift = 64 - 8 * self.size.clamp(1, 8);
        let high = value << shift;
        if self.is_signed {
            (high.cast_signed() >> shift).cast_unsigned()
        } else {
            high >> shift
        }
    }
}

/// The types of a compilation.
pub(crate) struct Types {
    all: Vec<Type>,
    /// The nesting depth of each type.
    depths: Vec<u32>,
    numbers: HashMap<Type, TypeId>,
    typedefs: HashMap<String, TypeId>,
    tagged: Vec<Tagged>,
    tags: HashMap<(Family, Rc<str>), TypeId>,
    imported: Imported,
    /// Size of a pointer in bytes.
    pub(crate) pointer: u32,
    /// Size of a string in bytes.
    pub(crate) string: u32,
}

/// Room for the predefined types and a few more: each start of a command makes them, and would spend
/// half of that time on tables that grow.
const PREDEFINED: usize = 100;

impl Types {
    /// The predefined types, with these sizes of a pointer and of a string.
    pub(crate) fn new(pointer: u32, string: u32) -> Self {
        let mut types = Self {
            all: Vec::with_capacity(PREDEFINED),
            depths: Vec::with_capacity(PREDEFINED),
            numbers: HashMap::with_capacity(PREDEFINED),
            typedefs: HashMap::with_capacity(PREDEFINED),
            tagged: Vec::new(),
            tags: HashMap::new(),
            imported: Imported::default(),
            pointer,
            string,
        };
        types.add_basic();
        types.add_typedefs();
        types.number(Type::Pointer(CHAR));
        types.number(Type::Pointer(VOID));
        types.add_more_typedefs();
        types
    }

    /// With the types of this kernel.
    pub(crate) fn with_kernel(mut self, kernel: Option<Rc<dyn Kernel>>) -> Self {
        self.imported = Imported::new(kernel);
        self
    }

    /// The ID of this type, which is added if it is new.
    pub(crate) fn number(&mut self, kind: Type) -> TypeId {
        if let Some(&known) = self.numbers.get(&kind) {
            return known;
        }
        let id = TypeId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.depths.push(self.depth_of(&kind));
        self.all.push(kind.clone());
        self.numbers.insert(kind, id);
        id
    }

    fn depth_of(&self, kind: &Type) -> u32 {
        match kind {
            Type::Pointer(of) | Type::Array(of, _) => self.depth(*of).saturating_add(1),
            Type::Typedef(_, of) => self.depth(*of),
            _ => 1,
        }
    }

    /// Its nesting depth.
    pub(crate) fn depth(&self, id: TypeId) -> u32 {
        self.depths.get(id.0 as usize).copied().unwrap_or(1)
    }

    /// Adds a typedef.
    pub(crate) fn define(&mut self, name: &str, type_: TypeId) {
        let id = self.number(Type::Typedef(name.to_owned(), type_));
        self.typedefs.insert(name.to_owned(), id);
    }

    /// The type with this name.
    pub(crate) fn named(&self, name: &str) -> Option<TypeId> {
        self.typedefs.get(name).copied()
    }

    /// The type of pointers to this one.
    pub(crate) fn pointer_to(&mut self, type_: TypeId) -> TypeId {
        self.number(Type::Pointer(type_))
    }

    /// Its structure, with typedefs resolved.
    pub(crate) fn kind(&self, id: TypeId) -> &Type {
        self.get(self.base(id))
    }

    /// The type with typedefs resolved.
    pub(crate) fn base(&self, id: TypeId) -> TypeId {
        let mut id = id;
        while let Type::Typedef(_, to) = self.get(id) {
            id = *to;
        }
        id
    }

    /// Whether one of its typedef names is `wanted`.
    pub(crate) fn goes_by(&self, id: TypeId, wanted: &str) -> bool {
        let mut id = id;
        while let Type::Typedef(name, to) = self.get(id) {
            if name == wanted {
                return true;
            }
            id = *to;
        }
        false
    }

    fn get(&self, id: TypeId) -> &Type {
        self.all.get(id.0 as usize).unwrap_or(&Type::Void)
    }

    /// What `sizeof` gives: the NUL of a string does not count.
    pub(crate) fn size_without_nul(&self, id: TypeId) -> u32 {
        self.size(id).saturating_sub(self.is_text(id).into())
    }

    /// Its size in bytes; 0 if it has none, or it overflows.
    pub(crate) fn size(&self, id: TypeId) -> u32 {
        match self.kind(id) {
            Type::Integer(integer) => integer.size,
            Type::Float(_, size) => *size,
            Type::Pointer(_) => self.pointer,
            Type::Array(of, count) => self.size(*of).checked_mul(*count).unwrap_or(0),
            Type::Text => self.string,
            Type::Structure(_) => self.layout(id).map_or(0, |layout| layout.size),
            Type::Enumeration(_) => self.enumeration(id).map_or(0, |it| it.size),
            _ => 0,
        }
    }

    /// The integer type, if it is one.
    pub(crate) fn integer(&self, id: TypeId) -> Option<Integer> {
        match self.kind(id) {
            Type::Integer(integer) => Some(*integer),
            Type::Enumeration(_) => self.enumeration(id),
            _ => None,
        }
    }

    /// The pointee of a pointer, or the element type of an array.
    pub(crate) fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.kind(id) {
            Type::Pointer(to) | Type::Array(to, _) => Some(*to),
            _ => None,
        }
    }

    pub(crate) fn is_integer(&self, id: TypeId) -> bool {
        self.integer(id).is_some()
    }

    pub(crate) fn is_float(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Float(..))
    }

    pub(crate) fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Pointer(_))
    }

    pub(crate) fn is_array(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Array(..))
    }

    /// Whether a value is represented by its address: an array, a structure or a union.
    pub(crate) fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.kind(id), Type::Array(..) | Type::Structure(_))
    }

    pub(crate) fn is_text(&self, id: TypeId) -> bool {
        *self.kind(id) == Type::Text
    }

    pub(crate) fn is_void(&self, id: TypeId) -> bool {
        *self.kind(id) == Type::Void
    }

    /// Whether it is a number or a pointer: what a register holds.
    pub(crate) fn is_scalar(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_pointer(id)
    }

    /// Whether it is a string, or an array of or a pointer to characters.
    pub(crate) fn is_text_like(&self, id: TypeId) -> bool {
        self.is_text(id) || self.pointee(id).is_some_and(|to| self.is_character(to))
    }

    pub(crate) fn is_character(&self, id: TypeId) -> bool {
        self.integer(id).is_some_and(|integer| integer.rank == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_extended_as_their_type_is() {
        let types = Types::new(8, 256);
        for (id, value, extended) in [
            (CHAR, 0xff, u64::MAX),
            (UCHAR, 0x1ff, 0xff),
            (INT, 0x8000_0000, 0xffff_ffff_8000_0000),
            (UINT, u64::MAX, 0xffff_ffff),
            (LONG, u64::MAX, u64::MAX),
        ] {
            assert_eq!(types.integer(id).unwrap().extend(value), extended);
        }
    }
}
