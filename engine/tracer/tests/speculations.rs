//! Speculations, as clauses use them.

use crate::fake;

use std::sync::mpsc::channel;
use std::time::Duration;

use engine_abi::{AggregateFunction, FieldKind, Go, Scope};
use engine_dvm::{Builtin, Op, Subroutine};
use fake::program::*;
use fake::*;

/// A program whose clauses hand out a speculation, record `arg0` in it and count that, commit it, and
/// discard it.
fn speculating() -> Program {
    let mut program = Program::new();
    let current = program.scalar(Scope::Global, &[]);
    let count = program.aggregation(AggregateFunction::Count, &[]);
    program.clause(&[], |_| {
        vec![call(1, Subroutine::Speculation), store(1, current), ret()]
    });
    program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let aside = [load(2, current), op(Op::Opens, [0, 2, 0], 0)];
        [
            &builtin(1, Builtin::Arg, 0)[..],
            &aside,
            &[record(1, fields[0]), op(Op::Agg, [0; 3], count), ret()],
        ]
        .concat()
    });
    program.clause(&[], |_| {
        vec![load(1, current), op(Op::Commit, [0, 1, 0], 0), ret()]
    });
    program.clause(&[], |_| {
        vec![load(1, current), op(Op::Discard, [0, 1, 0], 0), ret()]
    });
    program
}

/// Where the clauses of [`speculating`] are.
const AT: [(&str, usize); 4] = [
    ("alpha", ALPHA),
    ("beta", BETA),
    ("gamma", GAMMA),
    ("traced", TRACED + 4),
];

struct Fixture {
    fake: &'static Fake,
    engine: Engine,
    id: engine_tracer::ConsumerId,
}

fn fixture(go: Go) -> Fixture {
    let (fake, engine) = engine();
    let id = open_with(&engine, &speculating());
    for (clause, (function, _)) in (0..).zip(AT) {
        engine.enable(id, &describe(function), clause).unwrap();
    }
    engine.go(id, &mut { go }).unwrap();
    Fixture { fake, engine, id }
}

impl Fixture {
    fn run(&self, clause: usize, cpu: usize, argument: u32) {
        CPU.set(cpu);
        let mut regs = registers(AT[clause].1);
        regs.r[0] = argument;
        execute_with(self.fake, &self.engine, regs);
    }

    fn seen(&self, cpu: usize) -> Vec<u64> {
        let records = records(&self.engine, self.id, cpu);
        records.into_iter().map(|(_, words)| words[0]).collect()
    }
}

const BEGIN: usize = 0;
const RECORD: usize = 1;
const COMMIT: usize = 2;
const DISCARD: usize = 3;

#[test]
fn what_is_committed_arrives_and_what_is_discarded_does_not() {
    let it = fixture(Go::default());
    it.run(RECORD, 0, 1);
    it.run(BEGIN, 0, 0);
    it.run(RECORD, 0, 2);
    it.run(RECORD, 1, 3);
    assert_eq!((it.seen(0), it.seen(1)), (vec![], vec![]));
    it.run(COMMIT, 1, 0);
    assert_eq!((it.seen(0), it.seen(1)), (vec![2], vec![3]));
    it.run(BEGIN, 0, 0);
    it.run(RECORD, 0, 4);
    it.run(DISCARD, 0, 0);
    it.run(COMMIT, 0, 0);
    assert_eq!(it.seen(0), []);
    let status = it.engine.status(it.id).unwrap();
    assert_eq!(
        (status.speculations_busy, status.speculations_unavailable),
        (0, 0)
    );
}

#[test]
fn what_was_speculated_comes_before_what_is_recorded_later() {
    let it = fixture(Go::default());
    it.run(BEGIN, 0, 0);
    it.run(RECORD, 0, 1);
    it.run(COMMIT, 0, 0);
    it.run(BEGIN, 0, 0);
    it.run(RECORD, 0, 2);
    it.run(COMMIT, 0, 0);
    assert_eq!(it.seen(0), [1, 2]);
}

