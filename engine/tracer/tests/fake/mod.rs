//! The fake kernel: the tracer's platform over a map from addresses to instruction words.
//!
//! It asserts what a real kernel relies on: text is written only where there is some, code
//! memory only while no thread is in it, and nothing is registered or started twice. A trap, tick
//! or call holds [`Fake::firings`] shared, and `synchronize` takes it exclusively: a grace period.
//!
//! Text is A32 code. The functions at [`ALPHA`] and above each have one property that the engine
//! must handle, as their comments say.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, RwLock};

use engine_isa::arm::{Arm, Regs, Relocation};
use engine_isa::{Unreadable, Variant};
use engine_tracer::{
    Blacklist, Clock, Context, Cpus, Event, Events, KERNEL, KernelText, Listed, Numbers, OffLimits,
    Origin, OutOfMemory, Patch, Path, Refused, Symbols, SystemCall, Task, Tasks, Visit,
    VisitModule, VisitSyscall, VisitTracepoint,
};

#[path = "../program/mod.rs"]
pub mod program;
mod requests;
mod sync;

pub use requests::*;
pub use sync::*;

/// `push {r4, lr}`
pub const PUSH: u32 = 0xe92d_4010;
/// A disabled ftrace slot.
pub const NOP: u32 = 0xe320_f000;
/// `udf #0`, which the engine refuses to plan.
pub const UDF: u32 = 0xe7f0_00f0;
/// `mov r0, #0`, in place of a no-op: the instruction core would refuse the real one.
pub const PLACEHOLDER: u32 = 0xe3a0_0000;
/// `mov r0, #5` and `mov r0, #6`: position-independent, so relocated unchanged.
pub const MOV_5: u32 = 0xe3a0_0005;
pub const MOV_6: u32 = 0xe3a0_0006;
/// Data in text, not an instruction.
pub const DATA_WORD: u32 = 0xc010_1234;

pub const ALPHA: usize = 0x8000;
pub const BETA: usize = 0x8100;
pub const GAMMA: usize = 0x8200;
pub const TOXIC: usize = 0x8280;
pub const REFUSED: usize = 0x8300;
pub const FORBIDDEN: usize = 0x8400;
pub const OWN_WAY: usize = 0x8500;
/// Begins with an ftrace slot.
pub const TRACED: usize = 0x8600;
pub const COLD: usize = 0x8700;
/// Two that begin with a placeholder; only the first is rewritten by the kernel.
pub const REWRITTEN: usize = 0x8800;
pub const KEPT: usize = 0x8900;
/// Two whose first instructions are relocated into slots.
pub const MOVED: usize = 0x8a00;
pub const SHIFTED: usize = 0x8b00;
pub const DATA: usize = 0x8c00;
/// Relocated, but its slot must be within [`REACH`] of it.
pub const NEAR: usize = 0x8d00;
const REACH: usize = 0x1000;
/// Has a conditional return and one at its end.
pub const LEAVES: usize = 0x8e00;
/// Consists of a return only.
pub const EMPTY: usize = 0x8e40;
/// Ends with a tail call.
pub const TAILS: usize = 0x8e80;
/// Continues in a `.cold` part and returns from there.
pub const SPLIT: usize = 0x8ec0;
pub const SPLIT_COLD: usize = 0x8f00;
/// Never returns.
pub const STAYS: usize = 0x8f40;
/// One of its exits cannot be probed.
pub const HALF: usize = 0x8f80;
/// Begins with an ftrace slot and loops back to the instruction after it.
pub const SPINS: usize = 0x8fc0;
/// Listed by the symbol table, but without text and size.
pub const VANISHED: usize = 0x9000;

/// The tracepoints, numbered from 1.
pub const TRACEPOINTS: [&[u8]; 3] = [b"sched_switch", b"sched_wakeup", b"irq_handler_entry"];

/// A module's text: `push {r4, lr}`, `pop {r4, pc}`; `bx lr`.
pub const MODULE_TEXT: [(usize, u32); 3] = [(0, PUSH), (4, 0xe8bd_8010), (8, 0xe12f_ff1e)];
pub const CPUS: usize = 4;

