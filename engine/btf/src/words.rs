//! Types as plain words, for whoever copies them without looking into them.

use crate::btf::Btf;
use crate::format::{Code, Info, Row, Word, row_of};
use crate::id::TypeId;
use crate::write::Builder;

/// What each word of a type means. Of no known kind, it refers to nothing.
pub fn meanings(words: &[u32]) -> impl Iterator<Item = Word> + use<> {
    static NOTHING: Row = Row {
        code: Code::Forward,
        third: Word::Plain,
        fixed: &[],
        each: &[],
    };
    let row = row_of(Info(words[1]).kind()).unwrap_or(&NOTHING);
    let head = [Word::Name, Word::Plain, row.third];
    let each = row.each.iter().copied().cycle();
    head.into_iter()
        .chain(row.fixed.iter().copied())
        .chain(each)
}

impl Btf<'_> {
    /// The words of a type, with what `name` makes of each name.
    pub(crate) fn record<'b>(
        &'b self,
        id: TypeId,
        mut name: impl FnMut(&'b [u8]) -> u32,
    ) -> Option<Box<[u32]>> {
        let (owner, words) = self.owner(id)?;
        let info = Info(words.get(1));
        let row = row_of(info.kind())?;
        let length = 3 + row.fixed.len() + row.each.len() * info.count();
        let head: Vec<u32> = (0..length).map(|number| words.get(number)).collect();
        let words = head.iter().zip(meanings(&head));
        let words = words.map(|(word, meaning)| match meaning {
            Word::Name => name(owner.string_bytes(*word)),
            Word::Type | Word::Plain => *word,
        });
        Some(words.collect())
    }
}

impl Builder<'_> {
    /// Appends a type by its words, whose names are numbers.
    pub(crate) fn record<'n>(&mut self, words: &[u32], name: impl Fn(u32) -> &'n str) {
        let mapped: Vec<u32> = words
            .iter()
            .zip(meanings(words))
            .map(|(word, meaning)| match meaning {
                Word::Name => self.string(name(*word)),
                Word::Type | Word::Plain => *word,
            })
            .collect();
        self.append(mapped.into_iter());
    }
}
