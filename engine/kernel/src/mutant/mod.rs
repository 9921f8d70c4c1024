//! Mutants: seeded defects, by which the scenarios prove that they detect such a defect.
//!
//! Compiled in only with `--cfg trapline_mutants`. The module parameter `mutant` selects at most
//! one, by name, when the module is loaded, before any trap; after that the selection does not
//! change, so it is read with relaxed loads from any context. Without a selected mutant the engine
//! behaves as in a build without them.
//!
//! A mutant overrides a method in one of three wrappers: [`engine::Engine`] around the tracer
//! (calls from C), [`platform::Seeded`] around the kernel (calls to C), and `arch::Seeded` around
//! the instruction set. C asks for the one that none of these could have. Mutants of all
//! architectures are listed in `EVERYWHERE`, those of one in [`arch::MUTANTS`]; doc/testing.md says
//! which scenario catches each. Their names are part of the scenarios' format.
//!
//! Code in a mutant is wrong on purpose; a `SAFETY` comment says so where it is.

pub mod arch;
pub mod engine;
pub mod platform;

use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use core::{ptr, slice};

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Fault, Memory, Width};

/// `spin-in-trap`: the trap handler spins for ever, with interrupts disabled, so nothing else runs
/// on that CPU.
pub const SPIN_IN_TRAP: &str = "spin-in-trap";

/// `keep-memory`: freed memory is leaked.
pub const KEEP_MEMORY: &str = "keep-memory";

/// Address and length of the selected mutant's name. While none is selected the length is
/// `usize::MAX`, which no name has.
static CHOSEN: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Selects the mutant `name`. Returns false if there is none.
pub fn choose(name: &[u8]) -> bool {
    let Some(mutant) = all().find(|mutant| mutant.as_bytes() == name) else {
        return false;
    };
    CHOSEN.store(mutant.as_ptr().cast_mut(), Ordering::Relaxed);
    LENGTH.store(mutant.len(), Ordering::Relaxed);
    true
}

/// Whether mutant `name` is selected. Not inlined, so that it does not enlarge the frame of its
/// caller, which may have little stack left.
#[inline(never)]
pub fn is_chosen(name: &str) -> bool {
    if LENGTH.load(Ordering::Relaxed) != name.len() {
        return false;
    }
    // SAFETY: `LENGTH` is set, so `CHOSEN` points to a static string of that length.
    let chosen = unsafe { slice::from_raw_parts(CHOSEN.load(Ordering::Relaxed), name.len()) };
    chosen == name.as_bytes()
}

/// The mutants of all architectures.
const EVERYWHERE: [&str; 37] = [
    SPIN_IN_TRAP,
    KEEP_MEMORY,
    VALUE_PLUS_1,
    TAILS_FORGOTTEN,
    ONE_EXIT,
    ONE_KEPT,
    MODULE_KEPT,
    UNGUARDED,
    LOST_COUNT,
    LOST_CALL,
    LONG_WAY,
    CHILD_LOST,
    RETURN_DOUBLED,
    ERRNO_SIGN,
    ARG4_IS_ARG3,
    START_LOST,
    KILLED_IS_EXITED,
    SIGNAL_TO_SENDER,
    KPROBE_OVERLOOKED,
    THREAD_BY_NUMBER,
    ENDS_FORGOTTEN,
    STALL_UNSEEN,
    SILENCE_UNSEEN,
    STACK_UNSEEN,
    CLOSED_UNSEEN,
    ARGUMENTS_SHIFTED,
    TRACEPOINT_KEPT,
    PROCESS_KEPT,
    SEMAPHORE_KEPT,
    REGISTER_MISREAD,
    TABLES_UNFOUND,
    NONE_HELD,
    CHILD_UNCLEANED,
    GONE_UNSEEN,
    UNBOUNDED,
    CALLER_MISREAD,
    SLOT_REPEATED,
];

fn all() -> impl Iterator<Item = &'static str> {
    arch::MUTANTS.iter().copied().chain(EVERYWHERE)
}

