//! Dispatch of traps directly to the engine, and how long the engine must stay loaded for them.

use crate::fake;

use engine_abi::{Go, Mechanism};
use engine_isa::arm::TRAP;
use engine_tracer::Error;
use fake::*;

#[test]
fn the_engine_stays_loaded_while_the_kernel_may_call_it() {
    // A trap cannot be restored, an ftrace call not disabled, or dispatch not switched back.
    for (refusal, function) in [
        (&STUCK, "moved"),
        (&FTRACE_REFUSES, "traced"),
        (&DISPATCH_REFUSES, "moved"),
    ] {
        let (fake, engine) = engine();
        let before = fake.image();
        let id = open(&engine);
        enable(&engine, id, function).unwrap();
        let mut by_call = Go {
            mechanism: Mechanism::Auto.code(),
            ..Go::default()
        };
        engine.go(id, &mut by_call).unwrap();
        assert!(!PINNED.get(), "{function}: the consumer keeps it loaded");
        refusal.with(|refuses| refuses.set(true));
        engine.close(id);
        assert!(PINNED.get(), "{function}");
        refusal.with(|refuses| refuses.set(false));
        let next = engine.open().unwrap();
        engine.close(next);
        let is_as_before = fake.image() == before && fake.calls.lock().unwrap().is_empty();
        let state = (is_as_before, DIRECT.get(), PINNED.get());
        assert_eq!(state, (true, false, false), "{function}: it was retried");
    }
}

#[test]
fn without_direct_dispatch_no_trap_is_written() {
    let (fake, engine) = engine();
    let before = fake.image();
    DISPATCH_REFUSES.set(true);
    let id = open(&engine);
    enable(&engine, id, "moved").unwrap();
    assert_eq!(go(&engine, id, 0), Err(Error::NoDispatch));
    assert_eq!((fake.image() == before, DIRECT.get()), (true, false));
    engine.close(id);
    // What needs no trap is traced all the same.
    let id = open(&engine);
    enable(&engine, id, "traced").unwrap();
    let mut by_call = Go {
        mechanism: Mechanism::Ftrace.code(),
        ..Go::default()
    };
    assert_eq!(engine.go(id, &mut by_call), Ok(()));
    engine.close(id);
    DISPATCH_REFUSES.set(false);
    let id = open(&engine);
    enable(&engine, id, "moved").unwrap();
    assert_eq!((go(&engine, id, 0), fake.read(MOVED)), (Ok(0), TRAP));
    engine.close(id);
    assert!(!PINNED.get());
}
