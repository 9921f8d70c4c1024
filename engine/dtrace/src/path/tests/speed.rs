//! How long a path takes that is as long as that of a small program.

use std::time::Instant;

use super::kit::{Events, recorder, replay, thread_path};
use super::{NOP, RET, SYSCALL, text};

/// 1.3 million branches in about 10 million instructions. `cargo test --release -- --ignored --nocapture`
#[test]
#[ignore = "measures"]
fn a_million_branches() {
    const ROUNDS: u32 = 260_000;
    let seven = NOP.repeat(7);
    // A loop with a call of a function with four branches forward.
    let part = text(&[&seven, &[0x74, 0x07], &seven]);
    let function = text(&[&part, &part, &part, &part, RET]);
    let caller = text(&[&[0xe8, 0xfb, 0x0f, 0, 0]]);
    let looped = text(&[&[0xe2, 0xf9], SYSCALL]);
    let mut events = Events::start(0x1000)
        .text(1, 1, 0x1000, &caller)
        .text(2, 1, 0x2000, &function)
        .text(3, 1, 0x1005, &looped);
    for (number, part) in (4..).zip(1..5) {
        let at = 16 * part;
        events = events.text(number, 1, 0x2000 + at as u64, &function[at..]);
    }
    let mut chance = 1u32;
    for _ in 0..ROUNDS {
        for _ in 0..4 {
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            events.push_decision(chance >> 31 != 0);
        }
        events = events.target(0x1005).taken();
    }
    let (memory, mut recorder) = recorder();
    let begin = Instant::now();
    for piece in events.bytes().chunks(1 << 20) {
        recorder.take(0, piece).unwrap();
    }
    let recorded = recorder.finish().unwrap();
    let took = begin.elapsed();
    assert_eq!(recorded.faults, []);
    let begin = Instant::now();
    let count = thread_path(&replay(&memory.0.borrow()), 0).len();
    println!(
        "{} decisions, {count} instructions: {took:?}, {} bytes; read in {:?}",
        recorded.decisions,
        recorded.bytes,
        begin.elapsed()
    );
}
