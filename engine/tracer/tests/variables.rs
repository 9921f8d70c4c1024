//! Variables of each scope, as clauses on several CPUs and in several threads see them.

use crate::fake;

use engine_abi::{FieldKind, Go, Scope, ValueKind};
use engine_dvm::{Builtin, Op};
use fake::program::*;
use fake::*;

/// Adds register 2 to register 1.
fn add() -> engine_abi::Instruction {
    op(Op::Add, [1, 1, 2], 0)
}

/// Has the thread with this nonce enter a function with this first argument.
fn enter(fake: &Fake, engine: &Engine, thread: u64, at: usize, argument: u32) {
    TASK.set(engine_tracer::Task {
        nonce: thread,
        ..BASH
    });
    let mut regs = registers(at);
    regs.r[0] = argument;
    execute_with(fake, engine, regs);
}

#[test]
fn a_global_is_shared() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let count = program.scalar(Scope::Global, &[]);
    program.clause(&[], |_| {
        vec![load(1, count), set(2, 1), add(), store(1, count), ret()]
    });
    program.numbers(1, |d| vec![load(d, count)]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    for cpu in 0..3 {
        CPU.set(cpu);
        enter(fake, &engine, cpu as u64, ALPHA, 0);
    }
    enter(fake, &engine, 0, BETA, 0);
    assert_eq!(records(&engine, id, 2), [(2, vec![3])]);
}

#[test]
fn execve_of_a_thread_retains_its_variables() {
    const FIRST: engine_tracer::Task = engine_tracer::Task { tid: 10, ..BASH };
    const SECOND: engine_tracer::Task = engine_tracer::Task {
        nonce: 0xb1,
        address: 0xc0ff_1100,
        ..BASH
    };
    let (fake, engine) = engine();
    let mut program = Program::new();
    let mine = program.scalar(Scope::Thread, &[]);
    program.clause(&[], |_| {
        let [index, argument] = builtin(1, Builtin::Arg, 0);
        vec![index, argument, store(1, mine), ret()]
    });
    program.numbers(1, |d| vec![load(d, mine)]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    let enter = |task, at, argument| {
        TASK.set(task);
        let mut regs = registers(at);
        regs.r[0] = argument;
        execute_with(fake, &engine, regs);
    };
    enter(FIRST, ALPHA, 100);
    enter(SECOND, ALPHA, 200);
    let second = engine_tracer::Task { tid: 10, ..SECOND };
    enter(second, BETA, 0);
    // A thread with the same number or address has none of its variables; nor has an interrupt.
    enter(
        engine_tracer::Task {
            nonce: 0xb2,
            ..second
        },
        BETA,
        0,
    );
    enter(
        engine_tracer::Task {
            address: 0xc0ff_2200,
            ..second
        },
        BETA,
        0,
    );
    enter(
        engine_tracer::Task {
            in_interrupt: 1,
            ..second
        },
        BETA,
        0,
    );
    enter(second, ALPHA, 0);
    let seen = records(&engine, id, 0).into_iter();
    let seen: Vec<_> = seen.map(|(_, words)| words[0]).collect();
    assert_eq!(seen, [200, 0, 0, 0]);
    assert_eq!(stat(&engine, "dynamic"), 1, "that of the first thread");
}

#[test]
fn a_thread_local_belongs_to_its_thread_and_0_unsets_it() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let mine = program.scalar(Scope::Thread, &[]);
    program.clause(&[], |_| {
        let [index, argument] = builtin(1, Builtin::Arg, 0);
        vec![index, argument, store(1, mine), ret()]
    });
    program.numbers(1, |d| vec![load(d, mine)]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    enter(fake, &engine, 1, ALPHA, 100);
    enter(fake, &engine, 2, ALPHA, 200);
    assert_eq!(stat(&engine, "dynamic"), 2);
    (1..4).for_each(|thread| enter(fake, &engine, thread, BETA, 0));
    enter(fake, &engine, 1, ALPHA, 0);
    enter(fake, &engine, 1, BETA, 0);
    let seen: Vec<_> = records(&engine, id, 0)
        .into_iter()
        .map(|(_, words)| words[0])
        .collect();
    assert_eq!(seen, [100, 200, 0, 0]);
    assert_eq!(stat(&engine, "dynamic"), 1);
}

#[test]
fn array_elements_are_identified_by_key() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let array = program.scalar(Scope::Global, &[8, 8]);
    let key = |first| {
        let [index, argument] = builtin(2, Builtin::Arg, 0);
        vec![index, argument, set(3, first), push(3), push(2)]
    };
    program.clause(&[], |_| {
        let store = [op(Op::Sta, [0, 4, 0], array), ret()];
        [&[set(4, 55)], &key(1)[..], &store].concat()
    });
    program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let load = [
            op(Op::Lda, [1, 0, 0], array),
            open_record(),
            record(1, fields[0]),
            ret(),
        ];
        [&key(1)[..], &load].concat()
    });
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    enter(fake, &engine, 1, ALPHA, 7);
    enter(fake, &engine, 2, ALPHA, 7);
    enter(fake, &engine, 1, ALPHA, 8);
    assert_eq!(stat(&engine, "dynamic"), 2);
    (7..10).for_each(|argument| enter(fake, &engine, 3, BETA, argument));
    assert_eq!(
        records(&engine, id, 0),
        [55, 55, 0].map(|value| (2, vec![value]))
    );
}

