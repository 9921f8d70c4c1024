//! Slots: the stacks on which probe context runs. The engine takes each for a CPU.
//!
//! A thread that hits a probe occupies a slot until it has left it again, preferring the one that its
//! thread pointer leads to. If all are occupied it waits: their threads run, and a firing is short. A signal that
//! arrives during a firing, and whose handler hits a probe, occupies another one.
//!
//! The current slot follows from the stack pointer, so there is no need for thread-local storage. A
//! slot's [`Head`] lies above its stack.
//!
//! Of a child that was forked, the first thread that hits a probe is taken for the one that forked ([`Occupant`]).

#![expect(
    unsafe_code,
    reason = "stacks are memory, and the slot is found by the stack pointer"
)]

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

use crate::arch::frame::{self, Regs};
use crate::clock::{self, ClockId};
use crate::forks;
use crate::occupant::Occupant;
use crate::sys;

/// Logarithm of a slot's size: 256 KiB, of which the pages that are never used take no memory.
const SHIFT: u32 = 18;
const SIZE: usize = 1 << SHIFT;

/// The most that a firing uses, in bytes, with room to spare.
const FIRING: usize = 16 << 10;

/// What lies above a slot's stack.
#[repr(C, align(64))]
pub struct Head {
    /// An [`Occupant`].
    occupant: AtomicU64,
    /// That which was waited for in vain.
    stuck: AtomicU64,
    /// The registers at its hit; null at a timer.
    regs: Cell<*const Regs>,
}

/// The number of the latest process among this one and those that it was forked from.
static PROCESSES: AtomicU64 = AtomicU64::new(0);

static BASE: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of slots but for the agent's.
static OTHERS: AtomicUsize = AtomicUsize::new(1);

/// Maps the slots: one for the agent, and two for each CPU and two more. Returns the top of the
/// agent's stack.
pub fn map() -> Option<usize> {
    forks::map()?;
    // An earlier agent's, or those of the process that this one was forked from.
    if let Some(head) = head(0) {
        return Some(core::ptr::from_ref(head).addr());
    }
    let count = sys::cpus().wrapping_mul(2).wrapping_add(3).min(256);
    let size = count.wrapping_add(1) << SHIFT;
    let mapped = sys::map(size).ok()?;
    let base = mapped.wrapping_add(SIZE.wrapping_sub(1)) & !SIZE.wrapping_sub(1);
    COUNT.store(count, Ordering::Relaxed);
    OTHERS.store(count.wrapping_sub(1), Ordering::Relaxed);
    BASE.store(base, Ordering::Release);
    Some(core::ptr::from_ref(head(0)?).addr())
}

/// Number of slots.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

fn head(number: usize) -> Option<&'static Head> {
    let base = BASE.load(Ordering::Acquire);
    if number >= count() || base == 0 {
        return None;
    }
    let end = base.wrapping_add(number.wrapping_add(1) << SHIFT);
    let place: *const Head =
        core::ptr::with_exposed_provenance(end.wrapping_sub(size_of::<Head>()));
    // SAFETY: in the mapping, which begins as zeros and is never unmapped; all zeros is a `Head`.
    Some(unsafe { &*place })
}

/// Approximately the stack pointer: the address of a local variable.
#[inline(always)]
fn stack_pointer() -> usize {
    let here = MaybeUninit::<usize>::uninit();
    here.as_ptr().addr()
}

/// The slot whose stack this runs on.
#[inline(always)]
pub fn current() -> usize {
    stack_pointer().wrapping_sub(BASE.load(Ordering::Relaxed)) >> SHIFT
}

/// Whether the current stack has room for a firing.
#[inline(always)]
pub fn has_stack() -> bool {
    stack_pointer() & SIZE.wrapping_sub(1) > FIRING
}

/// The thread in the current slot; 0 for the agent.
pub fn thread() -> u32 {
    match current() {
        0 => 0,
        _ => sys::thread(),
    }
}

/// The registers at the current slot's hit.
pub fn regs() -> Option<Regs> {
    let regs = head(current())?.regs.get();
    // SAFETY: null, or what `with_regs` was called with by this thread, further up its stack.
    unsafe { regs.as_ref() }.copied()
}

/// Runs `work` with these as the registers of the current slot's hit.
pub fn with_regs<R>(regs: &Regs, work: impl FnOnce() -> R) -> R {
    let head = head(current());
    let set = |regs| {
        if let Some(head) = head {
            head.regs.set(regs);
        }
    };
    set(core::ptr::from_ref(regs));
    let result = work();
    set(core::ptr::null());
    result
}

