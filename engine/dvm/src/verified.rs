//! A program that was verified: the only one that can be run, and what whoever runs it needs to know
//! of it.

use core::fmt;

use engine_abi::{ProgramHeader, Span};

use crate::block::{Layout, Tables};
use crate::clause::Clause;
use crate::invalid::Invalid;
use crate::rows::{Aggregation, KeyPart, Variable};
use crate::verify::{self, Needs};

/// A program within the limits of [`crate::limits`] whose every clause ends, stays inside its tables,
/// and uses registers, variables, keys and its record as they are declared.
#[derive(Clone)]
pub struct Verified<B> {
    block: B,
    layout: Layout,
    needs: Needs,
}

impl<B: AsRef<[u64]>> Verified<B> {
    /// Verifies a block (`engine_abi::ProgramHeader` and the tables behind it), in one pass over it and
    /// without memory besides.
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

    /// The parts of a variable's or an aggregation's key.
    pub fn keys(&self, keys: Span) -> impl Iterator<Item = KeyPart> {
        self.tables().keys(keys)
    }

    /// Bytes of such a key.
    pub fn key_size(&self, keys: Span) -> u32 {
        self.tables().key_size(keys)
    }

    /// The bytes that [`Memory::key`](crate::Memory::key) must have.
    pub fn key_size_max(&self) -> u32 {
        self.needs.key
    }

    /// The bytes that [`Memory::scratch`](crate::Memory::scratch) must have, so that only what
    /// `alloca` and `copyin` ask for can find it used up.
    pub fn scratch(&self) -> u32 {
        self.header().scratch.wrapping_add(self.needs.scratch)
    }

    /// The string that begins at this byte of the strings, without its NUL.
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
