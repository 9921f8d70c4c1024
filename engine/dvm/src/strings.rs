//! The string subroutines, on strings without their NUL. `substr`, `index` and `rindex` follow
//! Perl, as DTrace does.

use core::ops::Range;

use crate::search::{Bytes, find};

/// The range that `substr` takes of a string of this length. A negative index counts from the end;
/// a negative length leaves that many out at the end.
pub(crate) fn part(length: usize, mut index: i64, mut wanted: i64) -> Range<usize> {
    let length = length as i64;
    if index < 0 {
        index = index.wrapping_add(length);
        if index < 0 && index.saturating_add(wanted) > 0 {
            wanted = wanted.saturating_add(index);
            index = 0;
        }
    }
    if !(0..length).contains(&index) {
        return 0..0;
    }
    let rest = length.wrapping_sub(index);
    if wanted < 0 {
        wanted = wanted.saturating_add(rest);
    }
    let end = index.wrapping_add(wanted.max(0).min(rest));
    index as usize..end as usize
}

/// The first occurrence of `part` at or after `position`.
pub(crate) fn index(text: &[u8], part: &[u8], position: i64) -> Option<usize> {
    if text.is_empty() && part.is_empty() {
        return Some(0);
    }
    let first = usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    if first >= text.len() {
        return part.is_empty().then_some(text.len());
    }
    let found = find(&forwards(text.get(first..)?), &forwards(part))?;
    Some(first.wrapping_add(found))
}

/// The last occurrence of `part` at or before `position`.
pub(crate) fn rindex(text: &[u8], part: &[u8], position: i64) -> Option<usize> {
    if position < 0 {
        return part.is_empty().then_some(0);
    }
    let last = usize::try_from(position).unwrap_or(usize::MAX);
    let end = last.saturating_add(part.len()).min(text.len());
    let found = find(&backwards(text.get(..end)?), &backwards(part))?;
    Some(end.wrapping_sub(found).wrapping_sub(part.len()))
}

fn forwards(bytes: &[u8]) -> Bytes<impl Fn(usize) -> Option<u8>> {
    Bytes {
        length: bytes.len(),
        at: |at| bytes.get(at).copied(),
    }
}

fn backwards(bytes: &[u8]) -> Bytes<impl Fn(usize) -> Option<u8>> {
    let length = bytes.len();
    Bytes {
        length,
        at: move |at| bytes.get(length.checked_sub(at)?.checked_sub(1)?).copied(),
    }
}

/// The first or last occurrence of a character. NUL occurs at the end of the string.
pub(crate) fn character(text: &[u8], character: u8, is_last: bool) -> Option<usize> {
    let is_it = |byte: &u8| *byte == character;
    if character == 0 {
        Some(text.len())
    } else if is_last {
        text.iter().rposition(is_it)
    } else {
        text.iter().position(is_it)
    }
}

/// The first token: the longest nonempty run without separators.
pub(crate) fn token(text: &[u8], separators: &[u8]) -> Option<Range<usize>> {
    let separators = Characters::of(separators);
    let begin = text.iter().position(|byte| !separators.has(*byte))?;
    let rest = text.get(begin..)?;
    let size = rest.iter().position(|byte| separators.has(*byte));
    Some(begin..begin.wrapping_add(size.unwrap_or(rest.len())))
}

/// A set of characters, one bit each.
struct Characters([u64; 4]);

impl Characters {
    fn of(text: &[u8]) -> Self {
        let mut bits = [0; 4];
        for byte in text {
            if let Some(word) = bits.get_mut(usize::from(*byte / 64)) {
                *word |= 1_u64.wrapping_shl((*byte).into());
            }
        }
        Self(bits)
    }

    fn has(&self, byte: u8) -> bool {
        let word = self.0.get(usize::from(byte / 64));
        word.is_some_and(|word| word.wrapping_shr(byte.into()) & 1 == 1)
    }
}

/// The range of the last component of a path, ignoring trailing slashes; `None` if the result is
/// `.`, which may not occur in the path.
pub(crate) fn basename(path: &[u8]) -> Option<Range<usize>> {
    let Some(last) = last_but_slash(path) else {
        return root(path);
    };
    let slash = path.get(..last)?.iter().rposition(is_slash);
    let begin = slash.map_or(0, |slash| slash.wrapping_add(1));
    Some(begin..last.wrapping_add(1))
}

