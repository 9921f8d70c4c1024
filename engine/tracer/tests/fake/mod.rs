//! A kernel of a few functions, made of a map: text that can be read, patched and inspected.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, RwLock};

use engine_abi::{Description, Go, Records};
use engine_isa::arm::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan, Width};
use engine_tracer::{
    ConsumerId, Error, Isa, Load, Lock, OffLimits, OutOfMemory, Platform, Rcu, Snapped, Task, Tracer,
    Trap, TryLock, Unpatched, Unreadable, Visit,
};

#[path = "../program/mod.rs"]
pub mod program;
use program::Program;

/// `push {r4, lr}`
pub const PUSH: u32 = 0xe92d_4010;
/// The function tracer's slot while it is off.
pub const NOP: u32 = 0xe320_f000;
/// `sub sp, sp, #0`
pub const PLACEHOLDER: u32 = 0xe24d_d000;
/// `mov r0, r0`, which no row covers.
pub const MOV: u32 = 0xe1a0_0000;

pub const ALPHA: usize = 0x8000;
pub const BETA: usize = 0x8100;
pub const GAMMA: usize = 0x8200;
pub const TOXIC: usize = 0x8280;
pub const UNPORTED: usize = 0x8300;
pub const FORBIDDEN: usize = 0x8400;
pub const OWN_WAY: usize = 0x8500;
/// Begins with a slot of the function tracer.
pub const TRACED: usize = 0x8600;
pub const COLD: usize = 0x8700;
/// Two that begin with what might be rewritten; the first is.
pub const REWRITTEN: usize = 0x8800;
pub const KEPT: usize = 0x8900;
pub const CPUS: usize = 4;

/// The ID of the first function's entry: behind the engine's own and the timers that are always there.
pub const FIRST: u32 = 17;
/// Kernel memory that can be read: the bytes at an address are its own.
pub const MEMORY_AT: std::ops::Range<u64> = 0x1_0000..0x2_0000;
/// The process's memory, of which the same is true.
pub const USER_AT: std::ops::Range<u64> = 0x40_0000..0x50_0000;

/// A32 over the fake kernel.
pub struct A32;

impl Isa for A32 {
    type Regs = Regs;
    type Emulation = Emulation;
    type Text = [u8; 4];
    const TRAP: &'static [u8] = &arm::TRAP.to_le_bytes();
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[(b"own_way", "traps run it")];

    fn plan(text: &[u8; 4]) -> Plan<Emulation, Infallible> {
        arm::plan(u32::from_le_bytes(*text))
    }

    fn length(_: Emulation) -> usize {
        4
    }

    /// For want of a no-op among those that are emulated.
    fn is_placeholder(emulation: Emulation) -> bool {
        matches!(arm::plan(PLACEHOLDER), Plan::Emulate(one) if one == emulation)
    }

    fn pc(regs: &Regs) -> usize {
        regs.r[15] as usize
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        regs.r[15] = pc as u32;
    }

    fn argument(regs: &Regs, number: u64, load: &mut Load<'_>) -> u64 {
        if number < 4 {
            return regs.r[number as usize].into();
        }
        let mut word = [0; 4];
        let at = u64::from(regs.r[13]) + 4 * (number - 4);
        load(at, &mut word).map_or(0, |()| u32::from_le_bytes(word).into())
    }

    fn caller(regs: &Regs, _: &mut Load<'_>) -> u64 {
        regs.r[14].into()
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        emulation.run(regs, memory)
    }
}

/// Sees the address of a word that is patched.
pub type SeePatch = Box<dyn Fn(usize)>;

thread_local! {
    /// The CPU that this thread is.
    pub static CPU: Cell<usize> = const { Cell::new(0) };
    /// Run once when the clock is next read: from within firing, that is.
    pub static ON_CLOCK: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Run before and after each word is patched, with its address.
    pub static ON_PATCH: RefCell<Option<SeePatch>> = const { RefCell::new(None) };
    /// Whether text cannot be written just now.
    pub static STUCK: Cell<bool> = const { Cell::new(false) };
    /// How many more values can be published before there is no memory for one.
    pub static MEMORY: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The thread that runs.
    pub static TASK: Cell<Task> = const { Cell::new(BASH) };
}

