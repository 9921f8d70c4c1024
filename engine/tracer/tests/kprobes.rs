//! The kernel's own kprobes at instructions that are to be probed: one place has one owner.

use crate::fake;

use engine_isa::arm::TRAP;
use engine_tracer::StatsRow;
use fake::*;

/// What a kprobe writes in place of an instruction.
const KPROBE: u32 = UDF;

fn unarmed(engine: &Engine) -> u64 {
    let mut rows = (0..).map_while(|index| engine.stats_row(index));
    let row = rows.find(|row: &StatsRow| row.name == "unarmed");
    row.unwrap().value
}

fn register(fake: &Fake, address: usize) {
    let displaced = fake.read(address);
    fake.kprobes.lock().unwrap().insert(address, displaced);
}

fn unregister(fake: &Fake, address: usize) {
    let displaced = fake.kprobes.lock().unwrap().remove(&address).unwrap();
    fake.write(address, displaced);
}

/// Something is armed or disarmed.
fn stir(engine: &Engine) {
    let id = open(engine);
    enable(engine, id, "beta").unwrap();
    go(engine, id, 0).unwrap();
    engine.close(id);
}

#[test]
fn where_a_kprobe_is_registered_there_is_no_trap_until_it_is_gone() {
    let (fake, engine) = engine();
    register(fake, ALPHA);
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(1));
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (PUSH, 1));

    // It is enabled, disabled, and removed.
    fake.write(ALPHA, KPROBE);
    stir(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (KPROBE, 1));
    unregister(fake, ALPHA);
    stir(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (TRAP, 0));
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);
    assert_eq!(fake.read(ALPHA), PUSH);
}

#[test]
fn the_function_tracers_call_tells_of_an_entry_that_a_kprobe_has() {
    let (fake, engine) = engine();
    register(fake, TRACED + 4);
    let id = open(&engine);
    enable(&engine, id, "traced").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(0));
    assert_eq!(fake.read(TRACED + 4), PUSH);
    assert!(fake.calls.lock().unwrap().contains(&TRACED));
    engine.called(TRACED, &registers(TRACED));
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);
    assert!(fake.calls.lock().unwrap().is_empty());
}

/// Its return is told of by the same instruction, at which the call does not tell.
#[test]
fn a_kprobe_at_an_entry_that_leaves_the_function_leaves_both_unarmed() {
    let (fake, engine) = engine();
    register(fake, EMPTY);
    let id = open(&engine);
    enable(&engine, id, "empty").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(1));
    assert!(fake.calls.lock().unwrap().is_empty());
    engine.close(id);
}

#[test]
fn a_trap_that_was_overwritten_is_not_armed_any_more_and_comes_back() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(0));
    fake.write(ALPHA, KPROBE);
    stir(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (KPROBE, 1));
    fake.write(ALPHA, PUSH);
    stir(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (TRAP, 0));
    engine.close(id);
    assert_eq!(fake.read(ALPHA), PUSH);
}
