//! Where two copies of a kernel's text differ, told as its instruction set is read. Pure.

use std::ops::Range;

/// How much of a text is compared at once; only where that differs it is looked at closely.
const BLOCK: usize = 4096;

/// In what an instruction set's text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Instructions are words of four bytes, the lowest first: `e92d41f0`.
    Word,
    /// Instructions have any number of bytes: `0f 1f 44 00 00`.
    Byte,
}

impl Unit {
    fn size(self) -> usize {
        match self {
            Self::Word => 4,
            Self::Byte => 1,
        }
    }

    /// How far behind a change another one still belongs to it. A patched instruction of several
    /// bytes shares some with what it replaces; a patched word is one, whatever stands beside it.
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

/// A change of text that the kernel makes on its own, whoever traces it.
///
/// `before` and `after` are written as a change is shown, with a dot for each digit that may be any.
#[derive(Debug)]
pub struct OwnChange {
    /// The functions it lies in; none where it may be anywhere.
    pub functions: &'static [&'static str],
    /// Why the kernel does it.
    pub why: &'static str,
    /// What was there before: `ea......`.
    pub before: &'static str,
    /// What is there afterwards: `e1a00000`.
    pub after: &'static str,
}

impl OwnChange {
    /// Whether it may be in that function.
    pub fn is_in(&self, function: &str) -> bool {
        self.functions.is_empty() || self.functions.contains(&function)
    }

    /// How many bytes it is about.
    fn len(&self) -> usize {
        self.before.split(' ').map(|unit| unit.len() / 2).sum()
    }
}

/// The same stretch of text at two times.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'t> {
    /// In what it is read.
    pub unit: Unit,
    /// As it was.
    pub before: &'t [u8],
    /// As it is.
    pub after: &'t [u8],
}

impl Pair<'_> {
    /// The stretches in which they differ, in whole units.
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

    /// The places of the bytes that differ.
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

    /// `e92d41f0 is now e7f001fb`
    pub fn tell(&self, change: &Range<usize>) -> String {
        let show = |text: &[u8]| self.unit.show(text.get(change.clone()).unwrap_or_default());
        format!("{} is now {}", show(self.before), show(self.after))
    }

    /// Whether `change` is what `own` says. It may have begun before the first byte that differs,
    /// and have ended behind the last one. Changes of one unit that are close to each other are seen as one.
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

    /// Whether each unit of `change` that differs is what `own` says.
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

/// Whether `shown` is what `pattern` says, in which a dot stands for any digit.
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
    fn changes_of_one_byte_may_be_close_to_each_other() {
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

    fn told(unit: Unit, before: &[u8], after: &[u8]) -> Vec<String> {
        let pair = Pair {
            unit,
            before,
            after,
        };
        pair.changes()
            .iter()
            .map(|change| pair.tell(change))
            .collect()
    }

    #[test]
    fn words_are_told_one_by_one() {
        let before = [1u8, 0, 0, 0, 0xf0, 0x41, 0x2d, 0xe9, 2, 0, 0, 0];
        let mut after = before;
        after[4..8].copy_from_slice(&0xe7f0_01fb_u32.to_le_bytes());
        let first = "e92d41f0 is now e7f001fb";
        assert_eq!(told(Unit::Word, &before, &after), [first]);
        after[11] = 7;
        assert_eq!(
            told(Unit::Word, &before, &after),
            [first, "00000002 is now 07000002"]
        );
        assert_eq!(told(Unit::Word, &before, &before), [""; 0]);
    }

    #[test]
    fn bytes_are_told_in_stretches_that_belong_together() {
        assert_eq!(
            told(Unit::Byte, &[0x55, 0x48], &[0xcc, 0x48]),
            ["55 is now cc"]
        );
        let call = [0xe8, 0x1f, 0x44, 0, 0xff];
        assert_eq!(
            told(Unit::Byte, &NOP, &call),
            ["0f 1f 44 00 00 is now e8 1f 44 00 ff"]
        );
        let far = [1, 0, 0, 0, 0, 1];
        assert_eq!(
            told(Unit::Byte, &[0; 6], &far),
            ["00 is now 01", "00 is now 01"]
        );
    }

    #[test]
    fn no_block_is_left_out_and_each_change_has_its_place() {
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
    fn a_word_is_the_kernels_own_in_one_direction_only() {
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
    fn an_instruction_of_several_bytes_is_seen_as_a_whole() {
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
