//! The requests of ptrace(2) for which there is no safe function.
#![expect(unsafe_code, reason = "their data are addresses")]

use std::io::{Error, Result};

use libc::{c_long, c_void, iovec, pid_t};

/// `NT_PRSTATUS` of `linux/elf.h`: the general registers.
const GENERAL: usize = 1;

/// `linux/ptrace.h`
const GETSIGMASK: u32 = 0x420a;
const SETSIGMASK: u32 = 0x420b;

/// The most words that an architecture has of general registers.
const WORDS: usize = 64;

/// The general registers of a thread that is stopped, in the order of its kernel.
pub fn registers(thread: pid_t) -> Result<Vec<usize>> {
    let mut words = vec![0; WORDS];
    let mut all = iovec {
        iov_base: words.as_mut_ptr().cast(),
        iov_len: size_of_val(&words[..]),
    };
    let (kind, place): (*mut c_void, *mut iovec) =
        (std::ptr::without_provenance_mut(GENERAL), &raw mut all);
    // SAFETY: the kernel writes at most `iov_len` bytes, and how many they are.
    done(unsafe { libc::ptrace(libc::PTRACE_GETREGSET, thread, kind, place) })?;
    words.truncate(all.iov_len / size_of::<usize>());
    Ok(words)
}

/// Sets them.
pub fn set_registers(thread: pid_t, words: &[usize]) -> Result<()> {
    let mut all = iovec {
        iov_base: words.as_ptr().cast_mut().cast(),
        iov_len: size_of_val(words),
    };
    let (kind, place): (*mut c_void, *mut iovec) =
        (std::ptr::without_provenance_mut(GENERAL), &raw mut all);
    // SAFETY: the kernel reads `iov_len` bytes.
    done(unsafe { libc::ptrace(libc::PTRACE_SETREGSET, thread, kind, place) })
}

/// The signals that a thread blocks, which is stopped.
pub fn signal_mask(thread: pid_t) -> Result<u64> {
    let mut mask = 0u64;
    let size: *mut c_void = std::ptr::without_provenance_mut(size_of_val(&mask));
    // SAFETY: the kernel writes a mask of this size.
    done(unsafe { libc::ptrace(GETSIGMASK, thread, size, &raw mut mask) })?;
    Ok(mask)
}

/// Sets them.
pub fn set_signal_mask(thread: pid_t, mask: u64) -> Result<()> {
    let size: *mut c_void = std::ptr::without_provenance_mut(size_of_val(&mask));
    // SAFETY: the kernel reads a mask of this size.
    done(unsafe { libc::ptrace(SETSIGMASK, thread, size, &raw const mask) })
}

fn done(result: c_long) -> Result<()> {
    match result {
        -1 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}
