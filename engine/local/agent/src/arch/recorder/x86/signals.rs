//! Signals. A handler of the process's is called where the program would have been interrupted: between
//! two of its instructions, with its registers, at an address of its text.
//!
//! A signal can come anywhere. Where an instruction of the program begins it is delivered; a fault is
//! delivered at the instruction that has caused it. Else the thread is stepped (with the trap flag, which
//! raises SIGTRAP after each instruction) to where the next one begins, all other signals being blocked; and
//! there the signal is queued again.

#![expect(
    unsafe_code,
    reason = "what the kernel passes to a handler are pointers"
)]

use engine_abi::path::Left;

use super::actions::{self, TRAP, calls, ignores, mask_of};
use super::addresses;
use super::areas::STACK;
use super::begin::is_own;
use super::cache::{self, Place};
use super::calls::behind;
use super::events;
use super::kernel::{self, FAULTS};
use super::state::{INFO, State};
use crate::arch::frame::{Context, Regs};
use crate::sys::Action;

/// The trap flag.
const STEP: u64 = 1 << 8;

/// The length of the instruction for system calls.
const SYSCALL: u64 = 2;

/// A mask of all signals.
const ALL: u64 = !0;

/// Linux's `siginfo_t`, in words.
type Info = [u64; INFO / 8];

/// Where a thread was interrupted.
enum At {
    /// Before an instruction of the program.
    Instruction(u64),
    /// Before the system call that the program makes, in our place of it.
    Call(u64),
    /// Behind it; this is the next instruction.
    Behind(u64),
    /// Behind one that has waited with another mask of signals, until this one.
    Waited(u64),
    /// In the translation of an instruction of the program.
    Within(u64),
    /// In the recorder.
    Recorder,
}

fn at(state: &State, regs: &Regs) -> At {
    const INTERRUPTED: i64 = -4;
    let pc = regs.ip;
    let (pass, wait) = (addresses::pass(), addresses::wait());
    if [pass, wait, addresses::call()].contains(&pc) {
        return At::Call(state.at.get());
    }
    // What sigsuspend(2) and its like have let in must be delivered now: the frame's mask is that before.
    if pc == wait.wrapping_add(SYSCALL) && regs.ax.cast_signed() == INTERRUPTED {
        return At::Waited(behind(state));
    }
    if [pass, wait]
        .map(|it| it.wrapping_add(SYSCALL))
        .contains(&pc)
    {
        return At::Behind(behind(state));
    }
    if is_own(pc) {
        return At::Recorder;
    }
    match cache::place(pc) {
        Place::Outside => At::Instruction(pc),
        Place::Begins(pc) => At::Instruction(pc),
        Place::Within(pc) => At::Within(pc),
    }
}

/// The top of the stack that the handler uses: the thread's own for that, or the one that it is on if that
/// is the same, or if the thread is not recorded.
pub extern "C" fn stack(base: usize, sp: u64) -> u64 {
    let Some(state) = State::at(base) else {
        return sp;
    };
    let top = state.signal_stack.get();
    match top.wrapping_sub(sp) < STACK as u64 {
        true => sp,
        false => top,
    }
}

/// Where a handler goes on, as the process's own, with which signals blocked; nowhere if it returns.
#[repr(C)]
pub struct Next {
    address: u64,
    mask: u64,
}

impl Next {
    const RETURN: Self = Self {
        address: 0,
        mask: ALL,
    };
}

/// Handles a signal. All others are blocked.
///
/// # Safety
/// Called by the handler, with what the kernel has passed to it.
pub unsafe extern "C" fn handle(
    signal: u64,
    info: *const Info,
    context: *mut Context,
    base: usize,
) -> Next {
    // SAFETY: the caller's promise.
    let info = unsafe { &*info };
    // SAFETY: likewise.
    let context = unsafe { &mut *context };
    match State::at(base).filter(|state| !state.is_native.get()) {
        Some(state) => recorded(state, signal, info, context),
        None => native(signal, context),
    }
}

