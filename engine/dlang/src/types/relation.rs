//! Relations between types.

use super::{INT, INT64, Integer, LONGLONG, TEXT, Type, TypeId, Types, UINT, ULONG, ULONGLONG};

impl Types {
    /// Whether values of one type can be used as the other without conversion.
    pub(crate) fn is_compatible(&self, one: TypeId, other: TypeId) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Type::Pointer(one), Type::Pointer(other)) => self.is_compatible(*one, *other),
            (Type::Array(one, length), Type::Array(other, other_length)) => {
                length == other_length && self.is_compatible(*one, *other)
            }
            (one, other) => one == other,
        }
    }

    /// Whether both types are the same kind of key.
    pub(crate) fn is_same_key(&self, one: TypeId, other: TypeId) -> bool {
        self.is_integer(one) && self.is_integer(other)
            || self.is_text_like(one) && self.is_text_like(other)
            || self.is_compatible(one, other)
    }

    /// C's integer promotions.
    pub(crate) fn promoted(&self, id: TypeId) -> TypeId {
        match (self.kind(id), self.integer(id)) {
            (_, Some(integer)) if integer.rank < 3 => INT,
            (Type::Enumeration(_), Some(integer)) if integer.is_signed => match integer.rank {
                3 => INT,
                _ => LONGLONG,
            },
            (Type::Enumeration(_), Some(integer)) => self.unsigned(integer.rank),
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

    /// A type that represents the values of both; if there is none, their common type. A pointer
    /// yields only to a wider number; different texts become strings; anything else stays as it is.
    pub(crate) fn spanning(&self, one: TypeId, other: TypeId) -> TypeId {
        if self.is_text_like(one) && self.is_text_like(other) && !self.is_compatible(one, other) {
            return TEXT;
        }
        let (Some(left), Some(right)) = (self.integer(one), self.integer(other)) else {
            let is_narrower =
                self.is_scalar(one) && self.is_scalar(other) && self.size(one) < self.size(other);
            return if is_narrower { other } else { one };
        };
        if left.has(right) {
            return one;
        }
        if right.has(left) {
            return other;
        }
        let common = self.common(one, other);
        let has_both = |it: Integer| it.size == 8 || it.has(left) && it.has(right);
        if self.integer(common).is_some_and(has_both) {
            common
        } else {
            INT64
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
    use crate::types::{CHAR, CHAR_POINTER, LONG, UCHAR, USHORT};

    #[test]
    fn numbers_of_both_are_those_of_the_spanning_type() {
        let narrow = Types::new(4, 256);
        let wide = Types::new(8, 256);
        for (one, other, in_narrow, in_wide) in [
            (CHAR, CHAR, CHAR, CHAR),
            (CHAR, UCHAR, INT, INT),
            (UCHAR, INT, INT, INT),
            (INT, UINT, INT64, INT64),
            (LONG, UINT, INT64, LONG),
            (INT, LONG, INT, LONG),
            (UINT, ULONGLONG, ULONGLONG, ULONGLONG),
            (LONGLONG, ULONGLONG, ULONGLONG, ULONGLONG),
            (TEXT, CHAR_POINTER, TEXT, TEXT),
            (CHAR_POINTER, TEXT, TEXT, TEXT),
            (CHAR_POINTER, INT, CHAR_POINTER, CHAR_POINTER),
            (CHAR_POINTER, LONGLONG, LONGLONG, CHAR_POINTER),
            (INT, CHAR_POINTER, INT, CHAR_POINTER),
        ] {
            assert_eq!(narrow.spanning(one, other), in_narrow);
            assert_eq!(wide.spanning(one, other), in_wide);
        }
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
}
