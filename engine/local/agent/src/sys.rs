//! System calls, without a C library: `errno` and the cancellation points of the process's are not
//! ours.

#![expect(unsafe_code, reason = "the one place that enters the kernel")]

use core::ffi::c_int;
use core::ops::Range;
use core::time::Duration;

use syscalls::{Errno, Sysno, syscall};

/// A descriptor of the agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fd(pub c_int);

/// Linux's `struct timespec`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Timespec {
    /// Whole seconds.
    pub seconds: i64,
    /// Less than a second.
    pub nanoseconds: i64,
}

impl From<Duration> for Timespec {
    fn from(time: Duration) -> Self {
        Self {
            seconds: time.as_secs().cast_signed(),
            nanoseconds: time.subsec_nanos().into(),
        }
    }
}

/// Linux's `struct pollfd`.
#[repr(C)]
struct Poll {
    fd: c_int,
    events: i16,
    revents: i16,
}

/// `asm-generic/mman-common.h`
pub const PROT_READ: usize = 1;
pub const PROT_WRITE: usize = 2;
pub const PROT_EXEC: usize = 4;
const MAP_PRIVATE: usize = 2;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;

fn done(result: Result<usize, Errno>) -> Result<(), Errno> {
    result.map(drop)
}

/// What is mapped at an address.
#[derive(PartialEq, Eq)]
pub struct Mapped {
    /// `PROT_READ` and the like.
    pub access: usize,
    /// Whether others map the same.
    pub is_shared: bool,
}

/// Linux's `struct procmap_query` (`linux/fs.h`).
#[repr(C)]
#[derive(Default)]
struct MapQuery {
    size: u64,
    query_flags: u64,
    query_addr: u64,
    vma_start: u64,
    vma_end: u64,
    vma_flags: u64,
    vma_page_size: u64,
    vma_offset: u64,
    inode: u64,
    dev: [u32; 2],
    vma_name_size: u32,
    build_id_size: u32,
    vma_name_addr: u64,
    build_id_addr: u64,
}

/// What is mapped at an address, by an open `/proc/self/maps`. Since Linux 6.11.
pub fn mapped_at(maps: Fd, address: usize) -> Result<Mapped, Errno> {
    /// `_IOWR('f', 17, struct procmap_query)`
    const PROCMAP_QUERY: usize = 0xc000_6611 | size_of::<MapQuery>() << 16;
    /// The lowest three of the flags are those of mmap(2).
    const ACCESS: u64 = 7;
    const SHARED: u64 = 8;
    let mut query = MapQuery {
        size: size_of::<MapQuery>() as u64,
        query_addr: address as u64,
        ..MapQuery::default()
    };
    // SAFETY: `query` is valid for reads and writes of its size, which it has in itself; it asks for no
    // name to be written elsewhere.
    unsafe { syscall!(Sysno::ioctl, maps.0, PROCMAP_QUERY, &raw mut query) }?;
    Ok(Mapped {
        access: (query.vma_flags & ACCESS) as usize,
        is_shared: query.vma_flags & SHARED != 0,
    })
}

/// Sets the access to pages.
pub fn protect(pages: Range<usize>, access: usize) -> Result<(), Errno> {
    let length = pages.end.wrapping_sub(pages.start);
    // SAFETY: only the agent's writes change what is there, and these are at its callers' choice.
    done(unsafe { syscall!(Sysno::mprotect, pages.start, length, access) })
}

/// Maps memory to read and write, which is reserved only as it is used.
pub fn map(size: usize) -> Result<usize, Errno> {
    let (access, flags) = (
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
    );
    // SAFETY: a new mapping, where nothing is.
    unsafe { syscall!(Sysno::mmap, 0, size, access, flags, usize::MAX, 0) }
}

/// Maps memory for code at this address, if nothing is there.
pub fn map_code(address: usize, size: usize) -> Result<(), Errno> {
    map_new(address, size, PROT_READ | PROT_EXEC)
}

/// Maps memory to read and write at this address, if nothing is there.
pub fn map_at(address: usize, size: usize) -> Result<(), Errno> {
    map_new(address, size, PROT_READ | PROT_WRITE)
}

