//! Pages whose instructions can be overwritten.
#![expect(unsafe_code, reason = "maps memory and writes to it")]

use std::ffi::c_int;
use std::io;
use std::ptr::{null_mut, with_exposed_provenance_mut};

/// The size of one, in all guests.
const PAGE: usize = 4096;
const ALL: c_int = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;

/// Makes the page of an address writable too.
pub fn make_writable(at: usize) -> io::Result<()> {
    let page = with_exposed_provenance_mut(at & !(PAGE - 1));
    // SAFETY: what the page allows only grows.
    match unsafe { libc::mprotect(page, PAGE, ALL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A page of no file with this code.
pub fn anonymous(code: &[u8]) -> io::Result<usize> {
    assert!(code.len() <= PAGE, "more than a page");
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: memory where none was.
    let page = unsafe { libc::mmap(null_mut(), PAGE, ALL, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page is new and has room. Nothing has been executed there that a cache could have.
    unsafe {
        page.cast::<u8>()
            .copy_from_nonoverlapping(code.as_ptr(), code.len())
    };
    Ok(page.expose_provenance())
}
