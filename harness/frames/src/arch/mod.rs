//! The functions that no compiler makes, in assembly, and what of a signal's frame differs by
//! machine. Each has a symbol with a size, so that it can be probed, and unwind information that
//! holds at its calls.
#![expect(
    unsafe_code,
    reason = "the functions switch stacks, and leave frames without returning"
)]

use std::ffi::{c_int, c_void};

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
mod keep;
#[cfg(target_arch = "aarch64")]
pub use arm64::{FETCH, GUARDED, LOAD, PRIVILEGED, SPECIAL, counter, returning};
#[cfg(target_arch = "aarch64")]
use arm64::{FRAME, RETURN};
#[cfg(target_arch = "aarch64")]
pub use keep::KEEPERS;

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "arm")]
pub use arm::{FETCH, LOAD, PRIVILEGED, SPECIAL, counter, returning};
#[cfg(target_arch = "arm")]
use arm::{FRAME, RETURN};

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{FETCH, LOAD, PRIVILEGED, SPECIAL, counter, returning};
#[cfg(target_arch = "x86_64")]
use x86::{FRAME, RETURN};

#[cfg(not(target_arch = "arm"))]
mod dwarf;

/// No processor here checks where indirect branches lead to.
#[cfg(not(target_arch = "aarch64"))]
pub const GUARDED: &[Guarded] = &[];
/// Written for one machine alone.
#[cfg(not(target_arch = "aarch64"))]
pub const KEEPERS: &[Keeper] = &[];

/// Where a call of `frames_hold` can be left to.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Held {
    sp: usize,
    pc: usize,
}

/// An exception.
#[repr(C, align(16))]
#[derive(Debug, Default)]
pub struct Exception {
    /// The unwinder's: 32 bytes, 88 on ARM. Zeros are valid.
    header: [u64; 12],
    /// Where it is caught.
    pub held: Held,
}

/// `struct clone_args` of `linux/sched.h`, as far as clone3(2) needs it. libc has none for all machines.
#[repr(C, align(8))]
#[derive(Debug, Default)]
pub struct CloneArguments {
    pub flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    pub exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
}

/// A function that returns the sum of its arguments, and its name.
pub type Guarded = (&'static str, unsafe extern "C" fn(usize, usize) -> usize);

/// Calls `frames_still` with registers of its own.
#[derive(Clone, Copy, Debug)]
pub struct Keeper {
    /// Which ones.
    pub name: &'static str,
    /// What of the auxiliary vector, and the bit of it, without which it cannot be called.
    pub needs: Option<(libc::c_ulong, u32)>,
    /// Bytes of a vector, if not the 16 of all processors.
    pub vector: Option<c_int>,
    /// Calls with these registers, and stores what they are afterwards.
    pub call: unsafe extern "C" fn(before: *const Registers, after: *mut Registers),
}

/// Registers. What a processor does not have is not used.
#[repr(C)]
#[derive(Clone, Debug, PartialEq)]
pub struct Registers {
    /// Of general purpose.
    pub general: [u64; 28],
    /// Those of flags, of floating point's control, and of its status.
    pub status: [u64; 4],
    /// Vectors, one after the other: of 256 bytes each, or fewer.
    pub vectors: [u8; 32 * 256],
    /// Predicates of an eighth of that, and behind them that of faults.
    pub predicates: [u8; 17 * 32],
}

/// A function of special instructions, and their offsets.
pub type Special = (unsafe extern "C" fn(u32) -> u32, &'static [usize]);

/// What `frames_dive` calls at its deepest, with its last argument.
pub type Bottom = unsafe extern "C" fn(*mut c_void) -> c_int;

unsafe extern "C" {
    /// Calls itself `depth` times, and then `bottom`.
    pub fn frames_dive(depth: usize, bottom: Bottom, argument: *mut c_void);
    /// Calls `frames_dive` so, having noted in `held` where that can be left to. Returns whether it
    /// was left, and did not return.
    pub fn frames_hold(
        depth: usize,
        bottom: Bottom,
        argument: *mut c_void,
        held: *mut Held,
    ) -> c_int;
    /// Leaves all calls above a [`Held`], as longjmp(3) does.
    pub fn frames_leap(held: *mut c_void) -> c_int;
    /// Throws an [`Exception`]; the unwinder's.
    pub fn _Unwind_RaiseException(exception: *mut c_void) -> c_int;
    /// Saves the stack pointer, and returns on the stack that was saved in `to`.
    pub fn frames_swap(saved: *mut usize, to: usize);
    /// Begins a new stack: calls the function in the first register of its frame, with the second.
    fn frames_start();
    /// Returns the word there. Only its second instruction reads it.
    pub fn frames_load(from: *const usize) -> usize;
    /// The same, by an instruction that also writes an address register.
    pub fn frames_fetch(from: *const usize) -> usize;
    /// Begins with an instruction that only the kernel may execute.
    pub fn frames_privileged();
    /// Executes a trap.
    pub fn frames_trapped();
    /// Calls clone3(2), by its number, and returns its result or a negated error number.
    pub fn frames_clone3(arguments: *const CloneArguments, size: usize) -> isize;
    /// Returns its argument plus 1. Nothing else is in its page.
    pub fn frames_paged(number: usize) -> usize;
}

/// Fills the top of a new stack such that `frames_swap` to the result calls `function`, which must
/// not return.
pub fn prepare(stack: &mut [usize], function: extern "C" fn(usize) -> !, argument: usize) -> usize {
    let base = stack.as_mut_ptr().expose_provenance();
    let end = (base + size_of_val(stack)) & !15;
    let at = end - 16 - FRAME * size_of::<usize>();
    let frame = &mut stack[(at - base) / size_of::<usize>()..];
    frame[0] = function as usize;
    frame[1] = argument;
    frame[RETURN] = frames_start as *const () as usize;
    at
}

/// The same, with its frame two bytes below where it should be.
pub fn prepare_skewed(
    stack: &mut [usize],
    function: extern "C" fn(usize) -> !,
    argument: usize,
) -> usize {
    const SKEW: usize = 2;
    let at = prepare(stack, function, argument);
    let frame = std::ptr::with_exposed_provenance_mut::<u8>(at);
    // SAFETY: `prepare` has written these words of the stack, and there is room below them.
    unsafe { frame.copy_to(frame.wrapping_sub(SKEW), FRAME * size_of::<usize>()) };
    at - SKEW
}
