//! Everything without a safe interface: calls by number with arbitrary arguments, calls that return
//! twice, signal handlers, and the memory for arguments. Arbitrary calls are made only in children
//! that can be lost.
#![expect(
    unsafe_code,
    reason = "making calls that are wrong on purpose is what this program is for"
)]

use std::ffi::{CStr, c_int};
use std::hint::black_box;
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;
use syscalls::{Sysno, raw};

use crate::board::Board;
use crate::variants::Arguments;
use crate::words::PAGE;

/// How a call returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Return {
    /// Once, or not at all.
    Once,
    /// Twice: also in a child, with 0.
    Twice,
    /// To the context in a signal frame on the stack (sigreturn).
    Frame,
}

/// The program that a child execs.
pub struct Program<'a> {
    /// Its path.
    pub path: &'a CStr,
    /// Its only argument; `argv[0]` is the path.
    pub word: &'a CStr,
}

/// Makes the call with these arguments.
#[inline(always)]
fn call(number: usize, [a, b, c, d, e, f]: Arguments) -> usize {
    // SAFETY: the kernel is the only callee, and reaches this process's memory only through the
    // arguments. Callers either know what the call does, or are forked children that hold nothing
    // worth protecting, whose pointers are to their arena and whose rows exclude calls that would
    // unmap what they run on.
    unsafe { raw::syscall6(number, a, b, c, d, e, f) }
}

/// Makes a call whose effect others need, such as opening a descriptor.
pub fn make(number: usize, arguments: Arguments) -> usize {
    call(number, arguments)
}

/// Exits at once, without atexit handlers and destructors: after a fork those are the parent's.
#[inline(always)]
pub fn exit(status: usize) -> ! {
    loop {
        call(Sysno::exit_group as usize, [status, 0, 0, 0, 0, 0]);
    }
}

/// Makes the call with each of these argument lists from `from` on, records the results, and exits.
/// Neither allocates nor touches thread-local storage, which some calls leave unusable.
pub fn run(
    number: usize,
    variants: &[Arguments],
    from: usize,
    returns: Return,
    (board, place): (&Board, usize),
) -> ! {
    for (index, arguments) in variants.iter().enumerate().skip(from) {
        board.begin(place, index);
        let answer = match returns {
            Return::Frame => sigreturn_on_zeros(number),
            Return::Once | Return::Twice => call(number, *arguments),
        };
        if answer == 0 && returns == Return::Twice {
            exit(0)
        }
        board.of(place).end(index, answer);
    }
    exit(0)
}

/// Makes a sigreturn call with a stack of zeros. Before it, signals are handled, whose handlers
/// return through the real frames.
fn sigreturn_on_zeros(number: usize) -> usize {
    for signal in [libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: the signal has a handler, which does nothing.
        unsafe { libc::raise(signal) };
    }
    let zeros = [0_usize; 512];
    black_box(&zeros);
    let answer = call(number, [0; 6]);
    black_box(&zeros);
    answer
}

/// Makes a child by this call and returns the call's result in the parent. The child exits with 0
/// at once, or execs the program. With CLONE_VM it runs in our memory and on our stack, so between
/// the two system calls it calls no function.
#[inline(never)]
pub fn spawn(number: usize, arguments: Arguments, program: Option<&Program>) -> usize {
    let words = program.map(|it| [it.path.as_ptr(), it.word.as_ptr(), std::ptr::null()]);
    let start = match (program, &words) {
        (Some(it), Some(words)) => [
            it.path.as_ptr().expose_provenance(),
            words.as_ptr().expose_provenance(),
            0,
            0,
            0,
            0,
        ],
        _ => [0; 6],
    };
    let answer = call(number, arguments);
    if answer != 0 {
        return answer;
    }
    if program.is_some() {
        call(Sysno::execve as usize, start);
        exit(127)
    }
    exit(0)
}

/// Moves this process into new namespaces.
pub fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: CLONE_FILES is never passed, so no descriptor table becomes unshared behind code that
    // relies on sharing it.
    unsafe { rustix::thread::unshare_unsafe(namespaces) }
}

