//! The Linux kernel as the tracer's platform: each wish is one call of the shim.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::num::NonZeroUsize;
use core::ops::Range;
use core::{ptr, slice};

use engine_isa::Unreadable;
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Event, Events, KernelText, Listed, Numbered, Numbers,
    OffLimits, Origin, OutOfMemory, Patch, Refused, Symbols, Task, Tasks, Visit, VisitModule,
    VisitSyscall, VisitTracepoint,
};

use crate::arch::Regs;
use crate::chance::Chance;
use crate::ffi;
use crate::sync::{ControlLock, KernelRcu, KernelTryLock};

/// The kernel that this module is loaded into.
pub struct Kernel {
    chance: Chance,
}

impl Kernel {
    /// The kernel. It may sleep to see it.
    pub fn new() -> Result<Self, OutOfMemory> {
        let chance = Chance::new(ffi::shim_cpus() as usize, || ffi::shim_random())?;
        Ok(Self { chance })
    }
}

impl Cpus for Kernel {
    type Lock<T: Send> = ControlLock<T>;
    type Rcu<T: Send + Sync> = KernelRcu<T>;
    type TryLock<T: Send> = KernelTryLock<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        let state = ffi::shim_irqs_off();
        let result = work();
        // SAFETY: as they were before, on the CPU that this has not left since.
        unsafe { ffi::shim_irqs_restore(state) };
        result
    }

    fn synchronize(&self) {
        // SAFETY: control side only, which may sleep.
        unsafe { ffi::shim_synchronize() };
    }

    fn cpu(&self) -> usize {
        ffi::shim_cpu() as usize
    }

    fn cpus(&self) -> usize {
        ffi::shim_cpus() as usize
    }

    fn has_stack(&self) -> bool {
        crate::arch::has_stack()
    }

    fn cond_resched(&self) {
        ffi::shim_cond_resched();
    }
}

impl Clock for Kernel {
    fn ticks(&self) -> u32 {
        ffi::shim_ticks()
    }

    fn deadman_start(&self) -> u32 {
        ffi::shim_deadman_start()
    }

    fn now(&self) -> u64 {
        ffi::shim_now()
    }

    fn wall_time(&self) -> u64 {
        ffi::shim_wall_time()
    }

    fn random(&self) -> u64 {
        self.chance.next(self.cpu())
    }

