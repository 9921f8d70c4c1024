//! What the string subroutines do, on strings without their NUL. Where DTrace took its rules from
//! Perl, as for `substr`, `index` and `rindex`, they are Perl's to the letter.

use core::ops::Range;

/// Where the part of a string of this length lies that `substr` takes. A negative index counts from
/// the end; of a negative length so many are left out at the end.
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

/// Where the first `part` is that begins at `position` or later.
///
/// It tries place after place: at worst both lengths multiplied, but for that a part must be long and
/// nearly repeat itself.
pub(crate) fn index(text: &[u8], part: &[u8], position: i64) -> Option<usize> {
    if text.is_empty() && part.is_empty() {
        return Some(0);
    }
    let first = usize::try_from(position.max(0)).unwrap_or(usize::MAX);
    if first >= text.len() {
        return part.is_empty().then_some(text.len());
    }
    (first..text.len()).find(|at| is_at(text, part, *at))
}

/// Where the last `part` is that begins at `position` or before.
pub(crate) fn rindex(text: &[u8], part: &[u8], position: i64) -> Option<usize> {
    if position < 0 {
        return part.is_empty().then_some(0);
    }
    let last = usize::try_from(position).unwrap_or(usize::MAX);
    let places = 0..=last.min(text.len());
    places.rev().find(|at| is_at(text, part, *at))
}

fn is_at(text: &[u8], part: &[u8], at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(part))
}

/// Where a character stands first, or last. NUL stands behind the string.
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

/// Where the first token is: between separators, and never empty.
pub(crate) fn token(text: &[u8], separators: &[u8]) -> Option<Range<usize>> {
    let separators = Characters::of(separators);
    let begin = text.iter().position(|byte| !separators.has(*byte))?;
    let rest = text.get(begin..)?;
    let size = rest.iter().position(|byte| separators.has(*byte));
    Some(begin..begin.wrapping_add(size.unwrap_or(rest.len())))
}

/// A set of characters, a bit each.
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

/// Where what is behind a path's last slash lies, slashes at the end apart; nothing if it is `.`, which
/// need not be in the path.
pub(crate) fn basename(path: &[u8]) -> Option<Range<usize>> {
    let Some(last) = last_but_slash(path) else {
        return root(path);
    };
    let slash = path.get(..last)?.iter().rposition(is_slash);
    let begin = slash.map_or(0, |slash| slash.wrapping_add(1));
    Some(begin..last.wrapping_add(1))
}

/// Where what is before it lies; nothing if it is `.`.
pub(crate) fn dirname(path: &[u8]) -> Option<Range<usize>> {
    let Some(last) = last_but_slash(path) else {
        return root(path);
    };
    let slash = path.get(..last)?.iter().rposition(is_slash)?;
    let end = last_but_slash(path.get(..slash)?).unwrap_or(0);
    Some(0..end.wrapping_add(1))
}

/// The first slash of a path that has nothing else.
fn root(path: &[u8]) -> Option<Range<usize>> {
    (!path.is_empty()).then_some(0..1)
}

fn last_but_slash(path: &[u8]) -> Option<usize> {
    path.iter().rposition(|byte| !is_slash(byte))
}

fn is_slash(byte: &u8) -> bool {
    *byte == b'/'
}

/// A number's digits.
pub(crate) struct Digits {
    bytes: [u8; 66],
    begin: usize,
}

impl Digits {
    /// Those of a number in a base between 2 and 36, as `lltostr` writes them: it is signed in base 10
    /// only, and begins with `0` in base 8 and with `0x` in base 16.
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
