//! Formats: from their text to conversions, and whether the arguments go with them.

use crate::error::Mistake;
use crate::format::{Conversion, Extent, Flags, Format, Piece, Specifier};
use crate::tag::Tag;
use crate::types::{
    INT, INT64, LDOUBLE, LONG, LONGLONG, SHORT, STACK, Type, TypeId, Types, UINT64, ULONG,
    ULONGLONG, USHORT,
};

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    Address,
    /// An address of the process that is traced.
    UserAddress,
    Character,
    Integer,
    Fraction,
    /// A type and none other.
    Exactly(TypeId),
    /// A type, or the unsigned one of it.
    Rank(u8),
    Text,
    Time,
    Stack,
}

/// A conversion by its name: what it prints, what it wants, and what DTrace says that it wants.
type Row = (&'static str, Specifier, Wants, &'static str);

const INTEGER: &str = "char, short, int, long, or long long";
const FRACTION: &str = "float, double, or long double";
const TEXT: &str = "char [] or string (or use stringof)";
const ADDRESS: &str = "pointer or integer";
const USER_ADDRESS: &str = "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)";
const CHARACTER: &str = "char, short, or int";

const ROWS: &[Row] = &[
    ("a", Specifier::Address, Wants::Address, ADDRESS),
    ("A", Specifier::Address, Wants::UserAddress, USER_ADDRESS),
    ("c", Specifier::Character, Wants::Character, CHARACTER),
    (
        "C",
        Specifier::PrintableCharacter,
        Wants::Character,
        CHARACTER,
    ),
    ("d", Specifier::Decimal, Wants::Integer, INTEGER),
    ("e", Specifier::Float('e'), Wants::Fraction, FRACTION),
    ("E", Specifier::Float('E'), Wants::Fraction, FRACTION),
    ("f", Specifier::Float('f'), Wants::Fraction, FRACTION),
    ("g", Specifier::Float('g'), Wants::Fraction, FRACTION),
    ("G", Specifier::Float('G'), Wants::Fraction, FRACTION),
    ("hd", Specifier::Decimal, Wants::Exactly(SHORT), "short"),
    ("hi", Specifier::Decimal, Wants::Exactly(SHORT), "short"),
    (
        "ho",
        Specifier::Octal,
        Wants::Exactly(USHORT),
        "unsigned short",
    ),
    (
        "hu",
        Specifier::Unsigned,
        Wants::Exactly(USHORT),
        "unsigned short",
    ),
    ("hx", Specifier::LowerHex, Wants::Rank(2), "short"),
    ("hX", Specifier::UpperHex, Wants::Rank(2), "short"),
    ("i", Specifier::Decimal, Wants::Integer, INTEGER),
    ("k", Specifier::Stack, Wants::Stack, "stack"),
    ("lc", Specifier::Character, Wants::Exactly(INT), "int"),
    ("ld", Specifier::Decimal, Wants::Exactly(LONG), "long"),
    ("li", Specifier::Decimal, Wants::Exactly(LONG), "long"),
    (
        "lo",
        Specifier::Octal,
        Wants::Exactly(ULONG),
        "unsigned long",
    ),
    (
        "lu",
        Specifier::Unsigned,
        Wants::Exactly(ULONG),
        "unsigned long",
    ),
    ("lx", Specifier::LowerHex, Wants::Rank(4), "long"),
    ("lX", Specifier::UpperHex, Wants::Rank(4), "long"),
    (
        "lld",
        Specifier::Decimal,
        Wants::Exactly(LONGLONG),
        "long long",
    ),
    (
        "lli",
        Specifier::Decimal,
        Wants::Exactly(LONGLONG),
        "long long",
    ),
    (
        "llo",
        Specifier::Octal,
        Wants::Exactly(ULONGLONG),
        "unsigned long long",
    ),
    (
        "llu",
        Specifier::Unsigned,
        Wants::Exactly(ULONGLONG),
        "unsigned long long",
    ),
    ("llx", Specifier::LowerHex, Wants::Rank(5), "long long"),
    ("llX", Specifier::UpperHex, Wants::Rank(5), "long long"),
    (
        "Le",
        Specifier::Float('e'),
        Wants::Exactly(LDOUBLE),
        "long double",
    ),
    (
        "LE",
        Specifier::Float('E'),
        Wants::Exactly(LDOUBLE),
        "long double",
    ),
    (
        "Lf",
        Specifier::Float('f'),
        Wants::Exactly(LDOUBLE),
        "long double",
    ),
    (
        "Lg",
        Specifier::Float('g'),
        Wants::Exactly(LDOUBLE),
        "long double",
    ),
    (
        "LG",
        Specifier::Float('G'),
        Wants::Exactly(LDOUBLE),
        "long double",
    ),
    ("o", Specifier::Octal, Wants::Integer, INTEGER),
    ("p", Specifier::Pointer, Wants::Address, ADDRESS),
    ("s", Specifier::Text, Wants::Text, TEXT),
    ("S", Specifier::EscapedText, Wants::Text, TEXT),
    ("T", Specifier::MailDate, Wants::Time, "int64_t"),
    ("u", Specifier::Unsigned, Wants::Integer, INTEGER),
    ("wc", Specifier::Character, Wants::Exactly(INT), "int"),
    ("x", Specifier::LowerHex, Wants::Integer, INTEGER),
    ("X", Specifier::UpperHex, Wants::Integer, INTEGER),
    ("Y", Specifier::Date, Wants::Time, "int64_t"),
];

