//! Slots: their contents, and the rule that none is written or freed while a thread is in it.

use crate::fake;

use engine_isa::arm::Regs;
use engine_tracer::{ConsumerId, Trap};
use fake::*;

/// `ldr pc, [pc, #-4]`
const JUMP: u32 = 0xe51f_f004;

fn trace(engine: &Engine, functions: &[&str]) -> ConsumerId {
    let id = open(engine);
    for function in functions {
        enable(engine, id, function).unwrap();
    }
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// A thread traps at a function. Returns the slot that it resumes in.
fn slot_of(fake: &Fake, engine: &Engine, function: usize) -> usize {
    let _firing = fake.firings.read().unwrap();
    let mut regs = registers(function);
    assert_eq!(engine.trap(&mut regs, &mut Nowhere), Trap::Resumed);
    let slot = regs.r[15] as usize;
    let expected = Regs {
        r: registers(slot).r,
        ..registers(function)
    };
    assert_eq!(regs, expected, "nothing but the pc has changed");
    slot
}

fn words_at(fake: &Fake, slot: usize) -> [u32; 3] {
    [0, 4, 8].map(|offset| fake.read(slot + offset))
}

#[test]
fn a_relocated_site_has_a_slot_with_its_copy_and_a_jump_back() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, &["moved", "shifted"]);
    let moved = slot_of(fake, &engine, MOVED);
    let shifted = slot_of(fake, &engine, SHIFTED);
    assert_eq!(words_at(fake, moved), [MOV_5, JUMP, MOVED as u32 + 4]);
    assert_eq!(words_at(fake, shifted), [MOV_6, JUMP, SHIFTED as u32 + 4]);
    assert_eq!(drain(&engine, id, 0), [1, 2]);
    assert_eq!(
        (stat(&engine, "slots"), stat(&engine, "slot_bytes")),
        (2, 24)
    );
    engine.close(id);
    assert_eq!(
        (stat(&engine, "slots"), stat(&engine, "slot_bytes")),
        (0, 0)
    );
    assert_eq!(fake.image(), before);
}

#[test]
fn emulated_sites_have_no_slot() {
    let (_, engine) = engine();
    trace(&engine, &["alpha", "beta", "gamma"]);
    assert_eq!(
        (stat(&engine, "slots"), stat(&engine, "slot_bytes")),
        (0, 0)
    );
}

#[test]
fn consumers_of_one_site_share_its_slot() {
    let (fake, engine) = engine();
    let ids = [(); 2].map(|()| trace(&engine, &["moved"]));
    assert_eq!(stat(&engine, "slots"), 1);
    let slot = slot_of(fake, &engine, MOVED);
    engine.close(ids[0]);
    assert_eq!(slot_of(fake, &engine, MOVED), slot);
    assert_eq!(stat(&engine, "slots"), 1);
}

#[test]
fn a_freed_slot_is_reused_after_a_grace_period() {
    let (fake, engine) = engine();
    let others = trace(&engine, &["shifted"]);
    let mut slots = Vec::new();
    for _ in 0..3 {
        let id = trace(&engine, &["moved"]);
        let slot = slot_of(fake, &engine, MOVED);
        assert_eq!(words_at(fake, slot), [MOV_5, JUMP, MOVED as u32 + 4]);
        // The thread stays in the slot until the engine waits for a grace period.
        fake.inside.lock().unwrap().insert(slot);
        slots.push(slot);
        engine.stop(id).unwrap();
        engine.close(id);
    }
    assert_eq!(slots, [slots[0]; 3], "the freed slot is reused");
    assert_eq!(stat(&engine, "slot_bytes"), 24);
    engine.close(others);
    assert_eq!(stat(&engine, "slot_bytes"), 0);
}

#[test]
fn a_slot_is_rewritten_when_text_changed() {
    let (fake, engine) = engine();
    trace(&engine, &["shifted"]);
    let id = trace(&engine, &["moved"]);
    slot_of(fake, &engine, MOVED);
    engine.close(id);
    fake.write(MOVED, MOV_6);
    trace(&engine, &["moved"]);
    let slot = slot_of(fake, &engine, MOVED);
    assert_eq!(words_at(fake, slot), [MOV_6, JUMP, MOVED as u32 + 4]);
}

#[test]
fn a_slot_outlives_a_live_table_that_could_not_be_replaced() {
    let (fake, engine) = engine();
    let first = trace(&engine, &["moved"]);
    let slot = slot_of(fake, &engine, MOVED);
    MEMORY.set(0);
    engine.stop(first).unwrap();
    assert_eq!(
        words_at(fake, slot)[0],
        MOV_5,
        "the old table still refers to it"
    );
    MEMORY.set(usize::MAX);
    engine.close(first);
    assert_eq!(stat(&engine, "slot_bytes"), 0);
}

#[test]
fn without_memory_for_slots_nothing_is_armed() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = open(&engine);
    enable(&engine, id, "*").unwrap();
    STUCK.set(true);
    let went = go(&engine, id, 0);
    STUCK.set(false);
    assert!(went.is_err());
    assert_eq!(fake.image(), before);
    engine.close(id);
    trace(&engine, &["*"]);
    assert_eq!(stat(&engine, "slots"), 6);
}

/// A breakpoint of somebody else, or a `BUG`.
const REFUSED: u32 = 0xe7f0_01f2;

#[test]
fn text_is_restored_without_memory_for_another_slot() {
    let (fake, engine) = engine();
    let before = fake.image();
    let first = trace(&engine, &["alpha"]);
    let other = open(&engine);
    enable(&engine, other, "moved").unwrap();
    fake.write(MOVED, REFUSED);
    assert_eq!(go(&engine, other, 0), Ok(1), "one ECB is unarmed");
    assert_eq!(stat(&engine, "slots"), 0, "an unarmed site has no slot");
    fake.write(MOVED, MOV_5);
    NO_SLOTS.set(true);
    engine.close(first);
    NO_SLOTS.set(false);
    assert_eq!(fake.image(), before);
}

#[test]
fn a_slot_is_freed_when_its_text_was_overwritten() {
    let (fake, engine) = engine();
    let before = fake.image();
    let id = trace(&engine, &["moved", "shifted"]);
    fake.write(MOVED, REFUSED);
    engine.stop(id).unwrap();
    engine.close(id);
    assert_eq!(
        (stat(&engine, "slots"), stat(&engine, "slot_bytes")),
        (0, 0)
    );
    fake.write(MOVED, MOV_5);
    assert_eq!(fake.image(), before);
}

#[test]
fn a_slot_is_freed_when_text_changes_before_arming() {
    let (fake, engine) = engine();
    let before = fake.image();
    let others = trace(&engine, &["shifted"]);
    let id = open(&engine);
    enable(&engine, id, "moved").unwrap();
    STUCK.set(true);
    assert_eq!(go(&engine, id, 0), Ok(1), "patching fails");
    STUCK.set(false);
    assert_eq!(stat(&engine, "slots"), 2, "but the slot is written");
    fake.write(MOVED, MOV_6);
    let last = trace(&engine, &["alpha"]);
    let slot = slot_of(fake, &engine, MOVED);
    assert_eq!(words_at(fake, slot), [MOV_6, JUMP, MOVED as u32 + 4]);
    assert_eq!(
        (stat(&engine, "slots"), stat(&engine, "slot_bytes")),
        (2, 24)
    );
    for id in [id, last, others] {
        engine.close(id);
    }
    assert_eq!(stat(&engine, "slot_bytes"), 0);
    fake.write(MOVED, MOV_5);
    assert_eq!(fake.image(), before);
}
