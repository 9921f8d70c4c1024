//! Children of a process that has more than one thread. Those that fork makes have their own memory;
//! those that run in their parent's are its hits as long as they do.
#![expect(unsafe_code, reason = "forks, and runs a child in its parent's memory")]

use std::ffi::{CString, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::calls::{frames_call, frames_lent};
use crate::counts::Counts;
use crate::options::NOTHING;
use crate::{Error, check, signals};

/// The bytes of stack of a child that runs in its parent's memory.
const STACK: usize = 64 << 10;

/// Makes so many children of each kind while another thread calls the function that they call.
pub fn fork(count: usize) -> Result<Counts, Error> {
    let done = AtomicBool::new(false);
    let (made, beside) = thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let mut calls = 0;
            while !done.load(Relaxed) {
                calls = frames_call(calls);
                thread::sleep(Duration::from_micros(500));
            }
            calls
        });
        let made = (0..count).try_for_each(make);
        done.store(true, Relaxed);
        (made, beside.join().unwrap_or_default())
    });
    made?;
    let counts = Counts::default().with("frames_lent", count, count);
    Ok(counts.with("frames_call", count + beside, count + beside))
}

fn make(number: usize) -> Result<(), Error> {
    check("frames_call", frames_call(number), number + 1)?;
    wait(own(number)?)?;
    wait(lend()?)
}

/// A child with its own memory.
fn own(number: usize) -> io::Result<c_int> {
    // SAFETY: the child calls a function that takes no lock, and exits without destructors.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_right = frames_call(number) == number + 1;
        // SAFETY: ends the child.
        unsafe { libc::_exit(c_int::from(!is_right)) };
    }
    Ok(child)
}

/// A child in our memory, on a stack of its own, which executes this program again. We wait until it
/// does.
fn lend() -> Result<c_int, Error> {
    let path = std::env::current_exe()?;
    let path = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
    let words = [path.as_ptr(), NOTHING.as_ptr(), std::ptr::null()];
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end.cast::<c_void>();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = (&raw const words).cast_mut().cast::<c_void>();
    // SAFETY: `run` takes these words, which outlive the child in this memory, as its stack does.
    Ok(unsafe { libc::clone(run, top, flags, argument) })
}

extern "C" fn run(words: *mut c_void) -> c_int {
    if frames_lent(1) != 3 {
        return 1;
    }
    let words = words.cast::<*const libc::c_char>();
    // SAFETY: the first of the words is the path.
    let path = unsafe { *words };
    // SAFETY: path and words are NUL-terminated, and a null pointer ends them. It needs no
    // environment.
    unsafe { libc::execve(path, words, std::ptr::null()) };
    127
}

/// Waits for a child, which must have exited with 0.
pub fn wait(child: c_int) -> Result<(), Error> {
    let mut status = 0;
    // SAFETY: `status` is ours.
    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
    signals::result(c_int::from(ended <= 0))?;
    check("a child's status", (ended, status), (child, 0))
}