fn map_new(address: usize, size: usize, access: usize) -> Result<(), Errno> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    // SAFETY: a new mapping; the kernel refuses one where anything is.
    let mapped = unsafe { syscall!(Sysno::mmap, address, size, access, flags, usize::MAX, 0) }?;
    // A kernel that does not know the flag takes the address for a hint.
    match mapped == address {
        true => Ok(()),
        false => {
            // SAFETY: mapped just now, and nobody knows of it.
            let _ = unsafe { unmap(mapped, size) };
            Err(Errno::EEXIST)
        }
    }
}

/// Unmaps memory.
///
/// # Safety
/// It came from [`map`], [`map_code`] or [`map_at`], and nothing refers to it any more.
pub unsafe fn unmap(address: usize, size: usize) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    done(unsafe { syscall!(Sysno::munmap, address, size) })
}

/// A clock's time.
pub fn clock_gettime(clock: c_int) -> Timespec {
    let mut time = Timespec::default();
    // SAFETY: `time` is valid for writes.
    let _ = unsafe { syscall!(Sysno::clock_gettime, clock, &raw mut time) };
    time
}

/// Unpredictable bits; 0 if there are none.
pub fn random() -> u64 {
    let mut word = 0u64;
    // SAFETY: `word` is valid for writes of its size.
    let _ = unsafe { syscall!(Sysno::getrandom, &raw mut word, size_of::<u64>(), 0) };
    word
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $call:ident;)*) => {
        $($(#[$doc])* pub fn $name() -> u32 {
            // SAFETY: it touches no memory.
            unsafe { syscall!(Sysno::$call) }.unwrap_or_default() as u32
        })*
    };
}

ids! {
    /// This thread's ID.
    thread gettid;
    /// This process's ID, which for the agent is its own.
    process getpid;
    /// The user.
    user getuid;
    /// The group.
    group getgid;
}

/// The name of this thread.
pub fn name() -> [u8; 16] {
    const PR_GET_NAME: usize = 16;
    let mut name = [0u8; 16];
    // SAFETY: the kernel writes 16 bytes.
    let _ = unsafe { syscall!(Sysno::prctl, PR_GET_NAME, name.as_mut_ptr()) };
    name
}

/// Sets the name of this thread.
pub fn set_name(name: &[u8; 16]) {
    const PR_SET_NAME: usize = 15;
    // SAFETY: the kernel reads 16 bytes.
    let _ = unsafe { syscall!(Sysno::prctl, PR_SET_NAME, name.as_ptr()) };
}

/// Leaves the session and group of processes that this one was started in.
pub fn leave_session() {
    // SAFETY: it touches no memory.
    let _ = unsafe { syscall!(Sysno::setsid) };
}

/// Gives up the processor.
pub fn relinquish() {
    // SAFETY: it touches no memory.
    let _ = unsafe { syscall!(Sysno::sched_yield) };
}

/// Sleeps.
pub fn sleep(time: Duration) {
    let time = Timespec::from(time);
    // SAFETY: `time` is valid for reads, and nothing is written.
    let _ = unsafe { syscall!(Sysno::nanosleep, &raw const time, 0) };
}

/// Number of CPUs that this process may run on.
pub fn cpus() -> usize {
    let mut set = [0u64; 128];
    // SAFETY: `set` is valid for writes of its size.
    let size = unsafe {
        syscall!(
            Sysno::sched_getaffinity,
            0,
            size_of_val(&set),
            set.as_mut_ptr()
        )
    };
    match size {
        Ok(_) => set.iter().map(|it| it.count_ones()).sum::<u32>() as usize,
        Err(_) => 1,
    }
}

/// Reads this process's memory; fails where it is not there.
pub fn load(address: usize, bytes: &mut [u8]) -> Result<(), Errno> {
    let ours = [bytes.as_mut_ptr().addr(), bytes.len()];
    // SAFETY: `bytes` is exclusively ours and valid for writes of its length.
    unsafe { copy(Sysno::process_vm_readv, ours, address) }
}

/// Writes this process's memory; fails where it is not there or not to be written.
pub fn store(address: usize, bytes: &[u8]) -> Result<(), Errno> {
    let ours = [bytes.as_ptr().addr(), bytes.len()];
    // SAFETY: `bytes` is valid for reads of its length; the program that is traced asked for it to be
    // written there, as destructive programs may.
    unsafe { copy(Sysno::process_vm_writev, ours, address) }
}