/// ID of the first timer's probe, after those of the dtrace and proc providers.
pub const FIRST_TIMER: u32 = 12;
/// ID of the first system call's entry probe, after the IDs reserved for timers.
pub const FIRST_SYSCALL: u32 = FIRST_TIMER + 1000;
/// ID of the first function's entry probe, after the IDs reserved for system calls and tracepoints.
pub const FIRST: u32 = FIRST_SYSCALL + 4096 + 8192;
/// Base of the code memory, which slots are allocated from.
pub const CODE_AT: usize = 0x10_0000;
/// Bytes of address space for code memory.
const CODE_BYTES: usize = 0x1000;
/// Readable kernel memory: each byte is the low byte of its address.
pub const MEMORY_AT: Range<u64> = 0x1_0000..0x2_0000;
/// Readable user memory, with the same contents.
pub const USER_AT: Range<u64> = 0x40_0000..0x50_0000;

/// A32 with what the fake kernel decides: which slots are in reach, placeholders and data.
pub struct A32;

impl Variant for A32 {
    type Base = Arm;

    fn slot(
        relocation: Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<[u8; Relocation::SIZE]> {
        let is_in_reach = from != NEAR || at.abs_diff(from) <= REACH;
        is_in_reach.then(|| relocation.slot(next as u32))
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        let word = u32::from_le_bytes(*text);
        word == PLACEHOLDER || word >> 24 == 0xea
    }

    fn begins_function(text: &[u8; 4]) -> bool {
        u32::from_le_bytes(*text) != DATA_WORD
    }
}

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
    /// Whether traps are dispatched directly to the engine.
    pub static DIRECT: Cell<bool> = const { Cell::new(false) };
    /// How many times text was patched, each with the machine stopped.
    pub static STOPS: Cell<usize> = const { Cell::new(0) };
    /// Makes all operations of the kernel that can fail do so: patching, code memory, ftrace,
    /// timers, tracepoints and subscriptions.
    pub static STUCK: Cell<bool> = const { Cell::new(false) };
    /// Makes the kernel refuse ftrace calls.
    pub static FTRACE_REFUSES: Cell<bool> = const { Cell::new(false) };
    /// Makes the allocation of code memory fail.
    pub static NO_SLOTS: Cell<bool> = const { Cell::new(false) };
    /// How many more values can be published before memory runs out.
    pub static MEMORY: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The blacklist in force.
    pub static LISTED: Cell<&'static Blacklist> = const { Cell::new(&BLACKLIST) };
    /// The current task.
    pub static TASK: Cell<Task> = const { Cell::new(BASH) };
}

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

/// The fake kernel.
pub struct Fake {
    text: Mutex<BTreeMap<usize, u32>>,
    /// Held shared by a firing and exclusively by a grace period.
    pub firings: RwLock<()>,
    /// Where the next code memory goes; addresses are never reused.
    code: Mutex<usize>,
    /// The slots that a thread is in.
    pub inside: Mutex<BTreeSet<usize>>,
    /// Instructions displaced by the kernel's own kprobes.
    pub kprobes: Mutex<BTreeMap<usize, u32>>,
    /// The loaded modules by base address.
    modules: Mutex<BTreeMap<usize, Module>>,
    /// Whether the kernel can trace function calls by ftrace: in `traced`, `empty` and `spins`.
    pub has_calls: bool,
    /// One more function with an ftrace call.
    pub with_call: usize,
    /// The functions whose ftrace calls are enabled.
    pub calls: Mutex<BTreeSet<usize>>,
    /// The system calls that each event is subscribed for.
    pub events: Mutex<[Numbers; Event::ALL.len()]>,
    /// The registered tracepoints, each with its probe's number.
    pub tracepoints: Mutex<BTreeSet<(usize, u32)>>,
    /// The running timers: interval in nanoseconds, and whether each CPU has its own.
    pub timers: Mutex<BTreeMap<u32, (u64, bool)>>,
}

