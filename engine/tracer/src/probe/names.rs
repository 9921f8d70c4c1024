//! An arena of names.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, extend};

/// A name's position in its arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    length: u32,
}

/// An append-only arena of names, without deduplication.
#[derive(Debug, Default)]
pub struct Names(Vec<u8>);

impl Names {
    /// Appends a name.
    pub fn add(&mut self, name: &[u8]) -> Result<Span, OutOfMemory> {
        let start = u32::try_from(self.0.len()).map_err(|_| OutOfMemory)?;
        extend(&mut self.0, name)?;
        Ok(Span {
            start,
            length: name.len() as u32,
        })
    }

    /// The name at `span`; empty if `span` is out of range.
    pub fn get(&self, span: Span) -> &[u8] {
        self.0
            .get(span.start as usize..)
            .and_then(|rest| rest.get(..span.length as usize))
            .unwrap_or_default()
    }

    /// Size in bytes, for [`Names::truncate`].
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Drops the names added since the arena had `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }
}
