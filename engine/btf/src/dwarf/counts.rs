//! What a conversion tells of itself.

/// How much was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Units that were read.
    pub units: usize,
    /// Units of other languages.
    pub skipped: usize,
    /// Types of BTF that were made, with functions and variables.
    pub types: u32,
    /// Functions.
    pub functions: usize,
    /// Variables with a place.
    pub variables: usize,
    /// Variables that the file has no place for; they are left out.
    pub lost: usize,
}
