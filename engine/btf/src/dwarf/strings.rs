//! Names, each kept once.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::dwarf::hash::FastHash;

/// The number of a name; 0 is the empty one.
pub type Name = u32;

/// All names so far.
#[derive(Debug)]
pub struct Strings<'d> {
    all: Vec<Cow<'d, [u8]>>,
    known: HashMap<&'d [u8], Name>,
    /// By their offsets in `.debug_str`, where most of them are.
    at: HashMap<usize, Name, FastHash>,
}

impl<'d> Strings<'d> {
    pub fn new() -> Self {
        let mut strings = Self {
            all: Vec::new(),
            known: HashMap::new(),
            at: HashMap::default(),
        };
        strings.number(b"");
        strings
    }

    /// The number of a name.
    pub fn number(&mut self, text: &'d [u8]) -> Name {
        let next = self.all.len() as Name;
        let number = *self.known.entry(text).or_insert(next);
        if number == next {
            self.all.push(Cow::Borrowed(text));
        }
        number
    }

    /// The number of the name at an offset of `.debug_str`, which `text` reads.
    pub fn number_at<E>(
        &mut self,
        offset: usize,
        text: impl FnOnce() -> Result<&'d [u8], E>,
    ) -> Result<Name, E> {
        if let Some(number) = self.at.get(&offset) {
            return Ok(*number);
        }
        let number = self.number(text()?);
        self.at.insert(offset, number);
        Ok(number)
    }

    /// A number for a name that is not in the file.
    pub fn own(&mut self, text: String) -> Name {
        self.all.push(Cow::Owned(text.into_bytes()));
        self.all.len() as Name - 1
    }

    /// A name by its number. What is not UTF-8 has no name.
    pub fn text(&self, number: Name) -> &str {
        let text = self.all.get(number as usize);
        std::str::from_utf8(text.map_or(&[], |text| text)).unwrap_or_default()
    }
}
