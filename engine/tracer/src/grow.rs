//! Fallible growth of vectors: a failed allocation is an error, never a panic.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// An allocation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory;

/// Appends `item`, growing the vector if it is full.
pub fn push<T>(items: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    items.try_reserve(1).map_err(|_| OutOfMemory)?;
    // Always true; the check lets the compiler drop `push`'s own growing path and the panic in it.
    if items.len() < items.capacity() {
        items.push(item);
    }
    Ok(())
}

/// Returns a vector of `length` items, allocated to exactly that capacity.
pub fn filled<T>(length: usize, mut item: impl FnMut() -> T) -> Result<Vec<T>, OutOfMemory> {
    let mut items = Vec::new();
    items.try_reserve_exact(length).map_err(|_| OutOfMemory)?;
    for _ in 0..length {
        push(&mut items, item())?;
    }
    Ok(items)
}

/// Appends all of `more`, or nothing if the memory cannot be reserved.
pub fn extend(items: &mut Vec<u8>, more: &[u8]) -> Result<(), OutOfMemory> {
    items.try_reserve(more.len()).map_err(|_| OutOfMemory)?;
    more.iter().try_for_each(|&byte| push(items, byte))
}

/// A value on the heap: `Box`, whose own constructor cannot report that there is no memory.
#[derive(Debug)]
pub struct Boxed<T>(Box<[T; 1]>);

impl<T> Boxed<T> {
    /// Moves `value` to the heap. Not inlined, as a move costs its size in stack.
    #[inline(never)]
    pub fn new(value: T) -> Result<Self, OutOfMemory> {
        let mut values = Vec::new();
        values.try_reserve_exact(1).map_err(|_| OutOfMemory)?;
        push(&mut values, value)?;
        let boxed = values.into_boxed_slice().try_into();
        boxed.map(Self).map_err(|_| OutOfMemory)
    }
}

impl<T> Deref for Boxed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let [value] = &*self.0;
        value
    }
}

impl<T> DerefMut for Boxed<T> {
    fn deref_mut(&mut self) -> &mut T {
        let [value] = &mut *self.0;
        value
    }
}
