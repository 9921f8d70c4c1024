//! The names of functions, one behind the other: made once, and then only read, by traps too.

use alloc::vec::Vec;

use crate::grow::{OutOfMemory, extend};

/// A name in the store.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    start: usize,
    length: usize,
}

/// A store of names.
#[derive(Debug, Default)]
pub struct Names(Vec<u8>);

impl Names {
    /// Puts a name into the store.
    pub fn add(&mut self, name: &[u8]) -> Result<Span, OutOfMemory> {
        let span = Span {
            start: self.0.len(),
            length: name.len(),
        };
        extend(&mut self.0, name)?;
        Ok(span)
    }

    /// A name that was put there.
    pub fn get(&self, span: Span) -> &[u8] {
        self.0
            .get(span.start..)
            .and_then(|rest| rest.get(..span.length))
            .unwrap_or_default()
    }
}
