//! Speculations, as clauses use them.

mod fake;

use engine_abi::{Go, Scope};
use engine_dvm::{Builtin, Op, Subroutine};
use fake::program::*;
use fake::*;

/// A program whose clauses hand out a speculation, record `arg0` in it, commit it and discard it.
fn speculating() -> Program {
    let mut program = Program::new();
    let current = program.scalar(Scope::Global, &[]);
    program.clause(&[], |_| vec![call(1, Subroutine::Speculation), store(1, current), ret()]);
    program.clause(&[(8, engine_abi::FieldKind::Scalar)], |fields| {
        let aside = [load(2, current), op(Op::Opens, [0, 2, 0], 0)];
        [&builtin(1, Builtin::Arg, 0)[..], &aside, &[record(1, fields[0]), ret()]].concat()
    });
    program.clause(&[], |_| vec![load(1, current), op(Op::Commit, [0, 1, 0], 0), ret()]);
    program.clause(&[], |_| vec![load(1, current), op(Op::Discard, [0, 1, 0], 0), ret()]);
    program
}

/// Where the clauses of [`speculating`] are.
const AT: [(&str, usize); 4] =
    [("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA), ("traced", TRACED + 4)];

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
    assert_eq!((status.speculations_busy, status.speculations_unavailable), (0, 0));
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
    let it = fixture(Go { speculations: 1, speculation_size: 24, ..Go::default() });
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
fn cpus_that_speculate_and_commit_at_once_lose_and_double_nothing() {
    const ROUNDS: u32 = 2_000;
    let it = fixture(Go { speculations: 8, ..Go::default() });
    let mut seen = Vec::new();
    std::thread::scope(|scope| {
        let it = &it;
        // One hands out, commits and records; the others only record into whatever is current.
        let lead = scope.spawn(move || {
            for round in 0..ROUNDS {
                it.run(BEGIN, 0, 0);
                it.run(RECORD, 0, 4 * round);
                it.run(COMMIT, 0, 0);
            }
        });
        for cpu in 1..CPUS as u32 {
            scope.spawn(move || (0..ROUNDS).for_each(|round| it.run(RECORD, cpu as usize, 4 * round + cpu)));
        }
        loop {
            let finished = lead.is_finished();
            let before = seen.len();
            (0..CPUS).for_each(|cpu| seen.extend(it.seen(cpu)));
            if finished && seen.len() == before {
                break;
            }
        }
    });
    (0..CPUS).for_each(|cpu| seen.extend(it.seen(cpu)));
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count, "nothing twice");
    let status = it.engine.status(it.id).unwrap();
    let not_speculated = status.speculations_busy + status.speculations_unavailable;
    let from_lead = seen.iter().filter(|value| **value % 4 == 0).count() as u64;
    assert!(from_lead + not_speculated >= ROUNDS.into(), "{from_lead} + {not_speculated}");
    assert_eq!(status.speculation_drops, 0);
}
