//! A verified program: only this can be run.

use core::fmt;

use engine_abi::{ProgramHeader, Span};

use crate::block::{Layout, Tables};
use crate::clause::Clause;
use crate::invalid::Invalid;
use crate::rows::{Aggregation, KeyPart, Variable};
use crate::verify::{self, Needs};

/// A program within [`crate::limits`] whose clauses all terminate, stay inside their tables, and
/// use registers, variables, keys and their record as declared.
#[derive(Clone)]
pub struct Verified<B> {
    block: B,
    layout: Layout,
    needs: Needs,
}

impl<B: AsRef<[u64]>> Verified<B> {
    /// Verifies a block (`engine_abi::ProgramHeader` and its tables), in one pass and without
    /// allocating.
    #[inline(never)]
    pub fn new(block: B) -> Result<Self, Invalid> {
        let layout = Layout::of(block.as_ref())?;
        let needs = verify::program(Tables::new(block.as_ref(), &layout))?;
        Ok(Self {
            block,
            layout,
            needs,
        })
    }

    /// Its header.
    pub fn header(&self) -> &ProgramHeader {
        &self.layout.header
    }

    /// Whether it may change the system.
    pub fn is_destructive(&self) -> bool {
        self.tables().is_destructive()
    }

    /// A clause.
    pub fn clause(&self, number: u32) -> Option<Clause<'_>> {
        let tables = self.tables();
        let row = tables.row(number)?;
        Some(Clause { tables, row })
    }

    /// A variable.
    pub fn variable(&self, number: u32) -> Option<Variable> {
        self.tables().variable(number)
    }

    /// An aggregation.
    pub fn aggregation(&self, number: u32) -> Option<Aggregation> {
        self.tables().aggregation(number)
    }

    /// The components of a variable's or an aggregation's key.
    pub fn keys(&self, keys: Span) -> impl Iterator<Item = KeyPart> {
        self.tables().keys(keys)
    }

    /// Size of such a key in bytes.
    pub fn key_size(&self, keys: Span) -> u32 {
        self.tables().key_size(keys)
    }

    /// The size that [`Memory::key`](crate::Memory::key) must have, in bytes.
    pub fn key_size_max(&self) -> u32 {
        self.needs.key
    }

    /// The size that [`Memory::scratch`](crate::Memory::scratch) must have, in bytes, so that nothing
    /// exhausts it.
    pub fn scratch(&self) -> u32 {
        self.header().scratch.wrapping_add(self.needs.scratch)
    }

    /// The size that [`Memory::tokens`](crate::Memory::tokens) must have, in bytes.
    pub fn tokens(&self) -> u32 {
        self.header().string_size.wrapping_add(1)
    }

    /// The string at this offset, without its NUL.
    pub fn string(&self, offset: u32) -> Option<&[u8]> {
        self.tables().string(offset)
    }

    fn tables(&self) -> Tables<'_> {
        Tables::new(self.block.as_ref(), &self.layout)
    }
}

impl<B> fmt::Debug for Verified<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Verified")
            .field(&self.layout.header)
            .finish()
    }
}
