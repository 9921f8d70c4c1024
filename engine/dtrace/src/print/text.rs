//! Strings and characters.

use super::layout::Layout;

/// Appends a string, truncated to the precision.
pub fn text(out: &mut Vec<u8>, layout: &Layout, text: &[u8]) {
    let end = layout.precision.map_or(text.len(), |it| it.min(text.len()));
    layout.put(out, &text[..end]);
}

/// `text` with C escapes for unprintable characters, quotes and backslashes.
pub fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        escape(&mut out, byte);
    }
    out
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        0 => b'0',
        0x07 => b'a',
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x0b => b'v',
        b'"' | b'\\' => byte,
        b' '..=b'~' => return out.push(byte),
        _ => return out.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precision_truncates_a_string() {
        let mut out = Vec::new();
        let layout = Layout::of_width(-6).with_precision(3);
        text(&mut out, &layout, b"abcdef");
        text(&mut out, &layout, b"a");
        assert_eq!(out, b"abc   a     ");
    }

    #[test]
    fn unprintable_characters_are_escaped() {
        assert_eq!(escaped(b"a b~"), b"a b~");
        assert_eq!(
            escaped(b"\0\x07\x08\x0c\n\r\t\x0b\"\\"),
            br#"\0\a\b\f\n\r\t\v\"\\"#
        );
        assert_eq!(escaped(b"\x01\x7f\xff"), br"\001\177\377");
    }
}
