//! The memory that a recorder in the traced process shares with the command.
#![expect(unsafe_code, reason = "it is mapped, and another process writes to it")]

use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use engine_abi::path::{AREA, AREAS, BUFFER, BUFFER_END, Header, PAGE, SHARE, SIZE, SLACK, Share};
use libc::{MAP_FAILED, MAP_NORESERVE, MAP_SHARED, PROT_READ, PROT_WRITE};

/// The memory.
pub struct Shared(NonNull<u8>);

impl Shared {
    /// Maps it.
    pub fn map(file: &File) -> Result<Self> {
        let (access, flags) = (PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE);
        // SAFETY: a new mapping, where nothing is.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SIZE,
                access,
                flags,
                file.as_raw_fd(),
                0,
            )
        };
        match NonNull::new(address.cast()) {
            Some(address) if address.as_ptr() != MAP_FAILED.cast() => Ok(Self(address)),
            _ => Err(Error::last_os_error()),
        }
    }

    fn at<T>(&self, offset: usize) -> &T {
        assert!(offset + size_of::<T>() <= SIZE, "outside of the memory");
        // SAFETY: inside of the mapping.
        let place = unsafe { self.0.add(offset) };
        // SAFETY: the mapping is as long as `self`; the parts of a T are atomic, and any value of them is
        // valid.
        unsafe { place.cast().as_ref() }
    }

    /// What threads increment when they wait.
    pub fn doorbell(&self) -> &AtomicU32 {
        &self.at::<Header>(0).doorbell
    }

    /// What an area's thread shares.
    pub fn share(&self, area: usize) -> &Share {
        self.at(PAGE + area % AREAS * AREA + SHARE)
    }

    /// The events in an area's buffer from an offset on.
    pub fn events(&self, area: usize, from: usize) -> Vec<u8> {
        let next = self.share(area).next.load(Ordering::Acquire);
        let end = next.saturating_add_unsigned(BUFFER_END as u64);
        let end = usize::try_from(end).unwrap_or_default();
        let end = end.clamp(BUFFER, BUFFER_END + SLACK);
        let start = (BUFFER + from).min(end);
        let offset = PAGE + area % AREAS * AREA + start;
        // SAFETY: inside of an area.
        let first = unsafe { self.0.add(offset) };
        // SAFETY: its thread has written these bytes, and does not write to them until it has been told that
        // they were taken.
        let events = unsafe { std::slice::from_raw_parts(first.as_ptr(), end - start) };
        events.to_vec()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nothing refers to it any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), SIZE) };
    }
}