/// A part of a format.
enum Part {
    Text(String),
    Conversion {
        conversion: Conversion,
        row: &'static Row,
        /// Which of the conversions it is, from 1.
        number: usize,
    },
}

/// What a format is for.
pub(crate) struct Use<'u> {
    /// `printf` or `printa`.
    pub function: &'static str,
    pub types: &'u Types,
    /// The types of the arguments, or of the parts of the aggregation's key.
    pub arguments: &'u [TypeId],
    /// Of `printa`: whether the aggregation only counts.
    pub aggregation: Option<bool>,
    /// Whether there is a traced process.
    pub has_target: bool,
    pub line: u32,
}

impl Use<'_> {
    /// The format that `text` is.
    pub(crate) fn format(&self, text: &[u8]) -> Result<Format, Mistake> {
        if text.is_empty() {
            let message = format!("{}( ) format string is empty", self.function);
            return Err(self.mistake(Tag::PrintfFmtEmpty, message));
        }
        let text = String::from_utf8_lossy(text);
        let parts = parse(&text, self.types.pointer);
        let parts = parts.map_err(|message| self.mistake(Tag::Syntax, message))?;
        self.check(&parts)?;
        let pieces = parts.into_iter().map(|part| match part {
            Part::Text(text) => Piece::Text(text),
            Part::Conversion { conversion, .. } => Piece::Conversion(conversion),
        });
        Ok(Format(pieces.collect()))
    }

    fn mistake(&self, tag: Tag, message: String) -> Mistake {
        Mistake::new(tag, self.line, message)
    }

    fn check(&self, parts: &[Part]) -> Result<(), Mistake> {
        let mut taken = 0;
        for part in parts {
            if let Part::Conversion {
                conversion,
                row,
                number,
            } = part
            {
                self.check_extents(conversion, row.0, *number, &mut taken)?;
                self.check_value(conversion, row, *number, &mut taken)?;
            }
        }
        if self.aggregation.is_none() && taken < self.arguments.len() {
            let function = self.function;
            let message = format!(
                "{function}( ) prototype mismatch: only {taken} arguments required by this format \
                 string"
            );
            return Err(self.mistake(Tag::PrintfArgExtra, message));
        }
        Ok(())
    }

    /// The arguments that `*` takes: the width first.
    fn check_extents(
        &self,
        conversion: &Conversion,
        name: &str,
        number: usize,
        taken: &mut usize,
    ) -> Result<(), Mistake> {
        let function = self.function;
        for (extent, sign) in [(conversion.width, "*"), (conversion.precision, ".*")] {
            if extent != Some(Extent::Argument) {
                continue;
            }
            let Some(argument) = self.arguments.get(*taken) else {
                let message = format!(
                    "{function}( ) prototype mismatch: conversion #{number} (%{name}) is missing a \
                     corresponding \"{sign}\" argument"
                );
                return Err(self.mistake(Tag::PrintfDynProto, message));
            };
            if !self.types.is_integer(*argument) {
                let message = format!(
                    "{function}( ) argument #{} is incompatible with conversion #{number} \
                     prototype:\n\tconversion: % {sign} {name}\n\t prototype: int\n\t  argument: {}",
                    *taken + 2,
                    self.types.name(*argument)
                );
                return Err(self.mistake(Tag::PrintfDynType, message));
            }
            *taken += 1;
        }
        Ok(())
    }

    fn check_value(
        &self,
        conversion: &Conversion,
        row: &Row,
        number: usize,
        taken: &mut usize,
    ) -> Result<(), Mistake> {
        let (name, _, wants, prototype) = row;
        let function = self.function;
        let (what, type_) = if conversion.flags.aggregation {
            ("aggregating action".to_owned(), self.aggregated()?)
        } else {
            let Some(argument) = self.arguments.get(*taken) else {
                let message = format!(
                    "{function}( ) prototype mismatch: conversion #{number} (%{name}) is missing a \
                     corresponding value argument"
                );
                return Err(self.mistake(Tag::PrintfArgProto, message));
            };
            *taken += 1;
            (format!("argument #{}", *taken + 1), *argument)
        };
        if self.fits(*wants, type_) {
            return Ok(());
        }
        let message = format!(
            "{function}( ) {what} is incompatible with conversion #{number} prototype:\n\
             \tconversion: %{name}\n\t prototype: {prototype}\n\t  argument: {}",
            self.types.name(type_)
        );
        Err(self.mistake(Tag::PrintfArgType, message))
    }

    /// The type of an aggregation's value.
    fn aggregated(&self) -> Result<TypeId, Mistake> {
        match self.aggregation {
            Some(is_count) => Ok(if is_count { UINT64 } else { INT64 }),
            None => {
                let message = format!(
                    "%@ conversion requires an aggregation and is not for use with {}( )",
                    self.function
                );
                Err(self.mistake(Tag::PrintfAggConv, message))
            }
        }
    }

    fn fits(&self, wants: Wants, type_: TypeId) -> bool {
        let types = self.types;
        let integer = types.integer(type_);
        let is_address = integer.is_some() || types.is_pointer(type_) || types.is_array(type_);
        match wants {
            Wants::Address => is_address,
            Wants::UserAddress => is_address && self.has_target,
            Wants::Character => integer.is_some_and(|it| it.size <= 4),
            Wants::Integer => integer.is_some(),
            Wants::Fraction => types.is_float(type_),
            Wants::Exactly(wanted) => types.base(type_) == wanted,
            Wants::Rank(5) => {
                integer.is_some_and(|it| it.rank == 5)
                    || types.goes_by(type_, "int64_t")
                    || types.goes_by(type_, "uint64_t")
            }
            Wants::Rank(rank) => integer.is_some_and(|it| it.rank == rank),
            Wants::Text => {
                let is_array =
                    matches!(types.kind(type_), Type::Array(of, _) if types.is_character(*of));
                types.is_text(type_) || is_array
            }
            Wants::Time => integer.is_some_and(|it| it.size == 8),
            Wants::Stack => types.base(type_) == STACK,
        }
    }
}

