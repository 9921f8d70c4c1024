//! Slots: the stacks on which probe context runs. The engine takes each for a CPU.
//!
//! A thread that hits a probe occupies a slot until it has left it again, preferring the one that its
//! thread pointer leads to. If all are occupied it waits: their threads run, and a firing is short. A signal that
//! arrives during a firing, and whose handler hits a probe, occupies another one.
//!
//! The current slot follows from the stack pointer, so there is no need for thread-local storage. A
//! slot's [`Head`] lies above its stack.
//!
//! A child that was forked has slots of its own from its first hit on: of its parent's it cannot tell which are
//! occupied by threads that it has not, and which by the one that forked, in a handler of signals.

#![expect(
    unsafe_code,
    reason = "stacks are memory, and the slot is found by the stack pointer"
)]

use core::cell::Cell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering, fence};

use crate::arch::frame::{self, Regs};
use crate::clock::{self, ClockId};
use crate::forks::{self, Own};
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

/// Where the slots of this process begin, or of the one that it was forked from.
static LATEST: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The bits of an address above [`SHIFT`] that are a slot's number.
static MASK: AtomicUsize = AtomicUsize::new(0);

/// Maps the slots, unless an earlier agent has: one for the agent, and two for each CPU and two more.
/// Returns the top of the agent's stack.
pub fn map() -> Option<usize> {
    let own = forks::map()?;
    if LATEST.load(Ordering::Relaxed) == 0 {
        let count = sys::cpus().wrapping_mul(2).wrapping_add(3).min(256);
        COUNT.store(count, Ordering::Relaxed);
        let mask = count.next_power_of_two().wrapping_sub(1);
        MASK.store(mask, Ordering::Relaxed);
    }
    map_for(own);
    Some(core::ptr::from_ref(head(0)?).addr())
}

/// Has a process that has no slots use its own, or its parent's if there is no memory.
fn map_for(own: &Own) {
    if own.slots.load(Ordering::Relaxed) != 0 {
        return;
    }
    let mapped = map_aligned();
    let base = mapped.unwrap_or_else(|| LATEST.load(Ordering::Relaxed));
    let order = Ordering::AcqRel;
    let is_first = own
        .slots
        .compare_exchange(0, base, order, Ordering::Relaxed)
        .is_ok();
    if is_first {
        LATEST.store(base, Ordering::Relaxed);
    } else if let Some(mapped) = mapped {
        // SAFETY: mapped just now, and nobody knows of it.
        let _ = unsafe { sys::unmap(mapped, count() << SHIFT) };
    }
}

/// Maps slots so that a slot's number follows from its address. Returns where they begin.
fn map_aligned() -> Option<usize> {
    let align = MASK.load(Ordering::Relaxed).wrapping_add(1) << SHIFT;
    let size = count() << SHIFT;
    let mapped = sys::map(size.wrapping_add(align)).ok()?;
    let before = mapped.wrapping_neg() & align.wrapping_sub(1);
    let base = mapped.wrapping_add(before);
    // SAFETY: mapped just now, and nobody knows of it.
    let _ = unsafe { sys::unmap(mapped, before) };
    // SAFETY: the same.
    let _ = unsafe { sys::unmap(base.wrapping_add(size), align.wrapping_sub(before)) };
    Some(base)
}

/// Number of slots.
pub fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

fn head(number: usize) -> Option<&'static Head> {
    let base = forks::own()?.slots.load(Ordering::Acquire);
    if number >= count() || base == 0 {
        return None;
    }
    // SAFETY: in the mapping.
    Some(unsafe { head_above(base.wrapping_add(number << SHIFT)) })
}

/// The head of the slot with this address.
///
/// # Safety
/// It is in a slot.
unsafe fn head_above(address: usize) -> &'static Head {
    let last = address | SIZE.wrapping_sub(1);
    let place = last.wrapping_add(1).wrapping_sub(size_of::<Head>());
    let place: *const Head = core::ptr::with_exposed_provenance(place);
    // SAFETY: slots begin as zeros and are never unmapped; all zeros is a `Head`.
    unsafe { &*place }
}

/// Approximately the stack pointer: the address of a local variable.
#[inline(always)]
fn stack_pointer() -> usize {
    let here = MaybeUninit::<usize>::uninit();
    here.as_ptr().addr()
}

/// The number of the slot that this address is in.
#[inline(always)]
fn number_at(address: usize) -> usize {
    address >> SHIFT & MASK.load(Ordering::Relaxed)
}

/// The slot whose stack this runs on.
#[inline(always)]
pub fn current() -> usize {
    number_at(stack_pointer())
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
    // SAFETY: probe context runs on a slot.
    let regs = unsafe { head_above(stack_pointer()) }.regs.get();
    // SAFETY: null, or what `with_regs` was called with by this thread, further up its stack.
    unsafe { regs.as_ref() }.copied()
}

/// Runs `work` with these as the registers of the current slot's hit.
pub fn with_regs<R>(regs: &Regs, work: impl FnOnce() -> R) -> R {
    // SAFETY: as in `regs`.
    let head = unsafe { head_above(stack_pointer()) };
    head.regs.set(core::ptr::from_ref(regs));
    let result = work();
    head.regs.set(core::ptr::null());
    result
}

/// Occupies a slot for this thread; returns its head, below which is its stack.
pub extern "C" fn occupy() -> &'static Head {
    // Fibonacci hashing: the upper bits depend on all lower ones.
    const MIX: u32 = 0x9e37_79b1;
    let pointer = frame::thread_pointer();
    let mixed = ((pointer >> 6) as u32 ^ (pointer >> 32) as u32).wrapping_mul(MIX);
    let others = count().wrapping_sub(1);
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
        // Of a child that was forked, this is the first hit.
        if let Some(own) = forks::own() {
            map_for(own);
        }
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
        number_at(core::ptr::from_ref(self).addr())
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
