//! `printf`, and `printa` with a format.

use engine_dlang::format::{Conversion, Extent, Format, Piece, Specifier};
use engine_dlang::program::{Field, FieldType};
use jiff::tz::TimeZone;

use super::layout::Layout;
use super::number::{Number, number};
use super::{Style, date, field, float, signed_of, stack, text, unsigned_of, until_nul, user};

/// An aggregation's value, printed by a conversion with the flag `@`.
pub trait Aggregated {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>, layout: &Layout, specifier: Specifier);
}

/// Appends a format with its conversions filled in: `@` conversions take the next of `values`, of
/// which the last is repeated; the others take the next field of `data`.
pub fn format(
    out: &mut Vec<u8>,
    style: &Style,
    format: &Format,
    (fields, data): (&[Field], &[u8]),
    values: &[&dyn Aggregated],
) {
    let mut arguments = Arguments {
        fields: fields.iter(),
        data,
        values,
    };
    for piece in &format.0 {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Conversion(conversion) => {
                let layout = arguments.layout(conversion);
                if conversion.flags.aggregation {
                    if let Some(value) = arguments.value() {
                        value.put(out, &layout, conversion.specifier);
                    }
                } else {
                    let (kind, data) = arguments.field();
                    convert(out, style, &layout, conversion.specifier, kind, data);
                }
            }
        }
    }
}

/// The arguments that no conversion has taken yet.
struct Arguments<'a> {
    fields: std::slice::Iter<'a, Field>,
    data: &'a [u8],
    values: &'a [&'a dyn Aggregated],
}

impl<'a> Arguments<'a> {
    /// The next field. The compiler has checked that there are enough.
    fn field(&mut self) -> (FieldType, &'a [u8]) {
        match self.fields.next() {
            Some(next) => (next.kind, field(next, self.data)),
            None => (FieldType::Bytes, &[]),
        }
    }

    fn value(&mut self) -> Option<&'a dyn Aggregated> {
        let (first, rest) = self.values.split_first()?;
        if !rest.is_empty() {
            self.values = rest;
        }
        Some(*first)
    }

    fn layout(&mut self, conversion: &Conversion) -> Layout {
        let layout = Layout {
            flags: conversion.flags,
            ..Layout::default()
        };
        let width = conversion.width.map_or(0, |it| self.extent(it));
        let precision = conversion.precision.map_or(0, |it| self.extent(it));
        layout.with_width(width).with_precision(precision)
    }

    fn extent(&mut self, extent: Extent) -> i64 {
        match extent {
            Extent::Fixed(value) => value.into(),
            Extent::Argument => signed_of(self.field().1),
        }
    }
}

fn convert(
    out: &mut Vec<u8>,
    style: &Style,
    layout: &Layout,
    specifier: Specifier,
    kind: FieldType,
    data: &[u8],
) {
    let mut put = |shown: &[u8]| text::text(out, layout, shown);
    match specifier {
        Specifier::Text => put(until_nul(data)),
        Specifier::EscapedText => put(&text::escaped(until_nul(data))),
        Specifier::Character => layout.put(out, &[unsigned_of(data) as u8]),
        Specifier::PrintableCharacter => put(&text::escaped(&[unsigned_of(data) as u8])),
        Specifier::Address => {
            let address = unsigned_of(data);
            let name = match kind {
                FieldType::KernelAddress(detail) => style.symbols.named(address, detail),
                _ => style.symbols.name(address),
            };
            put(name.as_bytes());
        }
        Specifier::Date => put(date::year_first(unsigned_of(data), &TimeZone::system()).as_bytes()),
        Specifier::MailDate => {
            put(date::of_mail(unsigned_of(data), &TimeZone::system()).as_bytes())
        }
        Specifier::UserAddress => put(user::name(style, kind, data).as_bytes()),
        Specifier::Stack => stack::formatted(out, style, layout, (kind, data)),
        Specifier::Float(letter) => float::float(out, layout, letter, data),
        Specifier::Decimal
        | Specifier::Unsigned
        | Specifier::Octal
        | Specifier::LowerHex
        | Specifier::UpperHex
        | Specifier::Pointer => number(out, layout, specifier, number_of(kind, data)),
    }
}

fn number_of(kind: FieldType, data: &[u8]) -> Number {
    let is_signed = kind == FieldType::Signed;
    Number {
        bits: match is_signed {
            true => signed_of(data) as u64,
            false => unsigned_of(data),
        },
        is_signed,
        size: data.len(),
    }
}

#[cfg(test)]
mod tests {
    use engine_dlang::format::Flags;
    use engine_dlang::program::Detail;
    use proptest::prelude::*;

    use super::super::layout::MAX_EXTENT;
    use super::*;
    use crate::symbols::Symbols;
    use crate::user_symbols::UserSymbols;

    fn piece(specifier: Specifier) -> Conversion {
        Conversion {
            flags: Flags::default(),
            width: None,
            precision: None,
            specifier,
        }
    }

    /// Fields in a row, each padded to a multiple of 8 bytes.
    fn fields(values: &[(FieldType, &[u8])]) -> (Vec<Field>, Vec<u8>) {
        let mut data = Vec::new();
        let mut fields = Vec::new();
        for (kind, bytes) in values {
            fields.push(Field {
                offset: data.len() as u32,
                size: bytes.len() as u32,
                kind: *kind,
            });
            data.extend_from_slice(bytes);
            data.resize(data.len().next_multiple_of(8), 0);
        }
        (fields, data)
    }