/// In a thread that is not recorded.
fn native(signal: u64, context: &Context) -> Next {
    let action = actions::take(signal);
    if calls(&action) {
        return Next {
            address: action.handler as u64,
            mask: mask_of(signal, &action, context.mask),
        };
    }
    if !ignores(&action) {
        actions::end_by(signal);
    }
    Next::RETURN
}

fn recorded(state: &State, signal: u64, info: &Info, context: &mut Context) -> Next {
    /// Of a step.
    const TRAP_TRACE: i32 = 2;
    let [_, code, ..] = *info;
    let code = code as i32;
    let bit = 1 << signal.wrapping_sub(1);
    let regs = context.regs();
    let place = at(state, &regs);
    if signal == TRAP && code == TRAP_TRACE && state.is_stepped.get() {
        step(state, &place, regs, context);
        return Next::RETURN;
    }
    let is_fault = code > 0 && FAULTS & bit != 0;
    let waited = matches!(place, At::Waited(_)).then(|| state.wait_mask.get());
    let (pc, regs) = match place {
        At::Instruction(pc) => (pc, regs),
        At::Behind(pc) | At::Waited(pc) => (pc, Regs { cx: pc, ..regs }),
        At::Call(pc) => (pc, with_cx(state, regs)),
        At::Within(pc) if is_fault => (pc, with_cx(state, regs)),
        At::Recorder if is_fault => {
            actions::end_by(signal);
            return Next::RETURN;
        }
        At::Within(_) | At::Recorder => {
            hold(state, info, bit, regs, context);
            return Next::RETURN;
        }
    };
    let action = actions::take(signal);
    if calls(&action) {
        let address = deliver(state, signal, &action, pc, regs, context);
        let mask = waited.unwrap_or(context.mask);
        return Next {
            address,
            mask: mask_of(signal, &action, mask),
        };
    }
    if is_fault || !ignores(&action) {
        actions::end_by(signal);
    }
    Next::RETURN
}

/// A sequence had rcx in use.
fn with_cx(state: &State, regs: Regs) -> Regs {
    let cx = state.regs.get().cx;
    Regs { cx, ..regs }
}

/// Keeps a signal, and has the thread stepped.
fn hold(state: &State, info: &Info, bit: u64, mut regs: Regs, context: &mut Context) {
    if state.is_stepped.replace(true) {
        // It was sent, though it is one of faults; the other one is delivered first.
        context.mask |= bit;
        kernel::queue(info);
        return;
    }
    state.pending.set(*info);
    state.stepped_mask.set(context.mask);
    context.mask = !FAULTS;
    regs.flags |= STEP;
    // Where the runtime restores the flags it must not end the stepping.
    state.change(|saved| saved.flags |= STEP);
    context.set(&regs);
}

/// The thread has made a step: ends stepping where the signal can be delivered.
fn step(state: &State, at: &At, regs: Regs, context: &mut Context) {
    if !matches!(at, At::Within(_) | At::Recorder) {
        release(state, regs, context);
    }
}

/// Ends stepping, and queues the signal again.
fn release(state: &State, mut regs: Regs, context: &mut Context) {
    state.is_stepped.set(false);
    regs.flags &= !STEP;
    context.mask = state.stepped_mask.get();
    context.set(&regs);
    kernel::queue(&state.pending.get());
}

/// Has the process's handler called, as if the thread were about to execute the instruction at `pc`. Returns
/// where it goes on.
fn deliver(
    state: &State,
    signal: u64,
    action: &Action,
    pc: u64,
    mut regs: Regs,
    context: &mut Context,
) -> u64 {
    if state.is_stepped.get() {
        release(state, regs, context);
        regs.flags &= !STEP;
    }
    regs.ip = pc;
    context.set(&regs);
    let handler = action.handler as u64;
    events::signal(state, signal as u32, pc, handler);
    let translation = cache::translation_of(state, handler).address();
    if translation.is_none() {
        events::left(state, handler, Left::Memory);
        state.is_native.set(true);
    }
    translation.unwrap_or(handler)
}
