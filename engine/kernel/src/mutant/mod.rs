//! Seeded defects, to show that the scenarios can see one. Built in only with
//! `--cfg trapline_mutants`, and at most one is chosen, when the module is loaded.
//!
//! Most are a mistake that only one instruction set allows: see [`arch::MUTANTS`].

pub mod arch;

use core::hint::spin_loop;
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use core::{ptr, slice};

use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Arch, Fault, Memory, Width};
use engine_tracer::{Blacklist, Context, Event, Patch, Platform, Task};

use crate::arch::BLACKLIST;
use crate::entry;
use crate::platform::{self, Kernel};

/// `spin-in-trap`: the trap's handler waits for what never comes. A trap is taken with interrupts off,
/// so nothing else will run on that CPU.
const SPIN_IN_TRAP: &str = "spin-in-trap";

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
const EVERYWHERE: [&str; 25] = [
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
];

fn all() -> impl Iterator<Item = &'static str> {
    arch::MUTANTS.iter().copied().chain(EVERYWHERE)
}

/// What the tracer is told that a function is called.
pub fn called(name: &[u8]) -> &[u8] {
    match arch::MISNAMES
        .iter()
        .find(|(_, function)| *function == name)
    {
        Some((mutant, _)) if is_chosen(mutant) => b"misnamed",
        _ => name,
    }
}

/// The blacklist; without paths where the defect is about what only they lead to.
pub fn blacklist() -> &'static Blacklist {
    const NO_PATHS: &Blacklist = &Blacklist {
        paths: &[],
        ..*BLACKLIST
    };
    match arch::MISNAMES.iter().any(|(mutant, _)| is_chosen(mutant)) {
        true => NO_PATHS,
        false => BLACKLIST,
    }
}

/// `value-plus-1`: what a function returns is told one too high.
const VALUE_PLUS_1: &str = "value-plus-1";

/// What a function is told to return.
pub fn returned(value: u64) -> u64 {
    value.wrapping_add(u64::from(is_chosen(VALUE_PLUS_1)))
}

/// `tails-forgotten`: a tail call is no way out of a function.
const TAILS_FORGOTTEN: &str = "tails-forgotten";

/// `one-exit`: of the instructions that leave a function, all but the first are overlooked.
const ONE_EXIT: &str = "one-exit";

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
const ONE_KEPT: &str = "one-kept";

/// Those of the patches that are made.
pub fn made(patches: &mut [Patch]) -> &mut [Patch] {
    let is_trap = |patch: &Patch| patch.word == entry::trapline_trap_word();
    let kept = usize::from(is_chosen(ONE_KEPT) && !patches.iter().any(is_trap));
    let count = patches.len().saturating_sub(kept);
    patches.get_mut(..count).unwrap_or_default()
}

/// `child-lost`: what a system call returns in the child that it has made is not told.
const CHILD_LOST: &str = "child-lost";

/// `return-doubled`: what execve returns is told twice.
const RETURN_DOUBLED: &str = "return-doubled";

/// `errno-sign`: an error's number is told as a value that is none.
const ERRNO_SIGN: &str = "errno-sign";

/// How often a system call's return is told, and with what value.
pub fn told(number: i64, value: i64) -> (usize, i64) {
    let is_lost = is_chosen(CHILD_LOST) && value == 0 && arch::FORKS.contains(&number);
    let is_doubled = is_chosen(RETURN_DOUBLED) && number == arch::EXECVE;
    let is_error = is_chosen(ERRNO_SIGN) && value < 0;
    let value = if is_error { -value } else { value };
    (1 + usize::from(is_doubled) - usize::from(is_lost), value)
}

/// `arg4-is-arg3`: a system call's fifth argument is looked for where the fourth is.
const ARG4_IS_ARG3: &str = "arg4-is-arg3";

/// Where a system call's argument is looked for.
pub fn argument(number: u64) -> u64 {
    number - u64::from(number == 4 && is_chosen(ARG4_IS_ARG3))
}

/// `start-lost`: a process that starts does not tell.
const START_LOST: &str = "start-lost";

/// `killed-is-exited`: whoever ends is told to have exited.
const KILLED_IS_EXITED: &str = "killed-is-exited";

/// `signal-to-sender`: a signal is told to be sent to the process that sends it.
const SIGNAL_TO_SENDER: &str = "signal-to-sender";

