//! Output without a format: of `trace`, and keys of aggregations.

use engine_dlang::program::FieldType;

use super::bytes::{as_text, dump};
use super::layout::Layout;
use super::number::{Base, signed, unsigned};
use super::text::text;
use super::{Style, signed_of, stack, unsigned_of, until_nul, user};

/// Columns of a number in a key with this many bytes; None if there is no such number.
fn number_width(size: usize) -> Option<i64> {
    match size {
        1 => Some(3),
        2 => Some(5),
        4 => Some(8),
        8 => Some(16),
        _ => None,
    }
}

/// Columns of a traced number: as many as the type's largest number has digits.
fn traced_width(kind: FieldType, size: usize) -> i64 {
    match (size, kind) {
        (1, _) => 3,
        (2, _) => 5,
        (4, _) => 10,
        (_, FieldType::Signed) => 19,
        _ => 20,
    }
}

/// Appends what `trace` recorded.
pub fn trace(out: &mut Vec<u8>, style: &Style, kind: FieldType, data: &[u8]) {
    match kind {
        FieldType::Signed => traced_number(out, style, kind, data, |out, layout| {
            signed(out, layout, signed_of(data));
        }),
        FieldType::Unsigned => traced_number(out, style, kind, data, |out, layout| {
            unsigned(out, layout, Base::Decimal, unsigned_of(data));
        }),
        FieldType::Stack | FieldType::UserStack => stack(out, style, kind, data),
        FieldType::UserAddress(_) | FieldType::KernelAddress(_) => {
            address(out, style, kind, data);
        }
        FieldType::Text | FieldType::Bytes => match shown_as_text(style, kind, data) {
            None => dump(out, dumped(kind, data)),
            Some(shown) if style.quiet => text(out, &Layout::default(), shown),
            Some(shown) => {
                out.extend_from_slice(b"  ");
                text(out, &Layout::of_width(-33), shown);
            }
        },
    }
}

/// Appends the name of an address in its column.
fn address(out: &mut Vec<u8>, style: &Style, kind: FieldType, data: &[u8]) {
    out.extend_from_slice(b"  ");
    let name = match kind {
        FieldType::KernelAddress(detail) => style.symbols.named(unsigned_of(data), detail),
        _ => user::name(style, kind, data),
    };
    text(out, &Layout::of_width(-50), name.as_bytes());
}

/// Appends a number in its column, or alone if quiet.
fn traced_number(
    out: &mut Vec<u8>,
    style: &Style,
    kind: FieldType,
    data: &[u8],
    put: impl FnOnce(&mut Vec<u8>, &Layout),
) {
    if style.quiet {
        return put(out, &Layout::default());
    }
    out.push(b' ');
    put(out, &Layout::of_width(traced_width(kind, data.len())));
}

/// What to print as a string: strings, and bytes that look like one, unless `rawbytes` is set.
fn shown_as_text<'a>(style: &Style, kind: FieldType, data: &'a [u8]) -> Option<&'a [u8]> {
    match kind {
        _ if style.raw_bytes => None,
        FieldType::Text => Some(until_nul(data)),
        _ => as_text(data),
    }
}

/// What to dump: a string has a NUL more than `strsize` says.
fn dumped(kind: FieldType, data: &[u8]) -> &[u8] {
    match (kind, data) {
        (FieldType::Text, [text @ .., _]) => text,
        _ => data,
    }
}

/// Columns of a key's part in front of a histogram on the same line.
pub fn key_width(size: u32) -> i64 {
    number_width(size as usize).unwrap_or(16)
}