    fn printed(pieces: Vec<Piece>, values: &[(FieldType, &[u8])]) -> String {
        String::from_utf8(printed_bytes(pieces, values)).unwrap()
    }

    fn printed_bytes(pieces: Vec<Piece>, values: &[(FieldType, &[u8])]) -> Vec<u8> {
        let style = Style {
            quiet: false,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::parse("1000 T sys_chdir\n2000 T _etext\n", ""),
            users: UserSymbols::default(),
        };
        let (fields, data) = fields(values);
        let mut out = Vec::new();
        format(&mut out, &style, &Format(pieces), (&fields, &data), &[]);
        out
    }

    #[test]
    fn pieces_take_fields_in_order() {
        use FieldType::{Signed, Text, Unsigned};
        let pieces = vec![
            Piece::Text("<".into()),
            Piece::Conversion(piece(Specifier::Text)),
            Piece::Text(" ".into()),
            Piece::Conversion(piece(Specifier::Decimal)),
            Piece::Conversion(piece(Specifier::Character)),
            Piece::Conversion(piece(Specifier::LowerHex)),
            Piece::Text(">".into()),
        ];
        let values: [(_, &[u8]); 4] = [
            (Text, b"bash\0\0"),
            (Signed, &(-7i32).to_ne_bytes()),
            (Signed, b"x"),
            (Unsigned, &0xbeefu64.to_ne_bytes()),
        ];
        assert_eq!(printed(pieces, &values), "<bash -7xbeef>");
    }

    #[test]
    fn a_star_takes_a_field() {
        use FieldType::{Signed, Text};
        let mut conversion = piece(Specifier::Text);
        conversion.width = Some(Extent::Argument);
        conversion.precision = Some(Extent::Argument);
        let values: [(_, &[u8]); 3] = [
            (Signed, &(-6i32).to_ne_bytes()),
            (Signed, &[2]),
            (Text, b"abc\0"),
        ];
        assert_eq!(
            printed(vec![Piece::Conversion(conversion)], &values),
            "ab    "
        );
    }

    proptest! {
        #[test]
        fn any_record_can_be_printed(
            specifier in prop::sample::select(SPECIFIERS),
            kind in prop::sample::select(KINDS),
            (left, zero, plus, alternate) in any::<(bool, bool, bool, bool)>(),
            (width, precision) in (any::<i64>(), any::<i64>()),
            data in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            let flags = Flags { left, zero, plus, alternate, ..Flags::default() };
            let star = Some(Extent::Argument);
            let conversion = Conversion { flags, width: star, precision: star, specifier };
            // Small numbers more often than huge ones.
            let (width, precision) = (width >> (width & 63), precision >> (precision & 63));
            let values: [(_, &[u8]); 3] = [
                (FieldType::Signed, &width.to_ne_bytes()),
                (FieldType::Signed, &precision.to_ne_bytes()),
                (kind, &data),
            ];
            let bytes = printed_bytes(vec![Piece::Conversion(conversion)], &values);
            let least = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX).min(MAX_EXTENT);
            prop_assert!(specifier == Specifier::Stack || bytes.len() >= least);
        }
    }

    const KINDS: &[FieldType] = &[
        FieldType::Signed,
        FieldType::Unsigned,
        FieldType::Text,
        FieldType::Bytes,
        FieldType::Stack,
        FieldType::UserStack,
        FieldType::UserAddress(Detail::Function),
    ];

    const SPECIFIERS: &[Specifier] = &[
        Specifier::Address,
        Specifier::UserAddress,
        Specifier::Character,
        Specifier::PrintableCharacter,
        Specifier::Decimal,
        Specifier::Unsigned,
        Specifier::Octal,
        Specifier::LowerHex,
        Specifier::UpperHex,
        Specifier::Pointer,
        Specifier::Text,
        Specifier::EscapedText,
        Specifier::Float('e'),
        Specifier::Float('F'),
        Specifier::Float('g'),
        Specifier::Stack,
        Specifier::Date,
        Specifier::MailDate,
    ];

    #[test]
    fn an_address_is_named() {
        let mut conversion = piece(Specifier::Address);
        conversion.width = Some(Extent::Fixed(24));
        let values: [(_, &[u8]); 1] = [(FieldType::Unsigned, &0x1010u64.to_ne_bytes())];
        assert_eq!(
            printed(vec![Piece::Conversion(conversion)], &values),
            "  vmlinux`sys_chdir+0x10"
        );
    }

    #[test]
    fn the_last_value_is_repeated() {
        struct Value(u8);
        impl Aggregated for Value {
            fn put(&self, out: &mut Vec<u8>, layout: &Layout, _: Specifier) {
                layout.put(out, &[self.0]);
            }
        }
        let mut conversion = piece(Specifier::Decimal);
        conversion.flags.aggregation = true;
        let pieces = vec![Piece::Conversion(conversion); 3];
        let style = Style {
            quiet: false,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::default(),
            users: UserSymbols::default(),
        };
        let mut out = Vec::new();
        let values: [&dyn Aggregated; 2] = [&Value(b'a'), &Value(b'b')];
        format(&mut out, &style, &Format(pieces), (&[], &[]), &values);
        assert_eq!(out, b"abb");
    }
}
