//! Aggregations, and snapshots of them during firings.

use crate::fake;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_abi::{AggregateFunction, Go};
use engine_dvm::{Builtin, Op};
use engine_tracer::Error;
use fake::program::*;
use fake::*;

/// Adds a clause that aggregates `arg1` under the key `arg0`.
fn by_first_argument(program: &mut Program, function: AggregateFunction) -> u32 {
    let aggregation = program.aggregation(function, &[8]);
    program.clause(&[], |_| {
        let (key, value) = (builtin(1, Builtin::Arg, 0), builtin(2, Builtin::Arg, 1));
        let aggregate = [
            set(3, 1),
            push(1),
            op(Op::Agg, [0, 2, 3], aggregation),
            ret(),
        ];
        [&key[..], &value, &aggregate].concat()
    })
}

fn enter(fake: &Fake, engine: &Engine, arguments: [u32; 2]) {
    let mut regs = registers(ALPHA);
    regs.r[..2].copy_from_slice(&arguments);
    execute_with(fake, engine, regs);
}

#[test]
fn each_function_aggregates_and_a_snapshot_resets_it() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let functions = [
        AggregateFunction::Count,
        AggregateFunction::Sum,
        AggregateFunction::Min,
        AggregateFunction::Max,
        AggregateFunction::Avg,
    ];
    for function in functions {
        by_first_argument(&mut program, function);
    }
    let id = open_with(&engine, &program);
    for clause in 0..functions.len() as u32 {
        engine.enable(id, &describe("alpha"), clause).unwrap();
    }
    go(&engine, id, 0).unwrap();
    for value in [5, 3, 4] {
        enter(fake, &engine, [1, value]);
    }
    let kept = [vec![3], vec![12], vec![3], vec![5], vec![3, 12]];
    let expected: Vec<_> = (0..)
        .zip(kept)
        .map(|(row, words)| (row, [vec![1], words].concat()))
        .collect();
    assert_eq!(aggregated(&engine, id, 0), expected);
    assert_eq!(aggregated(&engine, id, 0), []);
    enter(fake, &engine, [2, 9]);
    assert_eq!(aggregated(&engine, id, 0)[2], (2, vec![2, 9]));
    assert_eq!(aggregated(&engine, id, 1), [], "each CPU has its own");
}

#[test]
fn values_aggregated_before_a_fault_are_retained() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    let aggregation = program.aggregation(AggregateFunction::Count, &[]);
    program.clause(&[], |_| {
        let aggregate = op(Op::Agg, [0, 0, 0], aggregation);
        [&[open_record(), aggregate][..], &fault(), &[ret()]].concat()
    });
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(aggregated(&engine, id, 0), [(0, vec![1])]);
    assert_eq!(records(&engine, id, 0), []);
}

#[test]
fn a_full_bank_counts_drops_and_small_reads_take_nothing() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    by_first_argument(&mut program, AggregateFunction::Count);
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    engine
        .go(
            id,
            &mut Go {
                aggregation_size: 64,
                ..Go::default()
            },
        )
        .unwrap();
    (0..5).for_each(|key| enter(fake, &engine, [key, 0]));
    let too_small = engine.agg_snap(id, 0, 63, &mut [0; 8], &mut |_| Ok(()));
    assert_eq!(too_small, Err(Error::NoRoom));
    let mut bytes = 0;
    let mut put = |part: &[u8]| {
        bytes += part.len();
        Ok(())
    };
    let snapped = engine.agg_snap(id, 0, 64, &mut [0; 8], &mut put).unwrap();
    assert_eq!((snapped.bytes, snapped.drops, bytes), (64, 3, 64));
    enter(fake, &engine, [9, 0]);
    assert_eq!(
        aggregated(&engine, id, 0),
        [(0, vec![9, 1])],
        "an emptied bank has room"
    );
}

#[test]
fn each_increment_is_reported_once_under_concurrency() {
    const ROUNDS: u32 = 4_000;
    let (fake, engine) = engine();
    let mut program = Program::new();
    by_first_argument(&mut program, AggregateFunction::Count);
    let id = open_with(&engine, &program);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    let finished = AtomicUsize::new(0);
    let mut counts = BTreeMap::new();
    std::thread::scope(|scope| {
        for cpu in 0..CPUS {
            let (engine, finished) = (&engine, &finished);
            scope.spawn(move || {
                CPU.set(cpu);
                (0..ROUNDS).for_each(|round| enter(fake, engine, [round % 5, 0]));
                finished.fetch_add(1, Ordering::Release);
            });
        }
        loop {
            let all = finished.load(Ordering::Acquire) == CPUS;
            let taken: Vec<_> = (0..CPUS)
                .flat_map(|cpu| aggregated(&engine, id, cpu))
                .collect();
            for (_, words) in &taken {
                *counts.entry(words[0]).or_insert(0) += words[1];
            }
            if all && taken.is_empty() {
                break;
            }
        }
    });
    let each = u64::from(ROUNDS) / 5 * CPUS as u64;
    assert_eq!(counts, (0..5).map(|key| (key, each)).collect());
}
