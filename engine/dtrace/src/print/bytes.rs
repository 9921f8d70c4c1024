//! Untyped bytes: printed as a string if they look like one, else dumped.

use super::layout::{Layout, spaces};
use super::until_nul;

/// Columns in front of a dump.
const MARGIN: usize = 5;

/// `bytes` as a string, if they are printable characters followed only by NULs.
pub fn as_text(bytes: &[u8]) -> Option<&[u8]> {
    let text = until_nul(bytes);
    let is_text = !text.is_empty() && text.iter().copied().all(is_printable);
    let only_nuls = bytes[text.len()..].iter().all(|&byte| byte == 0);
    (is_text && only_nuls).then_some(text)
}

/// What DTrace counts as printable: graphic characters, and control characters that terminals act
/// on.
fn is_printable(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | 0x07..=0x0d)
}

/// Appends a dump: offsets, 16 bytes a line, and their characters.
pub fn dump(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'\n');
    spaces(out, MARGIN + 6);
    for digit in b"0123456789abcdef" {
        out.extend_from_slice(&[b' ', b' ', *digit]);
    }
    out.extend_from_slice(b"  0123456789abcdef\n");
    for (line, row) in bytes.chunks(16).enumerate() {
        spaces(out, MARGIN);
        out.extend_from_slice(format!("{:5x}:", line * 16).as_bytes());
        let hex: String = row.iter().map(|byte| format!(" {byte:02x}")).collect();
        Layout::of_width(-48).put(out, hex.as_bytes());
        spaces(out, 2);
        out.extend(row.iter().map(|&byte| match byte {
            b' '..=b'~' => byte,
            _ => b'.',
        }));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_bytes_are_a_string() {
        assert_eq!(as_text(b"abc\0\0"), Some(&b"abc"[..]));
        assert_eq!(as_text(b"a\tb\n"), Some(&b"a\tb\n"[..]));
        for other in [&b"\0\0"[..], b"abc\0d", b"\x01", b"\xff", b""] {
            assert_eq!(as_text(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_dump_has_columns() {
        let mut out = Vec::new();
        dump(&mut out, b"0123456789abcdef\x00\xff~");
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "
             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef
        10: 00 ff 7e                                         ..~
"
        );
    }
}