/// A thread.
pub const BASH: Task = Task {
    identity: 0xb0,
    address: 0xc0ff_ee00,
    pid: 10,
    tid: 11,
    ppid: 12,
    uid: 13,
    gid: 14,
    reserved: 0,
    name: *b"bash\0\0\0\0\0\0\0\0\0\0\0\0",
};

/// The kernel.
pub struct Fake {
    text: Mutex<BTreeMap<usize, u32>>,
    /// Held to read by what acts as a trap, and to write by who waits for traps.
    firings: RwLock<()>,
    /// The timers that run: the time between two ticks, and whether every CPU has its own.
    pub timers: Mutex<BTreeMap<u32, (u64, bool)>>,
}

impl Fake {
    pub fn new() -> Self {
        let text = [
            (ALPHA, PUSH),
            (BETA, 0xe24d_d010),  // sub sp, sp, #16
            (GAMMA, 0xe52d_e004), // push {lr}
            (TOXIC, PUSH),
            (UNPORTED, MOV),
            (FORBIDDEN, PUSH),
            (OWN_WAY, PUSH),
            (TRACED, NOP),
            (TRACED + 4, PUSH),
            (COLD, PUSH),
            (REWRITTEN, PLACEHOLDER),
            (KEPT, PLACEHOLDER),
        ];
        Self {
            text: Mutex::new(text.into()),
            firings: RwLock::new(()),
            timers: Mutex::default(),
        }
    }
}

/// The kernel's state outlives the tracer that owns it as a platform.
impl Platform for &'static Fake {
    type Lock<T: Send> = FakeLock<T>;
    type Rcu<T: Send + Sync> = FakeRcu<T>;
    type TryLock<T: Send> = FakeTryLock<T>;
    type Regs = Regs;

    fn undisturbed<R>(&self, work: impl FnOnce() -> R) -> R {
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

    fn now(&self) -> u64 {
        if let Some(interrupt) = ON_CLOCK.take() {
            interrupt();
        }
        42
    }

    fn wall_time(&self) -> u64 {
        1_700_000_000_000_000_000
    }

    fn random(&self) -> u64 {
        4
    }

    fn task(&self) -> Task {
        TASK.get()
    }

    fn run_time(&self) -> u64 {
        77
    }

    fn errno(&self) -> u32 {
        2
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

    fn stack(&self, regs: Option<&Regs>, frames: &mut [u64]) -> usize {
        let stack = match regs {
            Some(regs) => vec![regs.r[15].into(), regs.r[14].into(), 0xc000, 0xd000],
            None => vec![0xe000, 0xf000],
        };
        frames.iter_mut().zip(stack).map(|(frame, pc)| *frame = pc).count()
    }

    fn timer_start(&self, number: u32, interval: u64, every_cpu: bool) -> Result<(), OutOfMemory> {
        if STUCK.get() {
            return Err(OutOfMemory);
        }
        let before = self.timers.lock().unwrap().insert(number, (interval, every_cpu));
        assert_eq!(before, None, "it runs already");
        Ok(())
    }

    fn timer_stop(&self, number: u32) {
        let before = self.timers.lock().unwrap().remove(&number);
        assert!(before.is_some(), "it does not run");
    }

    fn peek(&self, address: usize, bytes: &mut [u8]) -> Result<(), Unreadable> {
        let word = *self.text.lock().unwrap().get(&address).ok_or(Unreadable)?;
        let word = word.to_le_bytes();
        bytes.copy_from_slice(word.get(..bytes.len()).ok_or(Unreadable)?);
        Ok(())
    }

    fn patch(&self, address: usize, bytes: &[u8]) -> Result<(), Unpatched> {
        if STUCK.get() {
            return Err(Unpatched);
        }
        let seen = |address| ON_PATCH.with_borrow(|see| see.iter().for_each(|see| see(address)));
        seen(address);
        self.write(address, u32::from_le_bytes(bytes.try_into().unwrap()));
        seen(address);
        Ok(())
    }

    fn off_limits(&self, address: usize) -> Option<OffLimits> {
        (address == FORBIDDEN).then_some(OffLimits::Blacklisted)
    }

    fn rewritten(&self, address: usize) -> bool {
        address == REWRITTEN
    }

    fn ftrace_slot(&self, address: usize) -> usize {
        if address == TRACED { 4 } else { 0 }
    }

    fn each_function(&self, visit: &mut Visit<'_>) -> Result<(), OutOfMemory> {
        visit(b"alpha", ALPHA)?;
        visit(b"alpha_alias", ALPHA)?;
        visit(b"beta", BETA)?;
        visit(b"gamma", GAMMA)?;
        visit(b"out_of_order", BETA)?;
        visit(b"function_trace_call", TOXIC)?;
        visit(b"unported", UNPORTED)?;
        visit(b"forbidden", FORBIDDEN)?;
        visit(b"own_way", OWN_WAY)?;
        visit(b"traced", TRACED)?;
        visit(b"alpha.cold", COLD)?;
        visit(b"rewritten", REWRITTEN)?;
        visit(b"kept", KEPT)?;
        visit(b"vanished", 0xdead_0000)
    }
}

impl Fake {
    pub fn write(&self, address: usize, word: u32) {
        *self
            .text
            .lock()
            .unwrap()
            .get_mut(&address)
            .expect("text is written where there is text") = word;
    }

    pub fn read(&self, address: usize) -> u32 {
        self.text.lock().unwrap()[&address]
    }

    pub fn image(&self) -> BTreeMap<usize, u32> {
        self.text.lock().unwrap().clone()
    }
}

pub struct FakeLock<T>(Mutex<T>);

impl<T> Lock<T> for FakeLock<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap())
    }
}

