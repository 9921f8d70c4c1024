//! Slots over a fake kernel: what stands in them, and that nobody is in one that is written.

use crate::fake;

use engine_isa::arm::Regs;
use engine_tracer::{ConsumerId, StatsRow, Trap};
use fake::*;

/// `ldr pc, [pc, #-4]`
const JUMP: u32 = 0xe51f_f004;

fn stat(engine: &Engine, name: &str) -> u64 {
    let mut rows = (0..).map_while(|index| engine.stats_row(index));
    rows.find(|row: &StatsRow| row.name == name).unwrap().value
}

fn trace(engine: &Engine, functions: &[&str]) -> ConsumerId {
    let id = open(engine);
    for function in functions {
        enable(engine, id, function).unwrap();
    }
    assert_eq!(go(engine, id, 0), Ok(0));
    id
}

/// A thread comes to a function; the slot that it is sent to.
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
fn each_relocated_site_has_a_slot_with_its_copy_and_the_way_back() {
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
fn what_is_emulated_has_none() {
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
fn a_slot_given_back_is_written_again_when_nobody_is_in_it() {
    let (fake, engine) = engine();
    let others = trace(&engine, &["shifted"]);
    let mut slots = Vec::new();
    for _ in 0..3 {
        let id = trace(&engine, &["moved"]);
        let slot = slot_of(fake, &engine, MOVED);
        assert_eq!(words_at(fake, slot), [MOV_5, JUMP, MOVED as u32 + 4]);
        // From here on the thread is in it until somebody waits for it.
        fake.inside.lock().unwrap().insert(slot);
        slots.push(slot);
        engine.stop(id).unwrap();
        engine.close(id);
    }
    assert_eq!(slots, [slots[0]; 3], "there is one free in the piece");
    assert_eq!(stat(&engine, "slot_bytes"), 24);
    engine.close(others);
    assert_eq!(stat(&engine, "slot_bytes"), 0);
}

#[test]
fn a_slot_gets_a_new_copy_with_new_text() {
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
        "the old table still names it"
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

/// Somebody else's breakpoint, or a BUG.
const REFUSED: u32 = 0xe7f0_01f2;

#[test]
fn text_is_restored_though_there_is_no_memory_for_the_slot_of_another() {
    let (fake, engine) = engine();
    let before = fake.image();
    let own = trace(&engine, &["alpha"]);
    let other = open(&engine);
    enable(&engine, other, "moved").unwrap();
    fake.write(MOVED, REFUSED);
    assert_eq!(go(&engine, other, 0), Ok(1), "one is not armed");
    assert_eq!(
        stat(&engine, "slots"),
        0,
        "what cannot be armed has no slot"
    );
    fake.write(MOVED, MOV_5);
    NO_SLOTS.set(true);
    engine.close(own);
    NO_SLOTS.set(false);
    assert_eq!(fake.image(), before);
}

#[test]
fn a_slot_is_given_back_when_the_text_it_was_for_has_gone() {
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
fn a_slot_is_given_back_when_its_text_has_changed_before_it_was_armed() {
    let (fake, engine) = engine();
    let before = fake.image();
    let others = trace(&engine, &["shifted"]);
    let id = open(&engine);
    enable(&engine, id, "moved").unwrap();
    STUCK.set(true);
    assert_eq!(go(&engine, id, 0), Ok(1), "text cannot be written");
    STUCK.set(false);
    assert_eq!(stat(&engine, "slots"), 2, "but slots can");
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
