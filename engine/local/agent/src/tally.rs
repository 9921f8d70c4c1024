//! Tallies: the hits of a site that its detour only counts. The agent takes them, and fires them together.

#![expect(unsafe_code, reason = "detours count in memory that is mapped for it")]

use core::sync::atomic::{AtomicU64, Ordering};

use syscalls::Errno;

use crate::sys;

/// Bytes of a tally.
pub const SIZE: usize = size_of::<AtomicU64>();

/// The hits since they were taken last.
#[derive(Debug, Clone, Copy)]
pub struct Tally(&'static AtomicU64);

/// The tallies of a region of detours.
#[derive(Debug, Clone, Copy)]
pub struct Tallies(&'static [AtomicU64]);

impl Tallies {
    /// Maps as many as have room in `size` bytes, at this address, where nothing is.
    pub fn map(address: usize, size: usize) -> Result<Self, Errno> {
        if size == 0 {
            return Ok(Self(&[]));
        }
        sys::map_at(address, size)?;
        let first: *const AtomicU64 = core::ptr::with_exposed_provenance(address);
        // SAFETY: the whole pages were mapped just now, as zeros, and are never unmapped.
        Ok(Self(unsafe {
            core::slice::from_raw_parts(first, size / SIZE)
        }))
    }

    /// The tally of this number, from zero on.
    pub fn begin(self, number: usize) -> Option<Tally> {
        let tally = Tally(self.0.get(number)?);
        tally.take();
        Some(tally)
    }
}

impl Tally {
    /// Takes the hits.
    pub fn take(self) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => 0,
            _ => self.0.swap(0, Ordering::Relaxed),
        }
    }
}