impl Fake {
    pub fn new() -> Self {
        let text = [
            (ALPHA, PUSH),
            (BETA, 0xe24d_d010),  // sub sp, sp, #16
            (GAMMA, 0xe52d_e004), // push {lr}
            (TOXIC, PUSH),
            (REFUSED, UDF),
            (FORBIDDEN, PUSH),
            (OWN_WAY, PUSH),
            (TRACED, NOP),
            (TRACED + 4, PUSH),
            (COLD, PUSH),
            (REWRITTEN, PLACEHOLDER),
            (KEPT, PLACEHOLDER),
            (MOVED, MOV_5),
            (SHIFTED, MOV_6),
            (DATA, DATA_WORD),
            (NEAR, MOV_5),
            (LEAVES, 0xe350_0000),     // cmp r0, #0
            (LEAVES + 4, 0x012f_ff1e), // bxeq lr
            (LEAVES + 8, MOV_5),
            (LEAVES + 12, 0xe12f_ff1e), // bx lr
            (EMPTY, 0xe12f_ff1e),
            (TAILS, MOV_5),
            (TAILS + 4, branch(TAILS + 4, LEAVES)),
            (SPLIT, MOV_5),
            (SPLIT + 4, branch(SPLIT + 4, SPLIT_COLD)),
            (SPLIT_COLD, MOV_6),
            (SPLIT_COLD + 4, 0xe12f_ff1e),
            (STAYS, branch(STAYS, STAYS)),
            (HALF, 0x012f_ff1e),
            (HALF + 4, branch(HALF + 4, ALPHA)),
            (SPINS, NOP),
            (SPINS + 4, MOV_5),
            (SPINS + 8, branch(SPINS + 8, SPINS + 4)),
        ];
        Self {
            text: Mutex::new(text.into()),
            firings: RwLock::new(()),
            code: Mutex::new(CODE_AT),
            inside: Mutex::default(),
            kprobes: Mutex::default(),
            modules: Mutex::default(),
            has_calls: true,
            with_call: 0,
            calls: Mutex::default(),
            events: Mutex::new([Numbers::NONE; Event::ALL.len()]),
            tracepoints: Mutex::default(),
            timers: Mutex::default(),
        }
    }

    /// Adds a word of text at an address that has none.
    pub fn extend(&self, at: usize, word: u32) {
        self.text.lock().unwrap().insert(at, word);
    }

    /// Loads a module with the functions `one` and `two`.
    pub fn load_module(&self, at: usize, name: &str) {
        // The module's symbols are not sorted.
        let functions = vec![("two".into(), 8, 4), ("one".into(), 0, 8)];
        self.load_module_of(at, name, &MODULE_TEXT, functions);
    }

    /// Loads a module with this text and these functions, each with name, offset and size.
    pub fn load_module_of(
        &self,
        at: usize,
        name: &str,
        text: &[(usize, u32)],
        functions: Vec<(String, usize, usize)>,
    ) {
        let module = Module {
            name: name.to_owned(),
            text: text.to_vec(),
            functions,
        };
        self.modules.lock().unwrap().insert(at, module);
        let text = text.iter().map(|(offset, word)| (at + offset, *word));
        self.text.lock().unwrap().extend(text);
    }

    /// Unloads a module; its text must be what it was when loaded.
    pub fn unload_module(&self, at: usize) {
        let module = self.modules.lock().unwrap().remove(&at).unwrap();
        let mut text = self.text.lock().unwrap();
        for (offset, word) in module.text {
            assert_eq!(
                text.remove(&(at + offset)),
                Some(word),
                "its text is restored"
            );
        }
    }
}

/// A loaded module; each function has name, offset and size.
struct Module {
    name: String,
    text: Vec<(usize, u32)>,
    functions: Vec<(String, usize, usize)>,
}

/// The encoding of a `b` from one address to another.
pub fn branch(from: usize, to: usize) -> u32 {
    let words = (to.wrapping_sub(from + 8) >> 2) as u32;
    0xea00_0000 | words & 0xff_ffff
}