/// Number of CAP_SYS_ADMIN.
pub const ADMIN: u32 = 21;

/// Makes the next exec of this process stop for its parent, with nothing placed at random.
pub fn be_stepped() -> io::Result<()> {
    // SAFETY: the call has no pointer.
    if unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as _) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the request follows no pointer.
    match unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>()) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Has a stopped child execute one instruction, and stop again.
pub fn step(child: Pid) -> io::Result<()> {
    let pid = child.as_raw_pid();
    // SAFETY: the call has no pointer that the kernel follows.
    match unsafe {
        libc::ptrace(
            libc::PTRACE_SINGLESTEP,
            pid,
            null_mut::<u8>(),
            null_mut::<u8>(),
        )
    } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The general registers of a stopped child, as elf_gregset_t of its architecture has them.
pub fn registers(child: Pid) -> io::Result<Vec<u64>> {
    const NT_PRSTATUS: usize = 1;
    let mut words = [0_u64; 64];
    let mut room = libc::iovec {
        iov_base: words.as_mut_ptr().cast(),
        iov_len: size_of_val(&words),
    };
    let pid = child.as_raw_pid();
    // SAFETY: `room` describes `words`, and both outlive the call.
    match unsafe { libc::ptrace(libc::PTRACE_GETREGSET, pid, NT_PRSTATUS, &raw mut room) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(words[..room.iov_len / size_of::<u64>()].to_vec()),
    }
}

/// Drops every capability but `kept` from the bounding set, so that exec does not give them back to
/// root.
pub fn drop_capabilities(kept: Option<u32>) -> io::Result<()> {
    const LAST_MAX: u32 = 63;
    for capability in (0..=LAST_MAX).filter(|capability| Some(*capability) != kept) {
        // SAFETY: PR_CAPBSET_DROP takes a number and reads no memory.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == 0 {
            continue;
        }
        // The first number beyond the kernel's last capability.
        let error = io::Error::last_os_error();
        return match error.raw_os_error() {
            Some(libc::EINVAL) if capability > 0 => Ok(()),
            _ => Err(error),
        };
    }
    Ok(())
}

