//! The memory that runs are confined to: the object, data, a stack, and data that cannot be accessed.
#![expect(unsafe_code, reason = "maps memory, and copies what runs left there")]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::{copy_nonoverlapping, null_mut};

use super::{file_error, object};
use crate::Error;
use crate::device::Memory;
use crate::places::{DATA, PAGE, Places, STACK};

/// Where a vector's instruction is in its page.
pub const SITE: usize = 2048;

/// Where the stack is in its page.
const STACK_AT: usize = 1024;

const ANONYMOUS: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;

/// Memory in this order, with a page between that cannot be accessed: the object, data, the
/// stack's page, data that is protected, and data that is not there. The slots of the object's
/// probes are below it.
pub struct Area {
    object: *mut u8,
    data: *mut u8,
    stack: *mut u8,
    protected: usize,
    absent: usize,
}

/// Data that an access faults in.
#[derive(Clone, Copy)]
pub enum Lacking {
    /// It is mapped, and may not be accessed.
    Protected,
    /// Nothing is mapped.
    Absent,
}

impl Area {
    /// With room for so many vectors.
    pub fn reserve(vectors: usize) -> Result<Self, Error> {
        let data = object::offset(vectors) + PAGE;
        let stack = data + DATA + PAGE;
        let protected = stack + 2 * PAGE;
        let absent = protected + DATA + PAGE;
        let size = absent + DATA + PAGE;
        let object = map(null_mut(), size, libc::PROT_NONE, ANONYMOUS, -1)?;
        let at = |offset: usize| object.wrapping_add(offset);
        let usable = libc::PROT_READ | libc::PROT_WRITE;
        for (offset, size) in [(data, DATA), (stack, PAGE)] {
            map(at(offset), size, usable, ANONYMOUS | libc::MAP_FIXED, -1)?;
        }
        // SAFETY: a part of what was just reserved, to which nothing refers.
        let unmapped = unsafe { libc::munmap(at(absent).cast::<c_void>(), DATA) };
        failed(unmapped != 0)?;
        Ok(Self {
            object,
            data: at(data),
            stack: at(stack + STACK_AT),
            protected: at(protected).expose_provenance(),
            absent: at(absent).expose_provenance(),
        })
    }

    /// Maps the object, with so many vectors.
    pub fn map(&mut self, path: &Path, vectors: usize) -> Result<(), Error> {
        let file = File::open(path).map_err(file_error(path))?;
        let executed = libc::PROT_READ | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
        let size = object::offset(vectors);
        map(self.object, size, executed, flags, file.as_raw_fd()).map(drop)
    }

    /// The addresses for a vector.
    pub fn places(&self, number: usize) -> Places {
        let page = self.object.expose_provenance() + object::offset(number);
        Places {
            number: number as u64,
            site: (page + SITE) as u64,
            page: page as u64,
            stack: self.stack.expose_provenance() as u64,
            stack_size: STACK as u64,
            data: self.data.expose_provenance() as u64,
            data_size: DATA as u64,
        }
    }

    /// The same with data that an access faults in.
    pub fn lacking(&self, places: &Places, lacking: Lacking) -> Places {
        let data = match lacking {
            Lacking::Protected => self.protected,
            Lacking::Absent => self.absent,
        };
        Places {
            data: data as u64,
            ..*places
        }
    }

    /// Sets stack and data before a run.
    pub fn fill(&mut self, memory: &Memory) {
        let [stack, data] = [memory.stack.as_ptr(), memory.data.as_ptr()];
        // SAFETY: `stack` is followed by as many bytes of a page of its own, which nothing refers to.
        unsafe { copy_nonoverlapping(stack, self.stack, STACK) };
        // SAFETY: the same of `data`.
        unsafe { copy_nonoverlapping(data, self.data, DATA) };
    }

    /// Reads stack and data after a run.
    pub fn read(&self, memory: &mut Memory) {
        let [stack, data] = [memory.stack.as_mut_ptr(), memory.data.as_mut_ptr()];
        // SAFETY: see `fill`. The run is over, so nothing writes there.
        unsafe { copy_nonoverlapping(self.stack, stack, STACK) };
        // SAFETY: the same of `data`.
        unsafe { copy_nonoverlapping(self.data, data, DATA) };
    }
}

fn map(
    at: *mut u8,
    size: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
) -> Result<*mut u8, Error> {
    // SAFETY: either new memory, or a part of the area that this module has reserved and that nothing
    // refers to.
    let mapped = unsafe { libc::mmap(at.cast(), size, access, flags, file, 0) };
    failed(mapped == libc::MAP_FAILED)?;
    Ok(mapped.cast())
}

fn failed(has_failed: bool) -> Result<(), Error> {
    match has_failed {
        true => Err(Error::Memory(io::Error::last_os_error())),
        false => Ok(()),
    }
}
