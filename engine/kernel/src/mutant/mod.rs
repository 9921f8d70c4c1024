//! Seeded defects, to show that the scenarios can see one. Built in only with
//! `--cfg trapline_mutants`, and at most one is chosen, when the module is loaded.
//!
//! Most are a mistake that only one instruction set allows: see [`arch::MUTANTS`].

pub mod arch;
pub mod engine;
pub mod platform;

use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use core::{ptr, slice};

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Fault, Memory, Width};

/// `spin-in-trap`: the trap's handler waits for what never comes. A trap is taken with interrupts off,
/// so nothing else will run on that CPU.
pub const SPIN_IN_TRAP: &str = "spin-in-trap";

/// `keep-memory`: what is given back to the heap stays in use.
pub const KEEP_MEMORY: &str = "keep-memory";

/// The chosen defect's name, by its address and its length.
static CHOSEN: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Chooses the defect of this name; whether there is one.
pub fn choose(name: &[u8]) -> bool {
    let Some(mutant) = all().find(|mutant| mutant.as_bytes() == name) else {
        return false;
    };
    CHOSEN.store(mutant.as_ptr().cast_mut(), Ordering::Relaxed);
    LENGTH.store(mutant.len(), Ordering::Relaxed);
    true
}

/// Whether it is this one. It is not inlined: whoever asks has its own frame, however little stack is left.
#[inline(never)]
pub fn is_chosen(name: &str) -> bool {
    if LENGTH.load(Ordering::Relaxed) != name.len() {
        return false;
    }
    // SAFETY: the name of a defect of `all`, which has this length.
    let chosen = unsafe { slice::from_raw_parts(CHOSEN.load(Ordering::Relaxed), name.len()) };
    chosen == name.as_bytes()
}

/// Those that every instruction set has.
const EVERYWHERE: [&str; 27] = [
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
];

fn all() -> impl Iterator<Item = &'static str> {
    arch::MUTANTS.iter().copied().chain(EVERYWHERE)
}

/// `value-plus-1`: what a function returns is told one too high.
pub const VALUE_PLUS_1: &str = "value-plus-1";

/// What a function is told to return.
pub fn returned(value: u64) -> u64 {
    value.wrapping_add(u64::from(is_chosen(VALUE_PLUS_1)))
}

/// `tails-forgotten`: a tail call is no way out of a function.
pub const TAILS_FORGOTTEN: &str = "tails-forgotten";

/// `one-exit`: of the instructions that leave a function, all but the first are overlooked.
pub const ONE_EXIT: &str = "one-exit";

/// What [`Arch::exits`] finds, without those that are overlooked.
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

/// `one-kept`: of text that is restored at once, the last place is left as it is, and said to be restored.
pub const ONE_KEPT: &str = "one-kept";

/// `child-lost`: what a system call returns in the child that it has made is not told.
pub const CHILD_LOST: &str = "child-lost";

/// `return-doubled`: what execve returns is told twice.
pub const RETURN_DOUBLED: &str = "return-doubled";

/// `errno-sign`: an error's number is told as a value that is none.
pub const ERRNO_SIGN: &str = "errno-sign";

/// `arg4-is-arg3`: a system call's fifth argument is looked for where the fourth is.
pub const ARG4_IS_ARG3: &str = "arg4-is-arg3";

/// `start-lost`: a process that starts does not tell.
pub const START_LOST: &str = "start-lost";

/// `killed-is-exited`: whoever ends is told to have exited.
pub const KILLED_IS_EXITED: &str = "killed-is-exited";

/// `signal-to-sender`: a signal is told to be sent to the process that sends it.
pub const SIGNAL_TO_SENDER: &str = "signal-to-sender";

/// `thread-by-number`: a thread is known by its number, which may be another's before or after it.
pub const THREAD_BY_NUMBER: &str = "thread-by-number";

