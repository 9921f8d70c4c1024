//! The platform: one CPU, held by one thread at a time; no memory to read, no functions, and
//! threads as timers.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::iter::successors;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use engine_isa::Unreadable;
use engine_isa::arm::{Arm, Regs};
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Denied, InSlot, Origin, OutOfMemory, ProbeMemory, Processes,
    Space, TASK_NAME, Task, Tasks, Tracer, Uncounted, UserFrame, UserPatch, WithoutKernel,
    blacklist,
};
use rustix::process::{getgid, getpid, getppid, getuid};
use rustix::rand::{GetRandomFlags, getrandom};
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};

use crate::locks::{Guard, Replaced, Sleeping};
use crate::timer::Timer;

/// A handle on the machine; clones share it.
#[derive(Clone, Default)]
pub struct Machine(Arc<Shared>);

/// The state that all handles share.
#[derive(Default)]
struct Shared {
    /// Held by the thread that is on the CPU.
    cpu: Mutex<()>,
    timers: Mutex<BTreeMap<u32, Timer>>,
    /// The tracer that timers fire for. Weak, since the tracer owns a handle on the machine.
    tracer: OnceLock<Weak<Tracer<Arm, Machine>>>,
    /// The process's name, read once.
    name: OnceLock<[u8; TASK_NAME]>,
}

/// Threads that were given an identity so far.
static THREADS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Identifies the thread; never reused, unlike its TID.
    static IDENTITY: Cell<u64> = Cell::new(1 + THREADS.fetch_add(1, Ordering::Relaxed));
}

impl Machine {
    /// Makes timers fire for `tracer`. Once it is dropped they have no effect.
    pub fn set_tracer(&self, tracer: &Arc<Tracer<Arm, Machine>>) {
        self.0.tracer.get_or_init(|| Arc::downgrade(tracer));
    }

    fn tick(&self, number: u32) {
        if let Some(tracer) = self.0.tracer.get().and_then(Weak::upgrade) {
            let on_cpu = self.on_cpu();
            tracer.tick(number, 0, 0);
            drop(on_cpu);
        }
    }

    fn on_cpu(&self) -> MutexGuard<'_, ()> {
        self.0.cpu.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn timers(&self) -> MutexGuard<'_, BTreeMap<u32, Timer>> {
        self.0.timers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cpus for Machine {
    type Lock<T: Send> = Sleeping<T>;
    type Rcu<T: Send + Sync> = Replaced<T>;
    type TryLock<T: Send> = Guard<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        let on_cpu = self.on_cpu();
        let result = work();
        drop(on_cpu);
        result
    }

    fn synchronize(&self) {
        drop(self.on_cpu());
    }

    fn cpu(&self) -> usize {
        0
    }

    fn cpus(&self) -> usize {
        1
    }

    fn cpu_offset(&self) -> i64 {
        0
    }

    fn has_stack(&self) -> bool {
        true
    }

    fn cond_resched(&self) {}
}

impl Clock for Machine {
    fn ticks(&self) -> u32 {
        0
    }

    fn deadman_start(&self) -> u32 {
        0
    }

    fn now(&self) -> u64 {
        clock(ClockId::Monotonic)
    }

    fn wall_time(&self) -> u64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |it| it.as_nanos() as u64)
    }

    fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        // Without a random source this returns 0: unpredictability only protects against hostile
        // keys.
        let _ = getrandom(&mut bytes, GetRandomFlags::empty());
        u64::from_ne_bytes(bytes)
    }

    fn timer_start(&self, number: u32, nanoseconds: u64, _: bool) -> Result<(), OutOfMemory> {
        let machine = self.clone();
        let tick = move || machine.tick(number);
        let timer = Timer::start(Duration::from_nanos(nanoseconds), tick);
        self.timers()
            .insert(number, timer.map_err(|_| OutOfMemory)?);
        Ok(())
    }

    fn timer_stop(&self, number: u32) {
        let timer = self.timers().remove(&number);
        drop(timer);
    }
}