#[test]
fn what_there_is_no_more_of_is_told() {
    let it = fixture(Go {
        speculations: 1,
        speculation_size: 24,
        ..Go::default()
    });
    it.run(BEGIN, 0, 0);
    it.run(RECORD, 0, 1);
    it.run(RECORD, 0, 2);
    assert_eq!(it.engine.status(it.id).unwrap().speculation_drops, 1);
    it.run(COMMIT, 1, 0);
    it.run(BEGIN, 0, 0);
    assert_eq!(it.engine.status(it.id).unwrap().speculations_busy, 1);
    assert_eq!(it.seen(0), [1]);
    it.run(BEGIN, 0, 0);
    it.run(BEGIN, 0, 0);
    assert_eq!(it.engine.status(it.id).unwrap().speculations_unavailable, 1);
}

#[test]
fn with_little_room_what_was_recorded_comes_before_what_was_committed_elsewhere() {
    let it = fixture(Go {
        speculations: 2,
        ..Go::default()
    });
    for argument in 1..4 {
        it.run(BEGIN, 0, 0);
        it.run(RECORD, 0, argument);
        it.run(COMMIT, usize::from(argument == 2), 0);
    }
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let mut got = Vec::new();
        let mut put = |part: &[u8]| {
            got.extend_from_slice(part);
            Ok(())
        };
        let snapped = it.engine.buf_snap(it.id, 0, 24, &mut [0; 8], &mut put);
        assert_eq!(snapped.unwrap().bytes, 24);
        seen.push(got[16]);
    }
    assert_eq!(seen, [1, 3, 2]);
}

#[test]
fn cpus_that_speculate_and_commit_at_once_lose_and_double_nothing() {
    const ROUNDS: u32 = 2_000;
    let it = fixture(Go {
        speculations: 8,
        speculation_size: 1 << 18,
        ..Go::default()
    });
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        let it = &it;
        // One hands out and commits; the others record into whatever is current.
        let mut running = vec![scope.spawn(move || {
            for round in 0..ROUNDS {
                it.run(BEGIN, 0, 0);
                it.run(RECORD, 0, 4 * round);
                it.run(COMMIT, 0, 0);
            }
        })];
        running.extend((1..CPUS as u32).map(|cpu| {
            scope.spawn(move || {
                (0..ROUNDS).for_each(|round| it.run(RECORD, cpu as usize, 4 * round + cpu));
            })
        }));
        while running.iter().any(|thread| !thread.is_finished()) {
            (0..CPUS).for_each(|cpu| seen.extend(it.seen(cpu)));
        }
    });
    (0..CPUS).for_each(|cpu| seen.extend(it.seen(cpu)));
    let arrived = seen.len() as u64;
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len() as u64, arrived, "nothing twice");
    let counted = (0..CPUS).flat_map(|cpu| aggregated(&it.engine, it.id, cpu));
    assert_eq!(counted.map(|(_, words)| words[0]).sum::<u64>(), arrived);
    assert_eq!(it.engine.status(it.id).unwrap().speculation_drops, 0);
}

#[test]
fn a_record_that_is_being_written_when_its_speculation_is_committed_arrives() {
    let (fake, engine) = engine();
    let mut program = speculating();
    let current = 0;
    let slow = program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let aside = [load(2, current), op(Op::Opens, [0, 2, 0], 0)];
        [
            &aside[..],
            &[call(1, Subroutine::Rand), record(1, fields[0]), ret()],
        ]
        .concat()
    });
    let id = open_with(&engine, &program);
    for (clause, (function, _)) in [(BEGIN as u32, AT[0]), (slow, AT[1]), (COMMIT as u32, AT[2])] {
        engine.enable(id, &describe(function), clause).unwrap();
    }
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, AT[0].1);
    let (opened, is_open) = channel();
    let (committed, is_committed) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            CPU.set(1);
            ON_RANDOM.set(Some(Box::new(move || {
                opened.send(()).unwrap();
                is_committed.recv().unwrap();
                // Who drains without waiting for this firing has done so by then.
                std::thread::sleep(Duration::from_millis(50));
            })));
            execute(fake, &engine, AT[1].1);
        });
        is_open.recv().unwrap();
        execute(fake, &engine, AT[2].1);
        committed.send(()).unwrap();
        assert_eq!(records(&engine, id, 1), [(2, vec![4])]);
    });
}
