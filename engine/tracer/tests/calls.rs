//! Function entries traced by the kernel's function tracer (ftrace) instead of a trap.

use crate::fake;

use engine_abi::{Go, Mechanism};
use engine_isa::arm::TRAP;
use engine_tracer::{ConsumerId, Error, Trap};
use fake::*;

/// Traces a function's entry by this mechanism. Returns the consumer and how many ECBs are unarmed.
fn try_trace(engine: &Engine, function: &str, by: Mechanism) -> Result<(ConsumerId, u32), Error> {
    let id = open(engine);
    assert_eq!(enable(engine, id, function), Ok(1));
    let mut how = Go {
        mechanism: by.code(),
        ..Go::default()
    };
    engine.go(id, &mut how)?;
    Ok((id, how.unarmed))
}

fn trace(engine: &Engine, function: &str, by: Mechanism) -> ConsumerId {
    let (id, unarmed) = try_trace(engine, function, by).unwrap();
    assert_eq!(unarmed, 0);
    id
}

/// The functions whose ftrace calls are enabled.
fn calls_enabled(fake: &Fake) -> Vec<usize> {
    fake.calls.lock().unwrap().iter().copied().collect()
}

/// Executes a function's ftrace call: fires if it is enabled.
fn pass(fake: &Fake, engine: &Engine, call: usize) {
    let _firing = fake.firings.read().unwrap();
    if calls_enabled(fake).contains(&call) {
        engine.called(call, &registers(call));
    }
}

/// Hits and mechanism of the entry of `traced`, as `/proc` shows them.
fn shown(engine: &Engine) -> (u64, &'static str) {
    let rows = (0..).map_while(|index| {
        engine.fbt_row(index, |row| {
            let row = row.filter(|row| row.address == TRACED + 4);
            row.map(|row| (row.hits, row.plan))
        })
    });
    rows.flatten().next().unwrap()
}

#[test]
fn an_ftrace_call_fires_the_entry_without_patching() {
    for by in [Mechanism::Ftrace, Mechanism::Auto] {
        let (fake, engine) = engine();
        let before = fake.image();
        let id = trace(&engine, "traced", by);
        assert_eq!(
            (fake.image() == before, calls_enabled(fake)),
            (true, vec![TRACED])
        );
        pass(fake, &engine, TRACED);
        pass(fake, &engine, TRACED);
        assert_eq!(drain(&engine, id, 0), [1, 1]);
        assert_eq!(shown(&engine), (2, "ftrace"));
        engine.close(id);
        assert_eq!(calls_enabled(fake), []);
        assert_eq!(shown(&engine), (2, "emulate"), "hits are retained");
    }
}

#[test]
fn a_function_without_an_ftrace_call_gets_a_trap() {
    let (fake, engine) = engine();
    let id = trace(&engine, "alpha", Mechanism::Ftrace);
    assert_eq!((fake.read(ALPHA), calls_enabled(fake)), (TRAP, vec![]));
    engine.close(id);
}

#[test]
fn an_entry_that_is_also_a_return_gets_a_trap() {
    let (fake, engine) = engine();
    let id = trace(&engine, "empty", Mechanism::Ftrace);
    assert_eq!((fake.read(EMPTY), calls_enabled(fake)), (TRAP, vec![]));
    engine.close(id);
}

#[test]
fn without_ftrace_auto_uses_traps_and_ftrace_is_an_error() {
    let mut fake = Fake::new();
    fake.has_calls = false;
    let (fake, engine) = engine_in(fake);
    let id = trace(&engine, "traced", Mechanism::Auto);
    assert_eq!(fake.read(TRACED + 4), TRAP);
    let refused = try_trace(&engine, "alpha", Mechanism::Ftrace);
    assert_eq!(refused, Err(Error::Unsupported));
    engine.close(id);
}

#[test]
fn traps_replace_calls_that_ftrace_refuses() {
    let (fake, engine) = engine();
    FTRACE_REFUSES.set(true);
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    FTRACE_REFUSES.set(false);
    assert_eq!((fake.read(TRACED + 4), calls_enabled(fake)), (TRAP, vec![]));
    assert_eq!(execute(fake, &engine, TRACED + 4), Some(Trap::Resumed));
    assert_eq!(drain(&engine, id, 0), [1]);
    // The next `GO` tries again, but sites that are armed stay as they are.
    let other = trace(&engine, "traced", Mechanism::Ftrace);
    assert_eq!((fake.read(TRACED + 4), calls_enabled(fake)), (TRAP, vec![]));
    engine.close(id);
    engine.close(other);
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    assert_eq!(calls_enabled(fake), [TRACED]);
    engine.close(id);
}