/// Appends a part of a key. As in DTrace signedness is ignored: 1 and 2 bytes print unsigned, 4 and
/// 8 signed. `packed` is for a histogram on the same line, where strings have a column, too.
pub fn key(out: &mut Vec<u8>, style: &Style, kind: FieldType, data: &[u8], packed: bool) {
    match kind {
        FieldType::Stack | FieldType::UserStack => stack(out, style, kind, data),
        FieldType::UserAddress(_) | FieldType::KernelAddress(_) => {
            address(out, style, kind, data);
        }
        FieldType::Signed | FieldType::Unsigned => {
            out.push(b' ');
            let layout = Layout::of_width(number_width(data.len()).unwrap_or(16));
            match data.len() {
                1 | 2 => unsigned(out, &layout, Base::Decimal, unsigned_of(data)),
                _ => signed(out, &layout, signed_of(data)),
            }
        }
        FieldType::Text | FieldType::Bytes => match shown_as_text(style, kind, data) {
            None => dump(out, dumped(kind, data)),
            Some(shown) if packed => {
                out.push(b' ');
                text(out, &Layout::of_width(16), shown);
            }
            Some(shown) => {
                out.extend_from_slice(b"  ");
                text(out, &Layout::of_width(-50), shown);
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use engine_dlang::program::Detail;

    use super::*;
    use crate::symbols::Symbols;
    use crate::user_symbols::UserSymbols;

    fn style(quiet: bool) -> Style {
        Style {
            quiet,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::default(),
            users: UserSymbols::default(),
        }
    }

    fn traced(quiet: bool, kind: FieldType, data: &[u8]) -> String {
        let mut out = Vec::new();
        trace(&mut out, &style(quiet), kind, data);
        String::from_utf8(out).unwrap()
    }

    fn as_key(kind: FieldType, data: &[u8], packed: bool) -> String {
        let mut out = Vec::new();
        key(&mut out, &style(false), kind, data, packed);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn number_columns_depend_on_size() {
        use FieldType::{Signed, Unsigned};
        assert_eq!(traced(false, Signed, &[0xff]), "  -1");
        assert_eq!(traced(false, Unsigned, &[0xff]), " 255");
        assert_eq!(traced(false, Signed, &7i16.to_ne_bytes()), "     7");
        assert_eq!(
            traced(false, Signed, &(-7i32).to_ne_bytes()),
            format!(" {:>10}", -7)
        );
        assert_eq!(
            traced(false, Signed, &10i64.to_ne_bytes()),
            format!(" {:>19}", 10)
        );
        assert_eq!(
            traced(false, Unsigned, &10u64.to_ne_bytes()),
            format!(" {:>20}", 10)
        );
        assert_eq!(traced(true, Signed, &(-7i64).to_ne_bytes()), "-7");
    }

    #[test]
    fn strings_have_33_columns() {
        use FieldType::{Bytes, Text};
        let blastoff = "  blastoff!                        ";
        assert_eq!(traced(false, Text, b"blastoff!\0\0\0"), blastoff);
        assert_eq!(traced(false, Bytes, b"blastoff!\0\0\0"), blastoff);
        assert_eq!(traced(true, Text, b"blastoff!\0\0\0"), "blastoff!");
        assert_eq!(traced(true, Text, b"\0\0\0"), "");
        assert!(traced(true, Bytes, b"\0\0\0").contains(": 00 00 00  "));
    }

    #[test]
    fn addresses_of_processes_have_50_columns() {
        let words = [0x7000_0000u64, 0x1000];
        let data: Vec<u8> = words.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let kind = FieldType::UserAddress(Detail::Function);
        let shown = format!("  {:<50}", "0x1000");
        assert_eq!(traced(false, kind, &data), shown);
        assert_eq!(as_key(kind, &data, false), shown);
    }

    #[test]
    fn short_keys_are_unsigned() {
        use FieldType::{Signed, Text};
        assert_eq!(as_key(Signed, &[0xff], false), " 255");
        assert_eq!(as_key(Signed, &(-2i16).to_ne_bytes(), false), " 65534");
        assert_eq!(as_key(Signed, &(-2i32).to_ne_bytes(), false), "       -2");
        assert_eq!(as_key(Text, b"bash\0", false), format!("  {:<50}", "bash"));
        assert_eq!(as_key(Text, b"bash\0", true), format!(" {:>16}", "bash"));
    }
}
