//! The kernel as the tracer sees it, with the methods that the selected mutant overrides.

use core::num::NonZeroUsize;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use engine_isa::Unreadable;
use engine_tracer::{
    Actions, Blacklist, Clock, Context, Cpus, Denied, Event, Events, InSlot, KernelText, Listed,
    Numbers, OffLimits, Origin, OutOfMemory, Patch, Patched, ProbeMemory, Processes, Refused,
    Space, Symbols, Task, Tasks, TryLock, Uncounted, UserFrame, UserPatch, Visit, VisitModule,
    VisitSyscall, VisitTracepoint,
};

use super::{arch, is_chosen};
use crate::arch::{BLACKLIST, Regs, trap_word};
use crate::platform::{Kernel, flush_code, store_code};
use crate::sync::{ControlLock, KernelRcu, KernelTryLock};

/// Wraps [`Kernel`]: a method with a mutant checks whether that is selected, the others forward.
pub struct Seeded(Kernel);

impl Seeded {
    /// See [`Kernel::new`].
    pub fn new() -> Result<Self, OutOfMemory> {
        Kernel::new().map(Self)
    }
}

/// Methods that forward unchanged.
macro_rules! forward {
    ($(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $name(&self $(, $argument: $type)*) $(-> $result)? {
            self.0.$name($($argument),*)
        })*
    };
}

impl Cpus for Seeded {
    type Lock<T: Send> = ControlLock<T>;
    type Rcu<T: Send + Sync> = KernelRcu<T>;
    type TryLock<T: Send> = SeededTryLock<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.with_irqs_off(work)
    }

    fn has_stack(&self) -> bool {
        // The check would end the recursion that `unguarded` allows.
        is_chosen(super::STACK_UNSEEN) || is_chosen(super::UNGUARDED) || self.0.has_stack()
    }

    forward! {
        fn synchronize(&self);
        fn cpu(&self) -> usize;
        fn cpus(&self) -> usize;
        fn cpu_offset(&self) -> i64;
        fn cond_resched(&self);
    }
}

impl Actions for Seeded {
    forward! {
        fn allows_destructive(&self) -> bool;
        fn raise(&self, signal: u32) -> Result<(), Refused>;
        fn stop(&self) -> Result<(), Refused>;
        fn store_user(&self, address: u64, bytes: &[u8]) -> Result<(), Refused>;
        fn spin(&self, nanoseconds: u64);
        fn panic(&self, probe: u32) -> Result<(), Refused>;
        fn breakpoint(&self) -> Result<(), Refused>;
    }
}

/// The key of an address space, or for `tables-unfound` one that no space has.
fn other_key(key: usize) -> usize {
    key ^ usize::from(is_chosen(super::TABLES_UNFOUND))
}

impl Processes for Seeded {
    const SLOTS: usize = Kernel::SLOTS;

    fn space_hold(&self, pid: u32) -> Result<usize, Denied> {
        self.0.space_hold(pid).map(other_key)
    }

    fn space_drop(&self, key: usize) {
        self.0.space_drop(other_key(key));
    }

    fn space_patch(&self, space: Space, patches: &mut [UserPatch], are_traps: bool) {
        if is_chosen(super::PROCESS_KEPT) && !are_traps {
            let written = patches.iter_mut();
            written.for_each(|patch| patch.outcome = Patched::Written);
            return;
        }
        self.0.space_patch(space, patches, are_traps);
    }

    fn space_count(&self, space: Space, address: usize, is_up: bool) -> Result<(), Uncounted> {
        match is_chosen(super::SEMAPHORE_KEPT) && !is_up {
            true => Ok(()),
            false => self.0.space_count(space, address, is_up),
        }
    }

    fn slots_write(&self, space: Space, slot: &InSlot, code: &[u8]) -> Result<(), OutOfMemory> {
        let next = match is_chosen(super::SLOT_REPEATED) {
            true => slot.site,
            false => slot.next,
        };
        self.0.slots_write(space, &InSlot { next, ..*slot }, code)
    }

