//! The platform: one process.

use core::sync::atomic::{AtomicU32, Ordering};

use engine_abi::channel::Start;
use engine_isa::Unreadable;
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Denied, InSlot, Origin, OutOfMemory, ProbeMemory, Processes,
    Space, Task, Tasks, Uncounted, UserFrame, UserPatch, WithoutKernel,
};

use crate::arch::frame::{self, Regs};
use crate::clock::ClockId;
use crate::sync::{Control, Guard, Published};
use crate::{alive, clock, maps, slots, text, timers};
use crate::{semaphores, sys};

/// The process that the agent is in.
#[derive(Debug, Default)]
pub struct Process;

/// The key and handle of its address space.
const SPACE: Space = Space {
    handle: 1,
    key: 1,
    is_compat: 0,
};

/// The process as the command calls it, as it calls itself, and its parent.
static CALLED: AtomicU32 = AtomicU32::new(0);
static OWN: AtomicU32 = AtomicU32::new(0);
static PARENT: AtomicU32 = AtomicU32::new(0);

/// Changed whenever threads that wait are to look whether they may go on.
pub static RELEASES: AtomicU32 = AtomicU32::new(0);

/// Learns which process this is.
pub fn begin(start: &Start) {
    CALLED.store(start.pid, Ordering::Relaxed);
    PARENT.store(start.parent, Ordering::Relaxed);
    OWN.store(start.own_pid, Ordering::Relaxed);
    clock::find(start.clock as usize);
    frame::begin_with(start.capabilities);
    alive::watch(start.own_pid);
}

/// The process's ID, as it calls itself.
pub fn own_pid() -> u32 {
    OWN.load(Ordering::Relaxed)
}

/// A thread as the command calls it; 0 is the agent.
pub fn called(thread: u32) -> u32 {
    match thread == 0 || thread == own_pid() {
        true => CALLED.load(Ordering::Relaxed),
        false => thread,
    }
}

impl Cpus for Process {
    type Lock<T: Send> = Control<T>;
    type Rcu<T: Send + Sync> = Published<T>;
    type TryLock<T: Send> = Guard<T>;

    /// Slot 0 is the agent's alone.
    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn synchronize(&self) {
        let _ = slots::synchronize(alive::is_alive);
    }

    fn cpu(&self) -> usize {
        slots::current()
    }

    fn cpus(&self) -> usize {
        slots::count()
    }

    fn cpu_offset(&self) -> i64 {
        0
    }

    fn has_stack(&self) -> bool {
        slots::has_stack()
    }

    fn cond_resched(&self) {}
}

impl Clock for Process {
    fn ticks(&self) -> u32 {
        0
    }

    fn deadman_start(&self) -> u32 {
        0
    }

    fn now(&self) -> u64 {
        clock::now(ClockId::Monotonic)
    }

    fn wall_time(&self) -> u64 {
        clock::now(ClockId::Realtime)
    }

    fn random(&self) -> u64 {
        sys::random()
    }

    fn timer_start(&self, number: u32, nanoseconds: u64, _: bool) -> Result<(), OutOfMemory> {
        timers::start(number, nanoseconds);
        Ok(())
    }

    fn timer_stop(&self, number: u32) {
        timers::stop(number);
    }
}

impl Tasks for Process {
    type Regs = Regs;

    /// The agent is no thread of the process: what it fires is the process's.
    fn task(&self, _: Context) -> Task {
        let (pid, thread) = (CALLED.load(Ordering::Relaxed), slots::thread());
        Task {
            nonce: u64::from(thread).wrapping_add(1),
            address: 0,
            pid,
            tid: called(thread),
            ppid: PARENT.load(Ordering::Relaxed),
            uid: sys::user(),
            gid: sys::group(),
            in_interrupt: 0,
            name: sys::name(),
        }
    }

    fn descends_from(&self, pid: u32) -> bool {
        [&CALLED, &PARENT]
            .iter()
            .any(|it| it.load(Ordering::Relaxed) == pid)
    }

    fn run_time(&self) -> u64 {
        clock::now(ClockId::Thread)
    }

    fn thread_key(&self) -> usize {
        (slots::thread() as usize).wrapping_add(1)
    }

    fn user_register(&self, number: u64) -> u64 {
        slots::regs().map_or(0, |regs| frame::register(&regs, number))
    }

    fn user_regs(&self) -> Option<Regs> {
        slots::regs()
    }

    fn user_frame(&self, regs: &Regs) -> UserFrame {
        UserFrame::from(regs)
    }

    /// There is no kernel memory to read.
    fn load(&self, _: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        sys::load(address as usize, bytes).map_err(|_| Unreadable)
    }

    /// Nor is there a kernel stack.
    fn stack(&self, _: Origin<'_, Regs>, _: &mut [u64]) -> usize {
        0
    }
}

impl WithoutKernel for Process {
    const BLACKLIST: &'static Blacklist = frame::BLACKLIST;
}

impl Processes for Process {
    const SLOTS: usize = maps::PAGE;

    fn space_open(&self, pid: u32) -> Result<Space, Denied> {
        match pid == CALLED.load(Ordering::Relaxed) {
            true => Ok(SPACE),
            false => Err(Denied::Unsupported),
        }
    }

    fn space_close(&self, _: Space) {}

    fn space_is_gone(&self, _: Space) -> bool {
        false
    }

    fn current_space(&self) -> usize {
        SPACE.key
    }

    fn space_hold(&self, pid: u32) -> Result<usize, Denied> {
        self.space_open(pid).map(|space| space.key)
    }

    fn space_drop(&self, _: usize) {}

    fn space_read(&self, _: Space, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        text::read(address, bytes)
    }

    fn space_patch(&self, _: Space, patches: &mut [UserPatch], are_traps: bool) {
        text::patch(patches, are_traps);
    }

    fn space_count(&self, _: Space, address: usize, is_up: bool) -> Result<(), Uncounted> {
        semaphores::count(address, is_up)
    }

    fn slots_map(&self, _: Space, near: usize) -> Result<usize, OutOfMemory> {
        text::page_near(near)
    }

    fn slots_write(&self, _: Space, slot: &InSlot, code: &[u8]) -> Result<(), OutOfMemory> {
        text::keep_slot(slot, code)
    }

    /// They stay: a thread may be in one.
    fn slots_unmap(&self, _: Space) {}

    fn probe_memory(&self) -> ProbeMemory {
        ProbeMemory::ENDLESS
    }

    fn hold_execs(&self) -> Result<(), Denied> {
        Err(Denied::Unsupported)
    }

    fn let_execs_go(&self) {}

    fn wake_held(&self) {
        RELEASES.fetch_add(1, Ordering::Release);
        sys::wake(&RELEASES);
    }
}