#[test]
fn strings_are_stored_and_can_be_unset() {
    let (fake, engine) = engine();
    for scope in [Scope::Global, Scope::Thread, Scope::Clause] {
        let mut program = Program::new();
        let text = program.variable(scope, ValueKind::Text, STRING, &[]);
        let fields = [(STRING, FieldKind::Text), (8, FieldKind::Scalar)];
        program.clause(&fields, |fields| {
            let [zero, name] = builtin(1, Builtin::Execname, 0);
            let take_back = [store(0, text), load(3, text), record(3, fields[1]), ret()];
            let keep = [
                zero,
                name,
                store(1, text),
                load(2, text),
                open_record(),
                record(2, fields[0]),
            ];
            [&keep[..], &take_back].concat()
        });
        let id = open_with(&engine, &program);
        enable(&engine, id, "alpha").unwrap();
        go(&engine, id, 0).unwrap();
        enter(fake, &engine, 1, ALPHA, 0);
        let [(_, words)] = &records(&engine, id, 0)[..] else {
            panic!("one record");
        };
        let (text, unset) = words.split_at(STRING as usize / 8);
        let mut bash = [0; STRING as usize];
        bash[..4].copy_from_slice(b"bash");
        let expected: Vec<_> = bash
            .as_chunks()
            .0
            .iter()
            .map(|word| u64::from_ne_bytes(*word))
            .collect();
        assert_eq!((text, unset), (&expected[..], &[0][..]), "{scope:?}");
        engine.close(id);
    }
}

/// Of 16 bytes, the word at 4 is written at `alpha`, and those at 4 and 8 are read there and at
/// `beta`: a clause-local array is zero again in the next firing.
#[test]
fn parts_of_arrays_are_stored_and_the_rest_is_zero() {
    let (fake, engine) = engine();
    for (scope, later) in [(Scope::Global, 7), (Scope::Thread, 7), (Scope::Clause, 0)] {
        let mut program = Program::new();
        let array = program.variable(scope, ValueKind::Bytes, 16, &[]);
        let at = |d, offset| {
            let lea = op(Op::Lea, [d, 0, 0], array);
            vec![lea, set(9, offset), op(Op::Add, [d, d, 9], 0)]
        };
        let reading = |d: u8| {
            let load = op(Op::Ldsw, [d, d, 0], 0);
            [at(d, 4 * u32::from(d)), vec![load]].concat()
        };
        program.clause(&[], |_| {
            let store = op(Op::Stw, [0, 1, 2], 0);
            [at(1, 4), vec![set(2, 7), store, ret()]].concat()
        });
        program.numbers(2, reading);
        let id = open_with(&engine, &program);
        engine.enable(id, &describe("alpha"), 0).unwrap();
        engine.enable(id, &describe("alpha"), 1).unwrap();
        engine.enable(id, &describe("beta"), 1).unwrap();
        go(&engine, id, 0).unwrap();
        enter(fake, &engine, 1, ALPHA, 0);
        enter(fake, &engine, 1, BETA, 0);
        assert_eq!(
            records(&engine, id, 0),
            [(2, vec![7, 0]), (3, vec![later, 0])],
            "{scope:?}"
        );
        engine.close(id);
    }
}

