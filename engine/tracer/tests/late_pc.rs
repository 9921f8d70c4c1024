//! The engine on an instruction set whose saved pc is behind the trap: where the registers point
//! after every way out of it.

use crate::fake;

use std::ops::Range;

use engine_abi::Go;
use engine_isa::arm::{Emulation, Regs, Relocation};
use engine_isa::body::{Exit, Text, Unwalked};
use engine_isa::{Control, Fault, Memory};
use engine_tracer::{Isa, Load, Planned, Tracer, Trap};
use fake::*;

/// What the processor has gone past when it saves the pc.
const PAST: usize = 4;

/// A32, but for the saved pc.
struct LateA32;

impl Isa for LateA32 {
    type Regs = Regs;
    type Emulation = Emulation;
    type Relocation = Relocation;
    type Text = [u8; 4];
    type Slot = [u8; Relocation::SIZE];
    const TRAP: &'static [u8] = A32::TRAP;
    const TOXIC: &'static [(&'static [u8], &'static str)] = &[];

    fn plan(text: &[u8; 4]) -> Planned<Self> {
        A32::plan(text)
    }

    fn length(plan: &Planned<Self>) -> usize {
        A32::length(plan)
    }

    fn slot(relocation: Relocation, at: usize, from: usize, next: usize) -> Option<Self::Slot> {
        A32::slot(relocation, at, from, next)
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        A32::is_placeholder(text)
    }

    fn control(text: &[u8; 4], address: usize) -> Control {
        A32::control(text, address)
    }

    fn begins_function(text: &[u8; 4]) -> bool {
        A32::begins_function(text)
    }

    fn exits(
        text: &Text<'_>,
        function: Range<usize>,
        memory: &mut [u64],
        see: &mut dyn FnMut(usize, Exit),
    ) -> Result<(), Unwalked> {
        A32::exits(text, function, memory, see)
    }

    fn comes_back(text: &Text<'_>, function: Range<usize>, to: usize) -> bool {
        A32::comes_back(text, function, to)
    }

    fn room(bytes: usize) -> usize {
        A32::room(bytes)
    }

    fn pc(regs: &Regs) -> usize {
        A32::pc(regs) - PAST
    }

    fn set_pc(regs: &mut Regs, pc: usize) {
        A32::set_pc(regs, pc);
    }

    fn argument(regs: &Regs, number: u64, load: &mut Load<'_>) -> u64 {
        A32::argument(regs, number, load)
    }

    fn caller(regs: &Regs, load: &mut Load<'_>) -> u64 {
        A32::caller(regs, load)
    }

    fn returned(regs: &Regs) -> u64 {
        A32::returned(regs)
    }

    fn goes(emulation: Emulation, regs: &Regs) -> bool {
        A32::goes(emulation, regs)
    }

    fn emulate(
        emulation: Emulation,
        regs: &mut Regs,
        memory: &mut impl Memory,
    ) -> Result<(), Fault> {
        A32::emulate(emulation, regs, memory)
    }
}

/// What becomes of a trap at `pc`, and where the registers point then.
fn trap(
    engine: &Tracer<LateA32, &'static Fake>,
    pc: usize,
    memory: &mut impl Memory,
) -> (Trap, usize) {
    let mut regs = registers(pc + PAST);
    let trap = engine.trap(&mut regs, memory);
    (trap, A32::pc(&regs))
}

#[test]
fn every_way_out_of_a_trap_leads_to_the_right_place() {
    let fake: &'static Fake = Box::leak(Box::new(Fake::new()));
    let engine = Tracer::<LateA32, _>::new(fake).unwrap();
    let id = engine.open().unwrap();
    engine
        .program(id, program::Program::firing().block())
        .unwrap();
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.go(id, &mut Go::default()).unwrap();
    let resumed = (Trap::Resumed, ALPHA + 4);
    assert_eq!(trap(&engine, ALPHA, &mut Anywhere), resumed);
    let failed = (Trap::Failed, ALPHA);
    assert_eq!(trap(&engine, ALPHA, &mut Nowhere), failed);

    fake.write(BETA, engine_isa::arm::TRAP);
    let stray = (Trap::Stray, BETA + PAST);
    assert_eq!(trap(&engine, BETA, &mut Anywhere), stray);

    engine.stop(id).unwrap();
    let retry = (Trap::Retry, ALPHA);
    assert_eq!(trap(&engine, ALPHA, &mut Anywhere), retry);
}
