//! The table of conversions.

use crate::format::Specifier;
use crate::types::{INT, LDOUBLE, LONG, LONGLONG, SHORT, TypeId, ULONG, ULONGLONG, USHORT};

use Specifier as S;
use Wants as W;

/// The type that an argument must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Address,
    /// An address in the target process.
    UserAddress,
    Character,
    Integer,
    Fraction,
    /// Exactly this type.
    Exactly(TypeId),
    /// An integer of this rank, signed or unsigned.
    Rank(u8),
    Text,
    Time,
    Stack,
}

/// A conversion by its name: its specifier, the type it requires, and DTrace's wording for that.
pub(super) type Row = (&'static str, Specifier, Wants, &'static str);

const INTEGER: &str = "char, short, int, long, or long long";
const FRACTION: &str = "float, double, or long double";
const TEXT: &str = "char [] or string (or use stringof)";
const ADDRESS: &str = "pointer or integer";
const USER_ADDRESS: &str = "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)";
const CHARACTER: &str = "char, short, or int";

pub(super) const ROWS: &[Row] = &[
    ("a", S::Address, W::Address, ADDRESS),
    ("A", S::UserAddress, W::UserAddress, USER_ADDRESS),
    ("c", S::Character, W::Character, CHARACTER),
    ("C", S::PrintableCharacter, W::Character, CHARACTER),
    ("d", S::Decimal, W::Integer, INTEGER),
    ("e", S::Float('e'), W::Fraction, FRACTION),
    ("E", S::Float('E'), W::Fraction, FRACTION),
    ("f", S::Float('f'), W::Fraction, FRACTION),
    ("g", S::Float('g'), W::Fraction, FRACTION),
    ("G", S::Float('G'), W::Fraction, FRACTION),
    ("hd", S::Decimal, W::Exactly(SHORT), "short"),
    ("hi", S::Decimal, W::Exactly(SHORT), "short"),
    ("ho", S::Octal, W::Exactly(USHORT), "unsigned short"),
    ("hu", S::Unsigned, W::Exactly(USHORT), "unsigned short"),
    ("hx", S::LowerHex, W::Rank(2), "short"),
    ("hX", S::UpperHex, W::Rank(2), "short"),
    ("i", S::Decimal, W::Integer, INTEGER),
    ("k", S::Stack, W::Stack, "stack"),
    ("lc", S::Character, W::Exactly(INT), "int"),
    ("ld", S::Decimal, W::Exactly(LONG), "long"),
    ("li", S::Decimal, W::Exactly(LONG), "long"),
    ("lo", S::Octal, W::Exactly(ULONG), "unsigned long"),
    ("lu", S::Unsigned, W::Exactly(ULONG), "unsigned long"),
    ("lx", S::LowerHex, W::Rank(4), "long"),
    ("lX", S::UpperHex, W::Rank(4), "long"),
    ("lld", S::Decimal, W::Exactly(LONGLONG), "long long"),
    ("lli", S::Decimal, W::Exactly(LONGLONG), "long long"),
    ("llo", S::Octal, W::Exactly(ULONGLONG), "unsigned long long"),
    (
        "llu",
        S::Unsigned,
        W::Exactly(ULONGLONG),
        "unsigned long long",
    ),
    ("llx", S::LowerHex, W::Rank(5), "long long"),
    ("llX", S::UpperHex, W::Rank(5), "long long"),
    ("Le", S::Float('e'), W::Exactly(LDOUBLE), "long double"),
    ("LE", S::Float('E'), W::Exactly(LDOUBLE), "long double"),
    ("Lf", S::Float('f'), W::Exactly(LDOUBLE), "long double"),
    ("Lg", S::Float('g'), W::Exactly(LDOUBLE), "long double"),
    ("LG", S::Float('G'), W::Exactly(LDOUBLE), "long double"),
    ("o", S::Octal, W::Integer, INTEGER),
    ("p", S::Pointer, W::Address, ADDRESS),
    ("s", S::Text, W::Text, TEXT),
    ("S", S::EscapedText, W::Text, TEXT),
    ("T", S::MailDate, W::Time, "int64_t"),
    ("u", S::Unsigned, W::Integer, INTEGER),
    ("wc", S::Character, W::Exactly(INT), "int"),
    ("x", S::LowerHex, W::Integer, INTEGER),
    ("X", S::UpperHex, W::Integer, INTEGER),
    ("Y", S::Date, W::Time, "int64_t"),
];
