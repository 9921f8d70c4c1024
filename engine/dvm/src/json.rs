//! `json`: selects an element of a JSON text.
//!
//! The result is a part of the text: a string without its quotes, but with its escapes; a number or
//! a word as it is; an object or an array whole. No byte is read more than a few times, whatever the
//! nesting, and nothing recurses.

use core::ops::Range;

/// The element that `path` selects: names of members and numbers of items, separated by `.` or in
/// brackets, as in `users[3].name`. `None` if it does not exist, or where the text is malformed up
/// to it.
pub(crate) fn select(text: &[u8], path: &[u8]) -> Option<Range<usize>> {
    let elements = path.split(|byte| b".[]".contains(byte));
    let mut elements = elements.filter(|element| !element.is_empty());
    let text = Text(text);
    let mut at = text.enter(text.blank(0), elements.next()?)?;
    for element in elements {
        at = text.enter(at, element)?;
    }
    text.value(at).map(|value| value.content)
}

/// A JSON text, indexed by bytes.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

/// A value.
struct Value {
    /// What `json` returns of it.
    content: Range<usize>,
    /// The first byte after it.
    end: usize,
}

impl Text<'_> {
    fn byte(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    /// The first byte at or after `at` that is not of this kind.
    fn skip(self, at: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.0.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is(*byte));
        at.wrapping_add(length.unwrap_or(rest.len()))
    }

    fn blank(self, at: usize) -> usize {
        self.skip(at, |byte| byte.is_ascii_whitespace() || byte == 0x0b)
    }

    /// The first byte after a sign, which must be next, and after white space.
    fn expect(self, at: usize, sign: u8) -> Option<usize> {
        let at = self.blank(at);
        (self.byte(at)? == sign).then(|| self.blank(at.wrapping_add(1)))
    }

    /// The place of an element of the object or array here.
    fn enter(self, at: usize, element: &[u8]) -> Option<usize> {
        let inside = self.blank(at.wrapping_add(1));
        match self.byte(at)? {
            b'{' => self.member(inside, element),
            b'[' => self.item(inside, index(element)?),
            _ => None,
        }
    }

    fn member(self, mut at: usize, name: &[u8]) -> Option<usize> {
        loop {
            let key = self.string(at)?;
            let value = self.expect(key.end, b':')?;
            if self.0.get(key.content)? == name {
                return Some(value);
            }
            at = self.expect(self.value(value)?.end, b',')?;
        }
    }

    fn item(self, mut at: usize, number: u64) -> Option<usize> {
        for _ in 0..number {
            at = self.expect(self.value(at)?.end, b',')?;
        }
        (self.byte(at)? != b']').then_some(at)
    }

    fn value(self, at: usize) -> Option<Value> {
        match self.byte(at)? {
            b'"' => self.string(at),
            b'{' | b'[' => self.nested(at),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => self.word(at),
        }
    }

    fn string(self, at: usize) -> Option<Value> {
        let begin = at.wrapping_add(1);
        let mut end = begin;
        if self.byte(at)? != b'"' {
            return None;
        }
        loop {
            match (self.byte(end)?, self.byte(end.wrapping_add(1))) {
                (b'"', _) => break,
                (b'\\', Some(b'u')) => end = self.unicode(end.wrapping_add(2))?,
                (b'\\', _) => end = end.wrapping_add(2),
                _ => end = end.wrapping_add(1),
            }
        }
        Some(Value {
            content: begin..end,
            end: end.wrapping_add(1),
        })
    }

    /// The first byte after four hexadecimal digits.
    fn unicode(self, at: usize) -> Option<usize> {
        let digits = self.0.get(at..at.wrapping_add(4))?;
        let are = digits.iter().all(u8::is_ascii_hexdigit);
        are.then(|| at.wrapping_add(4))
    }

    fn number(self, at: usize) -> Option<Value> {
        let end = self.skip(at, |byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        self.plain(at, end)
    }

    fn word(self, at: usize) -> Option<Value> {
        let end = self.skip(at, |byte| byte.is_ascii_lowercase());
        let word = self.0.get(at..end)?;
        let is_known = [&b"true"[..], b"false", b"null"].contains(&word);
        is_known.then(|| self.plain(at, end)).flatten()
    }

    /// A value without delimiters of its own; what follows must not belong to it.
    fn plain(self, at: usize, end: usize) -> Option<Value> {
        let next = self.byte(end);
        let goes_on = next.is_some_and(|byte| byte.is_ascii_alphanumeric());
        (!goes_on).then_some(Value {
            content: at..end,
            end,
        })
    }

    /// An object or an array, up to its own closing bracket.
    fn nested(self, begin: usize) -> Option<Value> {
        let (mut braces, mut brackets) = (0_usize, 0_usize);
        let mut at = begin;
        loop {
            match self.byte(at)? {
                b'"' => at = self.string(at)?.end.wrapping_sub(1),
                b'{' => braces = braces.wrapping_add(1),
                b'[' => brackets = brackets.wrapping_add(1),
                b'}' => braces = braces.checked_sub(1)?,
                b']' => brackets = brackets.checked_sub(1)?,
                _ => {}
            }
            at = at.wrapping_add(1);
            if braces == 0 && brackets == 0 {
                return Some(Value {
                    content: begin..at,
                    end: at,
                });
            }
        }
    }
}

