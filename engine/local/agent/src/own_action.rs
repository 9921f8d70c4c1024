//! What the process does on the signal of traps itself: kept for it, as the action that the kernel has is
//! ours.

use core::mem::size_of;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::arch::frame::SIGNAL;
use crate::sys::{self, Action};

/// The bit of the signal in a mask.
pub const BIT: u64 = 1 << (SIGNAL - 1);

/// SIGKILL and SIGSTOP, which the kernel takes out of masks.
const UNBLOCKABLE: u64 = 1 << (9 - 1) | 1 << (19 - 1);

/// The `SA_*` that the kernel knows; it clears others since 5.11 (sigaction(2)).
const FLAGS: usize = 0xdc00_0807;

/// What the process does on the signal itself: an [`Action`], whose parts threads set.
static BEFORE: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// The action.
pub fn before() -> Action {
    let [handler, flags, restorer, mask] = BEFORE.each_ref().map(|it| it.load(Ordering::Relaxed));
    Action {
        handler,
        flags,
        restorer,
        mask: mask as u64,
    }
}

/// Sets it.
pub fn set_before(action: &Action) {
    let parts = [
        action.handler,
        action.flags,
        action.restorer,
        action.mask as usize,
    ];
    for (to, from) in BEFORE.iter().zip(parts) {
        to.store(from, Ordering::Relaxed);
    }
}

/// The process asks for the action on the signal, and sets it, as rt_sigaction(2): addresses, or 0, and the
/// size of a mask. If it is to be kept, nothing is set. Returns 0, or a negated error number.
pub fn act(new: usize, old: usize, size: usize, is_kept: bool) -> isize {
    const FAULT: isize = -14;
    if size != size_of::<u64>() {
        return sys::INVALID;
    }
    let previous = before();
    let wanted = (new != 0).then(|| read_action(new));
    if wanted.is_some_and(|action| action.is_none()) {
        return FAULT;
    }
    if let Some(mut action) = wanted.flatten().filter(|_| !is_kept) {
        action.flags &= FLAGS;
        action.mask &= !UNBLOCKABLE;
        set_before(&action);
    }
    match old != 0 && write_action(old, &previous).is_none() {
        true => FAULT,
        false => 0,
    }
}

/// Reads an action of the process's.
pub fn read_action(address: usize) -> Option<Action> {
    let mut words = [[0; 8]; 4];
    sys::load_argument(address, &mut words).then_some(())?;
    let [handler, flags, restorer, mask] = words.map(u64::from_ne_bytes);
    Some(Action {
        handler: handler as usize,
        flags: flags as usize,
        restorer: restorer as usize,
        mask,
    })
}

/// Writes one to the process.
pub fn write_action(address: usize, action: &Action) -> Option<()> {
    let words = [
        action.handler as u64,
        action.flags as u64,
        action.restorer as u64,
        action.mask,
    ];
    sys::store_argument(address, &words.map(u64::to_ne_bytes)).then_some(())
}
