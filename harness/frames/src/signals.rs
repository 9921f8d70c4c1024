//! Signal handlers that look at where the program was.
#![expect(unsafe_code, reason = "installs signal handlers, and maps memory")]

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

use crate::arch;

/// What a handler gets: the program counter that the signal found.
pub type Handler = fn(usize);

/// The program's own code, which the linker bounds.
pub fn is_text(pc: usize) -> bool {
    unsafe extern "C" {
        static __executable_start: u8;
        static etext: u8;
    }
    let (start, end) = (&raw const __executable_start, &raw const etext);
    (start.addr()..end.addr()).contains(&pc)
}

static HANDLER: std::sync::OnceLock<Handler> = std::sync::OnceLock::new();

/// Installs the handler of a signal; there is one for the program.
pub fn handle(signal: c_int, handler: Handler) -> io::Result<()> {
    extern "C" fn handle(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel passes the context of an SA_SIGINFO handler, which lives as long as
        // the handler runs.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        if let Some(handler) = HANDLER.get() {
            handler(arch::counter(context));
        }
    }
    HANDLER.get_or_init(|| handler);
    // SAFETY: all-zero bytes are a valid `sigaction`: no flags, empty mask.
    let mut action: libc::sigaction = unsafe { zeroed() };
    let handle: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = handle;
    action.sa_sigaction = handle as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handlers of this program are async-signal-safe: they use atomics and make system
    // calls.
    let done = unsafe { libc::sigaction(signal, &raw const action, null_mut()) };
    result(done)
}

/// Sends SIGALRM every so many microseconds; 0 ends it.
pub fn every(microseconds: i32) -> io::Result<()> {
    let period = libc::timeval {
        tv_sec: 0,
        tv_usec: microseconds.into(),
    };
    let timer = libc::itimerval {
        it_interval: period,
        it_value: period,
    };
    // SAFETY: `timer` is initialized, and a null old value is allowed.
    result(unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, null_mut()) })
}

/// The errno of a call that has failed.
pub fn result(done: c_int) -> io::Result<()> {
    if done == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}