/// Memory whose bytes are the low bytes of their addresses.
fn read(there: &std::ops::Range<u64>, address: u64, bytes: &mut [u8]) -> Result<(), Unreadable> {
    let end = address.checked_add(bytes.len() as u64).ok_or(Unreadable)?;
    if address < there.start || end > there.end {
        return Err(Unreadable);
    }
    (address..).zip(bytes).for_each(|(address, byte)| *byte = address as u8);
    Ok(())
}

pub struct FakeTryLock<T>(Mutex<T>);

impl<T: Send> TryLock<T> for FakeTryLock<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn try_with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.try_lock().ok().map(|mut value| work(&mut value))
    }
}

pub struct FakeRcu<T>(RwLock<Option<T>>);

impl<T> Rcu<T> for FakeRcu<T> {
    fn empty() -> Self {
        Self(RwLock::new(None))
    }

    fn read<R>(&self, work: impl FnOnce(Option<&T>) -> R) -> R {
        work(self.0.read().unwrap().as_ref())
    }

    fn replace(&self, value: Option<T>) -> Result<(), OutOfMemory> {
        if value.is_some() {
            MEMORY.set(MEMORY.get().checked_sub(1).ok_or(OutOfMemory)?);
        }
        *self.0.write().unwrap() = value;
        Ok(())
    }
}

/// Memory that takes every store.
pub struct Anywhere;

impl Memory for Anywhere {
    fn load(&mut self, _: u64, _: Width) -> Result<u64, Fault> {
        Ok(0)
    }

