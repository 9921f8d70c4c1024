//! Regions of the cache: memory for translations, near to the text that they are of, so that they can refer
//! to what it refers to. The same memory is mapped twice: to execute, and elsewhere to write.

#![expect(
    unsafe_code,
    reason = "code is memory that is written before it is executed"
)]

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};

use super::kernel;
use super::translate::CODE_MAX;
use crate::maps;
use crate::sys;

/// Bytes of a region, of which those that are never used take no memory.
const SIZE: usize = 64 << 20;

/// The most that code may be from text, so that operands are in reach.
const REACH: u64 = 3 << 29;

/// A translated block.
#[derive(Debug)]
pub struct Block {
    /// Its address in the program.
    pub pc: u64,
    /// The offset of its code in the region, and the length.
    pub code: usize,
    pub length: usize,
    pub text: Vec<u8>,
}

/// A region.
pub struct Region {
    /// Where it is executed.
    start: u64,
    /// Where it is written.
    writable: usize,
    used: usize,
    /// In the order of their code.
    blocks: Vec<Block>,
    /// What is before this was translated for an earlier generation.
    fresh: usize,
}

/// Where there may be room: below a mapping; for a program at low addresses above it, far from where its
/// heap begins; and for what is above the stack below that, far from where it will grow to.
fn places(near: u64) -> [Option<usize>; 3] {
    const FAR: u64 = REACH / 8 * 7;
    const MEGABYTE: u64 = 1 << 20;
    let [above, below] = [near.wrapping_add(FAR), near.wrapping_sub(FAR)]
        .map(|place| Some((place & !MEGABYTE.wrapping_sub(1)) as usize));
    [maps::free_range(near as usize, SIZE), above, below]
}

impl Region {
    /// Maps one near to an address.
    pub fn map(near: u64) -> Option<Self> {
        let file = kernel::memory_file(SIZE).ok()?;
        // First, or the kernel would choose this place for the other.
        let start = places(near).into_iter().flatten().find(|start| {
            (*start as u64).abs_diff(near) < REACH && kernel::map_code(file, *start, SIZE).is_ok()
        });
        let writable = kernel::map_file(file, SIZE);
        sys::close(file);
        let start = start?;
        Some(Self {
            start: start as u64,
            writable: writable.ok()?,
            used: 0,
            blocks: Vec::new(),
            fresh: 0,
        })
    }

    /// Whether there is room for the translation of text at an address.
    pub fn serves(&self, pc: u64) -> bool {
        self.start.abs_diff(pc) < REACH && SIZE.wrapping_sub(self.used) > CODE_MAX
    }

    /// Whether an address is in it.
    pub fn has(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < SIZE as u64
    }

    /// The address of the next block.
    pub fn next(&self) -> u64 {
        self.start.wrapping_add(self.used as u64)
    }

    /// The memory for it.
    pub fn room(&mut self) -> &mut [u8] {
        let address = self.writable.wrapping_add(self.used);
        let length = CODE_MAX.min(SIZE.wrapping_sub(self.used));
        let first: *mut u8 = core::ptr::with_exposed_provenance_mut(address);
        // SAFETY: the writable mapping, of which nothing is executed yet from here on.
        unsafe { core::slice::from_raw_parts_mut(first, length) }
    }

    /// Adds the block that has been written to [`Region::room`]; returns its address.
    pub fn add(&mut self, mut block: Block) -> Option<u64> {
        /// Of literals, and for the processor's sake.
        const ALIGNMENT: usize = 16;
        let address = self.next();
        block.code = self.used;
        self.blocks.try_reserve(1).ok()?;
        self.used = self
            .used
            .wrapping_add(block.length)
            .next_multiple_of(ALIGNMENT);
        self.blocks.push(block);
        Some(address)
    }

    /// The block that an address in the region belongs to, and the offset in its code.
    pub fn block_at(&self, address: u64) -> Option<(&Block, usize)> {
        let offset = address.wrapping_sub(self.start) as usize;
        let behind = self.blocks.partition_point(|block| block.code <= offset);
        let block = self.blocks.get(behind.checked_sub(1)?)?;
        Some((block, offset.wrapping_sub(block.code)))
    }

    /// The address of a block.
    pub fn address(&self, block: &Block) -> u64 {
        self.start.wrapping_add(block.code as u64)
    }

    /// Sets a literal, if it is of this generation.
    pub fn link(&self, literal: u64, to: u64) {
        let offset = literal.wrapping_sub(self.start) as usize;
        if offset < self.fresh || offset >= self.used || !offset.is_multiple_of(8) {
            return;
        }
        let place: *const AtomicU64 =
            core::ptr::with_exposed_provenance(self.writable.wrapping_add(offset));
        // SAFETY: a literal in the writable mapping; threads jump through it meanwhile.
        unsafe { &*place }.store(to, Ordering::Release);
    }

    /// What is there now is of an earlier generation.
    pub fn age(&mut self) {
        self.fresh = self.used;
    }
}
