//! Hits that are recorded by a plan instead of fired.

use engine_abi::FieldKind;
use engine_dvm::Op;
use engine_tracer::{Plan, VALUES};

use super::*;

/// The plan of the instruction at this offset.
fn plan(engine: &Engine, offset: usize) -> Option<Plan> {
    IN_PROCESS.set(PID);
    let plan = engine.plan(MAIN + offset);
    IN_PROCESS.set(0);
    plan
}

/// What the platform has at a hit with these registers.
fn values(r0: u32, r1: u32) -> [u64; VALUES] {
    let task = TASK.get();
    let (time, thread) = (NOW.get(), task.tid.into());
    let [first, second] = [r0, r1].map(u64::from);
    [time, thread, first, second, 0, 0, 0, 0, first]
}

/// Records numbers and built-in variables, of all sizes.
fn recorded() -> Program {
    let read = [
        (Builtin::Timestamp, 0),
        (Builtin::Arg, 0),
        (Builtin::Arg, 1),
        (Builtin::Tid, 0),
        (Builtin::Pid, 0),
        (Builtin::Ppid, 0),
        (Builtin::Id, 0),
        (Builtin::Epid, 0),
    ];
    let mut program = Program::new();
    let sizes = [8, 8, 2, 4, 4, 8, 1, 4, 8];
    let fields: Vec<_> = sizes.map(|size| (size, FieldKind::Scalar)).into();
    program.clause(&fields, |fields| {
        let made = (1..).zip(read);
        let made = made.flat_map(|(d, (of, index))| builtin(d, of, index));
        let rows = (1..).zip(fields);
        let recorded = rows.map(|(a, field)| record(a, *field));
        made.chain([set(9, 0x8765_4321), open_record()])
            .chain(recorded)
            .chain([ret()])
            .collect()
    });
    program
}

fn trace_with(engine: &Engine, program: &Program, name: &str, times: usize) -> ConsumerId {
    let id = open_with(engine, program);
    create(engine, id, name);
    let description = Description::new(b"pid77", b"a.out", b"main", name.as_bytes()).unwrap();
    for _ in 0..times {
        engine.enable(id, &description, 0).unwrap();
    }
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

#[test]
fn a_plan_records_what_a_firing_does() {
    for (name, offset, times) in [("entry", 0, 1), ("return", 16, 2), ("c", 12, 2)] {
        let (fake, engine) = with_process();
        let id = trace_with(&engine, &recorded(), name, times);
        let mut regs = at(MAIN + offset, 0xffff_fff5, 0x1_2345);
        assert!(fake.run(&engine, PID, &mut regs).is_some());
        let fired = records(&engine, id, 0);
        let plan = plan(&engine, offset).unwrap();
        assert!(plan.has_thread);
        engine.record(0, &plan.words, &values(0xffff_fff5, 0x1_2345));
        assert_eq!(records(&engine, id, 0), fired, "{name}");
        assert_eq!(fired.len(), times);
        assert_eq!(engine.stop(id), Ok(0));
        engine.record(0, &plan.words, &values(1, 2));
        assert_eq!(records(&engine, id, 0), [], "tracing has ended");
        engine.close(id);
        engine.record(0, &plan.words, &values(1, 2));
    }
}

#[test]
fn sites_of_which_more_is_to_be_known_have_no_plan() {
    let more = |code: fn() -> Vec<_>| {
        let mut program = Program::new();
        program.clause(&[], |_| [code(), vec![open_record(), ret()]].concat());
        program
    };
    let (_, engine) = with_process();
    trace_with(&engine, &Program::firing(), "entry", 1);
    let words = plan(&engine, 0).unwrap().words;
    assert_eq!(words.len(), 2, "only that it ran");
    assert_eq!(plan(&engine, 4), None, "no site");
    // Another probe of the site.
    trace_with(&engine, &Program::firing(), "0", 1);
    assert_eq!(plan(&engine, 0), None);
    let programs = [
        more(|| fault().to_vec()),
        more(|| vec![op(Op::Bz, [0, 0, 0], 1)]),
        // The arguments that the platform does not have.
        {
            let mut program = Program::new();
            program.numbers(1, |d| builtin(d, Builtin::Arg, 6).to_vec());
            program
        },
        // More than a plan has room for.
        {
            let mut program = Program::new();
            program.numbers(12, |d| builtin(d, Builtin::Timestamp, 0).to_vec());
            program
        },
    ];
    for (number, program) in (0..).zip(programs) {
        let (_, engine) = with_process();
        trace_with(&engine, &program, "entry", 2);
        assert_eq!(plan(&engine, 0), None, "{number}");
    }
    let (_, engine) = with_process();
    trace(&engine, "entry");
    trace_with(&engine, &more(|| fault().to_vec()), "entry", 1);
    assert_eq!(plan(&engine, 0), None, "of two consumers, one does more");
}