/// `ends-forgotten`: which processes have ended is not remembered, so that each of their last threads tells.
pub const ENDS_FORGOTTEN: &str = "ends-forgotten";

/// `long-way`: traps come by all that the kernel runs on the way to who has hooked them.
pub const LONG_WAY: &str = "long-way";

/// `module-kept`: what is of a module that goes is taken to be there still.
pub const MODULE_KEPT: &str = "module-kept";

/// `kprobe-overlooked`: a kprobe of the kernel's is seen nowhere, so traps are put where it is.
pub const KPROBE_OVERLOOKED: &str = "kprobe-overlooked";

/// `unguarded`: a trap that comes while its CPU fires fires too, and on whatever is left of the stack.
pub const UNGUARDED: &str = "unguarded";

/// `lost-count`: every 64th firing finds what it needs in use, and is delivered to nobody.
pub const LOST_COUNT: &str = "lost-count";

/// `lost-call`: every 64th time that the function tracer tells of a call, nobody listens.
pub const LOST_CALL: &str = "lost-call";

/// `stall-unseen`: no firing notices that its CPU's threads do not get to run.
pub const STALL_UNSEEN: &str = "stall-unseen";

/// `silence-unseen`: a consumer that asks for nothing is never killed.
pub const SILENCE_UNSEEN: &str = "silence-unseen";

/// `stack-unseen`: a firing does not look how much of the stack is left.
pub const STACK_UNSEEN: &str = "stack-unseen";

/// `arguments-shifted`: each argument of a tracepoint is the one behind it.
pub const ARGUMENTS_SHIFTED: &str = "arguments-shifted";

/// `tracepoint-kept`: a tracepoint that nobody wants any more stays registered.
pub const TRACEPOINT_KEPT: &str = "tracepoint-kept";

/// `closed-unseen`: a consumer that is gone stays armed.
pub const CLOSED_UNSEEN: &str = "closed-unseen";

/// `shared-slot`: two slots that lie beside each other are one, whose last owner's copy is in both.
pub const SHARED_SLOT: &str = "shared-slot";

/// `stale-slot`: a slot keeps the first copy that was ever in it.
pub const STALE_SLOT: &str = "stale-slot";

/// `no-cache-flush`: the processor is not told of code that was written.
pub const NO_CACHE_FLUSH: &str = "no-cache-flush";

/// As many words of a frame as are ever overlaid.
const OVERLAID_MAX: usize = 2;

/// Memory in whose way a trap's frame lies, if the defect is chosen, as it did on kernels that keep
/// no room below the interrupted stack pointer: the first words that an instruction stores become
/// words of the frame, once the instruction is done.
pub struct IntoFrame<M> {
    mutant: &'static str,
    memory: M,
    frame: *mut usize,
    overlaid: [usize; OVERLAID_MAX],
    kept: usize,
    words: [Option<usize>; OVERLAID_MAX],
}

impl<M> IntoFrame<M> {
    /// The defect, `memory`, and the words of `frame` that are `overlaid`, with the bits of a word that are
    /// `kept`.
    pub fn new(
        mutant: &'static str,
        memory: M,
        frame: *mut usize,
        overlaid: [usize; OVERLAID_MAX],
        kept: usize,
    ) -> Self {
        Self {
            mutant,
            memory,
            frame,
            overlaid,
            kept,
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
            *next = Some(value as usize & self.kept);
        }
        Ok(())
    }
}

impl<M> Drop for IntoFrame<M> {
    fn drop(&mut self) {
        let words = self.overlaid.iter().zip(self.words);
        for (&index, word) in words.filter(|_| is_chosen(self.mutant)) {
            let Some(word) = word else { return };
            // SAFETY: inside `struct pt_regs`, whose address the trap's handler was given. It is
            // meant to be wrong: whoever restores this frame restores the word.
            unsafe { self.frame.wrapping_add(index).write_volatile(word) };
        }
    }
}
