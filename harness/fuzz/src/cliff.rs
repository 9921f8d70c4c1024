//! Memory that ends: a page that may be used, and behind it one that may not.
#![expect(
    unsafe_code,
    reason = "only mmap(2) gives a page that nobody may touch"
)]

use std::ffi::c_void;
use std::ptr;

use fastrand::Rng;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};

use crate::Error;

/// At least a page of any guest.
const PAGE: usize = 64 << 10;

/// The two pages; they stay for as long as the process does.
pub struct Cliff {
    start: *mut c_void,
}

impl Cliff {
    /// Maps them.
    pub fn new() -> Result<Self, Error> {
        let failed = |why| Error::System { doing: "mmap", why };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, wherever the kernel has room for it.
        let mapped =
            unsafe { mmap_anonymous(ptr::null_mut(), 2 * PAGE, access, MapFlags::PRIVATE) };
        let start = mapped.map_err(failed)?;
        // SAFETY: the second half of that mapping, which nothing uses yet.
        let edge = unsafe { mprotect(start.wrapping_byte_add(PAGE), PAGE, MprotectFlags::empty()) };
        edge.map_err(failed)?;
        Ok(Self { start })
    }

    /// An address at which a struct of `size` bytes is not, or not all of it: the kernel may write over
    /// what there is of it here, and over nothing else of this process.
    pub fn bad_address(&self, size: usize, chance: &mut Rng) -> u64 {
        let edge = self.start.wrapping_byte_add(PAGE).expose_provenance() as u64;
        match chance.u32(..6) {
            0 => chance.u64(..4096),
            1 => u64::MAX - chance.u64(..4096),
            2 => (usize::MAX - chance.usize(..usize::MAX / 8)) as u64,
            3 => edge + chance.u64(..PAGE as u64 / 2),
            _ => edge - chance.u64(..size.clamp(1, PAGE) as u64),
        }
    }
}
