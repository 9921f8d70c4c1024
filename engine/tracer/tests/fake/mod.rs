//! A kernel of a few functions, made of a map: text that can be read, patched and inspected.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Mutex, RwLock};

use engine_isa::arm::{self, Emulation, Regs, Relocation, Version};
use engine_isa::{Fault, Memory};
use engine_tracer::{
    Isa, Load, OffLimits, OutOfMemory, Planned, Platform, Task, Unpatched, Unreadable, Visit,
};

#[path = "../program/mod.rs"]
pub mod program;
mod requests;
mod sync;

pub use requests::*;
pub use sync::*;

/// `push {r4, lr}`
pub const PUSH: u32 = 0xe92d_4010;
/// The function tracer's slot while it is off.
pub const NOP: u32 = 0xe320_f000;
/// `udf #0`, which is refused.
pub const UDF: u32 = 0xe7f0_00f0;
/// `mov r0, #0`, for want of a no-op among those that are no refusal.
pub const PLACEHOLDER: u32 = 0xe3a0_0000;
/// `mov r0, #5` and `mov r0, #6`, which are the same wherever they stand.
pub const MOV_5: u32 = 0xe3a0_0005;
pub const MOV_6: u32 = 0xe3a0_0006;
/// An address.
pub const DATA_WORD: u32 = 0xc010_1234;

pub const ALPHA: usize = 0x8000;
pub const BETA: usize = 0x8100;
pub const GAMMA: usize = 0x8200;
pub const TOXIC: usize = 0x8280;
pub const REFUSED: usize = 0x8300;
pub const FORBIDDEN: usize = 0x8400;
pub const OWN_WAY: usize = 0x8500;
/// Begins with a slot of the function tracer.
pub const TRACED: usize = 0x8600;
pub const COLD: usize = 0x8700;
/// Two that begin with what might be rewritten; the first is.
pub const REWRITTEN: usize = 0x8800;
pub const KEPT: usize = 0x8900;
/// Two whose first instructions are relocated.
pub const MOVED: usize = 0x8a00;
pub const SHIFTED: usize = 0x8b00;
pub const DATA: usize = 0x8c00;
/// One that is relocated, and whose copy must not stand further from it than this.
pub const NEAR: usize = 0x8d00;
const REACH: usize = 0x1000;
pub const CPUS: usize = 4;

/// The ID of the first function's entry: behind the engine's own and the timers that are always there.
pub const FIRST: u32 = 17;
/// Where memory for code begins.
pub const CODE_AT: usize = 0x10_0000;
/// How many bytes of addresses there are for it.
const CODE_PLACES: usize = 0x1000;
/// Kernel memory that can be read: the bytes at an address are its own.
pub const MEMORY_AT: Range<u64> = 0x1_0000..0x2_0000;
/// The process's memory, of which the same is true.
pub const USER_AT: Range<u64> = 0x40_0000..0x50_0000;

/// A32 over the fake kernel.
pub struct A32;

impl Isa for A32 {
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];
    const TRAP: &'static [u8] = &arm::TRAP.to_le_bytes();
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[(b"own_way", "traps run it")];

    fn plan(text: &[u8; 4]) -> Planned<Self> {
        arm::plan(u32::from_le_bytes(*text))
    }

    fn length(_: &Planned<Self>) -> usize {
        4
    }

    fn slot(relocation: Relocation, at: usize, from: usize, next: usize) -> Option<Self::Slot> {
        let is_in_reach = from != NEAR || at.abs_diff(from) <= REACH;
        is_in_reach.then(|| relocation.slot(next as u32))
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        u32::from_le_bytes(*text) == PLACEHOLDER
    }

    fn begins_function(text: &[u8; 4]) -> bool {
        u32::from_le_bytes(*text) != DATA_WORD
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
        emulation.run(Version::V6, regs, memory)
    }
}

/// Sees the address of a word that is patched.
pub type SeePatch = Box<dyn Fn(usize)>;