/// The parent of a process: the fourth word of its `stat`, of which the second, its name in
/// parentheses, may itself have spaces and parentheses. None outside of the PID namespace.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let parent = behind.split_whitespace().nth(1)?.parse().ok()?;
    (parent != 0).then_some(parent)
}

impl Tasks for Machine {
    type Regs = Regs;

    fn task(&self, _: Context) -> Task {
        Task {
            nonce: IDENTITY.get(),
            address: 0,
            pid: getpid().as_raw_pid().unsigned_abs(),
            tid: gettid().as_raw_pid().unsigned_abs(),
            ppid: getppid().map_or(0, |it| it.as_raw_pid().unsigned_abs()),
            uid: getuid().as_raw(),
            gid: getgid().as_raw(),
            in_interrupt: 0,
            name: *self.0.name.get_or_init(name),
        }
    }

    fn descends_from(&self, pid: u32) -> bool {
        let own = getpid().as_raw_pid().unsigned_abs();
        let mut ancestors = successors(Some(own), |pid| parent(*pid));
        ancestors.any(|ancestor| ancestor == pid)
    }

    fn run_time(&self) -> u64 {
        clock(ClockId::ThreadCPUTime)
    }

    fn thread_key(&self) -> usize {
        IDENTITY.get() as usize
    }

    fn user_register(&self, _: u64) -> u64 {
        0
    }

    fn user_regs(&self) -> Option<Regs> {
        None
    }

    fn user_frame(&self, regs: &Regs) -> UserFrame {
        UserFrame::from(regs)
    }

    fn load(&self, _: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn load_user(&self, _: u64, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn stack(&self, _: Origin<'_, Regs>, _: &mut [u64]) -> usize {
        0
    }
}

/// There are no traps.
impl Processes for Machine {
    const SLOTS: usize = 4096;

    fn space_open(&self, _: u32) -> Result<Space, Denied> {
        Err(Denied::Unsupported)
    }

    fn space_close(&self, _: Space) {}

    fn space_is_gone(&self, _: Space) -> bool {
        true
    }

    fn current_space(&self) -> usize {
        0
    }

    fn space_hold(&self, _: u32) -> Result<usize, Denied> {
        Err(Denied::Unsupported)
    }

    fn space_drop(&self, _: usize) {}

    fn space_read(&self, _: Space, _: usize, _: &mut [u8]) -> Result<(), Unreadable> {
        Err(Unreadable)
    }

    fn space_patch(&self, _: Space, _: &mut [UserPatch], _: bool) {}

    fn space_count(&self, _: Space, _: usize, _: bool) -> Result<(), Uncounted> {
        Err(Uncounted::Different)
    }

    fn slots_map(&self, _: Space, _: usize) -> Result<usize, OutOfMemory> {
        Err(OutOfMemory)
    }

    fn slots_write(&self, _: Space, _: &InSlot, _: &[u8]) -> Result<(), OutOfMemory> {
        Err(OutOfMemory)
    }

    fn slots_unmap(&self, _: Space) {}

    fn probe_memory(&self) -> ProbeMemory {
        ProbeMemory::ENDLESS
    }

    fn hold_execs(&self) -> Result<(), Denied> {
        Err(Denied::Unsupported)
    }

    fn let_execs_go(&self) {}

    fn wake_held(&self) {}
}

impl WithoutKernel for Machine {
    const BLACKLIST: &'static Blacklist = &blacklist::ARM;
}

/// A clock's time in nanoseconds.
fn clock(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.tv_nsec as u64)
}

/// The process's name as the kernel has it, cut to fit and NUL-terminated.
fn name() -> [u8; TASK_NAME] {
    let mut name = [0; TASK_NAME];
    let known = std::fs::read("/proc/self/comm").unwrap_or_default();
    let letters = known.iter().take_while(|&&it| it != b'\n');
    for (to, from) in name.iter_mut().take(TASK_NAME - 1).zip(letters) {
        *to = *from;
    }
    name
}