/// What is different for each thread.
#[inline(always)]
fn this_thread() -> u32 {
    // Fibonacci hashing: the upper bits depend on all lower ones.
    const MIX: u32 = 0x9e37_79b1;
    let pointer = frame::thread_pointer();
    ((pointer >> 6) as u32 ^ (pointer >> 32) as u32).wrapping_mul(MIX)
}

/// The first thread of this process; if none is known yet, it is this one.
#[inline(always)]
fn first_thread(thread: u32) -> Occupant {
    let known = forks::own().map_or(0, |own| own.first_thread.load(Ordering::Acquire));
    match known {
        0 => be_first(thread),
        _ => Occupant(known),
    }
}

#[cold]
#[inline(never)]
fn be_first(thread: u32) -> Occupant {
    let process = PROCESSES.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let first = Occupant::first(process, thread);
    let Some(own) = forks::own() else {
        return first;
    };
    let order = Ordering::AcqRel;
    let known = own
        .first_thread
        .compare_exchange(0, first.0, order, Ordering::Acquire);
    known.map_or_else(Occupant, |_| first)
}

/// Occupies a slot for this thread; returns its head, below which is its stack.
pub extern "C" fn occupy() -> &'static Head {
    let thread = this_thread();
    let others = OTHERS.load(Ordering::Relaxed);
    let preferred = (thread as usize).wrapping_mul(others) >> u32::BITS;
    match head(preferred.wrapping_add(1)).filter(|head| head.is_taken_now(thread)) {
        Some(head) => head,
        None => occupy_any(preferred, others, thread),
    }
}

/// Occupies one of so many slots.
#[cold]
#[inline(never)]
fn occupy_any(preferred: usize, others: usize, thread: u32) -> &'static Head {
    loop {
        let numbers = (preferred..others).chain(0..preferred);
        let mut heads = numbers.filter_map(|number| head(number.wrapping_add(1)));
        if let Some(head) = heads.find(|head| head.is_taken_now(thread)) {
            return head;
        }
        sys::relinquish();
    }
}

impl Head {
    /// The slot's number.
    #[inline(always)]
    pub fn number(&self) -> usize {
        let place = core::ptr::from_ref(self).addr();
        place.wrapping_sub(BASE.load(Ordering::Relaxed)) >> SHIFT
    }

    /// Takes it for this thread, which a signal may have fork at any instruction.
    #[inline(always)]
    fn is_taken_now(&self, thread: u32) -> bool {
        let first = first_thread(thread);
        let last = Occupant(self.occupant.load(Ordering::Relaxed));
        // Sequentially consistent: what is published after [`synchronize`] has looked is seen.
        let order = Ordering::SeqCst;
        let next = last.next(thread, first);
        let exchange = |from: Occupant, to: Occupant| {
            let exchanged = self.occupant.compare_exchange(from.0, to.0, order, order);
            exchanged.is_ok()
        };
        if last.is_there(first) || !exchange(last, next) {
            return false;
        }
        let is_same = first_thread(thread) == first;
        if !is_same {
            // It may be a child's, and that of another of its threads.
            exchange(next, last);
        }
        is_same
    }

    /// Leaves the slot. Its stack must not be in use any more.
    pub fn leave(&self) {
        // Only who occupies it changes it.
        let occupant = Occupant(self.occupant.load(Ordering::Relaxed));
        self.occupant.store(occupant.gone().0, Ordering::Release);
    }
}

/// Waits until each slot that is occupied now has been left once; returns false if that takes too long.
/// A thread may have been stopped in its slot, or ended in it, or left it by siglongjmp(3).
pub fn synchronize(is_alive: impl Fn() -> bool) -> bool {
    const LONGEST: u64 = 2_000_000_000;
    // Orders what was published before with what is read here.
    fence(Ordering::SeqCst);
    let first = first_thread(this_thread());
    let begun = clock::now(ClockId::Monotonic);
    for number in 1..count() {
        let Some(head) = head(number) else { continue };
        let before = head.occupant.load(Ordering::SeqCst);
        if !Occupant(before).is_there(first) {
            continue;
        }
        if head.stuck.load(Ordering::Relaxed) == before {
            return false;
        }
        while head.occupant.load(Ordering::Acquire) == before && is_alive() {
            if clock::now(ClockId::Monotonic).wrapping_sub(begun) > LONGEST {
                head.stuck.store(before, Ordering::Relaxed);
                return false;
            }
            sys::relinquish();
        }
    }
    true
}