    fn timer_start(
        &self,
        number: u32,
        nanoseconds: u64,
        every_cpu: bool,
    ) -> Result<(), OutOfMemory> {
        // SAFETY: control side only, which may sleep. The engine outlives every timer: who enabled
        // its probe holds the module.
        match unsafe { ffi::shim_timer_start(number, nanoseconds, every_cpu.into()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn timer_stop(&self, number: u32) {
        // SAFETY: control side only, which may sleep.
        unsafe { ffi::shim_timer_stop(number) };
    }
}

impl Tasks for Kernel {
    type Regs = Regs;

    fn task(&self, context: Context) -> Task {
        task(context)
    }

    fn run_time(&self) -> u64 {
        ffi::shim_run_time()
    }

    fn thread_key(&self) -> usize {
        ffi::shim_thread_key()
    }

    fn user_register(&self, number: u64) -> u64 {
        ffi::shim_user_register(number)
    }

    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let address = usize::try_from(address).map_err(|_| Unreadable)?;
        // SAFETY: `bytes` has room for its length; the shim survives any `address`.
        match unsafe { ffi::shim_load(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let address = usize::try_from(address).map_err(|_| Unreadable)?;
        // SAFETY: as in `load`.
        match unsafe { ffi::shim_load_user(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn stack(&self, from: Origin<'_, Regs>, frames: &mut [u64]) -> usize {
        let (regs, origin) = match from {
            Origin::Entry(regs) => (ptr::from_ref(regs), 0),
            Origin::Return(regs) => (ptr::from_ref(regs), 1),
            Origin::Caller(regs) => (ptr::from_ref(regs), 2),
            Origin::Interrupted => (ptr::null(), 3),
        };
        let count = c_uint::try_from(frames.len()).unwrap_or(c_uint::MAX);
        let to = frames.as_mut_ptr();
        // SAFETY: `regs` is null, or is the registers that a trap's handler was given, or those that an unwinder
        // begins with; `frames` has room for as many.
        unsafe { ffi::shim_stack(regs, to, count, origin) as usize }
    }
}

impl KernelText for Kernel {
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: `bytes` has room for its length; the shim survives any `address`.
        match unsafe { ffi::shim_peek(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: as in `peek`; it is the control side that asks.
        match unsafe { ffi::shim_peek_original(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R {
        ffi::shim_hold_kprobes(1);
        let done = work();
        ffi::shim_hold_kprobes(0);
        done
    }

    fn has_kprobe(&self, address: usize) -> bool {
        ffi::shim_has_kprobe(address) != 0
    }

    fn patch(&self, patches: &mut [Patch]) {
        // SAFETY: the tracer patches only sites it has peeked, and puts back what was there. It holds
        // the control lock.
        unsafe { ffi::shim_patch(patches.as_mut_ptr(), patches.len()) };
    }

    fn direct_dispatch(&self, straight: bool) {
        ffi::shim_direct_dispatch(straight.into());
    }

    /// A page, as large as all three architectures have them at the least.
    const CODE: usize = 4096;

    fn code_range(&self) -> Range<usize> {
        let mut range = [0; 2];
        // SAFETY: it is C's array of two words.
        unsafe { ffi::shim_code_range(&raw mut range) };
        let [start, end] = range;
        start..end
    }

    fn code_alloc(&self) -> Result<usize, OutOfMemory> {
        match ffi::shim_code_alloc() {
            0 => Err(OutOfMemory),
            address => Ok(address),
        }
    }

    fn code_free(&self, address: usize) {
        // SAFETY: the tracer got it from `code_alloc`, and nobody is in it, nor will be.
        unsafe { ffi::shim_code_free(address) };
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        store_code(address, bytes);
        flush_code(address, bytes.len());
    }

    fn synchronize_code(&self) {
        // SAFETY: control side only, which may sleep.
        unsafe { ffi::shim_synchronize_code() };
    }

    fn rewritten(&self, address: usize) -> bool {
        ffi::shim_rewritten(address) != 0
    }

    fn ftrace_slot(&self, address: usize) -> usize {
        ffi::shim_ftrace_slot(address)
    }

    fn has_calls(&self) -> bool {
        ffi::shim_has_calls() != 0
    }

    fn call_of(&self, address: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(ffi::shim_call_of(address))
    }

    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused> {
        // SAFETY: so many addresses; control side only, which may sleep. The engine outlives what it is told:
        // who wants to be told holds the module.
        match unsafe { ffi::shim_trace_calls(calls.as_ptr(), calls.len()) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }
}

impl Symbols for Kernel {
    fn blacklist(&self) -> &'static Blacklist {
        crate::arch::BLACKLIST
    }

    fn off_limits(&self, address: usize) -> Option<OffLimits> {
        OffLimits::from_code(ffi::shim_off_limits(address))
    }

    fn is_return_thunk(&self, address: usize) -> bool {
        ffi::shim_is_return_thunk(address) != 0
    }

    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Modules { visit };
        // SAFETY: `visit_module` gets this `walk` back, which outlives the call.
        match unsafe { ffi::shim_each_module(visit_module, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Functions { visit };
        // SAFETY: `module` is a number that `each_module` or C has given, of a module that has not
        // gone; `visit_function` gets this `walk` back, which outlives the call.
        match unsafe { ffi::shim_each_function(module, visit_function, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }
}

impl Events for Kernel {
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Syscalls { visit };
        // SAFETY: `visit_syscall` gets this `walk` back, which outlives the call.
        match unsafe { ffi::shim_each_syscall(visit_syscall, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn syscall_argument(&self, regs: &Regs, number: u64) -> u64 {
        let number = c_uint::try_from(number).unwrap_or(c_uint::MAX);
        // SAFETY: the registers that this thread has entered its system call with.
        unsafe { ffi::shim_syscall_argument(regs, number) }
    }

    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Tracepoints { visit };
        // SAFETY: `visit_tracepoint` gets this `walk` back, which outlives the call.
        match unsafe { ffi::shim_each_tracepoint(visit_tracepoint, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused> {
        // SAFETY: `point` is of the kernel proper, and control side only, which may sleep. The engine outlives it.
        match unsafe { ffi::shim_tracepoint_register(point, number) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }

    fn tracepoint_unregister(&self, point: usize, number: u32) {
        // SAFETY: it was registered with that number; control side only, which may sleep.
        unsafe { ffi::shim_tracepoint_unregister(point, number) };
    }

    fn tracepoints_synchronize(&self) {
        // SAFETY: control side only, which may sleep.
        unsafe { ffi::shim_tracepoints_synchronize() };
    }

    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused> {
        // SAFETY: control side only, which may sleep. The engine outlives what it is told: who wants to be told
        // holds the module.
        match unsafe { ffi::shim_subscribe(event as c_uint, numbers) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }
}

/// What a walk over the tracepoints carries through C.
struct Tracepoints<'a> {
    visit: &'a mut VisitTracepoint<'a>,
}

extern "C" fn visit_tracepoint(
    context: *mut c_void,
    point: usize,
    name: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_tracepoint`, which runs this and nothing else with it.
    let walk = unsafe { &mut *context.cast::<Tracepoints<'_>>() };
    // SAFETY: C passes a name of this length, valid until this returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    c_int::from((walk.visit)(point, name).is_err())
}

/// The thread that this runs on.
pub fn task(context: Context) -> Task {
    let mut task = Task::default();
    // SAFETY: `Task` is laid out as C's `struct shim_task`.
    unsafe { ffi::shim_task(&raw mut task, context) };
    task
}

/// Writes code, which the processor may know nothing of yet.
pub fn store_code(address: usize, bytes: &[u8]) {
    // SAFETY: the tracer writes within what `code_alloc` gave, where nobody is.
    unsafe { ffi::shim_code_write(address, bytes.as_ptr().cast(), bytes.len()) };
}

/// Has the processor execute what was written.
pub fn flush_code(address: usize, length: usize) {
    // SAFETY: as above.
    unsafe { ffi::shim_code_flush(address, length) };
}

/// What a walk over the modules carries through C.
struct Modules<'a> {
    visit: &'a mut VisitModule<'a>,
}

extern "C" fn visit_module(
    context: *mut c_void,
    module: usize,
    name: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_module`, which runs this and nothing else with it.
    let walk = unsafe { &mut *context.cast::<Modules<'_>>() };
    // SAFETY: C passes a name of this length, valid until this returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    c_int::from((walk.visit)(module, name).is_err())
}

/// What a walk over the functions carries through C.
struct Functions<'a> {
    visit: &'a mut Visit<'a>,
}

extern "C" fn visit_function(
    context: *mut c_void,
    name: *const c_char,
    length: usize,
    address: usize,
    size: usize,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_function`, which runs this and nothing else with it.
    let walk = unsafe { &mut *context.cast::<Functions<'_>>() };
    // SAFETY: C passes a name of this length, valid until this returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    let listed = Listed {
        name,
        address,
        size,
    };
    c_int::from((walk.visit)(listed).is_err())
}

/// What a walk over the system calls carries through C.
struct Syscalls<'a> {
    visit: &'a mut VisitSyscall<'a>,
}

extern "C" fn visit_syscall(
    context: *mut c_void,
    abi: c_uint,
    number: u32,
    names: *const ffi::Slice,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_syscall`, which runs this and nothing else with it.
    let walk = unsafe { &mut *context.cast::<Syscalls<'_>>() };
    // SAFETY: C passes two names, valid until this returns.
    let names = unsafe { slice::from_raw_parts(names, 2) };
    let [abi_name, name] = names else { return 1 };
    // SAFETY: as above.
    let [abi_name, name] = [unsafe { bytes(abi_name) }, unsafe { bytes(name) }];
    let numbered = Numbered {
        abi,
        number,
        abi_name,
        name,
    };
    c_int::from((walk.visit)(numbered).is_err())
}

/// A name of C's.
///
/// # Safety
/// It is valid for as long as the result is used.
unsafe fn bytes(name: &ffi::Slice) -> &[u8] {
    // SAFETY: as the caller promises.
    unsafe { slice::from_raw_parts(name.text.cast(), name.length) }
}
