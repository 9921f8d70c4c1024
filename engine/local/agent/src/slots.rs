//! Slots: the stacks on which probe context runs. The engine takes each for a CPU.
//!
//! A thread that hits a probe occupies a slot until it has left it again, preferring the one that its
//! thread pointer leads to. If all are occupied it waits: their threads run, and a firing is short. A signal that
//! arrives during a firing, and whose handler hits a probe, occupies another one.
//!
//! The current slot follows from the stack pointer, so there is no need for thread-local storage. A
//! slot's [`Head`] lies above its stack.

#![expect(
    unsafe_code,
    reason = "stacks are memory, and the slot is found by the stack pointer"
)]

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};

use crate::arch::frame::{self, Regs};
use crate::clock::{self, ClockId};
use crate::sys;

/// Logarithm of a slot's size: 256 KiB, of which the pages that are never used take no memory.
const SHIFT: u32 = 18;
const SIZE: usize = 1 << SHIFT;

/// The most that a firing uses, in bytes, with room to spare.
const FIRING: usize = 16 << 10;

/// What lies above a slot's stack.
#[repr(C, align(64))]
pub struct Head {
    /// Odd while it is occupied; each occupation adds 2.
    sequence: AtomicU32,
    /// The sequence at which it was waited for in vain.
    stuck: AtomicU32,
    /// The registers at its hit; null at a timer.
    regs: Cell<*const Regs>,
}

static BASE: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of slots but for the agent's.
static OTHERS: AtomicUsize = AtomicUsize::new(1);

/// Maps the slots: one for the agent, and two for each CPU and two more. Returns the top of the
/// agent's stack.
pub fn map() -> Option<usize> {
    // An earlier agent's.
    if let Some(head) = head(0) {
        return Some(core::ptr::from_ref(head).addr());
    }
    let count = sys::cpus().wrapping_mul(2).wrapping_add(3).min(256);
    let size = count.wrapping_add(1) << SHIFT;
    let mapped = sys::map(size).ok()?;
    // Who occupies one when a process forks is not in the child.
    sys::wipe_in_children(mapped, size).ok()?;
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

/// Occupies a slot for this thread; returns its head, below which is its stack.
pub extern "C" fn occupy() -> &'static Head {
    // Fibonacci hashing: the upper bits depend on all lower ones.
    const MIX: u32 = 0x9e37_79b1;
    let pointer = frame::thread_pointer();
    let mixed = ((pointer >> 6) as u32 ^ (pointer >> 32) as u32).wrapping_mul(MIX);
    let others = OTHERS.load(Ordering::Relaxed);
    let first = (mixed as usize).wrapping_mul(others) >> u32::BITS;
    match head(first.wrapping_add(1)).filter(|head| head.is_taken_now()) {
        Some(head) => head,
        None => occupy_any(first, others),
    }
}

/// Occupies one of so many slots.
#[cold]
#[inline(never)]
fn occupy_any(first: usize, others: usize) -> &'static Head {
    loop {
        let numbers = (first..others).chain(0..first);
        let mut heads = numbers.filter_map(|number| head(number.wrapping_add(1)));
        if let Some(head) = heads.find(|head| head.is_taken_now()) {
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

    fn is_taken_now(&self) -> bool {
        let sequence = self.sequence.load(Ordering::Relaxed);
        // Sequentially consistent: what is published after [`synchronize`] has looked is seen.
        let order = Ordering::SeqCst;
        sequence & 1 == 0
            && self
                .sequence
                .compare_exchange(sequence, sequence | 1, order, order)
                .is_ok()
    }

    /// Leaves the slot. Its stack must not be in use any more.
    pub fn leave(&self) {
        // Only who occupies it changes it.
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence
            .store(sequence.wrapping_add(1), Ordering::Release);
    }
}

/// Waits until each slot that is occupied now has been left once; returns false if that takes too long.
/// A thread may have been stopped in its slot, or ended in it, or left it by siglongjmp(3).
pub fn synchronize(is_alive: impl Fn() -> bool) -> bool {
    const LONGEST: u64 = 2_000_000_000;
    // Orders what was published before with what is read here.
    fence(Ordering::SeqCst);
    let begun = clock::now(ClockId::Monotonic);
    for number in 1..count() {
        let Some(head) = head(number) else { continue };
        let before = head.sequence.load(Ordering::SeqCst);
        if before & 1 == 1 && head.stuck.load(Ordering::Relaxed) == before {
            return false;
        }
        while before & 1 == 1 && head.sequence.load(Ordering::Acquire) == before && is_alive() {
            if clock::now(ClockId::Monotonic).wrapping_sub(begun) > LONGEST {
                head.stuck.store(before, Ordering::Relaxed);
                return false;
            }
            sys::relinquish();
        }
    }
    true
}
