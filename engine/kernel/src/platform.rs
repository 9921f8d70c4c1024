//! The tracer's `Platform` traits on Linux: one shim call per method.
//!
//! The traits say which methods may sleep and which may be called in probe context. A `SAFETY`
//! comment that says "control path" relies on that: the tracer calls the method with no spinlock
//! held and interrupts enabled.
//!
//! The engine outlives every callback that is subscribed here: a subscription lasts only while a
//! consumer is open, and each open file holds a reference to the module.

use core::ffi::{c_char, c_int, c_uint, c_void};
use core::num::NonZeroUsize;
use core::ops::Range;
use core::{ptr, slice};

use engine_isa::Unreadable;
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Event, Events, KernelText, Listed, Numbers, OffLimits, Origin,
    OutOfMemory, Patch, Refused, Symbols, SystemCall, Task, Tasks, UserFrame, Visit, VisitModule,
    VisitSyscall, VisitTracepoint,
};

use crate::arch::Regs;
use crate::ffi;
use crate::prng::Prng;
use crate::sync::{ControlLock, KernelRcu, KernelTryLock};

/// The kernel that the module is loaded into.
pub struct Kernel {
    prng: Prng,
}

impl Kernel {
    /// Seeds a generator for each possible CPU. May sleep.
    pub fn new() -> Result<Self, OutOfMemory> {
        let prng = Prng::new(ffi::shim_cpus() as usize, || ffi::shim_random())?;
        Ok(Self { prng })
    }
}

