//! Growing without a panic: memory that is not there is an answer.

use alloc::vec::Vec;

/// There was no memory for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

/// Appends `item`.
pub fn push<T>(items: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    items.try_reserve(1).map_err(|_| OutOfMemory)?;
    // Always true. It spares the compiler the growing path of `push`, and so its panic.
    if items.len() < items.capacity() {
        items.push(item);
    }
    Ok(())
}

/// A vector of `length` items, with just the memory for them.
pub fn filled<T>(length: usize, mut item: impl FnMut() -> T) -> Result<Vec<T>, OutOfMemory> {
    let mut items = Vec::new();
    items.try_reserve_exact(length).map_err(|_| OutOfMemory)?;
    for _ in 0..length {
        push(&mut items, item())?;
    }
    Ok(items)
}

/// Appends all of `more`.
pub fn extend(items: &mut Vec<u8>, more: &[u8]) -> Result<(), OutOfMemory> {
    items.try_reserve(more.len()).map_err(|_| OutOfMemory)?;
    more.iter().try_for_each(|&byte| push(items, byte))
}
