//! The list of an object's functions, and the function at an address.

use std::cmp::Reverse;

use super::row::{Binding, Extent, Function, Row};
use crate::error::Fault;

/// How many rows before an address are looked at: parts of functions and labels have sizes of their
/// own and lie inside others, but not so many inside one.
const NESTED: usize = 64;

/// The functions of an object, sorted by address.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    pub(super) names: Vec<u8>,
    pub(super) rows: Vec<Row>,
    pub(super) faults: Vec<Fault>,
}

impl Functions {
    /// All of them, by address; those of one address by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Function<'_>> {
        self.rows.iter().map(|row| row.function(&self.names))
    }

    /// Those with a name that `matches` accepts, be it the symbol's or the demangled one.
    pub fn matching<'a>(
        &'a self,
        mut matches: impl FnMut(&str) -> bool + 'a,
    ) -> impl Iterator<Item = Function<'a>> {
        self.iter()
            .filter(move |function| function.answers_to(&mut matches))
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What is wrong with the tables that these came from.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The function that an address is in, and the offset there. Of several the one that begins
    /// last; of several names the one that a reader would expect.
    pub fn at(&self, address: u64) -> Option<(Function<'_>, u64)> {
        let after = self.rows.partition_point(|row| row.address <= address);
        let rows = self.rows.get(after.saturating_sub(NESTED)..after)?;
        let functions = rows.iter().map(|row| row.function(&self.names));
        let around = functions.filter(|function| function.contains(address));
        let found = around.max_by_key(|function| (function.address, rank(function)))?;
        Some((found, address - found.address))
    }
}

/// A global name before a weak and a local one, one with a size before one without, then the one
/// with fewer leading underscores, the shorter one, and the first.
fn rank<'a>(function: &Function<'a>) -> impl Ord + use<'a> {
    let binding = match function.binding {
        Binding::Global | Binding::Other(_) => 2,
        Binding::Weak => 1,
        Binding::Local => 0,
    };
    let name = function.raw_name();
    let underscores = name.iter().take_while(|byte| **byte == b'_').count();
    let is_stated = function.extent == Extent::Stated;
    (binding, is_stated, Reverse((underscores, name.len(), name)))
}
