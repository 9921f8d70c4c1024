//! Shorthands of the tests: an engine, consumers of it, what fires, and what comes out.

use engine_abi::{Description, Go, Records};
use engine_isa::arm::{self, Regs};
use engine_isa::{Fault, Memory, Width};
use engine_tracer::{ConsumerId, Error, Event, Numbers, Put, Snapped, Tracer, Trap};

use super::program::Program;
use super::{A32, CPU, Fake, MEMORY};

pub type Engine = Tracer<A32, &'static Fake>;

/// A kernel, and an engine in it.
pub fn engine() -> (&'static Fake, Engine) {
    engine_in(Fake::new())
}

/// An engine in that kernel.
pub fn engine_in(fake: Fake) -> (&'static Fake, Engine) {
    CPU.set(0);
    MEMORY.set(usize::MAX);
    let fake: &'static Fake = Box::leak(Box::new(fake));
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

/// A thread enters a system call.
pub fn enter(fake: &Fake, engine: &Engine, abi: u32, number: i64) {
    if fake.events.lock().unwrap()[Event::SyscallEntered as usize].has(abi, number as u32) {
        let mut regs = Regs::default();
        (0..8).for_each(|argument| regs.r[argument] = 10 + argument as u32);
        engine.syscall_entered(abi, number, &regs);
    }
}

/// One returns.
pub fn leave(fake: &Fake, engine: &Engine, (abi, number): (u32, i64), value: i64) {
    if fake.events.lock().unwrap()[Event::SyscallReturned as usize].has(abi, number as u32) {
        engine.syscall_returned(abi, number, value);
    }
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
    records(engine, id, cpu)
        .into_iter()
        .map(|(epid, _)| epid)
        .collect()
}

/// What was lost of a CPU's records since somebody asked for them.
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

/// A thread of a process tells of what the process lives through, and may be the last that is there.
pub fn happen_once(
    fake: &Fake,
    engine: &Engine,
    event: Event,
    (process, is_alone): (usize, bool),
    told: [u64; 4],
) {
    let is_told = fake.events.lock().unwrap()[event as usize] != Numbers::NONE;
    if is_told && engine.is_first(event, process, is_alone) {
        engine.happened(event, told);
    }
}

/// Something happens to a process.
pub fn happen(fake: &Fake, engine: &Engine, event: Event, told: [u64; 4]) {
    if fake.events.lock().unwrap()[event as usize] != Numbers::NONE {
        engine.happened(event, told);
    }
}
