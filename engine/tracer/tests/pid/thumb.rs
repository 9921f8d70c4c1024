//! Thumb code: its traps are of 16 bits, or of 32 within an IT block, whose places slots keep.

use super::*;

/// A pointer to `main`, and its size.
const POINTER: u64 = MAIN as u64 | 1;
const BYTES: u64 = 16;

/// `main`: an entry that is emulated, and a block of three; a move and a return.
const THUMB: [(usize, u32); 4] = [
    // push {r4, lr}; itte eq
    (MAIN, 0xbf06_b510),
    // addeq r0, r0, #1; then, not aligned, addeq.w r1, r1, #0x100
    (MAIN + 4, 0xf501_1c40),
    // its other half; movne r2, #5
    (MAIN + 8, 0x2205_7180),
    // mov r0, r2; pop {r4, pc}
    (MAIN + 12, 0xbd10_4610),
];

const T: u32 = 1 << 5;

/// The program status at the given place of the block: the condition EQ, and what is left of the mask.
fn in_block(state: u32) -> u32 {
    T | (state & 0b11) << 25 | (state >> 2) << 10
}

const FIRST: u32 = 0b0000_0110;
const SECOND: u32 = 0b0000_1100;
const LAST: u32 = 0b0001_1000;

fn trace_thumb(name: &str) -> (&'static Fake, Engine, ConsumerId) {
    let (fake, engine) = engine();
    fake.create(PID, &THUMB);
    let id = open_with(&engine, &recording());
    let description = Description::new(b"", b"a.out", b"main", name.as_bytes()).unwrap();
    let request = PidProbes::new(PID, description, POINTER, BYTES);
    let created = engine.pid_probes(id, &request).unwrap();
    assert_eq!((created.refused, created.reason), (0, None));
    let description = Description::new(b"pid77", b"a.out", b"main", name.as_bytes()).unwrap();
    assert_ne!(engine.enable(id, &description, 0), Ok(0));
    assert_eq!(go(&engine, id, 0), Ok(0));
    (fake, engine, id)
}

fn word_at(fake: &Fake, offset: usize) -> u32 {
    fake.process(PID, |process| process.text[&(MAIN + offset)])
}

#[test]
fn a_trap_is_short_but_for_a_long_instruction_in_a_block() {
    let (fake, engine, id) = trace_thumb("");
    assert_eq!(word_at(fake, 0), 0xdefb_defb, "push, it");
    assert_eq!(
        word_at(fake, 4),
        0xf7f0_defb,
        "addeq, the first half of addeq.w"
    );
    assert_eq!(word_at(fake, 8), 0xdefb_a0fb, "its second half, movne");
    assert_eq!(word_at(fake, 12), 0xdefb_defb, "mov, pop");
    engine.close(id);
    assert_eq!(text(fake, PID), THUMB);
}

#[test]
fn an_entry_fires_with_arguments_and_pushes() {
    let (fake, engine, id) = trace_thumb("entry");
    let mut regs = at(MAIN, 3, 4);
    regs.cpsr |= T;
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!((regs.r[15] as usize, regs.r[13]), (MAIN + 2, 0x1_0000 - 8));
    assert_eq!(fields(&engine, id), [[3, 4]]);
}

/// The slot of an instruction knows where in the block it is, and where the next one.
#[test]
fn slots_keep_the_places_of_the_block() {
    let (fake, ..) = trace_thumb("");
    let places = fake.process(PID, |process| {
        let slots = process.known.iter();
        let places = slots.map(|it| {
            (
                it.site - MAIN,
                it.site_status,
                it.next - MAIN,
                it.next_status,
            )
        });
        places.collect::<Vec<_>>()
    });
    let expected = [
        (4, in_block(FIRST), 6, in_block(SECOND)),
        (6, in_block(SECOND), 10, in_block(LAST)),
        (10, in_block(LAST), 12, T),
        (12, T, 14, T),
    ];
    assert_eq!(places, expected);
}

/// A copy is in a block of its own: the condition is that of the instruction, and nothing follows.
#[test]
fn a_thread_enters_a_slot_in_a_block_of_one() {
    let (fake, engine, _) = trace_thumb("");
    let mut regs = at(MAIN + 4, 0, 0);
    regs.cpsr |= ZERO | in_block(FIRST);
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_ne!(regs.r[15] as usize & !0xfff, MAIN & !0xfff, "in a slot");
    assert_eq!(regs.cpsr & !ZERO & !0x1f, in_block(0b0000_1000));
}

/// `itte` itself is emulated: it begins the block.
#[test]
fn an_emulated_it_begins_the_block() {
    let (fake, engine, _) = trace_thumb("2");
    let mut regs = at(MAIN + 2, 0, 0);
    regs.cpsr |= T;
    assert_eq!(fake.run(&engine, PID, &mut regs), Some(Trap::Resumed));
    assert_eq!(regs.r[15] as usize, MAIN + 4);
    assert_eq!(regs.cpsr & !0x1f, in_block(FIRST));
}

/// Behind the end of a function whose size is not known there may be A32 code: of that, no instruction
/// is taken for Thumb's.
#[test]
fn what_control_does_not_reach_is_not_of_an_open_function() {
    let (fake, engine) = engine();
    // bx lr; and then, of A32, mov r0, r0 and bx lr.
    let text = [
        (MAIN, 0x4770_4770),
        (MAIN + 4, 0xe1a0_0000),
        (MAIN + 8, RETURN),
    ];
    fake.create(PID, &text);
    let id = open_with(&engine, &recording());
    let description = Description::new(b"", b"a.out", b"main", b"[0-9a-f]*").unwrap();
    let mut request = PidProbes::new(PID, description, POINTER, 12);
    request.is_open = 1;
    // `entry` has the pattern, too.
    assert_eq!(engine.pid_probes(id, &request).unwrap().provided, 2);
    request.is_open = 0;
    assert!(engine.pid_probes(id, &request).unwrap().provided > 2);
}