/// The parts of a format.
fn parse(text: &str, pointer: u32) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    let mut number = 0;
    while let Some((before, behind)) = rest.split_once('%') {
        plain.push_str(before);
        number += 1;
        let (conversion, row, behind) = match behind.strip_prefix('%') {
            Some(behind) => {
                plain.push('%');
                rest = behind;
                continue;
            }
            None => Reading::new(behind, number, pointer).conversion()?,
        };
        if !plain.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut plain)));
        }
        parts.push(Part::Conversion {
            conversion,
            row,
            number,
        });
        rest = behind;
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// A conversion that is being read.
struct Reading<'t> {
    rest: &'t str,
    number: usize,
    /// How wide `?` is.
    address: u32,
    conversion: Conversion,
    name: String,
    has_point: bool,
    has_digits: bool,
}

impl<'t> Reading<'t> {
    fn new(rest: &'t str, number: usize, pointer: u32) -> Self {
        Self {
            rest,
            number,
            address: 2 * pointer,
            conversion: Conversion {
                flags: Flags::default(),
                width: None,
                precision: None,
                specifier: Specifier::Decimal,
            },
            name: String::new(),
            has_point: false,
            has_digits: false,
        }
    }

    /// The conversion, and what is behind it.
    fn conversion(mut self) -> Result<(Conversion, &'static Row, &'t str), String> {
        loop {
            let mut signs = self.rest.chars();
            let Some(sign) = signs.next() else {
                return Err(self.wrong("name expected before end of format string"));
            };
            if let '0'..='9' = sign {
                self.digits();
                continue;
            }
            self.rest = signs.as_str();
            if !self.flag(sign)? {
                self.name.push(sign);
                break;
            }
        }
        let Some(row) = ROWS.iter().find(|row| row.0 == self.name) else {
            let why = format!("is undefined: %{}", self.name);
            return Err(self.wrong(&why));
        };
        self.conversion.specifier = row.1;
        Ok((self.conversion, row, self.rest))
    }