#[test]
fn a_second_consumer_shares_the_armed_mechanism() {
    for by in [
        [Mechanism::Ftrace, Mechanism::Trap],
        [Mechanism::Trap, Mechanism::Ftrace],
    ] {
        let (fake, engine) = engine();
        let [one, other] = by.map(|by| trace(&engine, "traced", by));
        let is_called = by[0] == Mechanism::Ftrace;
        assert_eq!(!calls_enabled(fake).is_empty(), is_called);
        assert_eq!(fake.read(TRACED + 4) != TRAP, is_called);
        engine.close(one);
        pass(fake, &engine, TRACED);
        execute(fake, &engine, TRACED + 4);
        assert_eq!(
            drain(&engine, other, 0),
            [1],
            "it fires once, by the first one's mechanism"
        );
        engine.close(other);
    }
}

#[test]
fn a_call_that_cannot_be_disabled_fires_nothing() {
    let (fake, engine) = engine();
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    FTRACE_REFUSES.set(true);
    engine.stop(id).unwrap();
    pass(fake, &engine, TRACED);
    assert_eq!(drain(&engine, id, 0), []);
    FTRACE_REFUSES.set(false);
    let other = trace(&engine, "alpha", Mechanism::Trap);
    assert_eq!(
        calls_enabled(fake),
        [],
        "disabling is retried at the next change"
    );
    engine.close(other);
}

#[test]
fn an_entry_inside_a_loop_needs_an_ftrace_call() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, "spins", Mechanism::Trap);
    assert_eq!(
        (fake.image() == before, calls_enabled(fake)),
        (true, vec![SPINS])
    );
    pass(fake, &engine, SPINS);
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);

    // Without an ftrace call it is refused, once a description asks for it.
    let mut fake = Fake::new();
    fake.has_calls = false;
    let (fake, engine) = engine_in(fake);
    let id = open(&engine);
    assert_eq!(enable(&engine, id, "spins"), Ok(0));
    assert_eq!(enable(&engine, id, "traced"), Ok(1));
    let refused = (0..).map_while(|index| {
        engine.refused_row(index, |row| row.map(|row| (row.address, row.reason.word())))
    });
    assert!(refused.flatten().any(|row| row == (SPINS, "loop")));
    assert_eq!(calls_enabled(fake), []);

    // With a call that the kernel refuses it stays unarmed.
    let (fake, engine) = engine_in(Fake::new());
    FTRACE_REFUSES.set(true);
    let (_, unarmed) = try_trace(&engine, "spins", Mechanism::Trap).unwrap();
    FTRACE_REFUSES.set(false);
    assert_eq!((unarmed, fake.read(SPINS + 4)), (1, MOV_5));
}

#[test]
fn an_entry_without_a_plan_uses_an_ftrace_call() {
    let mut fake = Fake::new();
    fake.with_call = REWRITTEN;
    let (fake, engine) = engine_in(fake);
    let before = fake.image();
    let id = trace(&engine, "rewritten", Mechanism::Trap);
    assert_eq!(
        (fake.image() == before, calls_enabled(fake)),
        (true, vec![REWRITTEN])
    );
    pass(fake, &engine, REWRITTEN);
    assert_eq!(drain(&engine, id, 0), [1]);
    let rows = (0..).map_while(|index| {
        engine.fbt_row(index, |row| {
            let row = row.filter(|row| row.address == REWRITTEN)?;
            Some((row.plan, row.instruction.len()))
        })
    });
    assert_eq!(rows.flatten().next(), Some(("ftrace", 0)));
    engine.close(id);
    assert_eq!(calls_enabled(fake), []);

    // The kernel refuses the call: no trap is used instead.
    FTRACE_REFUSES.set(true);
    let (_, unarmed) = try_trace(&engine, "rewritten", Mechanism::Trap).unwrap();
    FTRACE_REFUSES.set(false);
    assert_eq!((unarmed, fake.image() == before), (1, true));
}

#[test]
fn a_refused_go_does_not_change_the_mechanism() {
    let (fake, engine) = engine();
    let id = trace(&engine, "traced", Mechanism::Trap);
    let mut again = Go {
        mechanism: Mechanism::Ftrace.code(),
        ..Go::default()
    };
    assert_eq!(engine.go(id, &mut again), Err(Error::WrongState));
    engine.close(id);
    // The ECBs of the first, counted by its mechanism, are gone.
    let id = trace(&engine, "traced", Mechanism::Trap);
    assert_eq!((fake.read(TRACED + 4), calls_enabled(fake)), (TRAP, vec![]));
    engine.close(id);
}
