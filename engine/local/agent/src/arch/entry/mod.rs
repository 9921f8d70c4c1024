//! Where control comes from outside: the agent's first instructions, the handler of traps and what it
//! returns to, the code that detours call, and what the compiler calls by its name in C.

#![expect(
    unsafe_code,
    reason = "assembly, and functions that are called by their names"
)]

#[cfg(target_arch = "aarch64")]
mod arm64;
#[cfg(target_arch = "aarch64")]
use arm64::{
    trapline_call, trapline_detour, trapline_handler, trapline_recorded, trapline_restorer,
};

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
use x86::{trapline_call, trapline_detour, trapline_handler, trapline_recorded, trapline_restorer};

use crate::entrances;

/// Maps the slots for the agent, whose first stack has little room. Returns the top of its next one;
/// there is no agent without.
extern "C" fn begin() -> usize {
    let all = [
        trapline_handler,
        trapline_restorer,
        trapline_detour,
        trapline_call,
        trapline_recorded,
    ];
    entrances::set(all.map(|entrance: unsafe extern "C" fn()| (entrance as *const ()).addr()));
    crate::slots::map().unwrap_or_else(|| crate::sys::exit())
}

/// The stack on which [`begin`] runs.
#[repr(C, align(64))]
struct Stack([u8; 16 << 10]);

/// Written by the agent's first instructions only.
static mut FIRST: Stack = Stack([0; 16 << 10]);

/// Compares as C's `memcmp` does.
///
/// # Safety
/// Both are valid for reads of `length` bytes.
#[cfg(trapline_agent)]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    for place in 0..length {
        // SAFETY: the caller's promise.
        let of = |bytes: *const u8| i32::from(unsafe { bytes.add(place).read() });
        let difference = of(left).wrapping_sub(of(right));
        if difference != 0 {
            return difference;
        }
    }
    0
}

/// Compares as C's `bcmp` does.
///
/// # Safety
/// As for [`memcmp`].
#[cfg(trapline_agent)]
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { memcmp(left, right, length) }
}
