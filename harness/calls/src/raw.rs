//! Everything that no safe interface has: calls by their numbers with any arguments, processes that return twice,
//! signals of any kind, and the memory for it. What is made here is made in a child that has nothing to lose.
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

/// How a call comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Once, or not at all.
    Plain,
    /// Twice: in a child, too.
    Birth,
    /// Not here, but where a frame on the stack says.
    Frame,
}

/// What a child is made into.
pub struct Program<'a> {
    /// Its file.
    pub path: &'a CStr,
    /// The word that it is told.
    pub word: &'a CStr,
}

/// Makes the call with these arguments.
#[inline(always)]
fn call(number: usize, [a, b, c, d, e, f]: Arguments) -> usize {
    // SAFETY: whoever makes a call says so in a row of a table, or made it himself, so that it can harm nobody but
    // this process: that is forked for it, its arguments are numbers, and what they point to is its arena.
    unsafe { raw::syscall6(number, a, b, c, d, e, f) }
}

/// Makes the call that makes something for others.
pub fn make(number: usize, arguments: Arguments) -> usize {
    call(number, arguments)
}

/// Ends this process, at once and without anything being tidied up, which would be somebody else's.
#[inline(always)]
pub fn leave(status: usize) -> ! {
    loop {
        call(Sysno::exit_group as usize, [status, 0, 0, 0, 0, 0]);
    }
}

/// Makes the call with all of these arguments from this one on, tells the board, and ends. It neither allocates nor
/// looks at what belongs to the thread, which is no longer what it was after some calls.
pub fn run(
    number: usize,
    variants: &[Arguments],
    from: usize,
    way: Way,
    (board, place): (&Board, usize),
) -> ! {
    for (index, arguments) in variants.iter().enumerate().skip(from) {
        board.begin(place, index);
        let answer = match way {
            Way::Frame => on_zeros(number),
            Way::Plain | Way::Birth => call(number, *arguments),
        };
        if answer == 0 && way == Way::Birth {
            leave(0)
        }
        board.of(place).end(index, answer);
    }
    leave(0)
}

/// The call with nothing but zeros on the stack. Before it, signals are handled, which the kernel comes back from by
/// it.
fn on_zeros(number: usize) -> usize {
    for signal in [libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: there is a handler for it, which does nothing.
        unsafe { libc::raise(signal) };
    }
    let zeros = [0_usize; 512];
    black_box(&zeros);
    let answer = call(number, [0; 6]);
    black_box(&zeros);
    answer
}

/// Makes a child by this call, as which it answers: it ends with status 0 at once, by itself or as the program. The
/// child may run in our memory and on our stack while we wait: between the two calls nothing is called.
#[inline(never)]
pub fn birth(number: usize, arguments: Arguments, program: Option<&Program>) -> usize {
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
        leave(127)
    }
    leave(0)
}

/// Leaves these namespaces for new ones.
pub fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: it is not asked for a table of files of its own, which somebody could count on being shared.
    unsafe { rustix::thread::unshare_unsafe(namespaces) }
}

/// Gives up every capability, also those that a program would give back to root.
pub fn drop_capabilities() -> io::Result<()> {
    const LAST_MAX: u32 = 63;
    for capability in 0..=LAST_MAX {
        // SAFETY: it is told by number what to give up, and reads no memory.
        if unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) } == 0 {
            continue;
        }
        // The first number that no capability has.
        let error = io::Error::last_os_error();
        return match error.raw_os_error() {
            Some(libc::EINVAL) if capability > 0 => Ok(()),
            _ => Err(error),
        };
    }
    Ok(())
}

