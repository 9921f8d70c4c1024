//! D's types: one arena, in which equal types are the same, for one data model.
//!
//! A type is named by its number there. The types that every program has come first, in a fixed order,
//! so that their numbers are constants.

use std::collections::HashMap;

/// A type, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct TypeId(u32);

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Integer(Integer),
    /// `float`, `double`: they can be declared, but not calculated with.
    Float(&'static str, u32),
    Pointer(TypeId),
    Array(TypeId, u32),
    Typedef(String, TypeId),
    /// `string`
    Text,
    Function,
    /// What `stack()` gives.
    Stack,
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
    /// `value`, cut to the type's bits and extended as the type is.
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

macro_rules! numbered {
    ($number:expr;) => {};
    ($number:expr; $name:ident $($rest:ident)*) => {
        pub(crate) const $name: TypeId = TypeId($number);
        numbered!($number + 1; $($rest)*);
    };
}

numbered! { 0;
    VOID CHAR SCHAR UCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG FLOAT DOUBLE LDOUBLE
    TEXT FUNCTION STACK AGGREGATION
    INT32 INT64 UINT32 UINT64 UINTPTR PTRDIFF SIZE ID PID UID GID
    CHAR_POINTER VOID_POINTER
}

/// The types of a compilation.
pub(crate) struct Types {
    all: Vec<Type>,
    /// How many types each is made of, one within another.
    depths: Vec<u32>,
    numbers: HashMap<Type, TypeId>,
    typedefs: HashMap<String, TypeId>,
    /// Bytes of a pointer.
    pub(crate) pointer: u32,
    /// Bytes of a string.
    pub(crate) string: u32,
}

impl Types {
    /// The types that every program has, where a pointer and a string take so many bytes.
    pub(crate) fn new(pointer: u32, string: u32) -> Self {
        let mut types = Self {
            all: Vec::new(),
            depths: Vec::new(),
            numbers: HashMap::new(),
            typedefs: HashMap::new(),
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

    fn add_basic(&mut self) {
        self.number(Type::Void);
        for (name, size, is_signed, rank) in [
            ("char", 1, true, 1),
            ("signed char", 1, true, 1),
            ("unsigned char", 1, false, 1),
            ("short", 2, true, 2),
            ("unsigned short", 2, false, 2),
            ("int", 4, true, 3),
            ("unsigned int", 4, false, 3),
            ("long", self.pointer, true, 4),
            ("unsigned long", self.pointer, false, 4),
            ("long long", 8, true, 5),
            ("unsigned long long", 8, false, 5),
        ] {
            self.number(Type::Integer(Integer {
                name,
                size,
                is_signed,
                rank,
            }));
        }
        for (name, size) in [("float", 4), ("double", 8), ("long double", 16)] {
            self.number(Type::Float(name, size));
        }
        for other in [Type::Text, Type::Function, Type::Stack, Type::Aggregation] {
            self.number(other);
        }
    }

    /// The typedefs that have numbers of their own.
    fn add_typedefs(&mut self) {
        let is_wide = self.pointer == 8;
        let (word, unsigned_word) = if is_wide { (LONG, ULONG) } else { (INT, UINT) };
        let (int64, uint64) = if is_wide {
            (LONG, ULONG)
        } else {
            (LONGLONG, ULONGLONG)
        };
        for (name, type_) in [
            ("int32_t", INT),
            ("int64_t", int64),
            ("uint32_t", UINT),
            ("uint64_t", uint64),
            ("uintptr_t", unsigned_word),
            ("ptrdiff_t", word),
            ("size_t", unsigned_word),
            ("id_t", INT),
            ("pid_t", INT),
            ("uid_t", UINT),
            ("gid_t", UINT),
        ] {
            self.define(name, type_);
        }
    }

    /// The others.
    fn add_more_typedefs(&mut self) {
        let word = self.base(PTRDIFF);
        for (name, type_) in [
            ("int8_t", CHAR),
            ("int16_t", SHORT),
            ("uint8_t", UCHAR),
            ("uint16_t", USHORT),
            ("intptr_t", word),
            ("ssize_t", word),
            ("uchar_t", UCHAR),
            ("ushort_t", USHORT),
            ("uint_t", UINT),
            ("ulong_t", ULONG),
            ("longlong_t", LONGLONG),
            ("u_longlong_t", ULONGLONG),
            ("hrtime_t", LONGLONG),
            ("time_t", LONG),
            ("off_t", LONG),
            ("clock_t", LONG),
            ("mode_t", UINT),
            ("processorid_t", INT),
            ("zoneid_t", INT),
        ] {
            self.define(name, type_);
        }
    }

    /// The type of this kind.
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

    /// How many types it is made of, one within another.
    pub(crate) fn depth(&self, id: TypeId) -> u32 {
        self.depths.get(id.0 as usize).copied().unwrap_or(1)
    }

    /// Gives a type a name.
    pub(crate) fn define(&mut self, name: &str, type_: TypeId) {
        let id = self.number(Type::Typedef(name.to_owned(), type_));
        self.typedefs.insert(name.to_owned(), id);
    }

    /// The type of this name.
    pub(crate) fn named(&self, name: &str) -> Option<TypeId> {
        self.typedefs.get(name).copied()
    }

    /// The type of pointers to this one.
    pub(crate) fn pointer_to(&mut self, type_: TypeId) -> TypeId {
        self.number(Type::Pointer(type_))
    }

    /// What it is, behind its names.
    pub(crate) fn kind(&self, id: TypeId) -> &Type {
        self.get(self.base(id))
    }

    /// The type behind its names.
    pub(crate) fn base(&self, id: TypeId) -> TypeId {
        let mut id = id;
        while let Type::Typedef(_, to) = self.get(id) {
            id = *to;
        }
        id
    }

    /// Whether one of its names is this.
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

    /// How it is spelt, as C does.
    pub(crate) fn name(&self, id: TypeId) -> String {
        self.spell(id, String::new())
    }

    fn spell(&self, id: TypeId, declarator: String) -> String {
        let name = match self.get(id) {
            Type::Pointer(to) => {
                return match self.get(*to) {
                    Type::Function => self.with("function pointer", &declarator),
                    Type::Array(..) => self.spell(*to, format!("(*{declarator})")),
                    _ => self.spell(*to, format!("*{declarator}")),
                };
            }
            Type::Array(of, count) => return self.spell(*of, format!("{declarator}[{count}]")),
            Type::Void => "void",
            Type::Integer(integer) => integer.name,
            Type::Float(name, _) => name,
            Type::Typedef(name, _) => name,
            Type::Text => "string",
            Type::Function => "function",
            Type::Stack => "stack",
            Type::Aggregation => "aggregation",
        };
        self.with(name, &declarator)
    }

    fn with(&self, name: &str, declarator: &str) -> String {
        match declarator {
            "" => name.to_owned(),
            _ => format!("{name} {declarator}"),
        }
    }

    /// Its bytes; 0 where it has no size, or too great a one.
    pub(crate) fn size(&self, id: TypeId) -> u32 {
        match self.kind(id) {
            Type::Integer(integer) => integer.size,
            Type::Float(_, size) => *size,
            Type::Pointer(_) => self.pointer,
            Type::Array(of, count) => self.size(*of).checked_mul(*count).unwrap_or(0),
            Type::Text => self.string,
            _ => 0,
        }
    }

    /// The integer type that it is.
    pub(crate) fn integer(&self, id: TypeId) -> Option<Integer> {
        match self.kind(id) {
            Type::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// What it points to, or what it is an array of.
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

    pub(crate) fn is_text(&self, id: TypeId) -> bool {
        *self.kind(id) == Type::Text
    }

    pub(crate) fn is_void(&self, id: TypeId) -> bool {
        *self.kind(id) == Type::Void
    }

    /// A number or a pointer: what a register holds.
    pub(crate) fn is_scalar(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_pointer(id)
    }

    /// A pointer to what has no size.
    pub(crate) fn points_to_nothing(&self, id: TypeId) -> bool {
        let to = match self.kind(id) {
            Type::Pointer(to) => self.kind(*to),
            _ => return false,
        };
        matches!(to, Type::Void | Type::Function)
    }

    /// A string, or characters that can stand for one.
    pub(crate) fn is_text_like(&self, id: TypeId) -> bool {
        self.is_text(id) || self.pointee(id).is_some_and(|to| self.is_character(to))
    }

    pub(crate) fn is_character(&self, id: TypeId) -> bool {
        self.integer(id).is_some_and(|integer| integer.rank == 1)
    }

    /// Whether values of one are values of the other as they are.
    pub(crate) fn is_compatible(&self, one: TypeId, other: TypeId) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Type::Pointer(one), Type::Pointer(other)) => self.is_compatible(*one, *other),
            (Type::Array(one, length), Type::Array(other, other_length)) => {
                length == other_length && self.is_compatible(*one, *other)
            }
            (one, other) => one == other,
        }
    }

    /// Whether values of both are keys of the same kind.
    pub(crate) fn is_same_key(&self, one: TypeId, other: TypeId) -> bool {
        self.is_integer(one) && self.is_integer(other)
            || self.is_text_like(one) && self.is_text_like(other)
            || self.is_compatible(one, other)
    }

    /// The type that small integers are calculated in.
    pub(crate) fn promoted(&self, id: TypeId) -> TypeId {
        match self.integer(id) {
            Some(integer) if integer.rank < 3 => INT,
            _ => id,
        }
    }

    /// The type that two integers are calculated in: C's usual arithmetic conversions.
    pub(crate) fn common(&self, one: TypeId, other: TypeId) -> TypeId {
        let (one, other) = (self.promoted(one), self.promoted(other));
        let (Some(left), Some(right)) = (self.integer(one), self.integer(other)) else {
            return one;
        };
        if left.is_signed == right.is_signed {
            return if left.rank >= right.rank { one } else { other };
        }
        let (unsigned, unsigned_id, signed, signed_id) = if right.is_signed {
            (left, one, right, other)
        } else {
            (right, other, left, one)
        };
        if unsigned.rank >= signed.rank {
            unsigned_id
        } else if signed.size > unsigned.size {
            signed_id
        } else {
            self.unsigned(signed.rank)
        }
    }

    fn unsigned(&self, rank: u8) -> TypeId {
        match rank {
            4 => ULONG,
            5 => ULONGLONG,
            _ => UINT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pointer: u32, cases: &[(TypeId, &str)]) {
        let types = Types::new(pointer, 256);
        for (id, name) in cases {
            assert_eq!(types.name(*id), *name);
        }
    }

    #[test]
    fn numbers_are_what_they_are_called() {
        names(
            8,
            &[
                (VOID, "void"),
                (ULONGLONG, "unsigned long long"),
                (LDOUBLE, "long double"),
                (TEXT, "string"),
                (AGGREGATION, "aggregation"),
                (INT32, "int32_t"),
                (UINT64, "uint64_t"),
                (SIZE, "size_t"),
                (GID, "gid_t"),
                (CHAR_POINTER, "char *"),
                (VOID_POINTER, "void *"),
            ],
        );
    }

    #[test]
    fn declarators_are_spelt_inside_out() {
        let mut types = Types::new(8, 256);
        let array = types.number(Type::Array(CHAR_POINTER, 3));
        assert_eq!(types.name(array), "char *[3]");
        let pointer = types.pointer_to(array);
        assert_eq!(types.name(pointer), "char *(*)[3]");
        let function = types.pointer_to(FUNCTION);
        assert_eq!(types.name(function), "function pointer");
    }

    #[test]
    fn conversions_are_those_of_the_data_model() {
        let narrow = Types::new(4, 256);
        let wide = Types::new(8, 256);
        for (one, other, in_narrow, in_wide) in [
            (CHAR, UCHAR, INT, INT),
            (INT, UINT, UINT, UINT),
            (LONG, UINT, ULONG, LONG),
            (LONG, ULONG, ULONG, ULONG),
            (LONGLONG, ULONG, LONGLONG, ULONGLONG),
            (USHORT, LONGLONG, LONGLONG, LONGLONG),
        ] {
            assert_eq!(narrow.common(one, other), in_narrow);
            assert_eq!(wide.common(one, other), in_wide);
            assert_eq!(wide.common(other, one), in_wide);
        }
    }

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
