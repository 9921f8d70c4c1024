//! An instruction set that saves a pc past the trap: where the registers point after each outcome
//! of a trap.

use crate::fake;

use engine_abi::Go;
use engine_isa::arm::{Arm, Regs};
use engine_isa::{Arch, Memory, Variant};
use engine_tracer::{Tracer, Trap};
use fake::*;

/// How far past the trap the saved pc is, in bytes.
const PAST: usize = 4;

/// A32 with a late pc.
struct LateA32;

impl Variant for LateA32 {
    type Base = A32;

    fn pc(regs: &Regs) -> usize {
        Arm::pc(regs) - PAST
    }
}

/// Handles a trap at `pc`. Returns its outcome and the pc afterwards.
fn trap(
    engine: &Tracer<LateA32, &'static Fake>,
    pc: usize,
    memory: &mut impl Memory,
) -> (Trap, usize) {
    let mut regs = registers(pc + PAST);
    let trap = engine.trap(&mut regs, memory);
    (trap, Arm::pc(&regs))
}

#[test]
fn each_trap_outcome_sets_the_right_pc() {
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
