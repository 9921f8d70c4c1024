//! The entry points from C: the `trapline_*` functions of `engine/kmod/trapline.h`, in the same
//! order; those for `/proc` rows are in `rows.rs`.
//!
//! Each may be called only after [`trapline_start`] has succeeded and before [`trapline_end`]; "in
//! service" below. C guarantees it by the order of the steps in `engine/kmod/main.c`; the module
//! notifier, which is registered earlier, waits for `trapline_start` to return.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::slice;

use engine_abi::Opened;
use engine_tracer::{ConsumerId, Errno, Event, EventArguments, Tracer, Trap};

use crate::arch::{self, Regs};
use crate::caller::Current;
use crate::cell::{self, Platform, tracer};
use crate::process::{Access, OfProcess};

/// The tracer; in a build with mutants, wrapped in one that has the seeded defects.
///
/// # Safety
/// As for [`tracer`].
#[cfg(not(trapline_mutants))]
unsafe fn engine() -> &'static Tracer<arch::Native, Platform> {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { tracer() }
}
#[cfg(trapline_mutants)]
use crate::mutant::engine::engine;

/// The trap instruction's encoding, for the hook that recognises it. Callable at any time.
#[unsafe(no_mangle)]
pub extern "C" fn trapline_trap_word() -> u32 {
    arch::trap_word()
}

/// Creates the engine: lists the functions of the kernel and its modules, and plans a probe for
/// each. Returns 0 or a negative error number.
///
/// # Safety
/// Called once, before the engine is in service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_start() -> c_int {
    let Ok(tracer) = Platform::new().and_then(Tracer::new) else {
        return Errno::OutOfMemory.negated();
    };
    // SAFETY: the caller guarantees that nothing is in the engine yet.
    unsafe { cell::init(tracer) };
    0
}

/// Destroys the engine.
///
/// # Safety
/// Called once, after `trapline_start` has succeeded, when every consumer is closed and no other
/// call is in progress or can follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_end() {
    // SAFETY: the caller guarantees that nothing is in the engine any more.
    unsafe { cell::destroy() };
}

/// Handles a trap. Returns 0 if it was ours, with `regs` set to where the CPU resumes; 1 if it is
/// not ours, or the displaced instruction could not be emulated.
///
/// # Safety
/// In service; from the trap's handler, with interrupts disabled and with the registers that it
/// will restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_trap(regs: *mut Regs) -> c_int {
    let mut memory = arch::memory(regs);
    // SAFETY: the trap's own frame, which only its handler accesses.
    let regs = unsafe { &mut *regs };
    // SAFETY: the hook is registered only while the engine is in service.
    match unsafe { engine() }.trap(regs, &mut memory) {
        Trap::Resumed | Trap::Retry => 0,
        Trap::Stray | Trap::Failed => 1,
    }
}

/// What came of a trap in user mode: C's `enum shim_user_trap`.
#[repr(i32)]
enum UserTrap {
    /// The thread resumes with the registers.
    Handled,
    /// It was not ours.
    Stray,
    /// Memory was not there.
    Missing,
}

impl UserTrap {
    fn of(trap: Trap) -> c_int {
        let outcome = match trap {
            Trap::Resumed | Trap::Retry => Self::Handled,
            Trap::Stray => Self::Stray,
            Trap::Failed => Self::Missing,
        };
        outcome as c_int
    }
}

/// Handles a trap in user mode. If memory is missing for its instruction, the probe has fired, the
/// pc is that of the instruction, and `access` says what is missing; it also says what the thread has
/// to wait for.
///
/// # Safety
/// In service; from the trap's handler, with interrupts disabled and with the registers that it
/// will restore.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_user_trap(regs: *mut Regs, access: *mut Access) -> c_int {
    let mut memory = OfProcess::default();
    // SAFETY: the trap's own frame, which only its handler accesses.
    let regs = unsafe { &mut *regs };
    // SAFETY: the hook is registered only while the engine is in service.
    let hit = unsafe { engine() }.user_trap(regs, &mut memory);
    memory.missing.ticket = hit.ticket;
    // SAFETY: the caller passes a place for it.
    unsafe { *access = memory.missing };
    UserTrap::of(hit.trap)
}

