//! The system calls that the recorder has to know of.

use core::ops::Range;

use engine_abi::path::Left;
use engine_isa::x86::{LONGEST, length};
use syscalls::Sysno;

use super::actions;
use super::addresses;
use super::areas;
use super::cache;
use super::events;
use super::kernel::BLOCKED;
use super::runtime::{block, go_on, leave_at, pass};
use super::state::State;
use crate::arch::frame::Regs;
use crate::sys;

/// The calls that come here.
pub const CALLS: [Sysno; 23] = [
    Sysno::rt_sigaction,
    Sysno::rt_sigreturn,
    Sysno::clone,
    Sysno::clone3,
    Sysno::fork,
    Sysno::vfork,
    Sysno::execve,
    Sysno::execveat,
    Sysno::exit,
    Sysno::exit_group,
    Sysno::arch_prctl,
    Sysno::mmap,
    Sysno::munmap,
    Sysno::mprotect,
    Sysno::mremap,
    Sysno::pkey_mprotect,
    Sysno::rseq,
    Sysno::rt_sigsuspend,
    Sysno::pselect6,
    Sysno::ppoll,
    Sysno::epoll_pwait,
    Sysno::epoll_pwait2,
    Sysno::io_pgetevents,
];

const CLONE_VM: u64 = 0x100;
const UNKNOWN: i64 = -38;
const AGAIN: i64 = -11;
const CLONE_VFORK: u64 = 0x4000;

/// Makes a system call, or has the routine make it.
pub extern "C" fn call(state: &State) {
    block(state);
    if state.is_stepped.get() {
        // A signal is to be delivered before the call.
        state.exit.set(addresses::call());
    } else if with_number(state) {
        state.exit_mask.set(BLOCKED);
    }
}

/// Returns whether signals stay blocked.
fn with_number(state: &State) -> bool {
    let regs = state.regs.get();
    let at = state.at.get();
    let is = |call: Sysno| regs.ax as u32 == call as u32;
    pass(state);
    if is(Sysno::rt_sigreturn) {
        return sigreturn(state);
    } else if is(Sysno::exit) || is(Sysno::exit_group) {
        events::end(state, at);
        return true;
    } else if is(Sysno::clone) {
        return clone(state, regs.di);
    } else if is(Sysno::clone3) {
        return word(regs.di).is_some_and(|flags| clone(state, flags));
    } else if is(Sysno::fork) {
        return clone(state, 0);
    } else if is(Sysno::vfork) {
        return clone(state, CLONE_VM | CLONE_VFORK);
    } else if is(Sysno::execve) || is(Sysno::execveat) {
        events::exec(state, at);
    } else if is(Sysno::rt_sigaction) {
        if let Some(result) = actions::act(&regs) {
            finish(state, result);
        }
    } else if is(Sysno::rseq) {
        // The kernel would have to know of translations.
        finish(state, UNKNOWN);
    } else if is(Sysno::arch_prctl) {
        arch_prctl(state);
    } else if let Some(place) = mask_of_wait(&regs) {
        wait(state, place);
    } else {
        text_goes(state);
    }
    false
}

/// Where the mask is that a call waits with, or 0.
fn mask_of_wait(regs: &Regs) -> Option<u64> {
    let is = |call: Sysno| regs.ax as u32 == call as u32;
    if is(Sysno::rt_sigsuspend) {
        Some(regs.di)
    } else if is(Sysno::ppoll) {
        Some(regs.r10)
    } else if is(Sysno::epoll_pwait) || is(Sysno::epoll_pwait2) {
        Some(regs.r8)
    } else if is(Sysno::pselect6) || is(Sysno::io_pgetevents) {
        // It is the address of the mask's address and size.
        Some(word(regs.r9).unwrap_or_default())
    } else {
        None
    }
}

/// A call waits with another mask, which is that of handlers while it does. If it cannot be read the call
/// fails.
fn wait(state: &State, place: u64) {
    if let Some(mask) = word(place) {
        state.wait_mask.set(mask);
        state.exit.set(addresses::wait());
    }
}

/// What is at an address of the program.
fn word(place: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    let is_read = place != 0 && sys::load(place as usize, &mut bytes).is_ok();
    is_read.then(|| u64::from_ne_bytes(bytes))
}

/// The call is made: the routine has nothing to do any more.
fn finish(state: &State, result: i64) {
    state.change(|regs| {
        regs.ax = result.cast_unsigned();
        regs.r11 = regs.flags;
    });
    state.exit.set(state.resume.get());
}