/// `value-plus-1`: a function's return value is reported one too high.
pub const VALUE_PLUS_1: &str = "value-plus-1";

/// The return value that is reported for `value`.
pub fn returned(value: u64) -> u64 {
    value.wrapping_add(u64::from(is_chosen(VALUE_PLUS_1)))
}

/// `tails-forgotten`: a tail call is not taken for an exit of its function.
pub const TAILS_FORGOTTEN: &str = "tails-forgotten";

/// `one-exit`: only the first exit of a function is found.
pub const ONE_EXIT: &str = "one-exit";

/// [`Arch::exits`], without the exits that the selected mutant overlooks.
pub fn exits<A: Arch>(
    text: &Text<'_>,
    function: Range<usize>,
    memory: &mut [u64],
    see: &mut dyn FnMut(usize, Exit),
) -> Result<(), Unwalked> {
    let mut any = false;
    let mut see_some = |address, exit| {
        let is_forgotten = matches!(exit, Exit::Tail(_)) && is_chosen(TAILS_FORGOTTEN);
        let is_overlooked = any && is_chosen(ONE_EXIT);
        if !is_forgotten && !is_overlooked {
            any = true;
            see(address, exit);
        }
    };
    A::exits(text, function, memory, &mut see_some)
}

/// `one-kept`: of a batch of words to be restored, the last stays patched but is reported as
/// restored.
pub const ONE_KEPT: &str = "one-kept";

/// `child-lost`: the return of fork, vfork and clone in the child is not reported.
pub const CHILD_LOST: &str = "child-lost";

/// `return-doubled`: the return of execve is reported twice.
pub const RETURN_DOUBLED: &str = "return-doubled";

/// `errno-sign`: a negative error number is reported as a positive value.
pub const ERRNO_SIGN: &str = "errno-sign";

/// `arg4-is-arg3`: a system call's fifth argument is read from the place of the fourth.
pub const ARG4_IS_ARG3: &str = "arg4-is-arg3";

/// `start-lost`: the start of a process is not reported.
pub const START_LOST: &str = "start-lost";

/// `killed-is-exited`: the end of every process is reported as an exit.
pub const KILLED_IS_EXITED: &str = "killed-is-exited";

/// `signal-to-sender`: the target of a signal is reported to be the sending process.
pub const SIGNAL_TO_SENDER: &str = "signal-to-sender";

/// `thread-by-number`: a thread is identified by its TID, which may be reused.
pub const THREAD_BY_NUMBER: &str = "thread-by-number";

/// `ends-forgotten`: processes that have reported their end are not recorded, so that each of their
/// last threads reports it.
pub const ENDS_FORGOTTEN: &str = "ends-forgotten";

/// `long-way`: traps are not dispatched directly, but take the kernel's own path to our hook.
pub const LONG_WAY: &str = "long-way";

/// `module-kept`: the unloading of a module is ignored.
pub const MODULE_KEPT: &str = "module-kept";

/// `kprobe-overlooked`: no kernel kprobe is seen, so traps are placed on top of them.
pub const KPROBE_OVERLOOKED: &str = "kprobe-overlooked";

/// `unguarded`: a trap that is taken while its CPU fires also fires, however little stack is left.
pub const UNGUARDED: &str = "unguarded";

/// `lost-count`: every 64th firing finds a try-lock taken, and reaches no consumer.
pub const LOST_COUNT: &str = "lost-count";

/// `lost-call`: every 64th call from ftrace is ignored.
pub const LOST_CALL: &str = "lost-call";

/// `stall-unseen`: no firing notices that its CPU's heartbeat is overdue.
pub const STALL_UNSEEN: &str = "stall-unseen";

/// `silence-unseen`: a consumer that makes no requests is never killed.
pub const SILENCE_UNSEEN: &str = "silence-unseen";

/// `stack-unseen`: a firing does not check how much stack is left.
pub const STACK_UNSEEN: &str = "stack-unseen";

/// `arguments-shifted`: each argument of a tracepoint is read from the place of the next.
pub const ARGUMENTS_SHIFTED: &str = "arguments-shifted";

