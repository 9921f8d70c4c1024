//! The handler of traps: probe context begins and ends here.
//!
//! `arch` has the first and last instructions. They save where the thread's own stack is, occupy a
//! slot ([`slots::occupy`]) and call [`hit`] on its stack; and back on the thread's own they leave the
//! slot, and call [`finish`]. All signals are blocked meanwhile. The thread's registers are in the
//! frame that the kernel made.

#![expect(
    unsafe_code,
    reason = "what the kernel passes to a handler are pointers"
)]

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::Ordering;
use core::time::Duration;

use engine_isa::Arch;
use engine_tracer::{Hit, Trap};

use crate::arch::frame::{self, Context, Native, Regs};
use crate::cell::tracer;
use crate::clock::{self, ClockId};
use crate::code;
use crate::entrances;
use crate::forks;
use crate::jumps;
use crate::machine::RELEASES;
use crate::memory::Own;
use crate::own_action;
use crate::slots::{self, Head};
use crate::sys::{self, Action};
use crate::waiters::Waiter;

const SA_SIGINFO: usize = 4;
const SA_RESTORER: usize = 0x0400_0000;
const SA_RESTART: usize = 0x1000_0000;
const SA_NODEFER: usize = 0x4000_0000;

/// How long a thread waits for the probes of what it has opened; as in the module.
const LONGEST: Duration = Duration::from_secs(1);

/// What [`hit`] has found, for [`finish`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Outcome {
    /// The thread goes on.
    Done,
    /// The trap is the program's own.
    Foreign,
}

/// The bits of what [`hit`] returns that are the [`Outcome`]; above them is the ticket.
const OUTCOME: u64 = 0xff;

/// Linux's `siginfo_t`, as far as it is needed.
#[repr(C)]
pub struct Info {
    signal: c_int,
    error: c_int,
    code: c_int,
}

impl Info {
    /// Whether an instruction has caused the signal, which is a trap: not another process, a timer, or
    /// a single step.
    fn is_of_trap(&self) -> bool {
        const TRAP_BRKPT: c_int = 1;
        const SI_KERNEL: c_int = 0x80;
        [TRAP_BRKPT, SI_KERNEL].contains(&self.code)
    }
}

/// Makes the handler that of the whole process. Called by the agent, which shares its actions.
pub fn install() -> bool {
    let Some(own) = forks::own().filter(|_| forks::tell_apart()) else {
        return false;
    };
    own.is_traced.store(1, Ordering::Relaxed);
    let [handler, restorer] = entrances::of_traps();
    let action = Action {
        handler,
        flags: SA_SIGINFO | SA_RESTORER | SA_RESTART | SA_NODEFER,
        restorer,
        mask: !own_action::BIT,
    };
    // SAFETY: the handler stays mapped for as long as the process lives.
    let before = unsafe { sys::set_action(frame::SIGNAL, &action) };
    before.map(|action| own_action::set_before(&action)).is_ok()
}

/// Gives the signal back to the process. No trap of ours is left in its text.
pub fn remove() {
    // SAFETY: the process's own action.
    let _ = unsafe { sys::set_action(frame::SIGNAL, &own_action::before()) };
}

/// Whether this is the traced process, or a child that shares its memory.
pub fn is_traced() -> bool {
    forks::own().is_some_and(|own| own.is_traced.load(Ordering::Relaxed) != 0)
}

/// Handles a trap, on a slot's stack. Returns the [`Outcome`], and above it the ticket of a thread that
/// has to wait.
///
/// # Safety
/// Called by the handler, with what the kernel passed to it.
pub unsafe extern "C" fn hit(context: *mut Context, info: *const Info) -> u64 {
    // SAFETY: the kernel's frame, which only this handler accesses.
    let context = unsafe { &mut *context };
    // SAFETY: in the same frame.
    let info = unsafe { &*info };
    if info.code != frame::CODE {
        return Outcome::Foreign as u64;
    }
    let mut regs = context.regs();
    let pc = <Native as Arch>::pc(&regs);
    if let Some(detour) = jumps::detour_at(pc) {
        <Native as Arch>::set_pc(&mut regs, detour);
        context.set(&regs);
        return Outcome::Done as u64;
    }
    let before = regs;
    let hit = slots::with_regs(&before, || match tracer() {
        Some(tracer) if is_traced() => tracer.user_trap(&mut regs, &mut Own),
        // The child's text is a copy of what was traced, with its traps.
        Some(tracer) => Hit {
            trap: tracer.user_resume(pc, &mut regs, &mut Own),
            ticket: 0,
        },
        None => Hit {
            trap: Trap::Stray,
            ticket: 0,
        },
    });
    let outcome = match hit.trap {
        Trap::Resumed | Trap::Retry => {
            context.set(&regs);
            Outcome::Done
        }
        // A window may have been begun there since.
        Trap::Stray | Trap::Failed if is_own(pc) && jumps::detour_at(pc).is_none() => {
            Outcome::Foreign
        }
        // It was removed while the thread was on its way here, or leads to that window next time.
        Trap::Stray | Trap::Failed => {
            <Native as Arch>::set_pc(&mut regs, pc);
            context.set(&regs);
            Outcome::Done
        }
    };
    u64::from(hit.ticket) << 8 | outcome as u64
}