/// The range of a path's directory; `None` if it is `.`.
pub(crate) fn dirname(path: &[u8]) -> Option<Range<usize>> {
    let Some(last) = last_but_slash(path) else {
        return root(path);
    };
    let slash = path.get(..last)?.iter().rposition(is_slash)?;
    let end = last_but_slash(path.get(..slash)?).unwrap_or(0);
    Some(0..end.wrapping_add(1))
}

/// The first slash of a path that consists of slashes.
fn root(path: &[u8]) -> Option<Range<usize>> {
    (!path.is_empty()).then_some(0..1)
}

fn last_but_slash(path: &[u8]) -> Option<usize> {
    path.iter().rposition(|byte| !is_slash(byte))
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}

/// The digits of a number.
pub(crate) struct Digits {
    bytes: [u8; 66],
    begin: usize,
}

impl Digits {
    /// The digits of a number in a base between 2 and 36, as `lltostr` formats them: signed in base
    /// 10 only, with the prefix `0` in base 8 and `0x` in base 16.
    pub(crate) fn of(number: u64, base: u64) -> Option<Self> {
        if !(2..=36).contains(&base) {
            return None;
        }
        let mut digits = Self {
            bytes: [0; 66],
            begin: 66,
        };
        let is_negative = base == 10 && (number as i64) < 0;
        let magnitude = if is_negative {
            number.wrapping_neg()
        } else {
            number
        };
        digits.magnitude(magnitude, base);
        match base {
            8 if number != 0 => digits.push(b'0'),
            16 => {
                digits.push(b'x');
                digits.push(b'0');
            }
            10 if is_negative => digits.push(b'-'),
            _ => {}
        }
        Some(digits)
    }