/// Executes the instruction at `pc`, whose trap has fired, once memory that was missing is there.
///
/// # Safety
/// As for [`trapline_user_trap`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_user_resume(
    regs: *mut Regs,
    pc: usize,
    access: *mut Access,
) -> c_int {
    let mut memory = OfProcess::default();
    // SAFETY: the trap's own frame, which only its handler accesses.
    let regs = unsafe { &mut *regs };
    // SAFETY: the hook is registered only while the engine is in service.
    let trap = unsafe { engine() }.user_resume(pc, regs, &mut memory);
    // SAFETY: the caller passes a place for it.
    unsafe { *access = memory.missing };
    UserTrap::of(trap)
}

/// The current process has executed a program or been forked. Returns the ticket that its thread waits for, or 0.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_process_begins() -> u32 {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.process_begins()
}

/// The current process, which has called [`trapline_process_begins`], continues.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_process_began() {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.process_began();
}

/// Whether the current thread need not wait for `ticket` any longer.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_is_released(ticket: u32) -> c_int {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.is_released(ticket).into()
}

/// The current thread has waited for `ticket` and continues without.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_give_up(ticket: u32) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.give_up(ticket);
}

/// Stores what read(2) returns to a consumer, and returns 1; 0 if there is nothing to read yet.
///
/// # Safety
/// In service; `to` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_opened(consumer: c_int, to: *mut Opened) -> c_int {
    let id = ConsumerId::from_number(consumer as usize);
    // SAFETY: the caller guarantees that the engine is in service.
    let Some(opened) = unsafe { engine() }.opened(id) else {
        return 0;
    };
    // SAFETY: the caller passes a place for it.
    unsafe { *to = opened };
    1
}

/// Processes in which probes are armed are gone.
///
/// # Safety
/// In service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_processes_gone() {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.processes_gone();
}

/// ftrace reports the call site at address `call`. Of the registers, those that carry arguments are
/// as at the function's entry.
///
/// # Safety
/// In service, with interrupts disabled; `regs` does not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_called(call: usize, regs: *const Regs) {
    // SAFETY: the caller guarantees that the registers are valid and do not change.
    let regs = unsafe { &*regs };
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.called(call, regs);
}

/// Timer `number` fires on this CPU. One of the two program counters is that of the interrupted
/// code, the other is 0.
///
/// # Safety
/// In service; in the timer's interrupt, with interrupts disabled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_tick(number: u32, kernel_pc: usize, user_pc: usize) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.tick(number, kernel_pc as u64, user_pc as u64);
}

/// Heartbeat of `cpu`'s worker. The next one is due within `limit` jiffies, or at any time if that
/// is 0. Returns 0 if no consumer is tracing, so that the heartbeat can stop.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_beat(cpu: c_uint, limit: u32) -> c_int {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.beat(cpu as usize, limit).into()
}

/// Disarms consumers that the deadman has killed, and those that have made no request during more
/// than `rounds` calls of this function, unless that is 0. Returns 0 if no consumer is tracing any
/// more.
///
/// # Safety
/// In service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_watch(rounds: u32) -> c_int {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.watch(rounds).into()
}

/// The current thread has entered a system call with these registers.
///
/// # Safety
/// In service, with preemption disabled; `regs` does not change during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_entered(abi: c_uint, number: i64, regs: *const Regs) {
    // SAFETY: the caller guarantees that the registers are valid and do not change.
    let regs = unsafe { &*regs };
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.syscall_entered(abi, number, regs);
}

/// The current thread's system call returns `value`.
///
/// # Safety
/// In service, with preemption disabled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_returned(abi: c_uint, number: i64, value: i64) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.syscall_returned(abi, number, value);
}

/// A new child's first events (the return of its system call, the start of its process) will not be
/// reported, since there was no memory for its task work. Counted.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_syscall_lost() {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.syscall_lost();
}

/// Reports a subscribed event other than a system call's. [`Event`] says what the arguments of each
/// are.
///
/// # Safety
/// In service, with preemption disabled; `arguments` points to five numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_happened(event: c_uint, arguments: *const EventArguments) {
    // SAFETY: the caller passes five numbers.
    let arguments = unsafe { *arguments };
    let Some(event) = Event::from_code(event) else {
        return;
    };
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.happened(event, arguments);
}

