//! The sizes of functions whose symbols state none, or too much.

use super::row::{Extent, Row};
use crate::elf::code::Code;

/// Completes the sizes of rows that are sorted by address and lie in `code`.
pub fn complete(rows: &mut [Row], code: &Code) {
    let mut next = u64::MAX;
    for group in rows.chunk_by_mut(|a, b| a.address == b.address).rev() {
        let Some(address) = group.first().map(|row| row.address) else {
            continue;
        };
        let end = code.end_at(address).unwrap_or(address);
        let most = end - address;
        let alias = group.iter().map(|row| row.size).max().unwrap_or(0);
        for row in group {
            (row.size, row.extent) = match (row.size, alias) {
                (0, 0) => (most.min(next - address), Extent::UntilNext),
                (0, alias) => (alias.min(most), Extent::Alias),
                (size, _) if size > most => (most, Extent::Cut),
                (size, _) => (size, Extent::Stated),
            };
        }
        next = address;
    }
}
