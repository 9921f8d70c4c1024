//! The check of all types, which finds where each begins.
//!
//! One pass over the words, without recursion. Its memory is four bytes per type, and a type takes
//! twelve bytes or more, so the input bounds it.

use crate::error::{Error, Result};
use crate::format::{Info, Row, Word, row_of};
use crate::header::Endian;
use crate::id::TypeId;

/// What names and references are held against.
#[derive(Debug)]
pub struct Limits {
    pub order: Endian,
    /// The ID of the first type.
    pub first: u32,
    /// The end of all strings, the base's included.
    pub strings: u32,
}

/// The offset of each type, once all of them are valid.
pub fn build(types: &[u8], limits: &Limits) -> Result<Vec<u32>> {
    let mut pass = Pass {
        types,
        limits,
        id: limits.first,
        highest: (TypeId::VOID, TypeId::VOID),
    };
    // Types of real kernels have 40 bytes on average.
    let mut offsets = Vec::with_capacity(types.len() / 40);
    let mut offset = 0;
    while offset < types.len() {
        offsets.push(u32::try_from(offset).map_err(|_| Error::TooMany)?);
        offset = pass.check(offset)?;
        pass.id = pass.id.checked_add(1).ok_or(Error::TooMany)?;
    }
    offsets.shrink_to_fit();
    pass.finish()?;
    Ok(offsets)
}

struct Pass<'a> {
    types: &'a [u8],
    limits: &'a Limits,
    id: u32,
    /// The highest ID referred to, and the first type that does.
    highest: (TypeId, TypeId),
}

impl Pass<'_> {
    /// Checks the type at an offset, and returns the next one's.
    fn check(&mut self, offset: usize) -> Result<usize> {
        let cut = || Error::Cut(TypeId(self.id));
        let (head, rest) = self.types[offset..].split_at_checked(12).ok_or_else(cut)?;
        let word = |number: usize| self.limits.order.word(head, number * 4).ok_or_else(cut);
        let (name, info, third) = (word(0)?, Info(word(1)?), word(2)?);
        let kind = info.kind();
        let row = row_of(kind).ok_or(Error::UnknownKind {
            id: TypeId(self.id),
            kind,
        })?;
        let count = if row.each.is_empty() { 0 } else { info.count() };
        let (fixed, rest) = rest.split_at_checked(4 * row.fixed.len()).ok_or_else(cut)?;
        let (each, _) = rest
            .split_at_checked(4 * row.each.len() * count)
            .ok_or_else(cut)?;
        let length = 12 + fixed.len() + each.len();
        self.word(Word::Name, name)?;
        self.word(row.third, third)?;
        self.words(row.fixed, fixed)?;
        self.elements(row, each)?;
        Ok(offset + length)
    }

    fn elements(&mut self, row: &Row, each: &[u8]) -> Result<()> {
        if row.each.is_empty() {
            return Ok(());
        }
        let mut elements = each.chunks_exact(4 * row.each.len());
        elements.try_for_each(|element| self.words(row.each, element))
    }

    fn words(&mut self, words: &[Word], bytes: &[u8]) -> Result<()> {
        for (word, bytes) in words.iter().zip(bytes.as_chunks::<4>().0) {
            let value = match self.limits.order {
                Endian::Little => u32::from_le_bytes(*bytes),
                Endian::Big => u32::from_be_bytes(*bytes),
            };
            self.word(*word, value)?;
        }
        Ok(())
    }

    #[inline]
    fn word(&mut self, word: Word, value: u32) -> Result<()> {
        let id = TypeId(self.id);
        match word {
            Word::Name if value >= self.limits.strings => Err(Error::Name { id, offset: value }),
            Word::Type if value > self.highest.0.0 => {
                self.highest = (TypeId(value), id);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// References go forward, too, so they are held against the last ID at the end.
    fn finish(self) -> Result<()> {
        let (to, id) = self.highest;
        if to.0 < self.id.max(1) {
            return Ok(());
        }
        let count = self.id;
        Err(Error::Reference { id, to, count })
    }
}