impl Cpus for Kernel {
    type Lock<T: Send> = ControlLock<T>;
    type Rcu<T: Send + Sync> = KernelRcu<T>;
    type TryLock<T: Send> = KernelTryLock<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        let state = ffi::shim_irqs_off();
        let result = work();
        // SAFETY: `state` is what `shim_irqs_off` returned, on this CPU: with interrupts disabled
        // the thread has not migrated.
        unsafe { ffi::shim_irqs_restore(state) };
        result
    }

    fn synchronize(&self) {
        // SAFETY: control path, which may sleep.
        unsafe { ffi::shim_synchronize() };
    }

    fn cpu(&self) -> usize {
        ffi::shim_cpu() as usize
    }

    fn cpus(&self) -> usize {
        ffi::shim_cpus() as usize
    }

    fn cpu_offset(&self) -> i64 {
        ffi::shim_cpu_offset()
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
        self.prng.next(self.cpu())
    }

    fn timer_start(
        &self,
        number: u32,
        nanoseconds: u64,
        every_cpu: bool,
    ) -> Result<(), OutOfMemory> {
        // SAFETY: control path, which may sleep. The engine outlives the timer, as the file of the
        // consumer that enabled its probe holds the module.
        match unsafe { ffi::shim_timer_start(number, nanoseconds, every_cpu.into()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn timer_stop(&self, number: u32) {
        // SAFETY: control path, which may sleep.
        unsafe { ffi::shim_timer_stop(number) };
    }
}

impl Tasks for Kernel {
    type Regs = Regs;

    fn task(&self, context: Context) -> Task {
        task(context)
    }

    fn descends_from(&self, pid: u32) -> bool {
        ffi::shim_descends_from(pid) != 0
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

    fn user_regs(&self) -> Option<Regs> {
        let regs = ffi::shim_user_regs();
        // SAFETY: null, or on the current thread's kernel stack, whose user registers nothing
        // changes while it is in the kernel but the engine itself.
        unsafe { regs.as_ref() }.copied()
    }

    fn user_frame(&self, regs: &Regs) -> UserFrame {
        UserFrame::from(regs)
    }

    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let address = usize::try_from(address).map_err(|_| Unreadable)?;
        // SAFETY: `bytes` is valid for writes of its length; the shim tolerates any `address`.
        match unsafe { ffi::shim_load(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let address = usize::try_from(address).map_err(|_| Unreadable)?;
        // SAFETY: `bytes` is valid for writes of its length; the shim tolerates any `address`.
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
        // SAFETY: `regs` is null only for the origin that takes no registers; otherwise it is the
        // frame of a trap, or a copy advanced to the caller. `frames` is valid for `count` writes.
        unsafe { ffi::shim_stack(regs, to, count, origin) as usize }
    }
}

impl KernelText for Kernel {
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: `bytes` is valid for writes of its length; the shim tolerates any `address`.
        match unsafe { ffi::shim_peek(address, bytes.as_mut_ptr().cast(), bytes.len()) } {
            0 => Ok(()),
            _ => Err(Unreadable),
        }
    }

    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        // SAFETY: as in `peek`; and this is the control path.
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
        // SAFETY: the tracer patches only sites whose text it has read, and restores what it found
        // there. It holds the control mutex.
        unsafe { ffi::shim_patch(patches.as_mut_ptr(), patches.len()) };
    }

    fn direct_dispatch(&self, direct: bool) -> Result<(), Refused> {
        match ffi::shim_direct_dispatch(direct.into()) {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }

    fn pin(&self, is_pinned: bool) {
        ffi::shim_pin(is_pinned.into());
    }

    /// One page, of the smallest size that all three architectures have.
    const CODE: usize = 4096;

    fn code_range(&self) -> Range<usize> {
        let mut range = [0; 2];
        // SAFETY: the shim writes two words.
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
        // SAFETY: `address` came from `code_alloc`, and the tracer has waited in
        // `synchronize_code`: no thread executes in the page or can be sent there.
        unsafe { ffi::shim_code_free(address) };
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        store_code(address, bytes);
        flush_code(address, bytes.len());
    }

    fn synchronize_code(&self) {
        // SAFETY: control path, which may sleep.
        unsafe { ffi::shim_synchronize_code() };
    }

    fn rewritten(&self, address: usize) -> bool {
        ffi::shim_rewritten(address) != 0
    }

    fn head(&self, address: usize) -> usize {
        ffi::shim_head(address)
    }

    fn has_calls(&self) -> bool {
        ffi::shim_has_calls() != 0
    }

    fn call_of(&self, address: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(ffi::shim_call_of(address))
    }

    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused> {
        // SAFETY: `calls` is valid for reads of its length; control path, which may sleep. The
        // engine outlives the subscription, as the consumers' files hold the module.
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
        let mut walk = Named { visit };
        // SAFETY: the context is a `Named`, as `visit_named` expects, and outlives the call.
        match unsafe { ffi::shim_each_module(visit_named, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Functions { visit };
        // SAFETY: `module` came from `each_module` or from the module notifier, and that module has
        // not gone yet. The context is a `Functions`, as `visit_function` expects, and outlives the
        // call.
        match unsafe { ffi::shim_each_function(module, visit_function, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }
}

impl Events for Kernel {
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Syscalls { visit };
        // SAFETY: the context is a `Syscalls`, as `visit_syscall` expects, and outlives the call.
        match unsafe { ffi::shim_each_syscall(visit_syscall, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn syscall_argument(&self, regs: &Regs, number: u64) -> u64 {
        let number = c_uint::try_from(number).unwrap_or(c_uint::MAX);
        // SAFETY: `regs` are those with which the current thread entered its system call.
        unsafe { ffi::shim_syscall_argument(regs, number) }
    }

    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory> {
        let mut walk = Named { visit };
        // SAFETY: the context is a `Named`, as `visit_named` expects, and outlives the call.
        match unsafe { ffi::shim_each_tracepoint(visit_named, (&raw mut walk).cast()) } {
            0 => Ok(()),
            _ => Err(OutOfMemory),
        }
    }

    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused> {
        // SAFETY: `point` came from `each_tracepoint`, which lists the kernel's own: it never goes
        // away. Control path, which may sleep. The engine outlives the registration.
        match unsafe { ffi::shim_tracepoint_register(point, number) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }

    fn tracepoint_unregister(&self, point: usize, number: u32) {
        // SAFETY: `point` is registered with `number`; control path, which may sleep.
        unsafe { ffi::shim_tracepoint_unregister(point, number) };
    }

    fn tracepoints_synchronize(&self) {
        // SAFETY: control path, which may sleep.
        unsafe { ffi::shim_tracepoints_synchronize() };
    }

    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused> {
        // SAFETY: control path, which may sleep. The engine outlives the subscription, as the
        // consumers' files hold the module.
        match unsafe { ffi::shim_subscribe(event as c_uint, numbers) } {
            0 => Ok(()),
            _ => Err(Refused),
        }
    }
}

/// The current thread. Callable from probe context.
pub fn task(context: Context) -> Task {
    let mut task = Task::default();
    // SAFETY: `Task` has the layout of C's `struct shim_task`.
    unsafe { ffi::shim_task(&raw mut task, context) };
    task
}

/// Writes to a page of slots, without making the instruction caches coherent.
pub fn store_code(address: usize, bytes: &[u8]) {
    // SAFETY: the tracer writes only within pages from `code_alloc`, to slots that no CPU executes.
    unsafe { ffi::shim_code_write(address, bytes.as_ptr().cast(), bytes.len()) };
}

/// Makes the instruction caches coherent with what [`store_code`] has written.
pub fn flush_code(address: usize, length: usize) {
    // SAFETY: the tracer flushes only what it has written to pages from `code_alloc`.
    unsafe { ffi::shim_code_flush(address, length) };
}

/// The context pointer of a walk over the modules or the tracepoints: [`VisitModule`] and
/// [`VisitTracepoint`] are one type.
struct Named<'a> {
    visit: &'a mut VisitModule<'a>,
}

extern "C" fn visit_named(
    context: *mut c_void,
    number: usize,
    name: *const c_char,
    length: usize,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_module` or `each_tracepoint`, which does not touch
    // it during the walk.
    let walk = unsafe { &mut *context.cast::<Named<'_>>() };
    // SAFETY: C passes a string of this length, valid until the callback returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    c_int::from((walk.visit)(number, name).is_err())
}

/// The context pointer of a walk over the functions.
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
    // SAFETY: `context` is the `walk` of `each_function`, which does not touch it during the walk.
    let walk = unsafe { &mut *context.cast::<Functions<'_>>() };
    // SAFETY: C passes a string of this length, valid until the callback returns.
    let name = unsafe { slice::from_raw_parts(name.cast(), length) };
    let listed = Listed {
        name,
        address,
        size,
    };
    c_int::from((walk.visit)(listed).is_err())
}

/// The context pointer of a walk over the system calls.
struct Syscalls<'a> {
    visit: &'a mut VisitSyscall<'a>,
}

extern "C" fn visit_syscall(
    context: *mut c_void,
    abi: c_uint,
    number: u32,
    names: *const ffi::Slice,
) -> c_int {
    // SAFETY: `context` is the `walk` of `each_syscall`, which does not touch it during the walk.
    let walk = unsafe { &mut *context.cast::<Syscalls<'_>>() };
    // SAFETY: C passes an array of two names, valid until the callback returns.
    let names = unsafe { slice::from_raw_parts(names, 2) };
    let [abi_name, name] = names else { return 1 };
    // SAFETY: the strings are valid as long as the array.
    let [abi_name, name] = [unsafe { bytes(abi_name) }, unsafe { bytes(name) }];
    let call = SystemCall {
        abi,
        number,
        abi_name,
        name,
    };
    c_int::from((walk.visit)(call).is_err())
}

/// The bytes of a name that C passes.
///
/// # Safety
/// `name` points to a string of its length that outlives the result.
unsafe fn bytes(name: &ffi::Slice) -> &[u8] {
    // SAFETY: the caller guarantees that the string is valid.
    unsafe { slice::from_raw_parts(name.text.cast(), name.length) }
}
