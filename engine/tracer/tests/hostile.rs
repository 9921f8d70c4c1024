//! Malformed and out-of-order requests: each is answered with an error and leaves nothing armed.

use crate::fake;

use engine_abi::{AggregateFunction, Go, SPECULATIONS_MAX, Scope};
use engine_dvm::Op;
use engine_tracer::{ConsumerId, Error};
use fake::program::*;
use fake::*;
use proptest::prelude::*;

#[test]
fn a_program_is_required_first_once_and_complete() {
    let (_, engine) = engine();
    let id = engine.open().unwrap();
    assert_eq!(enable(&engine, id, "alpha"), Err(Error::WrongState));
    assert_eq!(go(&engine, id, 0), Err(Error::WrongState));
    assert_eq!(engine.program(id, vec![1, 2, 3]), Err(Error::Invalid));
    let block = Program::firing().block();
    assert_eq!(
        engine.program(id, block[..block.len() - 1].to_vec()),
        Err(Error::Invalid)
    );
    engine.program(id, block.clone()).unwrap();
    assert_eq!(engine.program(id, block.clone()), Err(Error::WrongState));
    assert_eq!(
        engine.enable(id, &describe("alpha"), 1),
        Err(Error::Invalid),
        "no such clause"
    );
    let invalid = ConsumerId::from_number(usize::MAX);
    assert_eq!(engine.program(invalid, block), Err(Error::NoSuchConsumer));
    assert_eq!(go(&engine, invalid, 0), Err(Error::NoSuchConsumer));
    assert_eq!(engine.stop(invalid), Err(Error::NoSuchConsumer));
    assert_eq!(engine.status(invalid), Err(Error::NoSuchConsumer));
    engine.close(invalid);
}

#[test]
fn requests_before_go_are_refused() {
    let (_, engine) = engine();
    let id = open(&engine);
    let none = |snapped: Result<_, Error>| assert_eq!(snapped, Err(Error::WrongState));
    none(engine.buf_snap(id, 0, 0, &mut [0; 8], &mut |_| Ok(())));
    none(engine.agg_snap(id, 0, 0, &mut [0; 8], &mut |_| Ok(())));
    assert_eq!(engine.stop(id), Ok(0));
    go(&engine, id, 0).unwrap();
    let beyond = engine.agg_snap(id, CPUS, 0, &mut [0; 8], &mut |_| Ok(()));
    assert_eq!(beyond, Err(Error::NotFound));
    for epid in [0, 1, u32::MAX] {
        assert_eq!(engine.eprobe(id, epid), Err(Error::NotFound));
    }
}

#[test]
fn impossible_options_are_refused_and_nothing_is_armed() {
    let (fake, engine) = engine();
    let mut program = Program::firing();
    program.aggregation(AggregateFunction::Count, &[]);
    let asked = [
        (
            Go {
                policy: 3,
                ..Go::default()
            },
            Error::Invalid,
        ),
        (
            Go {
                speculations: SPECULATIONS_MAX + 1,
                ..Go::default()
            },
            Error::Invalid,
        ),
        (
            Go {
                speculations: SPECULATIONS_MAX,
                speculation_size: 1 << 24,
                ..Go::default()
            },
            Error::OutOfMemory,
        ),
    ];
    for (mut asked, error) in asked {
        let id = open_with(&engine, &program);
        enable(&engine, id, "*").unwrap();
        assert_eq!(engine.go(id, &mut asked), Err(error));
        assert_eq!(fake.image(), Fake::new().image());
        assert_eq!(
            engine.go(id, &mut asked),
            Err(Error::WrongState),
            "it can only be closed after a failed GO"
        );
        engine.close(id);
    }
}

#[test]
fn oversized_variables_are_refused() {
    let (_, engine) = engine();
    let mut program = Program::firing();
    for _ in 0..300 {
        program.variable(Scope::Global, engine_abi::ValueKind::Bytes, 64 << 10, &[]);
    }
    let id = open_with(&engine, &program);
    assert_eq!(go(&engine, id, 0), Err(Error::OutOfMemory));
}

#[test]
fn invalid_speculations_are_ignored() {
    let (fake, engine) = engine();
    let mut program = Program::new();
    for number in [0, 1, 2, u32::MAX] {
        program.clause(&[], |_| {
            vec![set(1, number), op(Op::Opens, [0, 1, 0], 0), ret()]
        });
        program.clause(&[], |_| {
            vec![set(1, number), op(Op::Commit, [0, 1, 0], 0), ret()]
        });
        program.clause(&[], |_| {
            vec![set(1, number), op(Op::Discard, [0, 1, 0], 0), ret()]
        });
    }
    let id = open_with(&engine, &program);
    (0..12).for_each(|clause| _ = engine.enable(id, &describe("alpha"), clause).unwrap());
    go(&engine, id, 0).unwrap();
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), []);
    assert_eq!(engine.status(id).unwrap().speculation_drops, 0);
}

proptest! {
    #[test]
    fn any_sizes_are_honored_or_refused(
        buffer_size in 0u32..1 << 16,
        aggregation_size in 0u32..1 << 16,
        dynamic_size in 0u32..1 << 16,
        speculations in 0u32..40,
        speculation_size in 0u32..1 << 12,
        policy in 0u32..4,
    ) {
        let (fake, engine) = engine();
        let mut program = Program::new();
        let mine = program.scalar(Scope::Thread, &[]);
        let count = program.aggregation(AggregateFunction::Quantize, &[]);
        let open_speculation = op(Op::Opens, [0, 2, 0], 0);
        program.clause(&[], |_| {
            let give = op(Op::Agg, [0, 1, 1], count);
            vec![open_record(), set(1, 1), store(1, mine), give, ret()]
        });
        let number = program.scalar(Scope::Global, &[]);
        program.clause(&[], |_| {
            vec![call(2, engine_dvm::Subroutine::Speculation), store(2, number), open_speculation, ret()]
        });
        program.clause(&[], |_| vec![load(2, number), op(Op::Commit, [0, 2, 0], 0), ret()]);
        let id = open_with(&engine, &program);
        (0..3).for_each(|clause| _ = engine.enable(id, &describe("alpha"), clause).unwrap());
        let mut asked = Go {
            buffer_size, aggregation_size, dynamic_size, speculations, speculation_size, policy,
            ..Go::default()
        };
        let went = engine.go(id, &mut asked);
        prop_assert_eq!(went.is_ok(), policy < 3);
        if went.is_ok() {
            (0..3).for_each(|_| _ = execute(fake, &engine, ALPHA));
            engine.stop(id).unwrap();
            let recorded = drain(&engine, id, 0).len() as u64;
            let status = engine.status(id).unwrap();
            let lost = status.speculation_drops + status.speculations_unavailable;
            prop_assert_eq!(recorded + lost, 6);
            let counted: u64 = aggregated(&engine, id, 0).iter().flat_map(|(_, words)| words).sum();
            let fits = aggregation_size == 0 || aggregation_size >= 16 + 127 * 8;
            prop_assert_eq!(counted, if fits { 3 } else { 0 });
        }
        engine.close(id);
        prop_assert_eq!(fake.image(), Fake::new().image());
    }
}
