//! Children without handlers of signals, as posix_spawn(3) makes them since glibc 2.38.
#![expect(unsafe_code, reason = "makes children by the system call itself")]

use std::ffi::{c_int, c_long};
use std::io;
use std::ptr::null;

use crate::arch::{self, CloneArguments};
use crate::calls::frames_call;
use crate::counts::Counts;
use crate::{Error, check, forks};

/// `CLONE_CLEAR_SIGHAND` of `linux/sched.h`.
const CLEAR_HANDLERS: u64 = 1 << 32;

/// The bytes of clone3(2)'s arguments.
const SIZE: usize = size_of::<CloneArguments>();

/// clone3(2); its error number is negated.
type Clone3 = fn(*const CloneArguments, usize) -> isize;

/// Makes so many children by a system call whose number is a constant, and as many by one whose number is computed.
pub fn spawn(count: usize) -> Result<Counts, Error> {
    let mut refused = 0;
    for number in 0..count {
        for clone3 in [constant, computed] {
            refused += usize::from(!make(clone3, number)?);
        }
    }
    eprintln!("{refused} of {} were refused", 2 * count);
    Ok(Counts::default().with("frames_call", 2 * count, 2 * count))
}

/// Makes a child; returns whether it has no handlers.
fn make(clone3: Clone3, number: usize) -> Result<bool, Error> {
    check("frames_call", frames_call(number), number + 1)?;
    let mut arguments = CloneArguments::default();
    arguments.flags = CLEAR_HANDLERS;
    arguments.exit_signal = libc::SIGCHLD as u64;
    let mut child = clone3(&raw const arguments, SIZE);
    let is_refused = child == refusal(libc::EINVAL);
    if is_refused {
        arguments.flags = 0;
        child = clone3(&raw const arguments, SIZE);
    }
    if child == 0 {
        let is_right = frames_call(number) == number + 1;
        // SAFETY: ends the child.
        unsafe { libc::_exit(c_int::from(!is_right)) };
    }
    let child = c_int::try_from(child).map_err(io::Error::other)?;
    if child < 0 {
        return Err(io::Error::from_raw_os_error(-child).into());
    }
    forks::wait(child)?;
    check("no arguments", clone3(null(), SIZE), refusal(libc::EFAULT))?;
    // Not the error of a refusal. No page is so large.
    check(
        "too many",
        clone3(&raw const arguments, 1 << 20),
        refusal(libc::E2BIG),
    )?;
    Ok(!is_refused)
}

fn refusal(error: c_int) -> isize {
    -(error as isize)
}

fn constant(arguments: *const CloneArguments, size: usize) -> isize {
    // SAFETY: no child shares this memory.
    unsafe { arch::frames_clone3(arguments, size) }
}

fn computed(arguments: *const CloneArguments, size: usize) -> isize {
    // SAFETY: as above.
    let child: c_long = unsafe { libc::syscall(libc::SYS_clone3, arguments, size) };
    let error = io::Error::last_os_error().raw_os_error();
    match child {
        -1 => refusal(error.unwrap_or_default()),
        child => child as isize,
    }
}
