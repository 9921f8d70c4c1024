//! Integers as C's printf prints them.

use engine_dlang::format::Specifier;

use super::layout::Layout;

/// The base, and with it the prefix of the alternate form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// `%u`
    Decimal,
    /// `%o`
    Octal,
    /// `%x`
    LowerHex,
    /// `%X`
    UpperHex,
}

/// Appends a signed number.
pub fn signed(out: &mut Vec<u8>, layout: &Layout, value: i64) {
    let digits = value.unsigned_abs().to_string();
    put(out, layout, layout.sign(value < 0), digits);
}

/// Appends an unsigned number.
pub fn unsigned(out: &mut Vec<u8>, layout: &Layout, base: Base, value: u64) {
    let digits = match base {
        Base::Decimal => value.to_string(),
        Base::Octal if layout.flags.alternate && value != 0 => format!("0{value:o}"),
        Base::Octal => format!("{value:o}"),
        Base::LowerHex => format!("{value:x}"),
        Base::UpperHex => format!("{value:X}"),
    };
    let prefix = match base {
        Base::LowerHex if layout.flags.alternate && value != 0 => "0x",
        Base::UpperHex if layout.flags.alternate && value != 0 => "0X",
        _ => "",
    };
    put(out, layout, prefix, digits);
}

/// Appends a number as `specifier` says; in decimal if that is not for numbers.
pub fn number(out: &mut Vec<u8>, layout: &Layout, specifier: Specifier, value: Number) {
    let base = match specifier {
        Specifier::Octal => Base::Octal,
        Specifier::LowerHex | Specifier::Pointer => Base::LowerHex,
        Specifier::UpperHex => Base::UpperHex,
        Specifier::Unsigned => Base::Decimal,
        _ if value.is_signed => return signed(out, layout, value.bits as i64),
        _ => Base::Decimal,
    };
    unsigned(out, layout, base, value.bits & value.mask());
}

/// A number from a record or an aggregation.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// Its value, extended to 64 bits by its signedness.
    pub bits: u64,
    /// Whether its type is signed.
    pub is_signed: bool,
    /// The size of its type in bytes.
    pub size: usize,
}

impl Number {
    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size.clamp(1, 8))
    }
}

/// Zeros go between prefix and digits: as many as the precision demands, or else with the flag `0`
/// as fill the width. The flag `'` has no effect, as in the C locale.
fn put(out: &mut Vec<u8>, layout: &Layout, prefix: &str, digits: String) {
    let wanted = match layout.precision {
        Some(precision) => precision,
        None if layout.flags.zero && !layout.flags.left => {
            layout.width.saturating_sub(prefix.len())
        }
        None => 0,
    };
    let zeros = wanted.saturating_sub(digits.len());
    let text = [prefix, &"0".repeat(zeros), &digits].concat();
    layout.put(out, text.as_bytes());
}

#[cfg(test)]
mod tests {
    use engine_dlang::format::Flags;

    use super::*;

    /// Parses `flags width.precision`, as in a format.
    fn layout(text: &str) -> Layout {
        let digits = text.trim_start_matches(['-', '0', '+', ' ', '#', '\'']);
        let flags = &text[..text.len() - digits.len()];
        let (width, precision) = digits.split_once('.').unwrap_or((digits, "0"));
        let left = flags.contains('-');
        let read = |text: &str| text.parse().unwrap_or(0);
        Layout {
            flags: Flags {
                left,
                zero: flags.contains('0') && !left,
                plus: flags.contains('+'),
                space: flags.contains(' '),
                alternate: flags.contains('#'),
                group: flags.contains('\''),
                aggregation: false,
            },
            ..Layout::default()
        }
        .with_width(if left { -read(width) } else { read(width) })
        .with_precision(read(precision))
    }

    fn decimal(format: &str, value: i64) -> String {
        let mut out = Vec::new();
        signed(&mut out, &layout(format), value);
        String::from_utf8(out).unwrap()
    }

    fn based(format: &str, base: Base, value: u64) -> String {
        let mut out = Vec::new();
        unsigned(&mut out, &layout(format), base, value);
        String::from_utf8(out).unwrap()
    }

    /// The expectations are what glibc's printf(1) prints.
    #[test]
    fn signed_numbers_are_printed_as_in_c() {
        for (format, value, printed) in [
            ("", 0, "0"),
            ("", i64::MIN, "-9223372036854775808"),
            ("5", 42, "   42"),
            ("-5", 42, "42   "),
            ("05", 42, "00042"),
            ("05", -42, "-0042"),
            ("+", 42, "+42"),
            (" ", 42, " 42"),
            ("+ ", 42, "+42"),
            ("+05", 42, "+0042"),
            (".4", 42, "0042"),
            (".4", -42, "-0042"),
            ("8.4", -42, "   -0042"),
            ("-8.4", -42, "-0042   "),
            ("08.4", 42, "    0042"),
            ("#", 42, "42"),
            ("'", 1234567, "1234567"),
        ] {
            assert_eq!(decimal(format, value), printed, "%{format}d of {value}");
        }
    }

    #[test]
    fn unsigned_conversions_see_the_bits_of_the_type() {
        let value = Number {
            bits: -2i64 as u64,
            is_signed: true,
            size: 1,
        };
        for (specifier, printed) in [
            (Specifier::Decimal, "-2"),
            (Specifier::Unsigned, "254"),
            (Specifier::LowerHex, "fe"),
            (Specifier::Pointer, "fe"),
            (Specifier::Octal, "376"),
        ] {
            let mut out = Vec::new();
            number(&mut out, &Layout::default(), specifier, value);
            assert_eq!(String::from_utf8(out).unwrap(), printed);
        }
    }

    #[test]
    fn unsigned_numbers_are_printed_as_in_c() {
        use Base::*;
        for (format, base, value, printed) in [
            ("", Decimal, u64::MAX, "18446744073709551615"),
            ("+", Decimal, 1, "1"),
            ("", Octal, 8, "10"),
            ("#", Octal, 8, "010"),
            ("#", Octal, 0, "0"),
            ("#.4", Octal, 8, "0010"),
            ("", LowerHex, 255, "ff"),
            ("#", LowerHex, 255, "0xff"),
            ("#", LowerHex, 0, "0"),
            ("#", UpperHex, 255, "0XFF"),
            ("#08", LowerHex, 255, "0x0000ff"),
            ("#8", LowerHex, 255, "    0xff"),
            ("#-8", LowerHex, 255, "0xff    "),
            ("#8.4", LowerHex, 255, "  0x00ff"),
        ] {
            let output = based(format, base, value);
            assert_eq!(output, printed, "%{format} {base:?} of {value}");
        }
    }
}
