//! Consumers that trace while all CPUs fire: each sees records, aggregations and thread-locals that
//! agree, whenever it starts and stops.

use crate::fake;

use std::sync::atomic::{AtomicBool, Ordering};

use engine_abi::{AggregateFunction, FieldKind, Go, Scope};
use engine_dvm::Op;
use fake::program::*;
use fake::*;

/// A clause that increments a thread-local and an aggregation, and records the former.
fn counting() -> Program {
    let mut program = Program::new();
    let mine = program.scalar(Scope::Thread, &[]);
    let count = program.aggregation(AggregateFunction::Count, &[]);
    program.clause(&[(8, FieldKind::Scalar)], |fields| {
        let counted = [
            load(1, mine),
            set(2, 1),
            op(Op::Add, [1, 1, 2], 0),
            store(1, mine),
        ];
        let recorded = [
            open_record(),
            record(1, fields[0]),
            op(Op::Agg, [0; 3], count),
            ret(),
        ];
        [counted, recorded].concat()
    });
    program
}

/// Fires all probes on one CPU, in the calling thread, until `wanted` is false.
fn fire(fake: &'static Fake, engine: &Engine, cpu: usize, wanted: &AtomicBool) {
    CPU.set(cpu);
    TASK.set(engine_tracer::Task {
        nonce: cpu as u64,
        ..BASH
    });
    while wanted.load(Ordering::Relaxed) {
        for address in [ALPHA, BETA, GAMMA] {
            execute(fake, engine, address);
        }
        tick(fake, engine, 0);
    }
}

/// Traces until 100 firings were counted, draining all the time; checks records against counts.
fn trace(engine: &Engine, program: &Program) {
    let id = open_with(engine, program);
    enable(engine, id, "*a").unwrap();
    enable_named(engine, id, "profile-97", 0);
    let mut asked = Go {
        buffer_size: 1 << 20,
        aggregation_size: 4096,
        dynamic_size: 4096,
        ..Go::default()
    };
    engine.go(id, &mut asked).unwrap();
    assert_eq!(asked.unarmed, 0);
    let (mut counted, mut seen) = ([0; CPUS], vec![Vec::new(); CPUS]);
    let mut over = false;
    while !over {
        over = counted.iter().sum::<u64>() > 100;
        if over {
            engine.stop(id).unwrap();
        }
        for cpu in 0..CPUS {
            let aggregated = aggregated(engine, id, cpu).into_iter();
            counted[cpu] += aggregated.map(|(_, words)| words[0]).sum::<u64>();
            let records = records(engine, id, cpu).into_iter();
            seen[cpu].extend(records.map(|(_, words)| words[0]));
            assert_eq!(take_drops(engine, id, cpu), 0);
        }
    }
    for (seen, counted) in seen.iter().zip(counted) {
        assert_eq!(*seen, (1..=counted).collect::<Vec<_>>());
    }
    engine.close(id);
}

#[test]
fn consumers_come_and_go_while_cpus_fire() {
    let (fake, engine) = engine();
    let before = fake.image();
    let program = counting();
    let wanted = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for cpu in 0..CPUS {
            let (engine, wanted) = (&engine, &wanted);
            scope.spawn(move || fire(fake, engine, cpu, wanted));
        }
        let traced = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            (0..6).for_each(|_| trace(&engine, &program));
        }));
        wanted.store(false, Ordering::Relaxed);
        traced.unwrap();
    });
    assert_eq!(fake.image(), before);
}