    fn wrong(&self, why: &str) -> String {
        format!("format conversion #{} {why}", self.number)
    }

    /// Digits: the flag `0`, a width or a precision.
    fn digits(&mut self) {
        let rest = self
            .rest
            .trim_start_matches(|sign: char| sign.is_ascii_digit());
        let digits = &self.rest[..self.rest.len() - rest.len()];
        if let Some(more) = digits.strip_prefix('0')
            && !self.has_point
            && !self.has_digits
        {
            self.conversion.flags.zero = true;
            self.conversion.flags.left = false;
            self.rest = &self.rest[self.rest.len() - rest.len() - more.len()..];
            return;
        }
        self.has_digits = true;
        self.rest = rest;
        // As in DTrace, one of 0 is none.
        let number = digits.parse().unwrap_or(u32::MAX).min(i32::MAX as u32);
        let extent = (number > 0).then_some(Extent::Fixed(number));
        if self.has_point {
            self.conversion.precision = extent;
        } else {
            self.conversion.width = extent;
        }
    }

    /// Whether the sign stands before a conversion's name, or is a part of it that more follows.
    fn flag(&mut self, sign: char) -> Result<bool, String> {
        let flags = &mut self.conversion.flags;
        match sign {
            '#' => flags.alternate = true,
            '+' => flags.plus = true,
            '-' => {
                flags.left = true;
                flags.zero = false;
            }
            '@' => flags.aggregation = true,
            '\'' => flags.group = true,
            ' ' => flags.space = true,
            '?' => self.conversion.width = Some(Extent::Fixed(self.address)),
            '*' => self.star()?,
            '.' => {
                if std::mem::replace(&mut self.has_point, true) {
                    return Err(self.wrong("has more than one '.' specified"));
                }
                self.has_digits = false;
            }
            'h' | 'l' | 'L' | 'w' => {
                if self.name.len() < 6 {
                    self.name.push(sign);
                }
            }
            '$' => return Err(self.wrong("uses unsupported positional format (%n$)")),
            '%' => return Err(self.wrong("cannot be combined with other format flags: %%")),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn star(&mut self) -> Result<(), String> {
        let extent = if self.has_point {
            &mut self.conversion.precision
        } else {
            &mut self.conversion.width
        };
        if extent.replace(Extent::Argument) == Some(Extent::Argument) {
            // DTrace says so of either.
            return Err(self.wrong("has more than one '*' specified for the output precision"));
        }
        Ok(())
    }
}