thread_local! {
    /// The CPU that this thread is.
    pub static CPU: Cell<usize> = const { Cell::new(0) };
    /// Run once when the clock is next read: from within firing, that is.
    pub static ON_CLOCK: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Run once when a random number is next asked for: from within a clause, that is.
    pub static ON_RANDOM: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    /// Run before and after each word is patched, with its address.
    pub static ON_PATCH: RefCell<Option<SeePatch>> = const { RefCell::new(None) };
    /// Whether text cannot be written just now.
    pub static STUCK: Cell<bool> = const { Cell::new(false) };
    /// Whether there is no memory for slots just now.
    pub static NO_SLOTS: Cell<bool> = const { Cell::new(false) };
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
    pub firings: RwLock<()>,
    /// Where memory for code comes next: no address comes twice.
    code: Mutex<usize>,
    /// The slots that a thread is in.
    pub inside: Mutex<BTreeSet<usize>>,
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
        ];
        Self {
            text: Mutex::new(text.into()),
            firings: RwLock::new(()),
            code: Mutex::new(CODE_AT),
            inside: Mutex::default(),
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
        if let Some(interrupt) = ON_RANDOM.take() {
            interrupt();
        }
        4
    }

    fn task(&self, _: bool) -> Task {
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
        frames
            .iter_mut()
            .zip(stack)
            .map(|(frame, pc)| *frame = pc)
            .count()
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

    /// Room for two slots.
    const CODE: usize = 2 * Relocation::SIZE;

    fn code_range(&self) -> Range<usize> {
        CODE_AT..CODE_AT + CODE_PLACES
    }

    fn code_alloc(&self) -> Result<usize, OutOfMemory> {
        if STUCK.get() || NO_SLOTS.get() {
            return Err(OutOfMemory);
        }
        let mut next = self.code.lock().unwrap();
        let piece = *next;
        *next += Self::CODE;
        assert!(*next <= CODE_AT + CODE_PLACES);
        let words = words(piece, Self::CODE).map(|address| (address, DATA_WORD));
        self.text.lock().unwrap().extend(words);
        Ok(piece)
    }

    fn code_free(&self, address: usize) {
        self.nobody_is_in(address..address + Self::CODE);
        let mut text = self.text.lock().unwrap();
        for word in words(address, Self::CODE) {
            text.remove(&word).expect("it was given");
        }
    }

    fn code_write(&self, address: usize, bytes: &[u8]) {
        self.nobody_is_in(address..address + bytes.len());
        for (address, word) in (address..).step_by(4).zip(bytes.as_chunks().0) {
            self.write(address, u32::from_le_bytes(*word));
        }
    }

    fn synchronize_code(&self) {
        self.synchronize();
        self.inside.lock().unwrap().clear();
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
        visit(b"refused", REFUSED)?;
        visit(b"forbidden", FORBIDDEN)?;
        visit(b"own_way", OWN_WAY)?;
        visit(b"traced", TRACED)?;
        visit(b"alpha.cold", COLD)?;
        visit(b"rewritten", REWRITTEN)?;
        visit(b"kept", KEPT)?;
        visit(b"moved", MOVED)?;
        visit(b"shifted", SHIFTED)?;
        visit(b"data", DATA)?;
        visit(b"near", NEAR)?;
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

    fn nobody_is_in(&self, written: Range<usize>) {
        let inside = self.inside.lock().unwrap();
        assert_eq!(inside.range(written).next(), None, "a thread is there");
    }

    /// The functions' text.
    pub fn image(&self) -> BTreeMap<usize, u32> {
        let text = self.text.lock().unwrap();
        text.range(..CODE_AT)
            .map(|(at, word)| (*at, *word))
            .collect()
    }
}

/// The addresses of the words there.
fn words(from: usize, bytes: usize) -> impl Iterator<Item = usize> {
    (from..from + bytes).step_by(4)
}

/// Memory whose bytes are the low bytes of their addresses.
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
