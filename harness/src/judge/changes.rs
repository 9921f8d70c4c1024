//! The differences between two copies of a kernel's text. Pure.

use std::ops::Range;

/// Bytes to compare at once; only a block that differs is scanned byte by byte.
const BLOCK: usize = 4096;

/// The unit in which text is compared and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Little-endian 32-bit instructions, shown as words: `e92d41f0`.
    Word,
    /// Instructions of variable length, shown as bytes: `0f 1f 44 00 00`.
    Byte,
}

impl Unit {
    fn size(self) -> usize {
        match self {
            Self::Word => 4,
            Self::Byte => 1,
        }
    }

    /// Gap within which two differences count as one change. A patched instruction of several bytes
    /// may share some with the old one; with fixed-size instructions, neighbours are separate.
    fn reach(self) -> usize {
        match self {
            Self::Word => 0,
            Self::Byte => 4,
        }
    }

    fn show(self, bytes: &[u8]) -> String {
        let one =
            |unit: &[u8]| -> String { unit.iter().rev().map(|b| format!("{b:02x}")).collect() };
        let units: Vec<String> = bytes.chunks(self.size()).map(one).collect();
        units.join(" ")
    }
}

/// A change that the kernel itself makes to its text, traced or not.
///
/// `before` and `after` are hexadecimal as [`Pair::describe`] shows them; a dot matches any digit.
#[derive(Debug)]
pub struct OwnChange {
    /// The functions in which it may occur; empty for any.
    pub functions: &'static [&'static str],
    /// The reason, for the report.
    pub why: &'static str,
    /// The pattern before the change: `ea......`.
    pub before: &'static str,
    /// The pattern after the change: `e1a00000`.
    pub after: &'static str,
}

impl OwnChange {
    /// Whether it may occur in `function`.
    pub fn is_in(&self, function: &str) -> bool {
        self.functions.is_empty() || self.functions.contains(&function)
    }

    /// Its length in bytes.
    fn len(&self) -> usize {
        self.before.split(' ').map(|unit| unit.len() / 2).sum()
    }
}

/// The same range of text at two times; both slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'t> {
    /// The unit of comparison.
    pub unit: Unit,
    /// The earlier copy.
    pub before: &'t [u8],
    /// The later copy.
    pub after: &'t [u8],
}

impl Pair<'_> {
    /// The changed ranges, as offsets in bytes, rounded to units.
    pub fn changes(&self) -> Vec<Range<usize>> {
        let size = self.unit.size();
        let mut changes: Vec<Range<usize>> = Vec::new();
        for at in self.differing() {
            let start = at - at % size;
            let end = (start + size).min(self.before.len());
            match changes.last_mut() {
                Some(last) if start < last.end + self.unit.reach() => last.end = end,
                _ => changes.push(start..end),
            }
        }
        changes
    }

    /// The offsets of the bytes that differ.
    fn differing(&self) -> impl Iterator<Item = usize> {
        let blocks = self.before.chunks(BLOCK).zip(self.after.chunks(BLOCK));
        let unlike = (0..)
            .step_by(BLOCK)
            .zip(blocks)
            .filter(|(_, (a, b))| a != b);
        unlike.flat_map(|(start, (a, b))| {
            let bytes = a.iter().zip(b).enumerate();
            bytes
                .filter(|(_, (a, b))| a != b)
                .map(move |(at, _)| start + at)
        })
    }

    /// Describes a change: `e92d41f0 is now e7f001fb`.
    pub fn describe(&self, change: &Range<usize>) -> String {
        let show = |text: &[u8]| self.unit.show(text.get(change.clone()).unwrap_or_default());
        format!("{} is now {}", show(self.before), show(self.after))
    }

    /// Whether `change` matches `own`. The instruction may start before the first byte that
    /// differs, and end after the last one. If `own` is one unit long, `change` may be several of
    /// them close together.
    pub fn is(&self, change: &Range<usize>, own: &OwnChange) -> bool {
        if own.len() == self.unit.size() {
            return self.is_each(change, own);
        }
        let first = change.end.saturating_sub(own.len());
        (first..=change.start).any(|start| {
            let fits = |text: &[u8], pattern| {
                let shown = text
                    .get(start..start + own.len())
                    .map(|t| self.unit.show(t));
                shown.is_some_and(|shown| fits(&shown, pattern))
            };
            fits(self.before, own.before) && fits(self.after, own.after)
        })
    }

    /// Whether every unit of `change` that differs matches `own`.
    fn is_each(&self, change: &Range<usize>, own: &OwnChange) -> bool {
        let size = self.unit.size();
        let unit =
            |text: &[u8], at: usize| text.get(at..at + size).map(|text| self.unit.show(text));
        change.clone().step_by(size).all(|at| {
            let (before, after) = (unit(self.before, at), unit(self.after, at));
            let fits = |shown: &Option<String>, pattern| {
                shown.as_ref().is_some_and(|shown| fits(shown, pattern))
            };
            before == after || fits(&before, own.before) && fits(&after, own.after)
        })
    }
}