/// Makes a thread, or the calling one for 0, a real-time thread of this priority.
pub fn make_real_time(thread: i32, priority: c_int) -> io::Result<()> {
    // SAFETY: parameters of zeros are parameters.
    let mut parameters: libc::sched_param = unsafe { zeroed() };
    parameters.sched_priority = priority;
    // SAFETY: the parameters are ours.
    match unsafe { libc::sched_setscheduler(thread, libc::SCHED_FIFO, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Blocks a signal, or no more.
pub fn block(signal: c_int, is_blocked: bool) -> io::Result<()> {
    let how = if is_blocked {
        libc::SIG_BLOCK
    } else {
        libc::SIG_UNBLOCK
    };
    // SAFETY: a set of zeros is an empty one.
    let mut set: libc::sigset_t = unsafe { zeroed() };
    // SAFETY: the set is ours.
    unsafe { libc::sigaddset(&raw mut set, signal) };
    // SAFETY: the set is ours, and nobody asks for the old one.
    match unsafe { libc::sigprocmask(how, &raw const set, null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has this done in a child.
pub fn fork(child: impl FnOnce() -> u8) -> io::Result<Pid> {
    // SAFETY: this process has one thread, so its copy is whole.
    match unsafe { libc::fork() } {
        0 => leave(usize::from(child())),
        pid => Pid::from_raw(pid)
            .filter(|_| pid > 0)
            .ok_or_else(io::Error::last_os_error),
    }
}

fn map(bytes: usize, protection: c_int, sharing: c_int) -> io::Result<*mut u8> {
    let flags = sharing | libc::MAP_ANONYMOUS;
    // SAFETY: new memory, where there was none.
    let at = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(at.cast())
}

/// A board that is shared with all children; it stays until the last of them has ended.
pub fn board() -> io::Result<&'static Board> {
    let at = map(
        size_of::<Board>(),
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_SHARED,
    )?;
    // SAFETY: pages of zeros, as large as a board, which is made of atomic numbers only; nobody gives them back.
    Ok(unsafe { &*at.cast::<Board>() })
}

/// Memory for arguments to point to: pages in a row, and behind them one that nobody may touch.
pub struct Arena(*mut u8);

impl Arena {
    /// So many pages it has.
    pub const PAGES: usize = 136;

    /// Takes the memory.
    pub fn map() -> io::Result<Self> {
        let at = map((Self::PAGES + 1) * PAGE, libc::PROT_NONE, libc::MAP_PRIVATE)?;
        // SAFETY: they are the pages just mapped, but for the last.
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

    /// The address of this page.
    pub fn address(&self, page: usize) -> usize {
        self.0.expose_provenance() + page * PAGE
    }

    /// Writes this page.
    pub fn put(&mut self, page: usize, bytes: &[u8; PAGE]) {
        // SAFETY: it begins a page of the arena's, and no reference leads there.
        unsafe { self.at(page).copy_from_nonoverlapping(bytes.as_ptr(), PAGE) };
    }

    fn at(&self, page: usize) -> *mut u8 {
        assert!(page < Self::PAGES, "the arena has no more pages");
        self.0.wrapping_add(page * PAGE)
    }

    /// The number that this page begins with.
    pub fn word(&self, page: usize) -> usize {
        // SAFETY: it begins a page of the arena's, and what the kernel may have written there is a number.
        unsafe { self.at(page).cast::<usize>().read_volatile() }
    }
}

/// What would be told on the console if a process died of it, so it ends by itself.
/// ARM's breakpoint is a call that would be made again and again.
const FAULTS: [c_int; 5] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
];
/// What a process that had a fault ends with: this and the signal's number.
pub const FAULT: usize = 64;

extern "C" fn ends(signal: c_int) {
    leave(FAULT + signal as usize)
}

extern "C" fn goes_on(_: c_int) {}

/// Has every signal handled, on a stack of its own: faults end the process, all others nothing. Children have the
/// same.
pub fn handle_signals() -> io::Result<()> {
    let stack: &'static mut [u8] = Box::leak(vec![0; 16 * PAGE].into_boxed_slice());
    let stack = libc::stack_t {
        ss_sp: stack.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: stack.len(),
    };
    // SAFETY: the memory is never given back.
    if unsafe { libc::sigaltstack(&raw const stack, null_mut()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // What cannot be handled stays as it is; of children's ends we are to be told in the usual way.
    (1..=64)
        .filter(|signal| *signal != libc::SIGCHLD)
        .for_each(handle);
    Ok(())
}

fn handle(signal: c_int) {
    let handler = if FAULTS.contains(&signal) {
        ends
    } else {
        goes_on
    };
    // SAFETY: an action of zeros is one: the default, with no flags and nothing blocked.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = handler as extern "C" fn(c_int) as usize;
    // One of them comes back from its handler in the old way, where there is one.
    let old = signal == libc::SIGUSR2;
    action.sa_flags = libc::SA_ONSTACK | if old { 0 } else { libc::SA_SIGINFO };
    // SAFETY: the handlers call nothing but the kernel, and take the first of what any handler is given.
    unsafe { libc::sigaction(signal, &raw const action, null_mut()) };
}

/// Executes these instructions, which are a function without arguments.
pub fn execute(code: &[u8]) -> io::Result<usize> {
    assert!(code.len() <= PAGE, "more than a page of instructions");
    let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let at = map(PAGE, access, libc::MAP_PRIVATE)?;
    // SAFETY: the page is ours, and large enough.
    unsafe { at.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
    // SAFETY: whoever has written them says that they are a function.
    let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(at) };
    Ok(function())
}
