//! Formats recorded data, byte for byte as DTrace prints them.
//!
//! Everything here appends to a buffer, and sees of a record only its bytes and their types: no
//! engine, no I/O, except that [`Style::symbols`] reads `/proc` once, [`Style::users`] reads processes
//! that still exist, and dates need the time zone.
//! [`plain`] is for output without a format, [`format`](mod@format) for `printf` and `printa`.

mod bytes;
mod date;
mod float;
mod format;
mod layout;
mod number;
mod plain;
mod stack;
mod text;
mod user;
mod value;

pub use bytes::dump;
pub use format::{Aggregated, format};
pub use layout::Layout;
pub use number::{Number, number};
pub use plain::{key, key_width, trace};
pub use stack::stack;
pub use user::settled;
pub use value::value;

use engine_dlang::program::Field;

use crate::symbols::Symbols;
use crate::user_symbols::UserSymbols;

/// What formatting depends on besides the data.
pub struct Style {
    /// `quiet`: prints only what actions print.
    pub quiet: bool,
    /// `rawbytes`: dumps strings.
    pub raw_bytes: bool,
    /// `stackindent`: columns in front of a frame.
    pub stack_indent: usize,
    /// Names of kernel addresses.
    pub symbols: Symbols,
    /// Names of addresses in processes.
    pub users: UserSymbols,
}

/// The bytes of `field` in `data`, fewer if `data` ends before.
pub fn field<'a>(field: &Field, data: &'a [u8]) -> &'a [u8] {
    let rest = data.get(field.offset as usize..).unwrap_or_default();
    rest.get(..field.size as usize).unwrap_or(rest)
}

/// An unsigned integer of 1, 2, 4 or 8 bytes; 0 for any other size.
pub fn unsigned_of(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// The same, sign-extended.
pub fn signed_of(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len().clamp(1, 8);
    (unsigned_of(bytes) << unused) as i64 >> unused
}

/// A string up to its first NUL.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_each_size_are_read() {
        assert_eq!(signed_of(&[0xfe]), -2);
        assert_eq!(unsigned_of(&[0xfe]), 254);
        assert_eq!(signed_of(&(-3i16).to_ne_bytes()), -3);
        assert_eq!(unsigned_of(&(-3i16).to_ne_bytes()), 65533);
        assert_eq!(signed_of(&i32::MIN.to_ne_bytes()), i64::from(i32::MIN));
        assert_eq!(signed_of(&i64::MIN.to_ne_bytes()), i64::MIN);
        assert_eq!(unsigned_of(&u64::MAX.to_ne_bytes()), u64::MAX);
    }

    #[test]
    fn a_field_ends_with_its_data() {
        let place = Field {
            offset: 2,
            size: 4,
            kind: engine_dlang::program::FieldType::Bytes,
        };
        assert_eq!(field(&place, b"abcdefgh"), b"cdef");
        assert_eq!(field(&place, b"abc"), b"c");
        assert_eq!(field(&place, b"a"), b"");
    }

    #[test]
    fn a_string_ends_with_its_nul() {
        assert_eq!(until_nul(b"ab\0c"), b"ab");
        assert_eq!(until_nul(b"abc"), b"abc");
        assert_eq!(until_nul(b"\0"), b"");
    }
}