    /// The digits.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(self.begin..).unwrap_or_default()
    }

    fn magnitude(&mut self, mut number: u64, base: u64) {
        for _ in 0..u64::BITS {
            let digit = number.checked_rem(base).unwrap_or(0) as u8;
            let from = if digit < 10 { b'0' } else { b'a' - 10 };
            self.push(from.wrapping_add(digit));
            number = number.checked_div(base).unwrap_or(0);
            if number == 0 {
                break;
            }
        }
    }

    fn push(&mut self, byte: u8) {
        self.begin = self.begin.wrapping_sub(1);
        if let Some(place) = self.bytes.get_mut(self.begin) {
            *place = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"foobarbaz";

    #[test]
    fn a_part_is_cut_as_perl_cuts_it() {
        let cases: [(i64, i64, &[u8]); 18] = [
            (3, 256, b"barbaz"),
            (3, 3, b"bar"),
            (3, 0, b""),
            (3, -3, b"bar"),
            (3, -6, b""),
            (3, -7, b""),
            (8, 1, b"z"),
            (9, 1, b""),
            (i64::MAX, i64::MAX, b""),
            (-6, 256, b"barbaz"),
            (-6, 3, b"bar"),
            (-6, -3, b"bar"),
            (-12, 4, b"f"),
            (-12, 3, b""),
            (-12, 256, TEXT),
            (-300, 256, b""),
            (i64::MIN, i64::MAX, b"foobarba"),
            (0, i64::MIN, b""),
        ];
        for (index, wanted, expected) in cases {
            let found = &TEXT[part(TEXT.len(), index, wanted)];
            assert_eq!(found, expected, "substr({index}, {wanted})");
        }
        assert_eq!(part(0, 0, 1), 0..0);
    }

    /// Perl would truncate a part that begins before the string; DTrace returns none if its length
    /// counts from the end.
    #[test]
    fn a_part_before_the_string_is_cut_as_dtrace_cuts_it() {
        assert!(part(TEXT.len(), -12, -2).is_empty());
    }

    #[test]
    fn the_first_is_found_as_perl_finds_it() {
        let cases: [(&[u8], i64, Option<usize>); 13] = [
            (b"ba", i64::MIN, Some(3)),
            (b"ba", 3, Some(3)),
            (b"ba", 4, Some(6)),
            (b"ba", 7, None),
            (b"ba", i64::MAX, None),
            (b"z", 8, Some(8)),
            (b"z", 9, None),
            (b"", -1, Some(0)),
            (b"", 4, Some(4)),
            (b"", 9, Some(9)),
            (b"", 100, Some(9)),
            (TEXT, 0, Some(0)),
            (b"foobarbazz", 0, None),
        ];
        for (part, position, expected) in cases {
            assert_eq!(index(TEXT, part, position), expected, "{part:?} {position}");
        }
        assert_eq!(index(b"", b"", 5), Some(0));
        assert_eq!(index(b"", b"a", 0), None);
    }

    #[test]
    fn the_last_is_found_as_perl_finds_it() {
        let cases: [(&[u8], i64, Option<usize>); 12] = [
            (b"ba", i64::MAX, Some(6)),
            (b"ba", 6, Some(6)),
            (b"ba", 5, Some(3)),
            (b"ba", 2, None),
            (b"ba", -1, None),
            (b"z", 8, Some(8)),
            (b"", i64::MAX, Some(9)),
            (b"", 4, Some(4)),
            (b"", 0, Some(0)),
            (b"", -1, Some(0)),
            (TEXT, 100, Some(0)),
            (b"foobarbazz", 100, None),
        ];
        for (part, position, expected) in cases {
            assert_eq!(
                rindex(TEXT, part, position),
                expected,
                "{part:?} {position}"
            );
        }
        assert_eq!(rindex(b"", b"", 5), Some(0));
        assert_eq!(rindex(b"", b"a", 0), None);
    }

    #[test]
    fn tokens_lie_between_separators() {
        let cases: [(&[u8], &[u8], &[u8]); 7] = [
            (b"a,b", b",", b"a"),
            (b",,ab,", b",", b"ab"),
            (b"ab", b",", b"ab"),
            (b"a;b", b",;", b"a"),
            (b"ab", b"", b"ab"),
            (b",,", b",", b""),
            (b"\xff\x7f\xc0", b"\xff\xc0", b"\x7f"),
        ];
        for (text, separators, expected) in cases {
            let found = token(text, separators).map_or(&b""[..], |token| &text[token]);
            assert_eq!(found, expected, "{text:?} {separators:?}");
        }
    }

    #[test]
    fn a_path_has_a_name_and_a_place() {
        let cases: [(&[u8], &[u8], &[u8]); 9] = [
            (b"/usr/lib/libc.so", b"libc.so", b"/usr/lib"),
            (b"/usr//lib///libc.so//", b"libc.so", b"/usr//lib"),
            (b"/usr", b"usr", b"/"),
            (b"//usr", b"usr", b"/"),
            (b"usr", b"usr", b"."),
            (b"usr/", b"usr", b"."),
            (b"/", b"/", b"/"),
            (b"///", b"/", b"/"),
            (b"", b".", b"."),
        ];
        for (path, name, place) in cases {
            let part = |found: Option<Range<usize>>| found.map_or(&b"."[..], |part| &path[part]);
            assert_eq!(part(basename(path)), name, "{path:?}");
            assert_eq!(part(dirname(path)), place, "{path:?}");
        }
    }

    #[test]
    fn digits_are_of_their_base() {
        let cases: [(i64, u64, &[u8]); 11] = [
            (0, 10, b"0"),
            (0, 8, b"0"),
            (0, 16, b"0x0"),
            (0, 2, b"0"),
            (i64::MIN, 10, b"-9223372036854775808"),
            (-1, 16, b"0xffffffffffffffff"),
            (8, 8, b"010"),
            (-1, 8, b"01777777777777777777777"),
            (35, 36, b"z"),
            (35, 35, b"10"),
            (5, 2, b"101"),
        ];
        for (number, base, expected) in cases {
            let digits = Digits::of(number as u64, base).unwrap();
            assert_eq!(digits.as_bytes(), expected, "{number} in base {base}");
        }
        for base in [0, 1, 37, u64::MAX] {
            assert!(Digits::of(5, base).is_none());
        }
    }
}
