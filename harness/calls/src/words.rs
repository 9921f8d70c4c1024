//! The language of rows. A line is a list of arguments, a word each:
//!
//! | word | value |
//! |---|---|
//! | `7`, `-1`, `0x10`, `0o644` | the number |
//! | `null`, `kernel` | a null pointer; an address in the kernel's half |
//! | `z`, `f` | address of a page of zeros, of ones |
//! | `h:1,2`, `d:...`, `q:...`, `w:...` | of a page that starts with these 2-, 4-, 8-byte, word-sized numbers |
//! | `@text` as such a number | address of that text, in the second half of the page |
//! | `s:text` | address of the NUL-terminated text |
//! | `self`, `cwd` | our pid; `AT_FDCWD` |
//! | `it` | in a rig, the value made by its first step |
//! | another name | a [rig](crate::rigs): a prerequisite such as an open file |
//!
//! A word prefixed with `=` is pinned: it is never replaced by an invalid or random one.

use crate::rigs::{self, Rig};

/// Bytes of a page, the same in all guests.
pub const PAGE: usize = 4096;
/// Offset of the texts in a page.
const TEXTS: usize = PAGE / 2;

/// One argument of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// Its value.
    pub meaning: Meaning,
    /// What may replace it.
    pub class: Class,
}

/// Which values may replace an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// None.
    Pinned,
    /// Other numbers.
    Number,
    /// Other addresses.
    Pointer,
    /// Other descriptors and ids.
    Handle,
}

/// The value of an argument, before it is set up.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A number.
    Number(i64),
    /// An address in the kernel's half.
    Kernel,
    /// Our pid.
    Own,
    /// The value of the rig being made.
    It,
    /// The address of a page with these contents.
    Page(Content),
    /// The value of a rig.
    Rig(&'static Rig),
}

/// Contents of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// All bytes the same.
    Filled(u8),
    /// A NUL-terminated text.
    Text(String),
    /// Numbers of this many bytes each.
    Numbers(usize, Vec<Item>),
}

/// A number in a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// The number itself.
    Number(i64),
    /// The address of this text, stored in the same page.
    Text(String),
}

/// Words that are neither numbers, pages nor rigs.
const NAMED: [(&str, Meaning, Class); 7] = [
    ("null", Meaning::Number(0), Class::Pointer),
    ("kernel", Meaning::Kernel, Class::Pointer),
    ("self", Meaning::Own, Class::Pinned),
    ("cwd", Meaning::Number(libc::AT_FDCWD as i64), Class::Handle),
    ("it", Meaning::It, Class::Pinned),
    ("z", Meaning::Page(Content::Filled(0)), Class::Pointer),
    ("f", Meaning::Page(Content::Filled(0xff)), Class::Pointer),
];

/// Prefixes of numbers in a page, and their size in bytes.
const WIDTHS: [(&str, usize); 4] = [("h", 2), ("d", 4), ("q", 8), ("w", size_of::<usize>())];

/// Parses a row's lines.
pub fn lines(text: &str) -> Option<Vec<Vec<Word>>> {
    text.split(';').map(line).collect()
}

/// Parses one line.
pub fn line(text: &str) -> Option<Vec<Word>> {
    text.split_whitespace().map(Word::parse).collect()
}

impl Word {
    fn parse(text: &str) -> Option<Self> {
        if let Some(rest) = text.strip_prefix('=') {
            let class = Class::Pinned;
            return Some(Self {
                class,
                ..Self::parse(rest)?
            });
        }
        let named = NAMED.into_iter().find(|(name, ..)| *name == text);
        let (meaning, class) = named
            .map(|(_, meaning, class)| (meaning, class))
            .or_else(|| Some((Meaning::Number(number(text)?), Class::Number)))
            .or_else(|| Some((Meaning::Page(Content::parse(text)?), Class::Pointer)))
            .or_else(|| Some((Meaning::Rig(rigs::named(text)?), Class::Handle)))?;
        Some(Self { meaning, class })
    }
}

impl Content {
    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        if kind == "s" {
            return Some(Self::Text(rest.to_owned()));
        }
        let (_, width) = WIDTHS.into_iter().find(|(name, _)| *name == kind)?;
        let items = rest.split(',').map(Item::parse).collect::<Option<_>>()?;
        Some(Self::Numbers(width, items))
    }

    /// Renders the page for this address.
    pub fn page(&self, address: usize) -> [u8; PAGE] {
        let mut page = [0; PAGE];
        match self {
            Self::Filled(byte) => page.fill(*byte),
            Self::Text(text) => put(&mut page, 0, text.as_bytes()),
            Self::Numbers(width, items) => numbers(&mut page, address, *width, items),
        }
        page
    }
}

fn numbers(page: &mut [u8], address: usize, width: usize, items: &[Item]) {
    let mut texts = TEXTS;
    for (index, item) in items.iter().enumerate() {
        let value = match item {
            Item::Number(number) => *number,
            Item::Text(text) => {
                put(page, texts, text.as_bytes());
                texts += text.len() + 1;
                (address + texts - text.len() - 1) as i64
            }
        };
        put(page, index * width, &value.to_le_bytes()[..width]);
    }
}

fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

impl Item {
    fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('@') {
            Some(text) => Some(Self::Text(text.to_owned())),
            None => number(text).map(Self::Number),
        }
    }
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let bases = [("0x", 16), ("0o", 8), ("", 10)];
    let (digits, base) = bases
        .into_iter()
        .find_map(|(prefix, base)| Some((digits.strip_prefix(prefix)?, base)))?;
    Some(sign * i64::from_str_radix(digits, base).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn every_row_and_rig_parses_to_at_most_six_words() {
        let rigs = rigs::all().flat_map(|rig| rig.steps.iter().map(|(_, words)| *words));
        for text in rows::all().map(|row| row.lines).chain(rigs) {
            let lines = lines(text).unwrap_or_else(|| panic!("{text}"));
            assert!(lines.iter().all(|line| line.len() <= 6), "{text}");
        }
    }

    #[test]
    fn a_page_points_to_its_own_texts() {
        let word = Word::parse("w:@ab,@,7").unwrap();
        let Meaning::Page(content) = word.meaning else {
            panic!("{word:?}")
        };
        let page = content.page(0x1000);
        let width = size_of::<usize>();
        let at =
            |index: usize| usize::from_le_bytes(page[index * width..][..width].try_into().unwrap());
        assert_eq!([at(0), at(1), at(2)], [0x1800, 0x1803, 7]);
        assert_eq!(&page[0x800..0x804], b"ab\0\0");
    }

    #[test]
    fn an_equals_sign_pins() {
        assert_eq!(Word::parse("=z").unwrap().class, Class::Pinned);
        assert_eq!(Word::parse("-0x10").unwrap().meaning, Meaning::Number(-16));
        assert_eq!(Word::parse("nonsense"), None);
    }
}
