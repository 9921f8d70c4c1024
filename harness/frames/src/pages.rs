//! Pages of memory, at addresses.
#![expect(unsafe_code, reason = "replaces pages of this program")]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::with_exposed_provenance_mut;

use crate::signals::result;

/// The size of one, in all guests.
pub const PAGE: usize = 4096;
/// What one allows.
pub const NONE: c_int = libc::PROT_NONE;
/// See [`NONE`].
pub const READ: c_int = libc::PROT_READ;
/// See [`NONE`].
pub const WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;
/// See [`NONE`].
pub const EXECUTE: c_int = libc::PROT_READ | libc::PROT_EXEC;

fn pointer(at: usize) -> *mut c_void {
    with_exposed_provenance_mut(at)
}

/// A page of no file with these bytes, that can be written.
pub fn anonymous(bytes: &[u8]) -> io::Result<usize> {
    let at = map(0, WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None)?;
    fill(at, bytes);
    Ok(at)
}

/// The same, executable, at this address, where nothing is.
pub fn anonymous_code(at: usize, bytes: &[u8]) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let at = map(at, WRITE, flags, None)?;
    fill(at, bytes);
    protect(at, EXECUTE)
}

/// Code in shared memory, at this address, where nothing is.
pub fn shared_code(at: usize, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the name is NUL-terminated.
    let memory = unsafe { libc::memfd_create(c"code".as_ptr(), libc::MFD_CLOEXEC) };
    result(c_int::from(memory < 0))?;
    // SAFETY: the descriptor was just opened, and is nobody else's.
    let mut memory = unsafe { File::from_raw_fd(memory) };
    memory.write_all(bytes)?;
    memory.set_len(PAGE as u64)?;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE;
    map(at, EXECUTE, flags, Some((&memory, 0))).map(drop)
}

/// The page of a file, executable, in place of what is at this address.
pub fn replace(at: usize, file: &File, offset: i64) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
    map(at, EXECUTE, flags, Some((file, offset))).map(drop)
}

fn map(at: usize, access: c_int, flags: c_int, file: Option<(&File, i64)>) -> io::Result<usize> {
    let (file, offset) = file.map_or((-1, 0), |(file, offset)| (file.as_raw_fd(), offset));
    // SAFETY: only `replace` replaces anything: the page of `frames_paged`, by itself.
    let at = unsafe {
        libc::mmap(
            pointer(at),
            PAGE,
            access,
            flags,
            file,
            offset as libc::off_t,
        )
    };
    result(c_int::from(at == libc::MAP_FAILED))?;
    Ok(at.expose_provenance())
}

fn fill(at: usize, bytes: &[u8]) {
    assert!(bytes.len() <= PAGE, "more than a page");
    let to = with_exposed_provenance_mut::<u8>(at);
    // SAFETY: the page was just mapped to be written, has room, and nothing refers to it.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}

/// Changes what a page allows.
pub fn protect(at: usize, access: c_int) -> io::Result<()> {
    // SAFETY: callers pass pages of memory that nothing has a reference to, or of code.
    result(unsafe { libc::mprotect(pointer(at), PAGE, access) })
}

/// Takes a page away.
pub fn unmap(at: usize) -> io::Result<()> {
    // SAFETY: callers pass pages of code that nothing executes.
    result(unsafe { libc::munmap(pointer(at), PAGE) })
}

/// Moves a page to where the kernel finds room; returns where.
pub fn relocate(at: usize) -> io::Result<usize> {
    let to = map(0, NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None)?;
    relocate_to(at, to)?;
    Ok(to)
}

/// Moves a page to an address.
pub fn relocate_to(at: usize, to: usize) -> io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: callers move pages of code that nothing executes, to where nothing is that is used.
    let moved = unsafe { libc::mremap(pointer(at), PAGE, PAGE, flags, pointer(to)) };
    result(c_int::from(moved == libc::MAP_FAILED))
}

/// Lets the kernel forget what a page has that its file has not.
pub fn forget(at: usize) -> io::Result<()> {
    // SAFETY: callers pass a page of code.
    result(unsafe { libc::madvise(pointer(at), PAGE, libc::MADV_DONTNEED) })
}

/// Calls a function without arguments.
pub fn call(at: usize) -> usize {
    let function = std::ptr::with_exposed_provenance::<c_void>(at);
    // SAFETY: callers pass the address of such a function.
    let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(function) };
    function()
}