    fn store(&mut self, _: u64, _: Width, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Memory that takes none.
pub struct Nowhere;

impl Memory for Nowhere {
    fn load(&mut self, address: u64, _: Width) -> Result<u64, Fault> {
        Err(Fault { address })
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        Err(Fault { address })
    }
}

pub type Engine = Tracer<A32, &'static Fake>;

/// A kernel, and an engine in it.
pub fn engine() -> (&'static Fake, Engine) {
    CPU.set(0);
    MEMORY.set(usize::MAX);
    let fake: &'static Fake = Box::leak(Box::new(Fake::new()));
    (fake, Tracer::new(fake).unwrap())
}

pub fn describe(function: &str) -> Description {
    Description::new(b"fbt", b"", function.as_bytes(), b"entry").unwrap()
}

pub fn registers(pc: usize) -> Regs {
    let mut regs = Regs::default();
    regs.r[13] = 0x1_0000;
    regs.r[15] = pc as u32;
    regs
}

/// A consumer whose one clause tells that its probe has fired.
pub fn open(engine: &Engine) -> ConsumerId {
    open_with(engine, &Program::firing())
}

/// A consumer with that program.
pub fn open_with(engine: &Engine, program: &Program) -> ConsumerId {
    let id = engine.open().unwrap();
    engine.program(id, program.block()).unwrap();
    id
}

/// Enables the first clause at the functions of that name.
pub fn enable(engine: &Engine, id: ConsumerId, function: &str) -> Result<u32, Error> {
    engine.enable(id, &describe(function), 0)
}

/// Enables a clause at a probe without a function.
pub fn enable_named(engine: &Engine, id: ConsumerId, name: &str, clause: u32) {
    let description = Description::new(b"", b"", b"", name.as_bytes()).unwrap();
    assert_eq!(engine.enable(id, &description, clause), Ok(1), "{name}");
}

/// Begins to trace with buffers of that size; how many ECBs stayed unarmed.
pub fn go(engine: &Engine, id: ConsumerId, buffer_size: u32) -> Result<u32, Error> {
    let mut go = Go {
        buffer_size,
        ..Go::default()
    };
    engine.go(id, &mut go)?;
    Ok(go.unarmed)
}

/// Runs the instruction at `pc`; what came of its trap, or nothing when it was no trap.
pub fn execute(fake: &Fake, engine: &Engine, pc: usize) -> Option<Trap> {
    execute_with(fake, engine, registers(pc))
}

/// Runs an instruction with these registers.
pub fn execute_with(fake: &Fake, engine: &Engine, mut regs: Regs) -> Option<Trap> {
    let _firing = fake.firings.read().unwrap();
    (fake.read(regs.r[15] as usize) == arm::TRAP).then(|| engine.trap(&mut regs, &mut Anywhere))
}

/// A timer ticks.
pub fn tick(fake: &Fake, engine: &Engine, number: u32) {
    let _firing = fake.firings.read().unwrap();
    engine.tick(number, 0xe000, 0);
}

/// A record: its ECB, and its data as words.
pub type Recorded = (u32, Vec<u64>);

/// What is in a CPU's buffer, drained.
pub fn records(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<Recorded> {
    let (_, got) = snap(|put, chunk| engine.buf_snap(id, cpu, 1 << 24, chunk, put));
    parse(&got)
}

/// What a CPU's aggregations were given: each aggregation with its key and its words.
pub fn aggregated(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<Recorded> {
    let (_, got) = snap(|put, chunk| engine.agg_snap(id, cpu, 1 << 24, chunk, put));
    parse(&got)
}

/// The enabled probe IDs in a CPU's buffer, drained.
pub fn drain(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<u32> {
    records(engine, id, cpu).into_iter().map(|(epid, _)| epid).collect()
}

/// What was lost of a CPU's records since somebody asked for them.
pub fn take_drops(engine: &Engine, id: ConsumerId, cpu: usize) -> u64 {
    let (snapped, got) = snap(|put, chunk| engine.buf_snap(id, cpu, 0, chunk, put));
    assert_eq!(got, []);
    snapped.drops
}

fn snap(
    snap: impl FnOnce(&mut engine_tracer::Put<'_>, &mut [u8]) -> Result<Snapped, Error>,
) -> (Snapped, Vec<u8>) {
    let (mut chunk, mut got) = ([0; 512], Vec::new());
    let mut put = |part: &[u8]| {
        got.extend_from_slice(part);
        Ok(())
    };
    let snapped = snap(&mut put, &mut chunk).unwrap();
    assert_eq!(snapped.bytes, got.len());
    (snapped, got)
}

fn parse(bytes: &[u8]) -> Vec<Recorded> {
    let mut records = Records::new(bytes);
    let parsed = records
        .by_ref()
        .map(|record| {
            let (words, rest) = record.data.as_chunks();
            assert_eq!(rest, []);
            let words = words.iter().map(|word| u64::from_ne_bytes(*word));
            (record.header.epid, words.collect())
        })
        .collect();
    assert!(records.rest().is_empty());
    parsed
}