/// `tracepoint-kept`: a tracepoint stays registered after its last enabling is gone.
pub const TRACEPOINT_KEPT: &str = "tracepoint-kept";

/// `closed-unseen`: a consumer stays armed after its file is closed.
pub const CLOSED_UNSEEN: &str = "closed-unseen";

/// `shared-slot`: what is written to one slot of a pair of adjacent slots is written to both.
pub const SHARED_SLOT: &str = "shared-slot";

/// `stale-slot`: a slot that is reused keeps the first instruction that was written to it.
pub const STALE_SLOT: &str = "stale-slot";

/// `no-cache-flush`: the instruction cache is not flushed after a slot is written.
pub const NO_CACHE_FLUSH: &str = "no-cache-flush";

/// The most words of a frame that a mutant overwrites.
const OVERLAID_MAX: usize = 2;

/// Memory whose stores hit the trap's own frame, as on a kernel that leaves no room between the
/// frame and the interrupted stack pointer. With `mutant` selected, the first words that an
/// emulated instruction stores also overwrite words of the frame, when the instruction is complete.
pub struct IntoFrame<M> {
    mutant: &'static str,
    memory: M,
    frame: *mut usize,
    overlaid: [usize; OVERLAID_MAX],
    mask: usize,
    words: [Option<usize>; OVERLAID_MAX],
}

impl<M> IntoFrame<M> {
    /// `overlaid` are indices of words in `frame`, in the order in which stored words overwrite
    /// them; a stored word is masked with `mask` first.
    pub fn new(
        mutant: &'static str,
        memory: M,
        frame: *mut usize,
        overlaid: [usize; OVERLAID_MAX],
        mask: usize,
    ) -> Self {
        Self {
            mutant,
            memory,
            frame,
            overlaid,
            mask,
            words: [None; OVERLAID_MAX],
        }
    }
}

impl<M: Memory> Memory for IntoFrame<M> {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.memory.load(address, width)
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        self.memory.store(address, width, value)?;
        if let Some(next) = self.words.iter_mut().find(|word| word.is_none()) {
            *next = Some(value as usize & self.mask);
        }
        Ok(())
    }
}

impl<M> Drop for IntoFrame<M> {
    fn drop(&mut self) {
        let words = self.overlaid.iter().zip(self.words);
        for (&index, word) in words.filter(|_| is_chosen(self.mutant)) {
            let Some(word) = word else { return };
            // SAFETY: inside the `struct pt_regs` that the trap's handler was given. Wrong on
            // purpose: the return from the trap restores the overwritten word.
            unsafe { self.frame.wrapping_add(index).write_volatile(word) };
        }
    }
}

/// `tables-unfound`: unwind tables are added to an address space that no process has.
pub const TABLES_UNFOUND: &str = "tables-unfound";

/// `process-kept`: the text of a process is not restored.
pub const PROCESS_KEPT: &str = "process-kept";

/// `semaphore-kept`: a program's counter is not lowered.
pub const SEMAPHORE_KEPT: &str = "semaphore-kept";

/// `register-misread`: a thread's register is read one too high.
pub const REGISTER_MISREAD: &str = "register-misread";

/// `none-held`: no thread waits for the probes of what it has opened.
pub const NONE_HELD: &str = "none-held";

/// `child-uncleaned`: a child of a traced process keeps the traps that it was forked with.
pub const CHILD_UNCLEANED: &str = "child-uncleaned";

/// `gone-unseen`: a process that has ended is taken to be there still.
pub const GONE_UNSEEN: &str = "gone-unseen";

/// `unbounded`: the memory of probes has no bounds.
pub const UNBOUNDED: &str = "unbounded";

/// `caller-misread`: the caller of a user function is read one word too high on the stack, or from
/// the stack pointer where a link register has it.
pub const CALLER_MISREAD: &str = "caller-misread";

/// `slot-repeated`: a thread that is interrupted behind the copy in its slot executes the instruction
/// again.
pub const SLOT_REPEATED: &str = "slot-repeated";
