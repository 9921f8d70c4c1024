//! The deadman: which consumers it kills, and what it disarms.

use crate::fake;

use engine_isa::arm::TRAP;
use fake::*;

#[test]
fn a_consumer_that_stalls_a_cpu_is_killed_and_disarmed() {
    let (fake, engine) = engine();
    let before = fake.image();
    let (dead, other) = (open(&engine), open(&engine));
    enable(&engine, dead, "alpha").unwrap();
    enable(&engine, other, "beta").unwrap();
    go(&engine, dead, 0).unwrap();
    go(&engine, other, 0).unwrap();
    // One firing in 8 checks the beat.
    let fires_at = |ticks| {
        TICKS.set(ticks);
        for _ in 0..8 {
            execute(fake, &engine, ALPHA);
        }
        drain(&engine, dead, 0).len()
    };
    let in_time = [1, 21, 41, 61, 81, 101];
    assert_eq!(in_time.map(fires_at), [8; 6], "even before the first beat");
    assert!(engine.beat(0, 100), "a consumer is active");
    let in_time = [151, 171, 191, 211, 231, 251];
    assert_eq!(in_time.map(fires_at), [8; 6]);
    assert_eq!((fires_at(252), fires_at(253)), (7, 0));
    assert_eq!(engine.status(dead).unwrap().killed, 1);
    assert_eq!(engine.status(other).unwrap().killed, 0);
    assert_eq!(fake.read(ALPHA), TRAP, "a firing cannot disarm");
    assert!(engine.watch(0));
    assert_eq!(fake.read(ALPHA), before[&ALPHA]);
    assert_eq!(fake.read(BETA), TRAP);
    assert_eq!(stat(&engine, "stalled"), 1);
    assert_eq!(engine.stop(dead), Ok(0));
    engine.close(other);
    assert!(
        !engine.watch(0) && !engine.beat(0, 100),
        "no consumer is active"
    );
    assert_eq!(fake.image(), before);
}

#[test]
fn a_silent_consumer_is_killed() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    go(&engine, id, 0).unwrap();
    let watched = |rounds, limit| (0..rounds).all(|_| engine.watch(limit));
    assert!(watched(3, 3) && watched(100, 0));
    engine.status(id).unwrap();
    assert!(watched(4, 3));
    execute(fake, &engine, ALPHA);
    assert_eq!(engine.status(id).unwrap().killed, 0);
    assert!(watched(4, 3) && !watched(1, 3));
    assert_eq!(execute(fake, &engine, ALPHA), None);
    assert_eq!(engine.status(id).unwrap().killed, 1);
    assert_eq!(drain(&engine, id, 0), [1], "recorded before the kill");
}