/// An action on a mask of signals that there is none of.
const NO_ACTION: usize = 77;

/// Reads whole words that the program passes to a system call; returns whether they are there. A filter of the
/// program's (seccomp(2)) may forbid what [`load`] does, but what the program calls itself is allowed: the kernel
/// reads a mask before it refuses an unknown action.
pub fn load_argument(address: usize, words: &mut [[u8; 8]]) -> bool {
    let places = (address..).step_by(size_of::<u64>());
    words.iter_mut().zip(places).all(|(word, place)| {
        // SAFETY: the kernel checks the address; no mask is set.
        let tried = unsafe { syscall!(Sysno::rt_sigprocmask, NO_ACTION, place, 0, word.len()) };
        let is_there = tried == Err(Errno::EINVAL);
        if is_there {
            let from = core::ptr::with_exposed_provenance::<[u8; 8]>(place);
            // SAFETY: the kernel has just read it; the program does not unmap what it passes.
            *word = unsafe { from.read_volatile() };
        }
        is_there
    })
}

/// Writes whole words to where the program wants the result of a system call; returns whether it may. See
/// [`load_argument`].
pub fn store_argument(address: usize, words: &[[u8; 8]]) -> bool {
    let places = (address..).step_by(size_of::<u64>());
    words.iter().zip(places).all(|(word, place)| {
        // SAFETY: the kernel checks the address, and writes this thread's mask there.
        let tried = unsafe { syscall!(Sysno::rt_sigprocmask, 0, 0, place, word.len()) };
        if tried.is_ok() {
            let to = core::ptr::with_exposed_provenance_mut::<[u8; 8]>(place);
            // SAFETY: the kernel has just written it; the program does not unmap what it passes.
            unsafe { to.write_volatile(*word) };
        }
        tried.is_ok()
    })
}

/// Copies between `ours` and this process's memory at `address`, through the kernel, which bears
/// what is not there.
///
/// # Safety
/// As the call needs of `ours`: an address and a length.
unsafe fn copy(call: Sysno, ours: [usize; 2], address: usize) -> Result<(), Errno> {
    let [_, length] = ours;
    let theirs = [address, length];
    let pid = process() as usize;
    // SAFETY: each vector is an address and a length; the caller vouches for ours, and the kernel
    // checks the other.
    let copied = unsafe { syscall!(call, pid, ours.as_ptr(), 1, theirs.as_ptr(), 1, 0) }?;
    if copied == length {
        Ok(())
    } else {
        Err(Errno::EFAULT)
    }
}

/// Waits until `word` is not `value` any more, or for so long.
pub fn wait(word: &core::sync::atomic::AtomicU32, value: u32, longest: Duration) {
    const FUTEX_WAIT_PRIVATE: usize = 128;
    let longest = Timespec::from(longest);
    // SAFETY: `word` is valid, and `longest` for reads.
    let _ = unsafe {
        syscall!(
            Sysno::futex,
            word.as_ptr(),
            FUTEX_WAIT_PRIVATE,
            value,
            &raw const longest
        )
    };
}

/// Wakes all that wait for this word.
pub fn wake(word: &core::sync::atomic::AtomicU32) {
    const FUTEX_WAKE_PRIVATE: usize = 129;
    // SAFETY: `word` is valid.
    let _ = unsafe { syscall!(Sysno::futex, word.as_ptr(), FUTEX_WAKE_PRIVATE, c_int::MAX) };
}

/// A pidfd, which is readable once the process has ended.
pub fn handle_of(pid: u32) -> Result<Fd, Errno> {
    // SAFETY: it touches no memory.
    let fd = unsafe { syscall!(Sysno::pidfd_open, pid, 0) }?;
    Ok(Fd(fd as c_int))
}

/// Closes all descriptors of this process.
pub fn close_all() {
    // SAFETY: the agent has just begun, and has none of its own yet.
    let _ = unsafe { syscall!(Sysno::close_range, 0, u32::MAX, 0) };
}

/// Closes a descriptor.
pub fn close(fd: Fd) {
    // SAFETY: it touches no memory.
    let _ = unsafe { syscall!(Sysno::close, fd.0) };
}

