//! Declarations of the `shim_*` functions of `engine/kmod/shim.h`, in the same order.
//!
//! A change to one is a change to both; nothing but the size assertions below checks that they
//! agree. `shim.h` says of each function what it does and in which context it may be called. A
//! function is declared `safe` if no argument and no calling context can make it unsound.

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use engine_tracer::{Context, InSlot, Numbers, Patch, ProbeMemory, Space, Task, UserPatch};

use crate::arch::Regs;

/// C's `shim_module_fn`: called for each module; a non-zero result ends the walk.
pub type ModuleFn =
    extern "C" fn(context: *mut c_void, module: usize, name: *const c_char, length: usize) -> c_int;

/// C's `shim_tracepoint_fn`: called for each tracepoint; a non-zero result ends the walk.
pub type TracepointFn =
    extern "C" fn(context: *mut c_void, point: usize, name: *const c_char, length: usize) -> c_int;

/// C's `shim_visit_fn`: called for each function; a non-zero result ends the walk.
pub type VisitFn = extern "C" fn(
    context: *mut c_void,
    name: *const c_char,
    length: usize,
    address: usize,
    size: usize,
) -> c_int;

/// C's `shim_syscall_fn`: called for each system call; a non-zero result ends the walk.
pub type SyscallFn =
    extern "C" fn(context: *mut c_void, abi: c_uint, number: u32, names: *const Slice) -> c_int;

/// C's `struct shim_name`: a string without a terminating NUL.
#[repr(C)]
pub struct Slice {
    pub text: *const c_char,
    pub length: usize,
}

// C's `struct shim_task`.
const _: () = assert!(size_of::<Task>() == 56);

// C's `struct shim_patch`.
const _: () = assert!(size_of::<Patch>() == size_of::<usize>() + 8);

// C's `struct shim_numbers`.
const _: () = assert!(size_of::<Numbers>() == 128);

// C's `struct shim_space`, `struct shim_user_patch`, `struct shim_in_slot` and `struct shim_probe_memory`.
const _: () = {
    let word = size_of::<usize>();
    assert!(size_of::<Space>() == 3 * word);
    assert!(size_of::<UserPatch>() == word + 16);
    assert!(size_of::<InSlot>() == 4 * word + 8);
    assert!(size_of::<ProbeMemory>() == 2 * word);
};