/// Puts a thread (0: the caller) into SCHED_FIFO at this priority.
pub fn make_real_time(thread: i32, priority: c_int) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `sched_param`.
    let mut parameters: libc::sched_param = unsafe { zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: `parameters` is initialized and outlives the call.
    match unsafe { libc::sched_setscheduler(thread, libc::SCHED_FIFO, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Blocks or unblocks a signal.
pub fn block(signal: c_int, is_blocked: bool) -> io::Result<()> {
    let how = if is_blocked {
        libc::SIG_BLOCK
    } else {
        libc::SIG_UNBLOCK
    };
    // SAFETY: all-zero bytes are a valid, empty `sigset_t`.
    let mut set: libc::sigset_t = unsafe { zeroed() };
    // SAFETY: `set` is initialized and ours.
    unsafe { libc::sigaddset(&raw mut set, signal) };
    // SAFETY: `set` is initialized, and a null old set is allowed.
    match unsafe { libc::sigprocmask(how, &raw const set, null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Forks and runs `child` there; returns its pid in the parent.
pub fn fork(child: impl FnOnce() -> u8) -> io::Result<Pid> {
    // SAFETY: this process is single-threaded, so no lock is held by a thread that the child lacks.
    match unsafe { libc::fork() } {
        0 => exit(usize::from(child())),
        pid => Pid::from_raw(pid)
            .filter(|_| pid > 0)
            .ok_or_else(io::Error::last_os_error),
    }
}

fn map(bytes: usize, protection: c_int, sharing: c_int) -> io::Result<*mut u8> {
    let flags = sharing | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping without a fixed address replaces nothing.
    let at = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(at.cast())
}

/// A board in memory shared with all children, never unmapped.
pub fn board() -> io::Result<&'static Board> {
    let at = map(
        size_of::<Board>(),
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_SHARED,
    )?;
    // SAFETY: the mapping has the size of a `Board`, is page-aligned and zero, which is a valid
    // value of its atomics, is accessed only through them, and is never unmapped.
    Ok(unsafe { &*at.cast::<Board>() })
}

/// Memory for arguments to point to: writable pages followed by an inaccessible one. Never
/// unmapped.
pub struct Arena(*mut u8);

impl Arena {
    /// Number of writable pages.
    pub const PAGES: usize = 136;

    /// Maps the pages.
    pub fn map() -> io::Result<Self> {
        let at = map((Self::PAGES + 1) * PAGE, libc::PROT_NONE, libc::MAP_PRIVATE)?;
        // SAFETY: the range is the mapping just made without its last page; nothing refers to it
        // yet.
        let done = unsafe {
            libc::mprotect(
                at.cast(),
                Self::PAGES * PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self(at))
    }

    /// The address of a page.
    pub fn address(&self, page: usize) -> usize {
        self.0.expose_provenance() + page * PAGE
    }

    /// Overwrites a page.
    pub fn put(&mut self, page: usize, bytes: &[u8; PAGE]) {
        // SAFETY: `at` returns the start of a writable page of the arena, and nothing holds a
        // reference into it.
        unsafe { self.at(page).copy_from_nonoverlapping(bytes.as_ptr(), PAGE) };
    }

    fn at(&self, page: usize) -> *mut u8 {
        assert!(page < Self::PAGES, "the arena has no more pages");
        self.0.wrapping_add(page * PAGE)
    }

    /// The first word of a page.
    pub fn word(&self, page: usize) -> usize {
        // SAFETY: `at` returns the start of a writable page of the arena, aligned for a `usize`, of
        // which any bytes are valid. Volatile: the kernel may have written it.
        unsafe { self.at(page).cast::<usize>().read_volatile() }
    }
}

/// Signals whose default action the kernel reports on the console, so the process exits by itself.
/// SIGTRAP is among them since ARM's breakpoint call would otherwise be restarted forever.
const FAULTS: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
];
/// Exit status after such a fault: this plus the signal's number.
pub const FAULT: usize = 64;

extern "C" fn exit_on_fault(signal: c_int) {
    exit(FAULT + signal as usize)
}

extern "C" fn ignore(_: c_int) {}

/// Installs a handler for every signal, on an alternate stack: faults exit the process, all others
/// are ignored. Children inherit the handlers.
pub fn handle_signals() -> io::Result<()> {
    let stack: &'static mut [u8] = Box::leak(vec![0; 16 * PAGE].into_boxed_slice());
    let stack = libc::stack_t {
        ss_sp: stack.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: stack.len(),
    };
    // SAFETY: the stack is leaked, so it outlives the process's handlers.
    if unsafe { libc::sigaltstack(&raw const stack, null_mut()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // Errors are ignored: SIGKILL and SIGSTOP have no handlers. SIGCHLD keeps its default for
    // waitpid.
    (1..=64)
        .filter(|signal| *signal != libc::SIGCHLD)
        .for_each(handle);
    Ok(())
}

fn handle(signal: c_int) {
    let handler = if FAULTS.contains(&signal) {
        exit_on_fault
    } else {
        ignore
    };
    // SAFETY: all-zero bytes are a valid `sigaction`: SIG_DFL, no flags, empty mask.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = handler as extern "C" fn(c_int) as usize;
    // Without SA_SIGINFO it returns through the old sigreturn, on machines that have one.
    let old = signal == libc::SIGUSR2;
    action.sa_flags = libc::SA_ONSTACK | if old { 0 } else { libc::SA_SIGINFO };
    // SAFETY: the handlers are async-signal-safe, making only system calls, and use only their
    // first argument, which both conventions pass the same way.
    unsafe { libc::sigaction(signal, &raw const action, null_mut()) };
}

/// Executes machine code, which must be a function without arguments.
pub fn execute(code: &[u8]) -> io::Result<usize> {
    assert!(code.len() <= PAGE, "more than a page of instructions");
    let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let at = map(PAGE, access, libc::MAP_PRIVATE)?;
    // SAFETY: the page was just mapped writable, and `code` fits.
    unsafe { at.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
    // SAFETY: the only caller passes a complete function that returns a `usize`. The page is
    // executable and never unmapped.
    let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(at) };
    Ok(function())
}
