//! What C calls: the `trapline_*` functions of `engine/kmod/shim.h`, in its order. Those of rows are in `rows.rs`.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::slice;

use engine_tracer::{ConsumerId, Event, Tracer, Trap};

use crate::arch::{self, Regs};
use crate::cell::{self, Platform, tracer};
use crate::device::{self, Errno};

/// The engine as C calls it.
///
/// # Safety
/// As of [`tracer`].
#[cfg(not(trapline_mutants))]
unsafe fn engine() -> &'static Tracer<arch::Native, Platform> {
    // SAFETY: as the caller promises.
    unsafe { tracer() }
}
#[cfg(trapline_mutants)]
use crate::mutant::engine::engine;

/// The trapping instruction as a number, for the hook that catches it.
#[unsafe(no_mangle)]
pub extern "C" fn trapline_trap_word() -> u32 {
    arch::trap_word()
}

/// Makes the engine: asks the kernel for its functions and plans for each.
///
/// # Safety
/// Once, before any other call, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_start() -> c_int {
    let Ok(tracer) = Platform::new().and_then(Tracer::new) else {
        return Errno::OutOfMemory.returned();
    };
    // SAFETY: as the caller promises.
    unsafe { cell::put(tracer) };
    0
}

/// Drops the engine.
///
/// # Safety
/// Once, after `trapline_start`, when every consumer is closed and nothing else will call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_end() {
    // SAFETY: as the caller promises.
    unsafe { cell::clear() };
}

/// A trap, taken by the registers' owner. 0 when it was ours and the owner can go on.
///
/// # Safety
/// From the trap's handler, with interrupts off, with the registers that it will restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_trap(regs: *mut Regs) -> c_int {
    let mut memory = arch::memory(regs);
    // SAFETY: the caller's registers, which only this handler touches.
    let regs = unsafe { &mut *regs };
    // SAFETY: the hook is there only between start and end.
    match unsafe { engine() }.trap(regs, &mut memory) {
        Trap::Resumed | Trap::Retry => 0,
        Trap::Stray | Trap::Failed => 1,
    }
}

/// The function tracer has come by this call of its. The registers are as they are where the function is
/// entered, as far as functions are given anything in them.
///
/// # Safety
/// Between start and end, with interrupts off, with registers that nobody writes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_called(call: usize, regs: *const Regs) {
    // SAFETY: as the caller promises.
    let regs = unsafe { &*regs };
    // SAFETY: as the caller promises.
    unsafe { engine() }.called(call, regs);
}

/// The timer of this number rings on this CPU, and came upon the kernel, or a process, there.
///
/// # Safety
/// Between start and end, in the timer's interrupt, with interrupts off.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_tick(number: u32, kernel_pc: usize, user_pc: usize) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.tick(number, kernel_pc as u64, user_pc as u64);
}

/// A thread of this CPU's has run, and is to run again within so many ticks. 0 where nobody traces any more.
///
/// # Safety
/// Between start and end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_beat(cpu: c_uint, limit: u32) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { engine() }.beat(cpu as usize, limit).into()
}

/// Disarms consumers that were killed, or have asked for nothing while this was called more than so many times. 0 where
/// nobody traces any more.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_watch(rounds: u32) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { engine() }.watch(rounds).into()
}

/// This thread has entered that system call, with these registers.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with registers that nobody writes meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_entered(abi: c_uint, number: i64, regs: *const Regs) {
    // SAFETY: as the caller promises.
    let regs = unsafe { &*regs };
    // SAFETY: as the caller promises.
    unsafe { engine() }.syscall_entered(abi, number, regs);
}

/// That system call of this thread's returns a value.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_returned(abi: c_uint, number: i64, value: i64) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.syscall_returned(abi, number, value);
}

/// What a child does first will not be told of, for want of memory.
///
/// # Safety
/// Between start and end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_lost() {
    // SAFETY: as the caller promises.
    unsafe { engine() }.syscall_lost();
}

/// Something has happened to this thread, or by it, that the engine has asked to be told of.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_happened(event: c_uint, told: *const [u64; 4]) {
    // SAFETY: as the caller promises.
    let told = unsafe { *told };
    let Some(event) = Event::from_code(event) else {
        return;
    };
    // SAFETY: as the caller promises.
    unsafe { engine() }.happened(event, told);
}

/// The tracepoint that was given this number has come, with these arguments.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with six numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_tracepoint(number: u32, arguments: *const [u64; 6]) {
    // SAFETY: as the caller promises.
    let arguments = unsafe { *arguments };
    // SAFETY: as the caller promises.
    unsafe { engine() }.tracepoint(number, arguments);
}

/// The same of a process, which is known by that address, and may have no other thread left.
///
/// # Safety
/// Between start and end, where the thread cannot lose its CPU, with four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_happened_once(
    event: c_uint,
    told: *const [u64; 4],
    process: usize,
    is_alone: c_int,
) {
    let Some(event) = Event::from_code(event) else {
        return;
    };
    // SAFETY: as the caller promises.
    if unsafe { engine() }.is_first(event, process, is_alone != 0) {
        // SAFETY: as the caller promises.
        unsafe { trapline_happened(event as c_uint, told) };
    }
}

/// Nothing more of a process will be told.
///
/// # Safety
/// Between start and end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_process_gone(process: usize) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.process_gone(process);
}

/// A new consumer: its number, or a negative error number.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_open() -> c_int {
    // SAFETY: as the caller promises.
    match unsafe { engine() }.open() {
        Ok(id) => id.number() as c_int,
        Err(error) => Errno::from(error).returned(),
    }
}

/// Forgets a consumer: every word that it alone had patched is restored.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_close(consumer: c_int) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.close(ConsumerId::from_number(consumer as usize));
}

/// A request of a consumer's; its struct is in `body`, and is answered there.
///
/// # Safety
/// Between start and end, where sleeping is allowed; `body` has `length` bytes, aligned for u64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_ioctl(
    consumer: c_int,
    number: c_uint,
    body: *mut c_void,
    length: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    let body = unsafe { slice::from_raw_parts_mut(body.cast(), length) };
    let id = ConsumerId::from_number(consumer as usize);
    // SAFETY: as the caller promises.
    match device::request(unsafe { tracer() }, id, number, body) {
        Ok(()) => 0,
        Err(error) => error.returned(),
    }
}

/// A module of that number has come. One that is known brings nothing.
///
/// # Safety
/// Between start and end, where sleeping is allowed; the module stays until `trapline_module_going` of it
/// has returned, and `name` has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_coming(module: usize, name: *const c_char, length: usize) {
    // SAFETY: as the caller promises.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    // SAFETY: as the caller promises.
    unsafe { engine() }.module_coming(module, name);
}

/// The module of that number is going: when this returns, its text is as it was.
///
/// # Safety
/// Between start and end, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_going(module: usize) {
    // SAFETY: as the caller promises.
    unsafe { engine() }.module_going(module);
}

/// Chooses the seeded defect of this name.
///
/// # Safety
/// Before any trap; `name` ends with a NUL.
#[cfg(trapline_mutants)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_mutate(name: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    match crate::mutant::choose(name.to_bytes()) {
        true => 0,
        false => Errno::Invalid.returned(),
    }
}