unsafe extern "C" {
    pub fn shim_alloc(size: usize, align: usize) -> *mut c_void;
    pub fn shim_free(memory: *mut c_void);
    pub fn shim_lock();
    pub fn shim_lock_patiently();
    pub fn shim_unlock();
    pub fn shim_synchronize();

    pub safe fn shim_irqs_off() -> c_ulong;
    pub fn shim_irqs_restore(state: c_ulong);

    pub safe fn shim_cpu() -> c_uint;
    pub safe fn shim_cpus() -> c_uint;
    pub safe fn shim_cpu_offset() -> i64;
    pub safe fn shim_now() -> u64;
    pub safe fn shim_wall_time() -> u64;

    pub safe fn shim_random() -> u64;

    pub safe fn shim_ticks() -> u32;
    pub safe fn shim_deadman_start() -> u32;

    pub fn shim_task(to: *mut Task, context: Context);
    pub safe fn shim_descends_from(pid: u32) -> c_int;
    pub safe fn shim_thread_key() -> usize;
    pub safe fn shim_run_time() -> u64;
    pub safe fn shim_user_register(number: u64) -> u64;
    pub safe fn shim_user_regs() -> *const Regs;

    pub fn shim_load(address: usize, to: *mut c_void, length: usize) -> c_int;
    pub fn shim_load_user(address: usize, to: *mut c_void, length: usize) -> c_int;

    pub safe fn shim_allows_destructive() -> c_int;
    pub safe fn shim_raise(signal: c_uint) -> c_int;
    pub safe fn shim_stop() -> c_int;
    pub fn shim_copyout(address: usize, from: *const c_void, length: usize) -> c_int;
    pub safe fn shim_spin(nanoseconds: u64);
    pub safe fn shim_panic(probe: u32) -> c_int;
    pub safe fn shim_breakpoint() -> c_int;

    pub safe fn shim_cond_resched();

    pub fn shim_stack(regs: *const Regs, frames: *mut u64, count: c_uint, origin: c_uint)
    -> c_uint;

    pub fn shim_timer_start(number: u32, nanoseconds: u64, everywhere: c_int) -> c_int;
    pub fn shim_timer_stop(number: u32);

    pub fn shim_each_module(visit: ModuleFn, context: *mut c_void) -> c_int;
    pub fn shim_each_function(module: usize, visit: VisitFn, context: *mut c_void) -> c_int;
    pub safe fn shim_off_limits(address: usize) -> c_uint;
    pub safe fn shim_rewritten(address: usize) -> c_int;
    pub safe fn shim_head(address: usize) -> usize;
    pub fn shim_peek(address: usize, bytes: *mut c_void, length: usize) -> c_int;
    pub fn shim_peek_original(address: usize, bytes: *mut c_void, length: usize) -> c_int;
    pub safe fn shim_hold_kprobes(held: c_int);
    pub safe fn shim_has_kprobe(address: usize) -> c_int;
    pub safe fn shim_is_return_thunk(address: usize) -> c_int;

    pub safe fn shim_has_calls() -> c_int;
    pub safe fn shim_call_of(address: usize) -> usize;
    pub fn shim_trace_calls(calls: *const usize, count: usize) -> c_int;

    pub fn shim_each_syscall(visit: SyscallFn, context: *mut c_void) -> c_int;
    pub fn shim_syscall_argument(regs: *const Regs, number: c_uint) -> u64;
    pub fn shim_subscribe(event: c_uint, numbers: *const Numbers) -> c_int;

    pub fn shim_each_tracepoint(visit: TracepointFn, context: *mut c_void) -> c_int;
    pub fn shim_tracepoint_register(point: usize, number: u32) -> c_int;
    pub fn shim_tracepoint_unregister(point: usize, number: u32);
    pub fn shim_tracepoints_synchronize();

    pub fn shim_patch(patches: *mut Patch, count: usize);
    pub safe fn shim_direct_dispatch(straight: c_int) -> c_int;
    pub safe fn shim_pin(is_pinned: c_int);

    pub fn shim_code_range(range: *mut [usize; 2]);
    pub safe fn shim_code_alloc() -> usize;
    pub fn shim_code_free(address: usize);
    pub fn shim_code_write(address: usize, bytes: *const c_void, length: usize);
    pub fn shim_code_flush(address: usize, length: usize);
    pub fn shim_synchronize_code();

    pub fn shim_space_open(pid: u32, to: *mut Space) -> c_int;
    pub fn shim_space_close(handle: usize);
    pub fn shim_space_is_gone(handle: usize) -> c_int;
    pub safe fn shim_current_space() -> usize;
    pub fn shim_space_hold(pid: u32, key: *mut usize) -> c_int;
    pub fn shim_space_drop(key: usize);
    pub fn shim_space_read(handle: usize, address: usize, to: *mut c_void, length: usize) -> c_int;
    pub fn shim_space_patch(handle: usize, patches: *mut UserPatch, count: usize, are_traps: bool);
    pub fn shim_space_count(handle: usize, address: usize, is_up: bool) -> c_int;
    pub fn shim_slots_map(handle: usize, near: usize) -> usize;
    pub fn shim_slots_write(handle: usize, slot: *const InSlot, code: *const c_void) -> c_int;
    pub fn shim_slots_unmap(handle: usize);
    pub fn shim_probe_memory(to: *mut ProbeMemory);
    pub fn shim_store_user(address: usize, from: *const c_void, length: usize) -> c_int;
    pub safe fn shim_wake_held();
    pub safe fn shim_hold_execs() -> c_int;
    pub safe fn shim_let_execs_go();

    pub fn shim_copy_to_user(to: u64, from: *const c_void, length: usize) -> c_int;
    pub safe fn shim_bring_in(address: u64, length: usize) -> c_int;
    pub fn shim_copy_from_user(to: *mut c_void, from: u64, length: usize) -> c_int;
}
