//! Where variables are: the entries of all sections, by variable.

use crate::id::TypeId;

/// A variable's entry in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The variable.
    pub variable: TypeId,
    /// The section.
    pub section: TypeId,
    /// Its offset from what the section is named for.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// All entries, sorted by variable.
#[derive(Debug)]
pub struct Places(Vec<Entry>);

impl Places {
    /// Sorts them.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_unstable();
        Self(entries)
    }

    /// The first entry of a variable.
    pub fn of(&self, variable: TypeId) -> Option<&Entry> {
        let at = self.0.partition_point(|entry| entry.variable < variable);
        self.0.get(at).filter(|entry| entry.variable == variable)
    }
}
