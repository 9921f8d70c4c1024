//! The predefined types.

use super::{Integer, Type, TypeId, Types};
use crate::program::Detail;

macro_rules! numbered {
    ($number:expr;) => {};
    ($number:expr; $name:ident $($rest:ident)*) => {
        pub(crate) const $name: TypeId = TypeId($number);
        numbered!($number + 1; $($rest)*);
    };
}

numbered! { 0;
    VOID CHAR SCHAR UCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG FLOAT DOUBLE LDOUBLE
    TEXT FUNCTION STACK AGGREGATION USTACK UADDR USYM UMOD SYM MOD
    INT32 INT64 UINT32 UINT64 UINTPTR PTRDIFF SIZE ID PID UID GID
    CHAR_POINTER VOID_POINTER
}

impl Types {
    pub(super) fn add_basic(&mut self) {
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
        for other in [
            Type::Text,
            Type::Function,
            Type::Stack,
            Type::Aggregation,
            Type::UserStack,
            Type::UserAddress(Detail::Offset),
            Type::UserAddress(Detail::Function),
            Type::UserAddress(Detail::Object),
            Type::KernelAddress(Detail::Function),
            Type::KernelAddress(Detail::Object),
        ] {
            self.number(other);
        }
    }

    /// The typedefs whose IDs are constants.
    pub(super) fn add_typedefs(&mut self) {
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

    /// The other typedefs.
    pub(super) fn add_more_typedefs(&mut self) {
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
                (USTACK, "stack"),
                (UMOD, "_usymaddr"),
                (INT32, "int32_t"),
                (UINT64, "uint64_t"),
                (SIZE, "size_t"),
                (GID, "gid_t"),
                (CHAR_POINTER, "char *"),
                (VOID_POINTER, "void *"),
            ],
        );
    }
}