#[test]
fn an_assignment_without_room_counts_as_drop() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let mine = program.scalar(Scope::Thread, &[]);
    program.clause(&[], |_| vec![set(1, 1), store(1, mine), ret()]);
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    engine
        .go(
            id,
            &mut Go {
                dynamic_size: 100,
                ..Go::default()
            },
        )
        .unwrap();
    (0..5).for_each(|thread| enter(fake, &engine, thread, ALPHA, 0));
    assert_eq!(engine.status(id).unwrap().dynamic_drops, 2);
    assert_eq!(
        (stat(&engine, "dynamic"), stat(&engine, "dynamic_drops")),
        (3, 2)
    );
}

#[test]
fn concurrent_thread_locals_lose_nothing() {
    const ROUNDS: u32 = 5_000;
    let (fake, engine) = engine();
    let mut program = Program::new();
    let mine = program.scalar(Scope::Thread, &[]);
    program.clause(&[], |_| {
        vec![load(1, mine), set(2, 1), add(), store(1, mine), ret()]
    });
    program.numbers(1, |d| vec![load(d, mine)]);
    let id = open_with(&engine, &program);
    engine.enable(id, &describe("alpha"), 0).unwrap();
    engine.enable(id, &describe("beta"), 1).unwrap();
    go(&engine, id, 0).unwrap();
    std::thread::scope(|scope| {
        for cpu in 0..CPUS {
            let engine = &engine;
            scope.spawn(move || {
                CPU.set(cpu);
                (0..ROUNDS).for_each(|_| enter(fake, engine, cpu as u64, ALPHA, 0));
                enter(fake, engine, cpu as u64, BETA, 0);
            });
        }
    });
    for cpu in 0..CPUS {
        assert_eq!(
            records(&engine, id, cpu),
            [(2, vec![ROUNDS.into()])],
            "{cpu}"
        );
    }
}

/// Zeroing a variable that comes to be again and again is work of the run: 8 MiB are allowed.
#[test]
fn what_is_zeroed_for_a_variable_is_work() {
    const SIZE: u32 = 1 << 16;
    for scope in [Scope::Clause, Scope::Thread] {
        let (fake, engine) = engine();
        let mut program = Program::new();
        let bytes = program.variable(scope, ValueKind::Bytes, SIZE, &[]);
        for rounds in [128, 129] {
            let round = [
                op(Op::Lea, [1, 0, 0], bytes),
                op(Op::Stx, [0, 1, 0], 0),
                store(0, bytes),
            ];
            let rounds = std::iter::repeat_n(round, rounds).flatten();
            program.clause(&[], |_| rounds.chain([ret()]).collect());
        }
        let id = open_with(&engine, &program);
        engine.enable(id, &describe("alpha"), 0).unwrap();
        engine.enable(id, &describe("beta"), 1).unwrap();
        go(&engine, id, 0).unwrap();
        enter(fake, &engine, 1, ALPHA, 0);
        assert_eq!(engine.status(id).unwrap().errors, 0, "{scope:?}");
        enter(fake, &engine, 1, BETA, 0);
        assert_eq!(engine.status(id).unwrap().errors, 1, "{scope:?}");
    }
}
