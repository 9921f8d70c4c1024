//! Speculations as clauses use them.

use crate::fake;

use std::sync::mpsc::channel;
use std::time::Duration;

use engine_abi::{AggregateFunction, FieldKind, Go, Scope};
use engine_dvm::{Builtin, Op, Subroutine};
use fake::program::*;
use fake::*;

/// A program with four clauses: obtain a speculation, record `arg0` in it and count that, commit
/// it, discard it.
fn speculating() -> Program {
    let mut program = Program::new();
    let current = program.scalar(Scope::Global, &[]);
    let count = program.aggregation(AggregateFunction::Count, &[]);
    program.clause(&[], |_| {
        vec![call(1, Subroutine::Speculation), store(1, current), ret()]
    });
    program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let open_speculation = [load(2, current), op(Op::Opens, [0, 2, 0], 0)];
        [
            &builtin(1, Builtin::Arg, 0)[..],
            &open_speculation,
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

/// The functions that run the clauses of [`speculating`].
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
fn committed_records_are_drained_and_discarded_ones_are_not() {
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
fn committed_records_precede_later_records() {
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
fn drops_busy_and_unavailable_are_counted() {
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
fn records_precede_those_committed_on_other_cpus() {
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
fn concurrent_speculation_and_commit_lose_and_duplicate_nothing() {
    const ROUNDS: u32 = 2_000;
    let it = fixture(Go {
        speculations: 8,
        speculation_size: 1 << 18,
        ..Go::default()
    });
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        let it = &it;
        // One thread obtains and commits; the others record into the current speculation.
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
    assert_eq!(seen.len() as u64, arrived, "no duplicates");
    let counted = (0..CPUS).flat_map(|cpu| aggregated(&it.engine, it.id, cpu));
    assert_eq!(counted.map(|(_, words)| words[0]).sum::<u64>(), arrived);
    assert_eq!(it.engine.status(it.id).unwrap().speculation_drops, 0);
}

#[test]
fn a_record_in_flight_at_the_commit_is_drained() {
    let (fake, engine) = engine();
    let mut program = speculating();
    let current = 0;
    let slow = program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let open_speculation = [load(2, current), op(Op::Opens, [0, 2, 0], 0)];
        [
            &open_speculation[..],
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
                // A drain that wrongly does not wait for this firing would finish meanwhile.
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