    fn space_is_gone(&self, space: Space) -> bool {
        !is_chosen(super::GONE_UNSEEN) && self.0.space_is_gone(space)
    }

    fn probe_memory(&self) -> ProbeMemory {
        match is_chosen(super::UNBOUNDED) {
            true => ProbeMemory::ENDLESS,
            false => self.0.probe_memory(),
        }
    }

    forward! {
        fn space_open(&self, pid: u32) -> Result<Space, Denied>;
        fn space_close(&self, space: Space);
        fn current_space(&self) -> usize;
        fn space_read(&self, space: Space, address: usize, to: &mut [u8]) -> Result<(), Unreadable>;
        fn slots_map(&self, space: Space, near: usize) -> Result<usize, OutOfMemory>;
        fn slots_unmap(&self, space: Space);
        fn wake_held(&self);
        fn hold_execs(&self) -> Result<(), Denied>;
        fn let_execs_go(&self);
    }
}

impl Clock for Seeded {
    fn ticks(&self) -> u32 {
        match is_chosen(super::STALL_UNSEEN) {
            true => 0,
            false => self.0.ticks(),
        }
    }

    forward! {
        fn now(&self) -> u64;
        fn wall_time(&self) -> u64;
        fn random(&self) -> u64;
        fn timer_start(&self, number: u32, nanoseconds: u64, every_cpu: bool) -> Result<(), OutOfMemory>;
        fn timer_stop(&self, number: u32);
        fn deadman_start(&self) -> u32;
    }
}

impl Tasks for Seeded {
    type Regs = Regs;

    fn task(&self, context: Context) -> Task {
        let mut task = self.0.task(context);
        if is_chosen(super::THREAD_BY_NUMBER) {
            (task.nonce, task.address) = (task.tid.into(), 0);
        }
        task
    }

    fn user_register(&self, number: u64) -> u64 {
        let misread = u64::from(is_chosen(super::REGISTER_MISREAD));
        self.0.user_register(number).wrapping_add(misread)
    }

    fn user_frame(&self, regs: &Regs) -> UserFrame {
        let mut frame = self.0.user_frame(regs);
        if is_chosen(super::CALLER_MISREAD) {
            frame.lr = frame.sp;
            frame.sp = frame.sp.wrapping_add(size_of::<usize>() as u64);
        }
        frame
    }

    forward! {
        fn descends_from(&self, pid: u32) -> bool;
        fn run_time(&self) -> u64;
        fn thread_key(&self) -> usize;
        fn user_regs(&self) -> Option<Regs>;
        fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;
        fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable>;
        fn stack(&self, from: Origin<'_, Regs>, frames: &mut [u64]) -> usize;
    }
}

impl KernelText for Seeded {
    const CODE: usize = Kernel::CODE;

    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.hold_kprobes(work)
    }

    fn has_kprobe(&self, address: usize) -> bool {
        !is_chosen(super::KPROBE_OVERLOOKED) && self.0.has_kprobe(address)
    }

    fn patch(&self, patches: &mut [Patch]) {
        let is_trap = |patch: &Patch| patch.word == trap_word();
        let is_restored = !patches.iter().any(is_trap);
        let kept = usize::from(is_chosen(super::ONE_KEPT) && is_restored);
        let count = patches.len().saturating_sub(kept);
        self.0.patch(patches.get_mut(..count).unwrap_or_default());
    }

    fn direct_dispatch(&self, direct: bool) -> Result<(), Refused> {
        self.0
            .direct_dispatch(direct && !is_chosen(super::LONG_WAY))
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        if is_chosen(super::STALE_SLOT) && was_written(address) {
            return;
        }
        store_code(address, bytes);
        if is_chosen(super::SHARED_SLOT) {
            let twin = twin(address, bytes.len());
            store_code(twin, bytes);
            flush_code(twin, bytes.len());
        }
        if !is_chosen(super::NO_CACHE_FLUSH) {
            flush_code(address, bytes.len());
        }
    }