/// What is told of an event, if anything.
pub fn happened(event: Event, told: [u64; 4]) -> Option<[u64; 4]> {
    const CLD_EXITED: u64 = 1;
    let [first, second, third, fourth] = told;
    match event {
        Event::ProcessStarted if is_chosen(START_LOST) => None,
        Event::ProcessExited if is_chosen(KILLED_IS_EXITED) => {
            Some([CLD_EXITED, second, third, fourth])
        }
        Event::SignalSent if is_chosen(SIGNAL_TO_SENDER) => {
            let sender = platform::task(Context::Thread).pid;
            Some([first, sender.into(), third, fourth])
        }
        _ => Some(told),
    }
}

/// `thread-by-number`: a thread is known by its number, which may be another's before or after it.
const THREAD_BY_NUMBER: &str = "thread-by-number";

/// Mistakes the thread.
pub fn mistake(task: &mut Task) {
    if is_chosen(THREAD_BY_NUMBER) {
        (task.nonce, task.address) = (task.tid.into(), 0);
    }
}

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
const LOST_COUNT: &str = "lost-count";

/// How often something was asked for that a firing needs: each needs two such things.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Whether this is one of those.
pub fn is_lost() -> bool {
    is_chosen(LOST_COUNT) && ASKED.fetch_add(1, Ordering::Relaxed) % 128 == 127
}

/// `lost-call`: every 64th time that the function tracer tells of a call, nobody listens.
const LOST_CALL: &str = "lost-call";

/// How often it told.
static TOLD: AtomicUsize = AtomicUsize::new(0);

/// Whether this is one of those.
pub fn is_lost_call() -> bool {
    is_chosen(LOST_CALL) && TOLD.fetch_add(1, Ordering::Relaxed) % 64 == 63
}

/// What every trap begins with: it waits for ever, if that is the defect.
pub fn spin() {
    while is_chosen(SPIN_IN_TRAP) {
        spin_loop();
    }
}

/// `stall-unseen`: no firing notices that its CPU's threads do not get to run.
pub const STALL_UNSEEN: &str = "stall-unseen";

/// `silence-unseen`: a consumer that asks for nothing is never killed.
const SILENCE_UNSEEN: &str = "silence-unseen";

/// For how many rounds a consumer may ask for nothing.
pub fn silence(limit: u32) -> u32 {
    if is_chosen(SILENCE_UNSEEN) { 0 } else { limit }
}

/// `stack-unseen`: a firing does not look how much of the stack is left.
const STACK_UNSEEN: &str = "stack-unseen";

/// Whether no firing looks at its stack, be it that a look would end what another defect begins.
pub fn is_stack_unseen() -> bool {
    is_chosen(STACK_UNSEEN) || is_chosen(UNGUARDED)
}

/// `closed-unseen`: a consumer that is gone stays armed.
pub const CLOSED_UNSEEN: &str = "closed-unseen";

/// `shared-slot`: two slots that lie beside each other are one, whose last owner's copy is in both.
pub const SHARED_SLOT: &str = "shared-slot";

/// `stale-slot`: a slot keeps the first copy that was ever in it.
pub const STALE_SLOT: &str = "stale-slot";

/// `no-cache-flush`: the processor is not told of code that was written.
pub const NO_CACHE_FLUSH: &str = "no-cache-flush";

/// Writes code, with the defect in it.
pub fn write_code(address: usize, bytes: &[u8]) {
    if is_chosen(STALE_SLOT) && was_written(address) {
        return;
    }
    platform::store_code(address, bytes);
    if is_chosen(SHARED_SLOT) {
        let twin = twin(address, bytes.len());
        platform::store_code(twin, bytes);
        platform::flush_code(twin, bytes.len());
    }
    if !is_chosen(NO_CACHE_FLUSH) {
        platform::flush_code(address, bytes.len());
    }
}

/// The other slot of the same pair.
fn twin(address: usize, length: usize) -> usize {
    let within = address % Kernel::CODE;
    match within.checked_div(length) {
        Some(number) if number % 2 == 1 => address.wrapping_sub(length),
        _ if within.wrapping_add(2 * length) <= Kernel::CODE => address.wrapping_add(length),
        _ => address,
    }
}

/// Whether there is something else than the page was filled with, which its last word still is: slots
/// do not go up to there.
fn was_written(address: usize) -> bool {
    let last = (address / Kernel::CODE + 1) * Kernel::CODE - size_of::<u32>();
    word(address) != word(last)
}

fn word(address: usize) -> u32 {
    let place = ptr::with_exposed_provenance::<u32>(address);
    // SAFETY: in a page for code, which is there to be read.
    unsafe { place.read_volatile() }
}

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
