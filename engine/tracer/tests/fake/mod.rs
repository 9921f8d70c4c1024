//! A kernel of a few functions, made of a map: text that can be read, patched and inspected.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, RwLock};

use engine_abi::{Description, Records};
use engine_isa::arm::{self, Emulation, Regs};
use engine_isa::{Fault, Memory, Plan, Width};
use engine_tracer::{
    ConsumerId, Isa, Lock, OffLimits, OutOfMemory, Platform, Rcu, Tracer, Trap, Unpatched,
    Unreadable, Visit,
};

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
pub const CPUS: usize = 2;

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
}

/// The kernel.
pub struct Fake {
    text: Mutex<BTreeMap<usize, u32>>,
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
        }
    }
}

/// The kernel's state outlives the tracer that owns it as a platform.
impl Platform for &'static Fake {
    type Lock<T: Send> = FakeLock<T>;
    type Rcu<T: Send + Sync> = FakeRcu<T>;

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

/// Runs the instruction at `pc`; what came of its trap, or nothing when it was no trap.
pub fn execute(fake: &Fake, engine: &Engine, pc: usize) -> Option<Trap> {
    (fake.read(pc) == arm::TRAP).then(|| engine.trap(&mut registers(pc), &mut Anywhere))
}

/// The enabled probe IDs in a CPU's buffer, drained.
pub fn drain(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<u32> {
    let mut buffer = [0; 4096];
    let copied = engine.copy(id, cpu, &mut buffer).unwrap();
    engine.release(id, cpu, copied).unwrap();
    Records::new(&buffer[..copied.bytes])
        .map(|record| record.header.epid)
        .collect()
}