/// On a reference, since the kernel's state outlives the tracer that owns the platform.
impl Cpus for &'static Fake {
    type Lock<T: Send> = FakeLock<T>;
    type Rcu<T: Send + Sync> = FakeRcu<T>;
    type TryLock<T: Send> = FakeTryLock<T>;

    fn with_irqs_off<R>(&self, work: impl FnOnce() -> R) -> R {
        let _firing = self.firings.read().unwrap();
        work()
    }

    fn synchronize(&self) {
        drop(self.firings.write().unwrap());
    }

    fn cpu(&self) -> usize {
        CPU.get()
    }

    fn cpus(&self) -> usize {
        CPUS
    }

    fn has_stack(&self) -> bool {
        HAS_STACK.get()
    }

    fn cond_resched(&self) {}
}

impl Clock for &'static Fake {
    fn ticks(&self) -> u32 {
        TICKS.get()
    }

    fn deadman_start(&self) -> u32 {
        100
    }

    fn now(&self) -> u64 {
        if let Some(interrupt) = ON_CLOCK.take() {
            interrupt();
        }
        NOW.get()
    }

    fn wall_time(&self) -> u64 {
        1_700_000_000_000_000_000
    }

    fn random(&self) -> u64 {
        if let Some(interrupt) = ON_RANDOM.take() {
            interrupt();
        }
        4
    }

    fn timer_start(&self, number: u32, interval: u64, every_cpu: bool) -> Result<(), OutOfMemory> {
        if STUCK.get() {
            return Err(OutOfMemory);
        }
        let before = self
            .timers
            .lock()
            .unwrap()
            .insert(number, (interval, every_cpu));
        assert_eq!(before, None, "already running");
        Ok(())
    }

    fn timer_stop(&self, number: u32) {
        let before = self.timers.lock().unwrap().remove(&number);
        assert!(before.is_some(), "not running");
    }
}

impl Tasks for &'static Fake {
    type Regs = Regs;

    fn task(&self, _: Context) -> Task {
        TASK.get()
    }

    fn run_time(&self) -> u64 {
        77
    }

    fn thread_key(&self) -> usize {
        TASK.get().tid as usize
    }

    fn user_register(&self, number: u64) -> u64 {
        number + 1000
    }

    fn load(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        read(&MEMORY_AT, address, bytes)
    }

    fn load_user(&self, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
        read(&USER_AT, address, bytes)
    }

    fn stack(&self, from: Origin<'_, Regs>, frames: &mut [u64]) -> usize {
        let stack = match from {
            Origin::Entry(regs) => vec![regs.r[15].into(), regs.r[14].into(), 0xc000, 0xd000],
            Origin::Caller(regs) => vec![regs.r[15].into(), 0xc000, 0xd000],
            Origin::Return(regs) => vec![regs.r[15].into(), 0xb000, 0xc000, 0xd000],
            Origin::Interrupted => vec![0xe000, 0xf000],
        };
        frames
            .iter_mut()
            .zip(stack)
            .map(|(frame, pc)| *frame = pc)
            .count()
    }
}

