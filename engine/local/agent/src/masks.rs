//! The signal of traps is never blocked: a thread that hits a trap while it is blocked is killed.
//!
//! Programs block all signals, and C libraries do so whenever they make a thread or a process. So the
//! system calls that block signals are made here instead, with that signal left out of the mask; what
//! the process does on it is kept here. A **guard** is the jump that takes the place of such a call,
//! which `arch` finds; those of an object are written before the first trap of it. Calls that would make a
//! process without our handler have guards too.

#![expect(
    unsafe_code,
    reason = "makes the system calls of the process in its place"
)]

use syscalls::{Sysno, syscall};

use crate::arch::frame::{self, Regs};
use crate::handler;
use crate::machine;
use crate::own_action::{self, BIT, read_action};
use crate::sys::{self, Action};

/// ENOSYS
const UNKNOWN: isize = -38;

/// `IORING_ENTER_EXT_ARG` of `linux/io_uring.h`: the argument is a struct, whose first word is the mask's address.
const EXTENDED: usize = 1 << 3;

/// A mask, as the call is to have it.
#[derive(Default)]
struct Mask {
    bits: u64,
    /// pselect6(2) and io_pgetevents(2) take the address of this.
    with_size: Words<2>,
    /// And io_uring_enter(2) of `struct io_uring_getevents_arg`.
    extended: Words<3>,
}

/// A struct that begins with a mask's address.
struct Words<const COUNT: usize>([usize; COUNT]);

impl<const COUNT: usize> Default for Words<COUNT> {
    fn default() -> Self {
        Self([0; COUNT])
    }
}

impl<const COUNT: usize> Words<COUNT> {
    /// Copies the one at an address, which becomes that of the copy. Returns where that has the mask's.
    fn copy(&mut self, address: &mut usize) -> Option<&mut usize> {
        let mut bytes = [[0; size_of::<usize>()]; COUNT];
        if *address == 0 || !sys::load_argument(*address, &mut bytes) {
            return None;
        }
        self.0 = bytes.map(usize::from_ne_bytes);
        *address = self.0.as_ptr().addr();
        self.0.first_mut()
    }
}

/// Makes the system call that a thread was about to make. One that makes a process is only refused here, or else left to the
/// detour: the new one must not run on our frames.
///
/// # Safety
/// Called by a detour, with the registers that it has saved.
pub unsafe extern "C" fn call(regs: *mut Regs) {
    // SAFETY: on the thread's own stack, where only the detour accesses them.
    let regs = unsafe { &mut *regs };
    let (number, mut arguments) = frame::system_call(regs);
    // The kernel takes 32 bits of it.
    let number = number as u32 as usize;
    if number == sys::CLONE {
        if clears_handlers(&arguments) {
            frame::set_result(regs, sys::INVALID);
        }
        return;
    }
    let mut mask = Mask::default();
    let mut action = Action::default();
    let is_own = number == Sysno::rt_sigaction as usize && arguments[0] as u32 == frame::SIGNAL;
    let result = if is_own {
        // A child that shares the memory, until it executes a program, must not change the process's.
        let is_childs = handler::is_traced() && sys::process() != machine::own_pid();
        own_action::act(arguments[1], arguments[2], arguments[3], is_childs)
    } else {
        replace_mask(number, &mut arguments, &mut mask, &mut action);
        let [a, b, c, d, e, f] = arguments;
        match Sysno::new(number) {
            // SAFETY: the call that the process makes, with a copy of its mask.
            Some(call) => match unsafe { syscall!(call, a, b, c, d, e, f) } {
                Ok(result) => result.cast_signed(),
                Err(errno) => -(errno.into_raw() as isize),
            },
            None => UNKNOWN,
        }
    };
    frame::set_result(regs, result);
}

/// Whether clone3(2) with these arguments makes a process without handlers of signals, which would die at its first trap.
/// It is refused as by Linux before 5.5, where C libraries set the actions in the new process themselves.
fn clears_handlers([address, size, ..]: &[usize; 6]) -> bool {
    /// `CLONE_CLEAR_SIGHAND` of `linux/sched.h`.
    const CLEARS: u64 = 1 << 32;
    /// `CLONE_ARGS_SIZE_VER0`; the kernel refuses less.
    const SIZE_MIN: usize = 64;
    let mut flags = [[0; 8]];
    if *size < SIZE_MIN || !sys::load_argument(*address, &mut flags) {
        return false;
    }
    let [flags] = flags.map(u64::from_ne_bytes);
    flags & CLEARS != 0
}

/// Replaces the mask among a call's arguments by a copy without the signal. One that cannot be read is
/// left for the kernel to refuse.
fn replace_mask(number: usize, arguments: &mut [usize; 6], mask: &mut Mask, action: &mut Action) {
    const BLOCK: u32 = 0;
    const SET: u32 = 2;
    let is = |call: Sysno| number == call as usize;
    let [first, second, _, fourth, fifth, sixth] = arguments;
    let place = if is(Sysno::rt_sigprocmask) && [BLOCK, SET].contains(&(*first as u32)) {
        second
    } else if is(Sysno::rt_sigsuspend) {
        first
    } else if is(Sysno::ppoll) {
        fourth
    } else if is(Sysno::epoll_pwait) || is(Sysno::epoll_pwait2) {
        fifth
    } else if is(Sysno::pselect6) || is(Sysno::io_pgetevents) {
        let Some(place) = mask.with_size.copy(sixth) else {
            return;
        };
        place
    } else if is(Sysno::io_uring_enter) && *fourth & EXTENDED != 0 {
        let Some(place) = mask.extended.copy(fifth) else {
            return;
        };
        place
    } else if is(Sysno::io_uring_enter) {
        fifth
    } else if is(Sysno::rt_sigaction) && *second != 0 {
        if let Some(copy) = read_action(*second) {
            *action = copy;
            action.mask &= !BIT;
            *second = core::ptr::from_ref(action).addr();
        }
        return;
    } else {
        return;
    };
    let mut word = [[0; 8]];
    if *place != 0 && sys::load_argument(*place, &mut word) {
        let [bits] = word.map(u64::from_ne_bytes);
        mask.bits = bits & !BIT;
        *place = (&raw const mask.bits).addr();
    }
}