/// Whether `shown` matches `pattern`, in which a dot matches any hexadecimal digit.
fn fits(shown: &str, pattern: &str) -> bool {
    let is_any = |p: char, s: char| p == '.' && s.is_ascii_hexdigit();
    shown.len() == pattern.len()
        && pattern
            .chars()
            .zip(shown.chars())
            .all(|(p, s)| p == s || is_any(p, s))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: [u8; 5] = [0x0f, 0x1f, 0x44, 0, 0];

    #[test]
    fn adjacent_one_byte_changes_match() {
        let own = OwnChange {
            functions: &[],
            why: "",
            before: "3e",
            after: "f0",
        };
        let before = [0x3e, 0x80, 0x20, 0xdf, 0x3e, 0x90];
        let is = |after: [u8; 6]| {
            let pair = Pair {
                unit: Unit::Byte,
                before: &before,
                after: &after,
            };
            pair.is(&(0..5), &own)
        };
        assert!(is([0xf0, 0x80, 0x20, 0xdf, 0xf0, 0x90]));
        assert!(!is([0xf0, 0x81, 0x20, 0xdf, 0xf0, 0x90]));
        assert!(!is([0xf0, 0x80, 0x20, 0xdf, 0xcc, 0x90]));
    }

    fn described(unit: Unit, before: &[u8], after: &[u8]) -> Vec<String> {
        let pair = Pair {
            unit,
            before,
            after,
        };
        pair.changes()
            .iter()
            .map(|change| pair.describe(change))
            .collect()
    }

    #[test]
    fn words_are_separate_changes() {
        let before = [1u8, 0, 0, 0, 0xf0, 0x41, 0x2d, 0xe9, 2, 0, 0, 0];
        let mut after = before;
        after[4..8].copy_from_slice(&0xe7f0_01fb_u32.to_le_bytes());
        let first = "e92d41f0 is now e7f001fb";
        assert_eq!(described(Unit::Word, &before, &after), [first]);
        after[11] = 7;
        assert_eq!(
            described(Unit::Word, &before, &after),
            [first, "00000002 is now 07000002"]
        );
        assert_eq!(described(Unit::Word, &before, &before), [""; 0]);
    }

    #[test]
    fn nearby_bytes_are_one_change() {
        assert_eq!(
            described(Unit::Byte, &[0x55, 0x48], &[0xcc, 0x48]),
            ["55 is now cc"]
        );
        let call = [0xe8, 0x1f, 0x44, 0, 0xff];
        assert_eq!(
            described(Unit::Byte, &NOP, &call),
            ["0f 1f 44 00 00 is now e8 1f 44 00 ff"]
        );
        let far = [1, 0, 0, 0, 0, 1];
        assert_eq!(
            described(Unit::Byte, &[0; 6], &far),
            ["00 is now 01", "00 is now 01"]
        );
    }

    #[test]
    fn changes_are_found_in_every_block() {
        let before = vec![0u8; 3 * BLOCK + 2];
        let mut after = before.clone();
        for at in [0, BLOCK - 1, BLOCK, 3 * BLOCK + 1] {
            after[at] = 1;
        }
        let pair = |unit| Pair {
            unit,
            before: &before,
            after: &after,
        };
        let bytes = [0..1, BLOCK - 1..BLOCK + 1, 3 * BLOCK + 1..3 * BLOCK + 2];
        assert_eq!(pair(Unit::Byte).changes(), bytes);
        let words = [
            0..4,
            BLOCK - 4..BLOCK,
            BLOCK..BLOCK + 4,
            3 * BLOCK..3 * BLOCK + 2,
        ];
        assert_eq!(pair(Unit::Word).changes(), words);
    }

    fn is(unit: Unit, before: &[u8], after: &[u8], own: &OwnChange) -> bool {
        let pair = Pair {
            unit,
            before,
            after,
        };
        let changes = pair.changes();
        changes.len() == 1 && changes.iter().all(|change| pair.is(change, own))
    }

    #[test]
    fn own_change_matches_in_one_direction() {
        let own = OwnChange {
            functions: &["f"],
            why: "a key is turned off",
            before: "ea......",
            after: "e1a00000",
        };
        let (branch, nop) = (0xea00_0033_u32.to_le_bytes(), 0xe1a0_0000_u32.to_le_bytes());
        assert!(is(Unit::Word, &branch, &nop, &own));
        assert!(!is(Unit::Word, &nop, &branch, &own));
        assert!(!is(Unit::Word, &0xeb00_0033_u32.to_le_bytes(), &nop, &own));
    }

    #[test]
    fn multi_byte_own_change_matches_as_a_whole() {
        let own = OwnChange {
            functions: &["f"],
            why: "a key is turned on",
            before: "0f 1f 44 00 00",
            after: "e9 .. .. .. ..",
        };
        let jump = [0x90, 0xe9, 0x1f, 0x01, 0, 0, 0x90];
        let nop = [&[0x90][..], &NOP, &[0x90]].concat();
        assert!(is(Unit::Byte, &nop, &jump, &own));
        assert!(!is(Unit::Byte, &jump, &nop, &own));
        let mut more = jump;
        more[6] = 0xcc;
        assert!(!is(Unit::Byte, &nop, &more, &own));
        let retarget = OwnChange {
            before: "e9 .. .. .. ..",
            ..own
        };
        let mut other = jump;
        other[3] = 2;
        assert!(is(Unit::Byte, &jump, &other, &retarget));
    }
}
