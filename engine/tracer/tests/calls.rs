//! Entries by the calls of the kernel's function tracer, over a fake kernel.

use crate::fake;

use engine_abi::{Go, Mechanism};
use engine_isa::arm::TRAP;
use engine_tracer::{ConsumerId, Error, Trap};
use fake::*;

/// Traces the entry of that function by that mechanism; how many ECBs stayed unarmed.
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

/// What the function tracer tells of.
fn told(fake: &Fake) -> Vec<usize> {
    fake.calls.lock().unwrap().iter().copied().collect()
}

/// The function tracer comes by its call at that address, and tells if it is to.
fn pass(fake: &Fake, engine: &Engine, call: usize) {
    let _firing = fake.firings.read().unwrap();
    if told(fake).contains(&call) {
        engine.called(call, &registers(call));
    }
}

/// What the two rows of `traced`'s entry say: hits, and how.
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
fn a_call_fires_the_entry_and_nothing_is_patched() {
    for by in [Mechanism::Ftrace, Mechanism::Auto] {
        let (fake, engine) = engine();
        let before = fake.image();
        let id = trace(&engine, "traced", by);
        assert_eq!((fake.image() == before, told(fake)), (true, vec![TRACED]));
        pass(fake, &engine, TRACED);
        pass(fake, &engine, TRACED);
        assert_eq!(drain(&engine, id, 0), [1, 1]);
        assert_eq!(shown(&engine), (2, "ftrace"));
        engine.close(id);
        assert_eq!(told(fake), []);
        assert_eq!(shown(&engine), (2, "emulate"), "hits are remembered");
    }
}

#[test]
fn a_function_without_a_call_is_trapped() {
    let (fake, engine) = engine();
    let id = trace(&engine, "alpha", Mechanism::Ftrace);
    assert_eq!((fake.read(ALPHA), told(fake)), (TRAP, vec![]));
    engine.close(id);
}

#[test]
fn an_entry_that_is_a_return_too_is_trapped_for_it_may_be_asked_for() {
    let (fake, engine) = engine();
    let id = trace(&engine, "empty", Mechanism::Ftrace);
    assert_eq!((fake.read(EMPTY), told(fake)), (TRAP, vec![]));
    engine.close(id);
}

#[test]
fn without_calls_auto_traps_and_ftrace_is_an_error() {
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
fn where_the_tracer_will_not_tell_traps_take_its_place() {
    let (fake, engine) = engine();
    UNTOLD.set(true);
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    UNTOLD.set(false);
    assert_eq!((fake.read(TRACED + 4), told(fake)), (TRAP, vec![]));
    assert_eq!(execute(fake, &engine, TRACED + 4), Some(Trap::Resumed));
    assert_eq!(drain(&engine, id, 0), [1]);
    // Another that begins asks again, and what is armed stays as it is.
    let other = trace(&engine, "traced", Mechanism::Ftrace);
    assert_eq!((fake.read(TRACED + 4), told(fake)), (TRAP, vec![]));
    engine.close(id);
    engine.close(other);
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    assert_eq!(told(fake), [TRACED]);
    engine.close(id);
}

#[test]
fn who_comes_second_shares_what_the_first_has_armed() {
    for by in [
        [Mechanism::Ftrace, Mechanism::Trap],
        [Mechanism::Trap, Mechanism::Ftrace],
    ] {
        let (fake, engine) = engine();
        let [one, other] = by.map(|by| trace(&engine, "traced", by));
        let is_called = by[0] == Mechanism::Ftrace;
        assert_eq!(!told(fake).is_empty(), is_called);
        assert_eq!(fake.read(TRACED + 4) != TRAP, is_called);
        engine.close(one);
        pass(fake, &engine, TRACED);
        execute(fake, &engine, TRACED + 4);
        assert_eq!(drain(&engine, other, 0), [1], "it is not left in between");
        engine.close(other);
    }
}

#[test]
fn what_cannot_be_switched_off_tells_nobody() {
    let (fake, engine) = engine();
    let id = trace(&engine, "traced", Mechanism::Ftrace);
    UNTOLD.set(true);
    engine.stop(id).unwrap();
    pass(fake, &engine, TRACED);
    assert_eq!(drain(&engine, id, 0), []);
    UNTOLD.set(false);
    let other = trace(&engine, "alpha", Mechanism::Trap);
    assert_eq!(
        told(fake),
        [],
        "it is tried again whenever something changes"
    );
    engine.close(other);
}

#[test]
fn what_a_loop_comes_back_to_is_told_of_by_a_call_or_not_at_all() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, "spins", Mechanism::Trap);
    assert_eq!((fake.image() == before, told(fake)), (true, vec![SPINS]));
    pass(fake, &engine, SPINS);
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);

    // There is no call: it is refused, as soon as somebody has asked.
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
    assert_eq!(told(fake), []);

    // There is one, which cannot be had: it stays unarmed.
    let (fake, engine) = engine_in(Fake::new());
    UNTOLD.set(true);
    let (_, unarmed) = try_trace(&engine, "spins", Mechanism::Trap).unwrap();
    UNTOLD.set(false);
    assert_eq!((unarmed, fake.read(SPINS + 4)), (1, MOV_5));
}

#[test]
fn what_no_trap_can_displace_is_told_of_by_a_call() {
    let mut fake = Fake::new();
    fake.with_call = REWRITTEN;
    let (fake, engine) = engine_in(fake);
    let before = fake.image();
    let id = trace(&engine, "rewritten", Mechanism::Trap);
    assert_eq!(
        (fake.image() == before, told(fake)),
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
    assert_eq!(told(fake), []);

    // The call cannot be had: nothing is put there instead.
    UNTOLD.set(true);
    let (_, unarmed) = try_trace(&engine, "rewritten", Mechanism::Trap).unwrap();
    UNTOLD.set(false);
    assert_eq!((unarmed, fake.image() == before), (1, true));
}