    forward! {
        fn pin(&self, is_pinned: bool);
        fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;
        fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable>;
        fn head(&self, address: usize) -> usize;
        fn rewritten(&self, address: usize) -> bool;
        fn has_calls(&self) -> bool;
        fn call_of(&self, address: usize) -> Option<NonZeroUsize>;
        fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused>;
        fn code_range(&self) -> Range<usize>;
        fn code_alloc(&self) -> Result<usize, OutOfMemory>;
        fn code_free(&self, address: usize);
        fn synchronize_code(&self);
    }
}

impl Symbols for Seeded {
    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        self.0.each_function(module, &mut |listed| {
            let hidden = arch::MISNAMES.iter();
            let hidden = hidden.filter(|(mutant, _)| is_chosen(mutant));
            let is_hidden = { hidden }.any(|(_, name)| *name == listed.name);
            visit(Listed {
                name: if is_hidden { b"misnamed" } else { listed.name },
                ..listed
            })
        })
    }

    /// Without paths if the mutant hides a function, which following them would find again.
    fn blacklist(&self) -> &'static Blacklist {
        const NO_PATHS: &Blacklist = &Blacklist {
            paths: &[],
            ..*BLACKLIST
        };
        match arch::MISNAMES.iter().any(|(mutant, _)| is_chosen(mutant)) {
            true => NO_PATHS,
            false => self.0.blacklist(),
        }
    }

    forward! {
        fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory>;
        fn off_limits(&self, address: usize) -> Option<OffLimits>;
        fn is_return_thunk(&self, address: usize) -> bool;
    }
}

impl Events for Seeded {
    fn syscall_argument(&self, regs: &Regs, number: u64) -> u64 {
        let is_mistaken = number == 4 && is_chosen(super::ARG4_IS_ARG3);
        self.0
            .syscall_argument(regs, number - u64::from(is_mistaken))
    }

    fn tracepoint_unregister(&self, point: usize, number: u32) {
        if !is_chosen(super::TRACEPOINT_KEPT) {
            self.0.tracepoint_unregister(point, number);
        }
    }

    forward! {
        fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory>;
        fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory>;
        fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused>;
        fn tracepoints_synchronize(&self);
        fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused>;
    }
}

/// A try-lock that two users may hold at once (`unguarded`), or that is taken although it is free
/// (`lost-count`).
pub struct SeededTryLock<T>(KernelTryLock<T>);

/// Calls of `try_with` while `lost-count` is selected; a firing makes two.
static ATTEMPTS: AtomicUsize = AtomicUsize::new(0);

impl<T: Send> TryLock<T> for SeededTryLock<T> {
    fn new(value: T) -> Self {
        Self(KernelTryLock::new(value))
    }

    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        if is_chosen(super::LOST_COUNT) && ATTEMPTS.fetch_add(1, Ordering::Relaxed) % 128 == 127 {
            return None;
        }
        match is_chosen(super::UNGUARDED) {
            // SAFETY: unsound on purpose: the mutant lets two users have the value at once.
            true => Some(unsafe { self.0.with_unchecked(work) }),
            false => self.0.try_with(work),
        }
    }
}

/// The other slot of the same pair; the slot itself if it has no neighbour in the page.
fn twin(address: usize, length: usize) -> usize {
    let within = address % Kernel::CODE;
    match within.checked_div(length) {
        Some(number) if number % 2 == 1 => address.wrapping_sub(length),
        _ if within.wrapping_add(2 * length) <= Kernel::CODE => address.wrapping_add(length),
        _ => address,
    }
}

/// Whether the slot has been written since its page was allocated. No slot covers the page's last
/// word, so that word still holds the page's initial filling.
fn was_written(address: usize) -> bool {
    let last = (address / Kernel::CODE + 1) * Kernel::CODE - size_of::<u32>();
    word(address) != word(last)
}

fn word(address: usize) -> u32 {
    let place = core::ptr::with_exposed_provenance::<u32>(address);
    // SAFETY: inside a page from `code_alloc`, which is readable.
    unsafe { place.read_volatile() }
}
