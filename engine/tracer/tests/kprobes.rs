//! Kprobes of the kernel at sites of the engine: an instruction has one owner at a time.

use crate::fake;

use engine_isa::arm::TRAP;
use fake::*;

/// What a kprobe patches into text.
const KPROBE: u32 = UDF;

fn unarmed(engine: &Engine) -> u64 {
    stat(engine, "unarmed")
}

fn register(fake: &Fake, address: usize) {
    let displaced = fake.read(address);
    fake.kprobes.lock().unwrap().insert(address, displaced);
}

fn unregister(fake: &Fake, address: usize) {
    let displaced = fake.kprobes.lock().unwrap().remove(&address).unwrap();
    fake.write(address, displaced);
}

/// Arms and disarms another probe, which makes the engine reconsider all sites.
fn rearm(engine: &Engine) {
    let id = open(engine);
    enable(engine, id, "beta").unwrap();
    go(engine, id, 0).unwrap();
    engine.close(id);
}

#[test]
fn no_trap_is_armed_while_a_kprobe_is_registered() {
    let (fake, engine) = engine();
    register(fake, ALPHA);
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(1));
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (PUSH, 1));

    // It is enabled, disabled, and unregistered.
    fake.write(ALPHA, KPROBE);
    rearm(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (KPROBE, 1));
    unregister(fake, ALPHA);
    rearm(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (TRAP, 0));
    execute(fake, &engine, ALPHA);
    assert_eq!(drain(&engine, id, 0), [1]);
    engine.close(id);
    assert_eq!(fake.read(ALPHA), PUSH);
}

#[test]
fn an_entry_with_a_kprobe_uses_an_ftrace_call() {
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

/// The same instruction is the return's site, where an ftrace call does not fire.
#[test]
fn a_kprobe_at_an_entry_that_is_a_return_leaves_both_unarmed() {
    let (fake, engine) = engine();
    register(fake, EMPTY);
    let id = open(&engine);
    enable(&engine, id, "empty").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(1));
    assert!(fake.calls.lock().unwrap().is_empty());
    engine.close(id);
}

#[test]
fn an_overwritten_trap_is_unarmed_and_rearmed_later() {
    let (fake, engine) = engine();
    let id = open(&engine);
    enable(&engine, id, "alpha").unwrap();
    assert_eq!(go(&engine, id, 0), Ok(0));
    fake.write(ALPHA, KPROBE);
    rearm(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (KPROBE, 1));
    fake.write(ALPHA, PUSH);
    rearm(&engine);
    assert_eq!((fake.read(ALPHA), unarmed(&engine)), (TRAP, 0));
    engine.close(id);
    assert_eq!(fake.read(ALPHA), PUSH);
}
