//! What the process does on signals: kept here, as the kernel has handlers of ours.

use core::sync::atomic::{AtomicU64, Ordering};

use syscalls::Sysno;

use super::addresses;
use super::kernel;
use crate::arch::frame::Regs;
use crate::own_action::{read_action, write_action};
use crate::sys::{self, Action};

/// Number of signals.
pub const SIGNALS: usize = 64;
/// SIGTRAP
pub const TRAP: u64 = 5;

/// A mask of all signals.
const ALL: u64 = !0;

const SA_SIGINFO: usize = 4;
const SA_RESTORER: usize = 0x0400_0000;
const SA_ONSTACK: usize = 0x0800_0000;
const SA_NODEFER: usize = 0x4000_0000;
const SA_RESETHAND: usize = 0x8000_0000;

/// The parts of each signal's action.
static ACTIONS: [[AtomicU64; 4]; SIGNALS] = [const { [const { AtomicU64::new(0) }; 4] }; SIGNALS];

fn parts(signal: u64) -> Option<&'static [AtomicU64; 4]> {
    ACTIONS.get(usize::try_from(signal.checked_sub(1)?).ok()?)
}

/// What the process does on a signal.
pub fn of(signal: u64) -> Action {
    let Some(parts) = parts(signal) else {
        return Action::default();
    };
    let [handler, flags, restorer, mask] = parts.each_ref().map(|it| it.load(Ordering::Relaxed));
    Action {
        handler: handler as usize,
        flags: flags as usize,
        restorer: restorer as usize,
        mask,
    }
}

fn keep(signal: u64, action: &Action) {
    let values = [
        action.handler as u64,
        action.flags as u64,
        action.restorer as u64,
        action.mask,
    ];
    for (to, from) in parts(signal).into_iter().flatten().zip(values) {
        to.store(from, Ordering::Relaxed);
    }
}

/// SIG_IGN
const IGNORED: usize = 1;

/// Whether an action calls a function.
pub fn calls(action: &Action) -> bool {
    action.handler > IGNORED
}

/// Whether it does nothing.
pub fn ignores(action: &Action) -> bool {
    action.handler == IGNORED
}

/// The action of a signal that is delivered now.
pub fn take(signal: u64) -> Action {
    let action = of(signal);
    if action.flags & SA_RESETHAND != 0 {
        let default = Action::default();
        install(signal, &default);
        keep(signal, &default);
    }
    action
}

/// The signals that are blocked while a handler runs which was called with this mask.
pub fn mask_of(signal: u64, action: &Action, mask: u64) -> u64 {
    let own = match action.flags & SA_NODEFER {
        0 => 1 << signal.wrapping_sub(1),
        _ => 0,
    };
    mask | action.mask | own
}

/// Has the kernel call the recorder on SIGTRAP, which threads are stepped with. Other signals may be ignored
/// from the start.
pub fn begin() {
    for signal in (1..).take(SIGNALS) {
        let action = Action::default();
        if change(
            signal,
            0,
            core::ptr::from_ref(&action).expose_provenance() as u64,
        ) == 0
        {
            keep(signal, &action);
        }
    }
    act_on_trap(&of(TRAP));
}

fn act_on_trap(own: &Action) {
    let [handler, restorer] = addresses::handler();
    let flags = SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_NODEFER;
    let action = Action {
        handler,
        flags: flags | own.flags & !SA_RESETHAND,
        restorer: if own.restorer == 0 {
            restorer
        } else {
            own.restorer
        },
        mask: ALL,
    };
    set(TRAP, &action);
}

fn set(signal: u64, action: &Action) -> i64 {
    let action = core::ptr::from_ref(action).expose_provenance() as u64;
    change(signal, action, 0)
}

#[expect(unsafe_code, reason = "sets an action of the process")]
fn change(signal: u64, action: u64, before: u64) -> i64 {
    let arguments = [signal, action, before, size_of::<u64>() as u64, 0, 0];
    // SAFETY: the handler is one of ours, which stays, or the process's own.
    unsafe { kernel::call(Sysno::rt_sigaction as u64, arguments) }
}

/// Makes the rt_sigaction(2) that registers say; returns its result. `None`: the kernel is to refuse it.
pub fn act(regs: &Regs) -> Option<i64> {
    const FAULT: i64 = -14;
    const UNTOUCHABLE: [u64; 2] = [9, 19];
    let [signal, new, old] = [regs.di, regs.si, regs.dx];
    parts(signal)?;
    if regs.r10 != size_of::<u64>() as u64 || UNTOUCHABLE.contains(&signal) {
        return None;
    }
    let wanted = match new {
        0 => None,
        new => match read_action(new as usize) {
            Some(action) => Some(action),
            None => return Some(FAULT),
        },
    };
    let before = of(signal);
    if let Some(action) = &wanted {
        let result = install(signal, action);
        if result < 0 {
            return Some(result);
        }
        keep(signal, action);
    }
    if old != 0 && write_action(old as usize, &before).is_none() {
        return Some(FAULT);
    }
    Some(0)
}

fn install(signal: u64, action: &Action) -> i64 {
    if signal == TRAP {
        act_on_trap(action);
        return 0;
    }
    if !calls(action) {
        return set(signal, action);
    }
    let [handler, _] = addresses::handler();
    // The kernel writes no `siginfo_t` without that flag.
    let flags = action.flags & !SA_RESETHAND | SA_SIGINFO;
    // The recorder sets the mask of the process's handler: two of ours must not be in one another.
    let action = Action {
        handler,
        flags,
        mask: ALL,
        ..*action
    };
    set(signal, &action)
}

/// Gives a child, which is not recorded, the process's own actions.
pub fn give_back() {
    for signal in (1..).take(SIGNALS) {
        let action = of(signal);
        if signal == TRAP || calls(&action) {
            set(signal, &action);
        }
    }
}

/// Has the kernel end the process by a signal.
pub fn end_by(signal: u64) {
    set(signal, &Action::default());
    let _ = sys::kill_thread(signal as u32);
}