/// A pair of stream sockets that are connected.
pub fn socket_pair() -> Result<[Fd; 2], Errno> {
    const AF_UNIX: usize = 1;
    const SOCK_STREAM: usize = 1;
    let mut pair = [0 as c_int; 2];
    // SAFETY: the kernel writes two numbers.
    unsafe {
        syscall!(
            Sysno::socketpair,
            AF_UNIX,
            SOCK_STREAM,
            0,
            pair.as_mut_ptr()
        )
    }?;
    Ok(pair.map(Fd))
}

/// Opens a file of this process to read, or to read and write. The name ends in a NUL.
pub fn open(name: &core::ffi::CStr, to_write: bool) -> Result<Fd, Errno> {
    const AT_FDCWD: isize = -100;
    const O_RDWR: usize = 2;
    let flags = if to_write { O_RDWR } else { 0 };
    // SAFETY: the name is terminated.
    let fd = unsafe { syscall!(Sysno::openat, AT_FDCWD, name.as_ptr(), flags, 0) }?;
    Ok(Fd(fd as c_int))
}

/// Reads what is there, at most `bytes`; returns how much.
pub fn read(fd: Fd, bytes: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: `bytes` is valid for writes of its length.
    unsafe { syscall!(Sysno::read, fd.0, bytes.as_mut_ptr(), bytes.len()) }
}

/// Reads entries of a folder, as many as fit; returns how many bytes they take.
pub fn entries(fd: Fd, bytes: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: `bytes` is valid for writes of its length.
    unsafe { syscall!(Sysno::getdents64, fd.0, bytes.as_mut_ptr(), bytes.len()) }
}

/// Writes some of `bytes`; returns how much. A peer that is gone is an error, not a signal.
pub fn send(fd: Fd, bytes: &[u8]) -> Result<usize, Errno> {
    const MSG_NOSIGNAL: usize = 0x4000;
    // SAFETY: `bytes` is valid for reads of its length; there is no address.
    unsafe {
        syscall!(
            Sysno::sendto,
            fd.0,
            bytes.as_ptr(),
            bytes.len(),
            MSG_NOSIGNAL,
            0,
            0
        )
    }
}

/// Reads at a place of a file.
pub fn read_at(fd: Fd, bytes: &mut [u8], at: usize) -> Result<usize, Errno> {
    // SAFETY: `bytes` is valid for writes of its length.
    unsafe { syscall!(Sysno::pread64, fd.0, bytes.as_mut_ptr(), bytes.len(), at) }
}

/// Writes at a place of a file.
pub fn write_at(fd: Fd, bytes: &[u8], at: usize) -> Result<usize, Errno> {
    // SAFETY: `bytes` is valid for reads of its length. What is written to is at the caller's choice:
    // with `/proc/self/mem`, text that is patched, and pages of slots.
    unsafe { syscall!(Sysno::pwrite64, fd.0, bytes.as_ptr(), bytes.len(), at) }
}

/// Waits for so long, or until there is something to read.
pub fn poll(fd: Fd, longest: Option<Duration>) -> bool {
    const POLLIN: i16 = 1;
    let mut poll = Poll {
        fd: fd.0,
        events: POLLIN,
        revents: 0,
    };
    let longest = longest.map(Timespec::from);
    let time = longest
        .as_ref()
        .map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: one entry, and a time that is valid or absent; the mask of signals is left alone.
    let polled = unsafe { syscall!(Sysno::ppoll, &raw mut poll, 1, time, 0, 0) };
    polled.is_ok_and(|ready| ready > 0)
}

/// Sends a signal to a process.
pub fn kill(pid: u32, signal: u32) -> Result<(), Errno> {
    // SAFETY: it touches no memory.
    done(unsafe { syscall!(Sysno::kill, pid, signal) })
}

/// Sends a signal to this thread.
pub fn kill_thread(signal: u32) -> Result<(), Errno> {
    // SAFETY: it touches no memory.
    done(unsafe { syscall!(Sysno::tgkill, process(), thread(), signal) })
}

/// Ends this process, which is one thread.
pub fn exit() -> ! {
    loop {
        // SAFETY: nothing follows.
        let _ = unsafe { syscall!(Sysno::exit_group, 0) };
    }
}

