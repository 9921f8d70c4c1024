//! Numbers and sizes in the values of options, for the compiler (`strsize` in a pragma) and the
//! command.

/// A number in C syntax (decimal, octal after 0, hexadecimal after 0x), and the rest of the text.
pub fn number(text: &str) -> Option<(u64, &str)> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', b'0'..=b'9', ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    let end = digits.find(|it: char| !it.is_digit(radix));
    let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
    Some((u64::from_str_radix(digits, radix).ok()?, rest))
}

/// A size in bytes, with an optional unit `k`, `m`, `g` or `t`.
pub fn size(text: &str) -> Option<u64> {
    let (value, unit) = number(text)?;
    let shift = match unit {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        "t" | "T" => 40,
        _ => return None,
    };
    value.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_in_c() {
        for (text, value) in [
            ("0", (0, "")),
            ("10", (10, "")),
            ("010", (8, "")),
            ("0x1Fk", (31, "k")),
            ("7hz", (7, "hz")),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
    }

    #[test]
    fn sizes_have_units() {
        for (text, value) in [
            ("100", 100),
            ("4k", 4096),
            ("4M", 4 << 20),
            ("1t", 1 << 40),
            ("020", 16),
            ("0x10k", 16 << 10),
        ] {
            assert_eq!(size(text), Some(value), "{text}");
        }
        for text in [
            "",
            "k",
            "4kb",
            "4 k",
            "09",
            "0x",
            "-1",
            "18446744073709551615k",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
