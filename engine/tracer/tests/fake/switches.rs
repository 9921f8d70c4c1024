//! What a test sets for its thread: the CPU and the task that it is, the clocks, code to run from
//! within the engine, and failures.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use engine_isa::arm::Regs;
use engine_tracer::{Blacklist, FrameLayout, FrameRecord, Path, ProbeMemory, Task};

/// A blacklist with these paths.
pub const fn blacklist(paths: &'static [Path]) -> Blacklist {
    Blacklist {
        functions: &[(b"own_way", "traps run it")],
        thunks: &[],
        paths,
    }
}

static BLACKLIST: Blacklist = blacklist(&[]);

/// Called with the address of each word that is patched.
pub type SeePatch = Box<dyn Fn(usize)>;

thread_local! {
    /// The CPU that this thread runs on.
    pub static CPU: Cell<usize> = const { Cell::new(0) };
    /// The clock, in nanoseconds.
    pub static NOW: Cell<u64> = const { Cell::new(42) };
    /// The coarse clock, in ticks.
    pub static TICKS: Cell<u32> = const { Cell::new(0) };
    /// Whether this thread has enough stack left for a firing.
    pub static HAS_STACK: Cell<bool> = const { Cell::new(true) };
    /// Runs once at the next read of the clock, that is from within a firing.
    pub static ON_CLOCK: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Runs once at the next request for a random number, that is from within a clause.
    pub static ON_RANDOM: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Runs before and after each word is patched.
    pub static ON_PATCH: RefCell<Option<SeePatch>> = const { RefCell::new(None) };
    /// Runs once when direct dispatch is next switched, that is behind the last step of arming.
    pub static ON_DISPATCH: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Whether traps are dispatched directly to the engine.
    pub static DIRECT: Cell<bool> = const { Cell::new(false) };
    /// Whether the engine must stay loaded.
    pub static PINNED: Cell<bool> = const { Cell::new(false) };
    /// How many times text was patched, each with the machine stopped.
    pub static STOPS: Cell<usize> = const { Cell::new(0) };
    /// How often threads that wait were woken.
    pub static WOKEN: Cell<usize> = const { Cell::new(0) };
    /// Makes all operations of the kernel that can fail do so: patching, code memory, ftrace,
    /// timers, tracepoints and subscriptions.
    pub static STUCK: Cell<bool> = const { Cell::new(false) };
    /// Makes the kernel refuse ftrace calls.
    pub static FTRACE_REFUSES: Cell<bool> = const { Cell::new(false) };
    /// Makes the kernel refuse to switch direct dispatch on or off.
    pub static DISPATCH_REFUSES: Cell<bool> = const { Cell::new(false) };
    /// Makes the allocation of code memory fail.
    pub static NO_SLOTS: Cell<bool> = const { Cell::new(false) };
    /// Makes the kernel fail to change counters in processes.
    pub static NOT_COUNTED: Cell<bool> = const { Cell::new(false) };
    /// Makes the writing of slots in processes fail.
    pub static NOT_WRITTEN: Cell<bool> = const { Cell::new(false) };
    /// The bounds on the memory of probes in processes.
    pub static BOUNDS: Cell<ProbeMemory> = const { Cell::new(ProbeMemory::ENDLESS) };
    /// How many more values can be published before memory runs out.
    pub static MEMORY: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The blacklist in force.
    pub static LISTED: Cell<&'static Blacklist> = const { Cell::new(&BLACKLIST) };
    /// The registers with which this thread entered the kernel.
    pub static USER_REGS: Cell<Option<Regs>> = const { Cell::new(None) };
    /// How the code of processes saves a caller's frame.
    pub static LAYOUT: Cell<FrameLayout> = const { Cell::new(ARM) };
    /// Words of user memory, which go before anything else there.
    pub static STACK: RefCell<BTreeMap<u64, u32>> = const { RefCell::new(BTreeMap::new()) };
    /// The current task.
    pub static TASK: Cell<Task> = const { Cell::new(BASH) };
}

/// Frames of A32 code.
pub const ARM: FrameLayout = FrameLayout {
    word: 4,
    has_link: true,
    record: FrameRecord::Pushed,
    mask: 0xffff_fffe,
};

/// The default task.
pub const BASH: Task = Task {
    nonce: 0xb0,
    address: 0xc0ff_ee00,
    pid: 10,
    tid: 11,
    ppid: 12,
    uid: 13,
    gid: 14,
    in_interrupt: 0,
    name: *b"bash\0\0\0\0\0\0\0\0\0\0\0\0",
};
