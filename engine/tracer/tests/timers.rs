//! The profile provider: timers are created on demand, run while enabled, and fire.

use crate::fake;

use engine_abi::Description;
use engine_dvm::Builtin;
use fake::program::*;
use fake::*;

fn named(name: &str) -> Description {
    Description::new(b"profile", b"", b"", name.as_bytes()).unwrap()
}

/// The numbers of the running timers.
fn running(fake: &Fake) -> Vec<u32> {
    fake.timers.lock().unwrap().keys().copied().collect()
}

#[test]
fn a_timer_runs_while_enabled() {
    let (fake, engine) = engine();
    let (one, other) = (open(&engine), open(&engine));
    for id in [one, other] {
        enable_named(&engine, id, "tick-100ms", 0);
    }
    enable_named(&engine, one, "profile-97", 0);
    assert_eq!(running(fake), []);
    go(&engine, one, 0).unwrap();
    go(&engine, other, 0).unwrap();
    let expected = [(0, (10_309_278, true)), (13, (100_000_000, false))];
    assert_eq!(*fake.timers.lock().unwrap(), expected.into());
    engine.close(one);
    assert_eq!(running(fake), [13]);
    engine.stop(other).unwrap();
    assert_eq!(running(fake), []);
}

#[test]
fn a_tick_fires_on_its_cpu_with_the_interrupted_pc() {
    let (fake, engine) = engine();
    let mut program = Program::arguments();
    program.numbers(1, |d| builtin(d, Builtin::Id, 0).into());
    let id = open_with(&engine, &program);
    enable_named(&engine, id, "profile-97", 0);
    enable_named(&engine, id, "profile-97", 1);
    go(&engine, id, 0).unwrap();
    CPU.set(3);
    tick(fake, &engine, 0);
    let arguments = vec![0xe000, 0, 0, 0, 0, 0];
    assert_eq!(
        records(&engine, id, 3),
        [(1, arguments), (2, vec![FIRST_TIMER.into()])]
    );
    engine.stop(id).unwrap();
    tick(fake, &engine, 0);
    tick(fake, &engine, 99);
    assert_eq!(records(&engine, id, 3), []);
}

#[test]
fn a_timer_is_created_by_name_and_keeps_its_id() {
    let (_, engine) = engine();
    let find = |name| {
        engine
            .probe_match(&named(name), 0)
            .map(|(id, names)| (id, names.to_string()))
    };
    let (id, name) = find("tick-7s").unwrap();
    assert_eq!((id, name.as_str()), (FIRST_TIMER + 13, "profile:::tick-7s"));
    let another = find("profile-7s").unwrap().0;
    assert_eq!((find("tick-7s").unwrap().0, another), (id, id + 1));
    assert_eq!(find("tick-1").unwrap().0, FIRST_TIMER + 7);
    for name in ["tick-7x", "tick-", "tick-1ns", "tick-77*"] {
        assert!(find(name).is_err(), "{name}");
    }
    let elsewhere = Description::new(b"fbt", b"", b"", b"tick-8s").unwrap();
    assert!(engine.probe_match(&elsewhere, 0).is_err());
    assert!(find("tick-8*").is_err(), "a pattern creates no timer");
}

#[test]
fn a_timer_that_cannot_start_is_unarmed() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable_named(&engine, id, "tick-1s", 0);
    STUCK.set(true);
    assert_eq!(go(&engine, id, 0), Ok(1));
    STUCK.set(false);
    engine.close(id);
    assert_eq!(running(fake), []);
}
