//! A mapping that ends in an inaccessible page, for pointers the kernel must find faulty.
#![expect(
    unsafe_code,
    reason = "only mmap(2) gives a page that nobody may touch"
)]

use std::ffi::c_void;
use std::ptr;

use fastrand::Rng;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

use crate::Error;

/// A multiple of the page size of every guest.
const PAGE: usize = 64 << 10;

/// An accessible page followed by an inaccessible one. Never unmapped.
pub struct Cliff {
    start: *mut c_void,
}

impl Cliff {
    /// Maps them.
    pub fn new() -> Result<Self, Error> {
        let failed = |why| Error::System { doing: "mmap", why };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new private mapping without a fixed address replaces nothing.
        let mapped =
            unsafe { mmap_anonymous(ptr::null_mut(), 2 * PAGE, access, MapFlags::PRIVATE) };
        let start = mapped.map_err(failed)?;
        // SAFETY: the range is the second half of that mapping, and nothing refers to it yet.
        let edge = unsafe { mprotect(start.wrapping_byte_add(PAGE), PAGE, MprotectFlags::empty()) };
        edge.map_err(failed)?;
        Ok(Self { start })
    }

    /// An address at which a struct of `size` bytes is missing or incomplete. Where the kernel can
    /// write at all, it writes into the first page, which nothing else uses.
    pub fn bad_address(&self, size: usize, prng: &mut Rng) -> u64 {
        let edge = self.start.wrapping_byte_add(PAGE).expose_provenance() as u64;
        match prng.u32(..6) {
            0 => prng.u64(..4096),
            1 => u64::MAX - prng.u64(..4096),
            2 => (usize::MAX - prng.usize(..usize::MAX / 8)) as u64,
            3 => edge + prng.u64(..PAGE as u64 / 2),
            _ => edge - prng.u64(..size.clamp(1, PAGE) as u64),
        }
    }
}