impl KernelText for &'static Fake {
    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let text = self.text.lock().unwrap();
        if !text.contains_key(&address) && !(ALPHA..VANISHED).contains(&address) {
            return Err(Unreadable);
        }
        for (address, bytes) in (address..).step_by(4).zip(bytes.chunks_mut(4)) {
            // Padding between functions is no valid instruction.
            let word = text.get(&address).unwrap_or(&UDF).to_le_bytes();
            bytes.copy_from_slice(&word[..bytes.len()]);
        }
        Ok(())
    }

    fn peek_original(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        self.peek(address, bytes)?;
        for (address, word) in (address..).step_by(4).zip(bytes.chunks_mut(4)) {
            if let Some(original) = self.kprobes.lock().unwrap().get(&address) {
                word.copy_from_slice(&original.to_le_bytes()[..word.len()]);
            }
        }
        Ok(())
    }

    fn hold_kprobes<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn has_kprobe(&self, address: usize) -> bool {
        self.kprobes.lock().unwrap().contains_key(&address)
    }

    fn patch(&self, patches: &mut [Patch]) {
        STOPS.set(STOPS.get() + 1);
        let seen = |address| ON_PATCH.with_borrow(|see| see.iter().for_each(|see| see(address)));
        for patch in patches {
            patch.failed = STUCK.get().into();
            if patch.failed == 0 {
                seen(patch.address);
                self.write(patch.address, patch.word);
                seen(patch.address);
            }
        }
    }

    fn direct_dispatch(&self, direct: bool) {
        DIRECT.set(direct);
    }

    /// Code memory is allocated in pieces of two slots.
    const CODE: usize = 2 * Relocation::SIZE;

    fn code_range(&self) -> Range<usize> {
        CODE_AT..CODE_AT + CODE_BYTES
    }

    fn code_alloc(&self) -> Result<usize, OutOfMemory> {
        if STUCK.get() || NO_SLOTS.get() {
            return Err(OutOfMemory);
        }
        let mut next = self.code.lock().unwrap();
        let piece = *next;
        *next += Self::CODE;
        assert!(*next <= CODE_AT + CODE_BYTES);
        let words = words(piece, Self::CODE).map(|address| (address, DATA_WORD));
        self.text.lock().unwrap().extend(words);
        Ok(piece)
    }

    fn code_free(&self, address: usize) {
        self.assert_unused(address..address + Self::CODE);
        let mut text = self.text.lock().unwrap();
        for word in words(address, Self::CODE) {
            text.remove(&word).expect("it was allocated");
        }
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        self.assert_unused(address..address + bytes.len());
        for (address, word) in (address..).step_by(4).zip(bytes.as_chunks().0) {
            self.write(address, u32::from_le_bytes(*word));
        }
    }

    fn synchronize_code(&self) {
        self.synchronize();
        self.inside.lock().unwrap().clear();
    }

    fn rewritten(&self, address: usize) -> bool {
        [REWRITTEN, HALF + 4].contains(&address)
    }

    fn ftrace_slot(&self, address: usize) -> usize {
        if [TRACED, SPINS].contains(&address) {
            4
        } else {
            0
        }
    }

    fn has_calls(&self) -> bool {
        self.has_calls
    }

    fn call_of(&self, address: usize) -> Option<NonZeroUsize> {
        let has = self.has_calls && [TRACED, EMPTY, SPINS, self.with_call].contains(&address);
        NonZeroUsize::new(address).filter(|_| has)
    }

    fn trace_calls(&self, calls: &[usize]) -> Result<(), Refused> {
        if STUCK.get() || FTRACE_REFUSES.get() {
            return Err(Refused);
        }
        *self.calls.lock().unwrap() = calls.iter().copied().collect();
        Ok(())
    }
}

impl Symbols for &'static Fake {
    fn blacklist(&self) -> &'static Blacklist {
        LISTED.get()
    }

    fn off_limits(&self, address: usize) -> Option<OffLimits> {
        (address == FORBIDDEN).then_some(OffLimits::Blacklisted)
    }

    fn is_return_thunk(&self, _: usize) -> bool {
        false
    }

    fn each_module(&self, visit: &mut VisitModule<'_>) -> Result<(), OutOfMemory> {
        let modules: Vec<_> = {
            let modules = self.modules.lock().unwrap();
            let modules = modules.iter();
            modules
                .map(|(at, module)| (*at, module.name.clone()))
                .collect()
        };
        // Copied first: the visitor asks for functions, which takes the lock.
        modules
            .into_iter()
            .try_for_each(|(at, name)| visit(at, name.as_bytes()))
    }

    fn each_function(&self, module: usize, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        let mut see = |name: &str, address, size| {
            visit(Listed {
                name: name.as_bytes(),
                address,
                size,
            })
        };
        if module != KERNEL {
            let modules = self.modules.lock().unwrap();
            let mut functions = modules[&module].functions.iter();
            return functions
                .try_for_each(|(name, offset, size)| see(name, module + offset, *size));
        }
        FUNCTIONS
            .into_iter()
            .try_for_each(|(name, address)| see(name, address, 0))
    }
}

