//! Escapes untrusted text for display: no control sequences, no bidirectional or invisible
//! characters, and none that XML does not allow.

use std::borrow::Cow;

/// `text` with harmful characters escaped; newlines and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
}

/// The same with newlines escaped too, so that text cannot imitate further lines.
pub fn in_line(text: &str) -> Cow<'_, str> {
    match text.contains('\n') {
        true => printable(&text.replace('\n', "\\n")).into_owned().into(),
        false => printable(text),
    }
}

fn shown(c: char) -> String {
    match is_harmful(c) {
        true => c.escape_unicode().to_string(),
        false => c.to_string(),
    }
}

fn is_harmful(c: char) -> bool {
    let is_layout = c == '\n' || c == '\t';
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let hides = matches!(
        c,
        '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}'
    );
    let is_none = matches!(c, '\u{fffe}' | '\u{ffff}');
    (c.is_control() && !is_layout) || turns || hides || is_none
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        insta::assert_snapshot!(printable("a\u{1b}[31mb\r\n\t\0\u{7f}\u{9b}\u{202e}é"), @r"
        a\u{1b}[31mb\u{d}
        	\u{0}\u{7f}\u{9b}\u{202e}é
        ");
        assert!(matches!(printable("plain\n"), Cow::Borrowed(_)));
        assert_eq!(
            printable("\u{fffd}\u{fffe}\u{ffff}"),
            "\u{fffd}\\u{fffe}\\u{ffff}"
        );
    }

    #[test]
    fn newlines_are_escaped_in_a_line() {
        assert_eq!(
            in_line("died\npass   armv6 \u{1b}"),
            "died\\npass   armv6 \\u{1b}"
        );
        assert!(matches!(in_line("plain"), Cow::Borrowed("plain")));
    }
}