/// Handles a hit of a detour, on a slot's stack: fires the site at `regs`' pc. Returns the ticket of a
/// thread that has to wait.
///
/// # Safety
/// Called by a detour, with the registers that it has saved.
pub unsafe extern "C" fn passed(regs: *const Regs) -> u64 {
    // SAFETY: on the thread's own stack, where only the detour accesses them.
    let regs = unsafe { &*regs };
    match tracer() {
        Some(tracer) if is_traced() => {
            slots::with_regs(regs, || u64::from(tracer.user_hit(frame::pc(regs), regs)))
        }
        _ => 0,
    }
}

/// Has a thread wait that has hit a detour.
pub extern "C" fn wait_for(ticket: u32) {
    if ticket != 0 {
        wait(ticket);
    }
}

/// Whether the trap at `pc` that is no site's is the program's own: it is still there. In text that cannot be read, one
/// of the engine's that is not there any more is met once by each thread; the program's own again and again.
fn is_own(pc: usize) -> bool {
    /// More than a process has threads.
    const MOST: u32 = 1 << 16;
    has_trap(pc).unwrap_or_else(|| code::count_unreadable() > MOST)
}

/// Whether there is a trap at `pc`, if that can be read.
fn has_trap(pc: usize) -> Option<bool> {
    // Such a word is in one page.
    let place = pc % size_of::<u64>();
    let mut words = [[0; size_of::<u64>()]];
    let is_read = sys::load_argument(pc.wrapping_sub(place), &mut words);
    let [word] = words;
    is_read.then(|| frame::is_trap(word.get(place..).unwrap_or_default()))
}

/// Leaves the slot, on the thread's own stack.
pub extern "C" fn leave(head: &Head) {
    head.leave();
}

/// Ends the handling of a trap, on the thread's own stack.
///
/// # Safety
/// Called by the handler, with what the kernel passed to it and what [`hit`] has returned.
pub unsafe extern "C" fn finish(
    found: u64,
    signal: c_int,
    info: *mut c_void,
    context: *mut c_void,
) {
    if found & OUTCOME == Outcome::Foreign as u64 {
        // SAFETY: what the kernel passed to the handler.
        unsafe { pass_on(signal, info, context) };
    }
    let ticket = (found >> 8) as u32;
    if ticket != 0 {
        wait(ticket);
    }
}

/// Has the process itself act on the signal, as it would have.
///
/// # Safety
/// What the kernel passed to the handler.
unsafe fn pass_on(signal: c_int, info: *mut c_void, context: *mut c_void) {
    /// SIG_IGN
    const IGNORED: usize = 1;
    let action = own_action::before();
    if action.handler > IGNORED {
        type Handler = unsafe extern "C" fn(c_int, *mut c_void, *mut c_void);
        let handler: *const () = core::ptr::with_exposed_provenance(action.handler);
        // SAFETY: the process has set it as the handler of this signal.
        let handler = unsafe { transmute::<*const (), Handler>(handler) };
        // SAFETY: the kernel's frame.
        let mask = unsafe { (*context.cast::<Context>()).mask };
        sys::set_mask((mask | action.mask) & !own_action::BIT);
        // SAFETY: as the kernel would have called it.
        return unsafe { handler(signal, info, context) };
    }
    // SAFETY: what the kernel passed to the handler.
    let info = unsafe { &*info.cast::<Info>() };
    // SAFETY: the kernel's frame.
    let context = unsafe { &mut *context.cast::<Context>() };
    let mut regs = context.regs();
    // Under some hypervisors (KVM on AMD's processors) the kernel has the address of an `int1`, not of what follows.
    let mut places = [<Native as Arch>::pc(&regs), frame::pc(&regs)].into_iter();
    let trap = places.find(|place| info.is_of_trap() && has_trap(*place) != Some(false));
    if let Some(place) = trap {
        // The instruction is executed again, and the process ends by it.
        <Native as Arch>::set_pc(&mut regs, place);
        context.set(&regs);
        remove();
    } else if action.handler != IGNORED {
        remove();
        let _ = sys::kill_thread(signal.cast_unsigned());
    }
}

/// Waits until the command has answered a ticket.
fn wait(ticket: u32) {
    let _waiter = Waiter::new();
    let Some(tracer) = tracer() else { return };
    let begun = clock::now(ClockId::Monotonic);
    loop {
        let seen = RELEASES.load(Ordering::Acquire);
        if tracer.is_released(ticket) {
            return;
        }
        let waited = clock::now(ClockId::Monotonic).wrapping_sub(begun);
        let Some(left) = LONGEST.checked_sub(Duration::from_nanos(waited)) else {
            return tracer.give_up(ticket);
        };
        sys::wait(&RELEASES, seen, left);
    }
}
