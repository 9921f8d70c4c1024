//! Destructive programs: whether they may be loaded, and what their clauses do.

use crate::fake;

use engine_abi::Instruction;
use engine_dvm::{Builtin, Subroutine};
use engine_tracer::{Chill, ConsumerId, Error};
use fake::actions::{ALLOWED, DONE};
use fake::program::*;
use fake::*;

/// A program with a clause for each function, which calls a subroutine without its result.
fn calls(clauses: &[(Subroutine, &[u32])]) -> Program {
    let mut program = Program::new();
    program.destructive();
    for (subroutine, arguments) in clauses {
        program.clause(&[], |_| {
            let set_up = (1..).zip(*arguments);
            let set_up = set_up.flat_map(|(d, argument)| [set(d, *argument), push(d)]);
            set_up.chain([call(0, *subroutine), ret()]).collect()
        });
    }
    program
}

/// Enables the program's `count` clauses on `alpha`.
fn traced(engine: &Engine, program: &Program, count: u32) -> ConsumerId {
    let id = open_with(engine, program);
    for clause in 0..count {
        engine.enable(id, &describe("alpha"), clause).unwrap();
    }
    go(engine, id, 0).unwrap();
    id
}

#[test]
fn clauses_change_the_process_and_the_machine() {
    let (fake, engine) = engine();
    let program = calls(&[
        (Subroutine::Raise, &[10]),
        (Subroutine::Stop, &[]),
        (Subroutine::Panic, &[]),
        (Subroutine::Breakpoint, &[]),
    ]);
    let id = traced(&engine, &program, 4);
    execute(fake, &engine, ALPHA);
    let probe = engine.probe_match(&describe("alpha"), 0).unwrap().0;
    let panic = format!("panic at probe {probe}");
    assert_eq!(DONE.take(), ["raise 10", "stop", &panic]);
    assert_eq!(engine.status(id).unwrap().errors, 1, "there is no debugger");
}

#[test]
fn an_undeclared_program_is_invalid_and_a_declared_one_may_be_refused() {
    let (_, engine) = engine();
    let mut undeclared = Program::new();
    undeclared.clause(&[], |_| vec![call(0, Subroutine::Panic), ret()]);
    let id = engine.open().unwrap();
    assert_eq!(engine.program(id, undeclared.block()), Err(Error::Invalid));
    let declared = calls(&[(Subroutine::Panic, &[])]);
    ALLOWED.set(false);
    let refused = engine.program(id, declared.block());
    assert_eq!(refused, Err(Error::Destructive));
    assert_eq!(engine.program(id, Program::firing().block()), Ok(()));
}

#[test]
fn what_is_disallowed_meanwhile_is_refused() {
    let (fake, engine) = engine();
    let program = calls(&[
        (Subroutine::Raise, &[10]),
        (Subroutine::Stop, &[]),
        (Subroutine::Chill, &[1000]),
        (Subroutine::Panic, &[]),
    ]);
    let id = traced(&engine, &program, 4);
    ALLOWED.set(false);
    let now = NOW.get();
    execute(fake, &engine, ALPHA);
    assert_eq!((DONE.take(), NOW.get()), (Vec::new(), now));
    assert_eq!(engine.status(id).unwrap().errors, 4);
}

#[test]
fn a_clause_that_spins_sees_the_time_go_by() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    program.destructive();
    let spin = [set(5, 1000), push(5), call(0, Subroutine::Chill)];
    program.numbers(3, |d| {
        let time = builtin(d, Builtin::Timestamp, 0);
        let before = if d == 3 { &spin[..] } else { &[] };
        [before, &time].concat()
    });
    let id = traced(&engine, &program, 1);
    let now = NOW.get();
    execute(fake, &engine, ALPHA);
    let times = vec![now, now, now + 1000];
    assert_eq!(records(&engine, id, 0), [(1, times)]);
}

/// Spins for this long, and records that it has.
fn spins(nanoseconds: u32) -> impl Fn(&[u32]) -> Vec<Instruction> {
    move |_| {
        let spin = [set(1, nanoseconds), push(1), call(0, Subroutine::Chill)];
        spin.into_iter().chain([open_record(), ret()]).collect()
    }
}

#[test]
fn all_consumers_together_spin_for_half_of_each_second_on_a_cpu() {
    let (fake, engine) = engine();
    NOW.set(5_000_000_000);
    let ids = [0, 1].map(|_| {
        let mut program = Program::new();
        program.destructive();
        program.clause(&[], spins(Chill::MOST as u32 / 2));
        traced(&engine, &program, 1)
    });
    let hit = |cpu: usize| {
        CPU.set(cpu);
        execute(fake, &engine, ALPHA);
        ids.map(|id| drain(&engine, id, cpu).len())
    };
    assert_eq!(hit(0), [1, 1]);
    assert_eq!(hit(0), [0, 0], "half of the second is over");
    assert_eq!(hit(1), [1, 1], "another CPU");
    NOW.set(7_000_000_001);
    assert_eq!(hit(0), [1, 1], "another second");
    assert_eq!(engine.status(ids[0]).unwrap().errors, 1);
}