/// The number of an item.
fn index(element: &[u8]) -> Option<u64> {
    element.iter().try_fold(0_u64, |value, byte| {
        let worth = byte.checked_sub(b'0').filter(|worth| *worth < 10)?;
        value.checked_mul(10)?.checked_add(worth.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#" { "name": "a \"b\" \u00e9", "size" : -1.5e+3 ,
        "is": true, "was": false, "no": null, "list": [ 10, [20, 21], {"x": "y"}, "" ],
        "a": { "b": { "c": "}" }, "name": 7 }, "last": 0 } "#;

    fn found<'a>(text: &'a str, path: &str) -> Option<&'a str> {
        select(text.as_bytes(), path.as_bytes()).map(|it| &text[it])
    }

    #[test]
    fn elements_are_selected() {
        for (path, expected) in [
            ("name", r#"a \"b\" \u00e9"#),
            ("size", "-1.5e+3"),
            ("is", "true"),
            ("was", "false"),
            ("no", "null"),
            ("list[0]", "10"),
            ("list[1]", "[20, 21]"),
            ("list[1][1]", "21"),
            ("list.1.1", "21"),
            ("list[2].x", "y"),
            ("list[3]", ""),
            ("a.b.c", "}"),
            ("a.b", r#"{ "c": "}" }"#),
            ("a.name", "7"),
            ("last", "0"),
        ] {
            assert_eq!(found(TEXT, path), Some(expected), "{path}");
        }
        assert_eq!(found("[1, 2]", "1"), Some("2"));
        assert_eq!(found("[]", "[0]"), None);
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        for path in [
            "", ".", "nosuch", "name.x", "size[0]", "list[4]", "list[x]", "list.x", "a[0]", "a.c",
        ] {
            assert_eq!(found(TEXT, path), None, "{path}");
        }
    }

    #[test]
    fn malformed_texts_have_no_elements() {
        for text in [
            "",
            " ",
            "a",
            "1",
            "\"a\"",
            "{",
            "{}",
            "{a",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{\"a\" 1}",
            "{\"a\":0x1}",
            "{\"a\":nil}",
            "{\"a\":truex}",
            "{\"a\":\"\\u12g4\"}",
            "{\"a\":[}",
            "{\"b\":1 \"a\":2}",
            "{1:2}",
            "{\"b\":[}],\"a\":1}",
        ] {
            assert_eq!(found(text, "a"), None, "{text}");
        }
    }

    /// Every text of these characters is read without an error of its own.
    #[test]
    fn any_text_is_read() {
        const SIGNS: [u8; 8] = *b"{}[]\":,a";
        for bits in 0..8_u32.pow(6) {
            let text: [u8; 6] = core::array::from_fn(|at| SIGNS[(bits >> (3 * at) & 7) as usize]);
            for path in [&b"a"[..], b"0", b"a.a"] {
                if let Some(found) = select(&text, path) {
                    assert!(text.get(found).is_some());
                }
            }
        }
    }
}
