//! Runs an instruction: by signals, whose frames have all registers.
#![expect(unsafe_code, reason = "handles signals")]

use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{fmt, io};

use super::arch::{self, EXIT, Frame, Own};
use crate::Error;
use crate::set::Set;

/// The signal that begins a run.
const BEGIN: c_int = libc::SIGUSR1;
/// Those that can end it.
const ENDS: [c_int; 5] = [
    libc::SIGTRAP,
    libc::SIGILL,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGFPE,
];

/// Bytes of the handlers' stack: AMX alone needs 8 KiB of a frame.
const STACK: usize = 128 << 10;

/// The registers, which all sets of this machine share.
pub type State = <Own as Set>::State;

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    signal: c_int,
    /// Its `si_code` and `si_addr`.
    code: c_int,
    address: usize,
}

impl End {
    /// Whether the instruction raised it, and not the exit.
    pub fn is_fault(&self, state: &State, site: u64) -> bool {
        self.signal != EXIT || arch::pc(state) == site
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            signal,
            code,
            address,
        } = self;
        write!(f, "signal {signal}, code {code}, address {address:x}")
    }
}

/// A run, while it lasts.
struct Running {
    start: State,
    /// The registers of [`Runner::run`], from the begin on.
    outside: Option<Frame>,
    end: Option<(State, End)>,
}

/// The current run, for the handlers. There is one thread.
static RUNNING: AtomicPtr<Running> = AtomicPtr::new(null_mut());

/// Has the handlers.
pub struct Runner {
    /// Their stack. The stack that a run sees is not theirs, whatever is compared.
    _stack: Vec<u8>,
}

impl Runner {
    /// Installs the handlers.
    pub fn new() -> Result<Self, Error> {
        let mut stack = vec![0; STACK];
        let own = libc::stack_t {
            ss_sp: stack.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: STACK,
        };
        // SAFETY: the stack is memory that lives as long as the runner, and so as long as signals come.
        let done = unsafe { libc::sigaltstack(&raw const own, null_mut()) };
        result(done)?;
        handle(BEGIN, begin)?;
        ENDS.into_iter()
            .try_for_each(|signal| handle(signal, end))?;
        Ok(Self { _stack: stack })
    }

    /// Runs the instruction that the state is at, until a signal. The memory that it accesses must be
    /// lent to it.
    pub fn run(&mut self, start: &State) -> Result<(State, End), Error> {
        let mut running = Running {
            start: start.clone(),
            outside: None,
            end: None,
        };
        RUNNING.store(&raw mut running, Ordering::Relaxed);
        let process = std::process::id() as libc::pid_t;
        // SAFETY: it has no arguments in memory. The process has one thread, which takes the signal
        // before the call returns.
        let done = unsafe { libc::kill(process, BEGIN) };
        RUNNING.store(null_mut(), Ordering::Relaxed);
        result(done)?;
        running
            .end
            .ok_or_else(|| Error::Wrong("a run has not begun".into()))
    }
}

/// Replaces the registers that are loaded when the handler returns by those of the run.
extern "C" fn begin(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the context of an SA_SIGINFO handler.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    // SAFETY: it is null or the run of `Runner::run`, which waits for the signals and does not touch
    // it.
    if let Some(running) = unsafe { RUNNING.load(Ordering::Relaxed).as_mut() } {
        running.outside = Some(Frame::of(context));
        arch::load(&running.start, context);
    }
}

/// Takes the registers of the run, and lets the handler return to `Runner::run`. If there is no run,
/// the signal is the program's own, which dies of it.
extern "C" fn end(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    arch::begin_handler();
    // SAFETY: the kernel passes the context of an SA_SIGINFO handler.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    // SAFETY: as in `begin`.
    let running = unsafe { RUNNING.load(Ordering::Relaxed).as_mut() };
    let Some((running, outside)) =
        running.and_then(|running| running.outside.take().map(|outside| (running, outside)))
    else {
        // SAFETY: the default action needs no handler. The instruction is executed again.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    };
    // SAFETY: the kernel passes the information of an SA_SIGINFO handler.
    let info = unsafe { &*info };
    // SAFETY: of a signal that a fault raises, `si_addr` is set or zero.
    let address = unsafe { info.si_addr() };
    let end = End {
        signal,
        code: info.si_code,
        address: address.addr(),
    };
    running.end = Some((arch::store(context), end));
    outside.restore(context);
}

type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

fn handle(signal: c_int, handler: Handler) -> Result<(), Error> {
    // SAFETY: all-zero bytes are a valid `sigaction`: no flags, empty mask.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = handler as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handlers are called at known places only: in the call that sends the first signal,
    // and at the tested instruction or an exit. So they may allocate memory.
    result(unsafe { libc::sigaction(signal, &raw const action, null_mut()) })
}

fn result(done: c_int) -> Result<(), Error> {
    match done {
        0 => Ok(()),
        _ => Err(Error::Signals(io::Error::last_os_error())),
    }
}