/// The system calls that take a mask of signals to block: a guard makes them.
pub const MASKING_CALLS: [usize; 9] = [
    Sysno::rt_sigprocmask as usize,
    Sysno::rt_sigaction as usize,
    Sysno::rt_sigsuspend as usize,
    Sysno::ppoll as usize,
    Sysno::pselect6 as usize,
    Sysno::epoll_pwait as usize,
    Sysno::epoll_pwait2 as usize,
    Sysno::io_pgetevents as usize,
    Sysno::io_uring_enter as usize,
];

/// The system call that can make a process without its handlers of signals: a guard only looks at it.
pub const CLONE: usize = Sysno::clone3 as usize;

/// Whether a system call has guards.
pub fn is_guarded(number: usize) -> bool {
    number == CLONE || MASKING_CALLS.contains(&number)
}

/// EINVAL, as system calls return it.
pub const INVALID: isize = -22;

/// An action on a signal, as the kernel has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Action {
    /// The handler; 0 is the default, 1 none.
    pub handler: usize,
    /// `SA_*`
    pub flags: usize,
    /// What the handler returns to, where the architecture has it.
    pub restorer: usize,
    /// The signals that are blocked.
    pub mask: u64,
}

/// Sets the action on a signal, and returns the one before. The agent shares the actions of the
/// traced process.
///
/// # Safety
/// The handler is one, for as long as it can be called.
pub unsafe fn set_action(signal: u32, action: &Action) -> Result<Action, Errno> {
    let mut before = Action::default();
    // SAFETY: both are of the kernel's layout; the caller vouches for the handler.
    unsafe {
        syscall!(
            Sysno::rt_sigaction,
            signal,
            core::ptr::from_ref(action),
            &raw mut before,
            size_of::<u64>()
        )
    }?;
    Ok(before)
}

/// Sets the signals that this thread blocks.
pub fn set_mask(mask: u64) {
    const SIG_SETMASK: usize = 2;
    // SAFETY: the kernel reads a mask of this size.
    let _ = unsafe {
        syscall!(
            Sysno::rt_sigprocmask,
            SIG_SETMASK,
            &raw const mask,
            0,
            size_of::<u64>()
        )
    };
}

/// Makes this process able to [`serialize`].
pub fn prepare_to_serialize() {
    const REGISTER_PRIVATE_EXPEDITED_SYNC_CORE: usize = 1 << 6;
    // SAFETY: it touches no memory.
    let _ = unsafe {
        syscall!(
            Sysno::membarrier,
            REGISTER_PRIVATE_EXPEDITED_SYNC_CORE,
            0,
            0
        )
    };
}

/// Writes a word by one store, which the kernel makes, so that it fails where memory is not there or not to be written. What it
/// stores is the head of the list of robust futexes, of which the agent has none (get_robust_list(2)).
pub fn store_word(address: usize, word: u64) -> Result<(), Errno> {
    /// Of `struct robust_list_head`.
    const SIZE: usize = 24;
    let mut size = 0;
    // SAFETY: the list is read when the agent ends, and by then it is empty again.
    done(unsafe { syscall!(Sysno::set_robust_list, word, SIZE) })?;
    // SAFETY: at its callers' choice, as text is written otherwise.
    let stored = done(unsafe { syscall!(Sysno::get_robust_list, 0, address, &raw mut size) });
    // SAFETY: an empty list.
    let emptied = done(unsafe { syscall!(Sysno::set_robust_list, 0, SIZE) });
    stored.and(emptied)
}

/// When it returns, each thread of this memory executes what is in the text now.
pub fn serialize() {
    const PRIVATE_EXPEDITED_SYNC_CORE: usize = 1 << 5;
    // SAFETY: it touches no memory.
    let _ = unsafe { syscall!(Sysno::membarrier, PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) };
}

/// Has pages read as zeros in children that are forked.
pub fn wipe_in_children(address: usize, size: usize) -> Result<(), Errno> {
    const MADV_WIPEONFORK: usize = 18;
    // SAFETY: only children see a change.
    done(unsafe { syscall!(Sysno::madvise, address, size, MADV_WIPEONFORK) })
}
