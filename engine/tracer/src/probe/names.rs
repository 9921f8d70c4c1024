//! Names, one behind the other.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, extend};

/// A name in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    length: u32,
}

/// A store of names.
#[derive(Debug, Default)]
pub struct Names(Vec<u8>);

impl Names {
    /// Puts a name into the store.
    pub fn add(&mut self, name: &[u8]) -> Result<Span, OutOfMemory> {
        let start = u32::try_from(self.0.len()).map_err(|_| OutOfMemory)?;
        extend(&mut self.0, name)?;
        Ok(Span {
            start,
            length: name.len() as u32,
        })
    }

    /// A name that was put there.
    pub fn get(&self, span: Span) -> &[u8] {
        self.0
            .get(span.start as usize..)
            .and_then(|rest| rest.get(..span.length as usize))
            .unwrap_or_default()
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets the names behind the first so many bytes.
    pub fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }
}