impl Events for &'static Fake {
    fn each_syscall(&self, visit: &mut VisitSyscall<'_>) -> Result<(), OutOfMemory> {
        SYSCALLS.into_iter().try_for_each(|(abi, number, name)| {
            visit(SystemCall {
                abi,
                number,
                abi_name: [&b"native"[..], b"old"][abi as usize],
                name: name.as_bytes(),
            })
        })
    }

    fn syscall_argument(&self, regs: &Regs, number: u64) -> u64 {
        let in_registers = regs.r.get(number as usize).filter(|_| number < 6);
        in_registers.copied().unwrap_or_default().into()
    }

    fn each_tracepoint(&self, visit: &mut VisitTracepoint<'_>) -> Result<(), OutOfMemory> {
        (1..)
            .zip(TRACEPOINTS)
            .try_for_each(|(point, name)| visit(point, name))
    }

    fn tracepoint_register(&self, point: usize, number: u32) -> Result<(), Refused> {
        if STUCK.get() {
            return Err(Refused);
        }
        let is_new = self.tracepoints.lock().unwrap().insert((point, number));
        assert!(is_new, "already registered");
        Ok(())
    }

    fn tracepoint_unregister(&self, point: usize, number: u32) {
        let was_there = self.tracepoints.lock().unwrap().remove(&(point, number));
        assert!(was_there, "not registered");
    }

    fn tracepoints_synchronize(&self) {
        self.synchronize();
    }

    fn subscribe(&self, event: Event, numbers: &Numbers) -> Result<(), Refused> {
        if STUCK.get() && *numbers != Numbers::NONE {
            return Err(Refused);
        }
        let mut events = self.events.lock().unwrap();
        let before = std::mem::replace(&mut events[event as usize], *numbers);
        assert_ne!(before, *numbers, "already so subscribed");
        drop(events);
        self.synchronize();
        Ok(())
    }
}

/// The system calls: ABI, number and name.
const SYSCALLS: [(u32, u32, &str); 9] = [
    (0, 3, "read"),
    (0, 1, "exit"),
    (0, 11, "execve"),
    (0, 119, "sigreturn"),
    (0, 3, "read_again"),
    (0, 0xf0002, "cacheflush"),
    (1, 0, "open"),
    (1, 3, "close"),
    (1, 11, "fcntl"),
];

/// The kernel's functions, modules not included.
const FUNCTIONS: [(&str, usize); 26] = [
    ("alpha", ALPHA),
    ("alpha_alias", ALPHA),
    ("beta", BETA),
    ("gamma", GAMMA),
    ("another_beta", BETA),
    ("own_way.part.0", TOXIC),
    ("refused", REFUSED),
    ("forbidden", FORBIDDEN),
    ("own_way", OWN_WAY),
    ("traced", TRACED),
    ("alpha.cold", COLD),
    ("rewritten", REWRITTEN),
    ("kept", KEPT),
    ("moved", MOVED),
    ("shifted", SHIFTED),
    ("data", DATA),
    ("near", NEAR),
    ("leaves", LEAVES),
    ("empty", EMPTY),
    ("tails", TAILS),
    ("split", SPLIT),
    ("split.cold", SPLIT_COLD),
    ("stays", STAYS),
    ("half", HALF),
    ("spins", SPINS),
    ("vanished", VANISHED),
];

impl Fake {
    pub fn write(&self, address: usize, word: u32) {
        *self
            .text
            .lock()
            .unwrap()
            .get_mut(&address)
            .expect("only existing text is patched") = word;
    }

    pub fn read(&self, address: usize) -> u32 {
        self.text.lock().unwrap()[&address]
    }

    fn assert_unused(&self, written: Range<usize>) {
        let inside = self.inside.lock().unwrap();
        assert_eq!(
            inside.range(written).next(),
            None,
            "a thread is in the slot"
        );
    }

    /// The text of functions, without code memory.
    pub fn image(&self) -> BTreeMap<usize, u32> {
        let text = self.text.lock().unwrap();
        text.range(..CODE_AT)
            .map(|(at, word)| (*at, *word))
            .collect()
    }
}

/// The addresses of words in this range.
fn words(from: usize, bytes: usize) -> impl Iterator<Item = usize> {
    (from..from + bytes).step_by(4)
}

/// Reads memory whose bytes are the low bytes of their addresses.
fn read(there: &Range<u64>, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
    let end = address.checked_add(bytes.len() as u64).ok_or(Unreadable)?;
    if address < there.start || end > there.end {
        return Err(Unreadable);
    }
    (address..)
        .zip(bytes)
        .for_each(|(address, byte)| *byte = address as u8);
    Ok(())
}
