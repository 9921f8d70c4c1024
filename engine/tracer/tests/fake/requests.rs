//! Helpers: create an engine, make a consumer's requests, fire probes, and drain what was recorded.

use engine_abi::{Description, Go, Records};
use engine_isa::arm::{self, Regs};
use engine_isa::{Fault, Memory, Width};
use engine_tracer::{
    ConsumerId, Error, Event, EventArguments, Numbers, Put, Snapped, Tracer, Trap,
};

use super::program::Program;
use super::{A32, CPU, Fake, MEMORY};

pub type Engine = Tracer<A32, &'static Fake>;

/// A fake kernel and an engine for it.
pub fn engine() -> (&'static Fake, Engine) {
    engine_in(Fake::new())
}

/// An engine for this kernel.
pub fn engine_in(fake: Fake) -> (&'static Fake, Engine) {
    CPU.set(0);
    MEMORY.set(usize::MAX);
    let fake: &'static Fake = Box::leak(Box::new(fake));
    (fake, Tracer::new(fake).unwrap())
}

/// The value of this row of `/proc/dtrace/stats`.
pub fn stat(engine: &Engine, name: &str) -> u64 {
    let mut rows = (0..).map_while(|index| engine.stats_row(index));
    rows.find(|row| row.name == name).unwrap().value
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

/// Opens a consumer with [`Program::firing`].
pub fn open(engine: &Engine) -> ConsumerId {
    open_with(engine, &Program::firing())
}

/// Opens a consumer with this program.
pub fn open_with(engine: &Engine, program: &Program) -> ConsumerId {
    let id = engine.open().unwrap();
    engine.program(id, program.block()).unwrap();
    id
}

/// Enables clause 0 at the entries of matching functions.
pub fn enable(engine: &Engine, id: ConsumerId, function: &str) -> Result<u32, Error> {
    engine.enable(id, &describe(function), 0)
}

/// Enables a clause at a probe known by its name alone; exactly one must match.
pub fn enable_named(engine: &Engine, id: ConsumerId, name: &str, clause: u32) {
    let description = Description::new(b"", b"", b"", name.as_bytes()).unwrap();
    assert_eq!(engine.enable(id, &description, clause), Ok(1), "{name}");
}

/// Starts tracing with buffers of `buffer_size` bytes. Returns how many ECBs are unarmed.
pub fn go(engine: &Engine, id: ConsumerId, buffer_size: u32) -> Result<u32, Error> {
    let mut go = Go {
        buffer_size,
        ..Go::default()
    };
    engine.go(id, &mut go)?;
    Ok(go.unarmed)
}

/// Executes the instruction at `pc`. Returns the trap's outcome, or None if there is no trap.
pub fn execute(fake: &Fake, engine: &Engine, pc: usize) -> Option<Trap> {
    execute_with(fake, engine, registers(pc))
}

/// Executes the instruction at the registers' pc.
pub fn execute_with(fake: &Fake, engine: &Engine, mut regs: Regs) -> Option<Trap> {
    let _firing = fake.firings.read().unwrap();
    (fake.read(regs.r[15] as usize) == arm::TRAP).then(|| engine.trap(&mut regs, &mut Anywhere))
}

/// A timer fires.
pub fn tick(fake: &Fake, engine: &Engine, number: u32) {
    let _firing = fake.firings.read().unwrap();
    engine.tick(number, 0xe000, 0);
}

/// A thread enters a system call, if the engine has subscribed to it.
pub fn enter(fake: &Fake, engine: &Engine, abi: u32, number: i64) {
    if fake.events.lock().unwrap()[Event::SyscallEntered as usize].has(abi, number as u32) {
        let mut regs = Regs::default();
        (0..8).for_each(|argument| regs.r[argument] = 10 + argument as u32);
        engine.syscall_entered(abi, number, &regs);
    }
}

/// A thread returns from a system call, if the engine has subscribed to it.
pub fn leave(fake: &Fake, engine: &Engine, (abi, number): (u32, i64), value: i64) {
    if fake.events.lock().unwrap()[Event::SyscallReturned as usize].has(abi, number as u32) {
        engine.syscall_returned(abi, number, value);
    }
}

/// A record: its EPID, and its data as words.
pub type Recorded = (u32, Vec<u64>);

/// Drains a CPU's principal buffer.
pub fn records(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<Recorded> {
    let (_, got) = snap(|put, chunk| engine.buf_snap(id, cpu, 1 << 24, chunk, put));
    parse(&got)
}

/// Drains a CPU's aggregations: each one's number, and its key and data as words.
pub fn aggregated(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<Recorded> {
    let (_, got) = snap(|put, chunk| engine.agg_snap(id, cpu, 1 << 24, chunk, put));
    parse(&got)
}

/// Drains a CPU's principal buffer; the EPIDs only.
pub fn drain(engine: &Engine, id: ConsumerId, cpu: usize) -> Vec<u32> {
    records(engine, id, cpu)
        .into_iter()
        .map(|(epid, _)| epid)
        .collect()
}

/// Records of a CPU dropped since the last snapshot; there must be no records.
pub fn take_drops(engine: &Engine, id: ConsumerId, cpu: usize) -> u64 {
    let (snapped, got) = snap(|put, chunk| engine.buf_snap(id, cpu, 0, chunk, put));
    assert_eq!(got, []);
    snapped.drops
}

fn snap(
    snap: impl FnOnce(&mut Put<'_>, &mut [u8]) -> Result<Snapped, Error>,
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

/// Memory that accepts every access.
pub struct Anywhere;

impl Memory for Anywhere {
    fn load(&mut self, _: u64, _: Width) -> Result<u64, Fault> {
        Ok(0)
    }

    fn store(&mut self, _: u64, _: Width, _: u64) -> Result<(), Fault> {
        Ok(())
    }
}

/// Memory where every access faults.
pub struct Nowhere;

impl Memory for Nowhere {
    fn load(&mut self, address: u64, _: Width) -> Result<u64, Fault> {
        Err(Fault { address })
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        Err(Fault { address })
    }
}

/// A thread reports an event of its process, which the engine must fire once for the process;
/// `is_alone` says whether it is the last thread.
pub fn happen_once(
    fake: &Fake,
    engine: &Engine,
    event: Event,
    (process, is_alone): (usize, bool),
    arguments: EventArguments,
) {
    let is_subscribed = fake.events.lock().unwrap()[event as usize] != Numbers::NONE;
    if is_subscribed && engine.is_first(event, process, is_alone) {
        engine.happened(event, arguments);
    }
}

/// An event happens to a process, if the engine has subscribed to it.
pub fn happen(fake: &Fake, engine: &Engine, event: Event, arguments: EventArguments) {
    if fake.events.lock().unwrap()[event as usize] != Numbers::NONE {
        engine.happened(event, arguments);
    }
}