/// The tracepoint that was registered with `number` fires, with these arguments.
///
/// # Safety
/// In service, with preemption disabled; `arguments` points to six numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_tracepoint(number: u32, arguments: *const [u64; 6]) {
    // SAFETY: the caller passes six numbers.
    let arguments = unsafe { *arguments };
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.tracepoint(number, arguments);
}

/// Like [`trapline_happened`], for an event of a process that several of its threads may report:
/// only the first report is taken. `process` is an address that identifies the process; `is_alone`
/// is not 0 if the current thread is its last.
///
/// # Safety
/// As for [`trapline_happened`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_happened_once(
    event: c_uint,
    arguments: *const EventArguments,
    process: usize,
    is_alone: c_int,
) {
    let Some(event) = Event::from_code(event) else {
        return;
    };
    // SAFETY: the caller guarantees that the engine is in service.
    if unsafe { engine() }.is_first(event, process, is_alone != 0) {
        // SAFETY: this function requires the same of its caller.
        unsafe { trapline_happened(event as c_uint, arguments) };
    }
}

/// The process at this address reports no more events; the address may be reused.
///
/// # Safety
/// In service.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_process_gone(process: usize) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.process_gone(process);
}

/// Creates a consumer. Returns its number, or a negative error number.
///
/// # Safety
/// In service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_open() -> c_int {
    // SAFETY: the caller guarantees that the engine is in service.
    match unsafe { engine() }.open() {
        Ok(id) => id.number() as c_int,
        Err(error) => Errno::from(error).negated(),
    }
}

/// Destroys a consumer. When it returns, the text of every site that no other consumer has armed is
/// restored.
///
/// # Safety
/// In service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_close(consumer: c_int) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.close(ConsumerId::from_number(consumer as usize));
}

/// Executes a consumer's ioctl. `body` holds the argument struct and receives the result. Returns 0
/// or a negative error number.
///
/// # Safety
/// In service, where sleeping is allowed; `body` points to `length` bytes, aligned for u64.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_ioctl(
    consumer: c_int,
    number: c_uint,
    body: *mut c_void,
    length: usize,
) -> c_int {
    // SAFETY: the caller passes `length` bytes, which only this call accesses.
    let body = unsafe { slice::from_raw_parts_mut(body.cast(), length) };
    let id = ConsumerId::from_number(consumer as usize);
    // SAFETY: the caller guarantees that the engine is in service.
    match unsafe { tracer() }.ioctl(id, number, body, &Current) {
        Ok(()) => 0,
        Err(error) => error.negated(),
    }
}

/// A module is being loaded. Does nothing if the module is known already.
///
/// # Safety
/// In service, where sleeping is allowed; the module stays loaded until `trapline_module_going` for
/// it has returned, and `name` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_coming(module: usize, name: *const c_char, length: usize) {
    // SAFETY: the caller passes `length` bytes.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.module_coming(module, name);
}

/// A module is being unloaded. When this returns, none of its probes is armed and its text is
/// restored.
///
/// # Safety
/// In service, where sleeping is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_module_going(module: usize) {
    // SAFETY: the caller guarantees that the engine is in service.
    unsafe { engine() }.module_going(module);
}

/// Selects the seeded defect `name`. Returns 0, or `-EINVAL` if there is none of that name.
///
/// # Safety
/// Before the engine is created; `name` is NUL-terminated.
#[cfg(trapline_mutants)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trapline_mutate(name: *const c_char) -> c_int {
    // SAFETY: the caller passes a NUL-terminated string.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    match crate::mutant::choose(name.to_bytes()) {
        true => 0,
        false => Errno::Invalid.negated(),
    }
}

/// Whether a child keeps its parent's traps, which is a seeded defect.
#[cfg(trapline_mutants)]
#[unsafe(no_mangle)]
pub extern "C" fn trapline_keeps_traps() -> c_int {
    c_int::from(crate::mutant::is_chosen(crate::mutant::CHILD_UNCLEANED))
}
