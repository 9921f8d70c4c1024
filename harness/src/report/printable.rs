//! Text of unknown origin as something that can be shown: nothing in it moves a cursor, colours a
//! terminal, turns the direction of writing or hides.

use std::borrow::Cow;

/// `text` with its control characters spelled out; line ends and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
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
    (c.is_control() && !is_layout) || turns || hides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_shown_instead() {
        insta::assert_snapshot!(printable("a\u{1b}[31mb\r\n\t\0\u{7f}\u{9b}\u{202e}é"), @r"
        a\u{1b}[31mb\u{d}
        	\u{0}\u{7f}\u{9b}\u{202e}é
        ");
        assert!(matches!(printable("plain\n"), Cow::Borrowed(_)));
    }
}