/// The base of GS is the recorder's. Shadow stacks would have to be the recorder's, too.
fn arch_prctl(state: &State) {
    const SET_GS: u64 = 0x1001;
    const GET_GS: u64 = 0x1004;
    const SHADOW_STACKS: Range<u64> = 0x5001..0x5006;
    const INVALID: i64 = -22;
    const FAULT: i64 = -14;
    let regs = state.regs.get();
    if regs.di == SET_GS {
        leave_at(state, state.at.get(), Left::Segment);
    } else if regs.di == GET_GS {
        let stored = sys::store(regs.si as usize, &[0; 8]);
        finish(state, if stored.is_ok() { 0 } else { FAULT });
    } else if SHADOW_STACKS.contains(&regs.di) {
        finish(state, INVALID);
    }
}

/// Text may go away, or become other text.
fn text_goes(state: &State) {
    const FIXED: u64 = 0x10;
    let regs = state.regs.get();
    let is_mmap = regs.ax as u32 == Sysno::mmap as u32;
    if is_mmap && regs.r10 & FIXED == 0 {
        return;
    }
    const PAGE: u64 = 4096;
    let end = regs.di.saturating_add(regs.si).saturating_add(PAGE);
    cache::forget(&(regs.di..end & !PAGE.wrapping_sub(1)));
    if regs.ax as u32 == Sysno::mremap as u32 {
        cache::forget(&(regs.r8..regs.r8.saturating_add(regs.dx)));
    }
}

/// A handler of signals returns. The frame has an address of the program, and gets that of its translation;
/// the kernel sets the mask that is in it.
fn sigreturn(state: &State) -> bool {
    /// Of the program counter in Linux's `struct ucontext`.
    const PC: u64 = 168;
    let place = state.regs.get().sp.wrapping_add(PC);
    let Some(to) = word(place) else {
        return false;
    };
    events::signal_return(state, state.at.get(), to);
    match cache::translation_of(state, to).address() {
        // If it cannot be written, the kernel cannot restore it either.
        Some(translation) => drop(sys::store(place as usize, &translation.to_ne_bytes())),
        None => {
            events::left(state, to, Left::Memory);
            state.is_native.set(true);
        }
    }
    true
}

/// Makes a process or a thread. One that shares the memory, and does not have this thread wait, is recorded.
fn clone(state: &State, flags: u64) -> bool {
    let is_recorded = flags & CLONE_VM != 0 && flags & CLONE_VFORK == 0;
    let child = if is_recorded { areas::take() } else { None };
    if is_recorded && child.is_none() {
        finish(state, AGAIN);
        return false;
    }
    if let Some(child) = child {
        child.regs.set(state.regs.get());
        child.change(|regs| regs.ax = 0);
        child.at.set(state.at.get());
        child.mask.set(state.mask.get());
    }
    state.child.set(child.map_or(0, |child| child.me.get()));
    state.r9.set(state.regs.get().r9);
    state.change(|regs| regs.r9 = state.child.get());
    state.exit.set(addresses::clone());
    true
}

/// A call has made a process or a thread, or has failed; or this is the child, without an area.
pub extern "C" fn cloned(state: &State) {
    state.exit_mask.set(state.mask.get());
    let r9 = state.r9.get();
    state.change(|regs| {
        regs.r9 = r9;
        regs.flags = regs.r11;
    });
    let regs = state.regs.get();
    let is_child = regs.ax == 0;
    if is_child {
        // It executes the program's own text: rcx has the address of the next instruction, as behind any
        // system call.
        state.change(|regs| regs.cx = behind(state));
        actions::give_back();
        state.exit.set(addresses::jump());
    } else {
        match (
            u32::try_from(regs.ax),
            State::at(state.child.get() as usize),
        ) {
            (Ok(child), _) => events::clone(state, state.at.get(), child),
            (Err(_), Some(child)) => areas::give_back(child),
            (Err(_), None) => {}
        }
        state.exit.set(state.resume.get());
    }
}

/// The first thing that a thread does.
pub extern "C" fn begun(state: &State) {
    state.exit_mask.set(state.mask.get());
    state.is_of(sys::process(), sys::thread());
    let behind = behind(state);
    state.change(|regs| {
        regs.cx = behind;
        regs.r11 = regs.flags;
    });
    events::start(state, behind);
    go_on(state, behind, cache::translation_of(state, behind));
}

/// The address behind the system call that is made.
pub fn behind(state: &State) -> u64 {
    let at = state.at.get();
    let mut text = [0; LONGEST];
    // Fewer bytes may be there than an instruction can have.
    let is_read = (2..=LONGEST).rev().any(|count| {
        let text = text.get_mut(..count).unwrap_or_default();
        sys::load(at as usize, text).is_ok()
    });
    const USUAL: usize = 2;
    let length = length(&text).filter(|_| is_read).unwrap_or(USUAL);
    at.wrapping_add(length as u64)
}
