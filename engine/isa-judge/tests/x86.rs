//! The disassembly check on some thousands of random x86-64 and 32-bit instructions; `cargo xtask
//! fuzz isa x86` checks millions.

use engine_isa_judge::prng::Rng;
use engine_isa_judge::spelling::{self, Said};
use engine_isa_judge::x86::shape::Bytes;
use engine_isa_judge::x86::spelling::{IA32, SET};
use engine_isa_judge::x86::text::{Text, TextError};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn a_thousand_instructions_are_read_the_same(seed: u64) {
        for set in [SET, IA32] {
            let tally = spelling::run(&set, seed, 1000, None);
            prop_assert!(tally.unexplained.is_empty(), "\n{}", tally.unexplained.join("\n"));
        }
    }
}

fn bytes(digits: &str) -> Bytes {
    let mut bytes = [0; 15];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    }
    bytes
}

/// The unexplained differences of these instructions.
fn unexplained(set: &spelling::Set<Bytes>, instructions: &[&str]) -> Vec<String> {
    let mut judge = spelling::Judge::new(set);
    instructions
        .iter()
        .for_each(|digits| judge.judge(bytes(digits)));
    judge.tally.unexplained
}

/// Instructions that once were read differently, and alternative spellings.
#[test]
fn what_was_read_differently_is_settled() {
    const WIDE: [&str; 9] = [
        "c20000",
        "ff24e59d8a1ddb",
        "67ff14a550d755b4",
        "62b375201fc200",
        "62f37d203f4f0404",
        "674d0fae7d54",
        "f30f01ef",
        "f30f3af0c07c",
        "0faef1",
    ];
    const NARROW: [&str; 7] = [
        "9c",
        "9d",
        "68f37fb7ad",
        "d6",
        "670f857c976e73",
        "f2670f4f8ef97f",
        "6668f37f",
    ];
    assert_eq!(unexplained(&SET, &WIDE), [""; 0]);
    assert_eq!(unexplained(&IA32, &NARROW), [""; 0]);
}

/// The explanations do not cover real errors: another number, target or address is detected.
#[test]
fn another_number_is_noticed() {
    let told = |said: fn(Bytes) -> Said, digits| {
        let set = spelling::Set { said, ..IA32 };
        unexplained(&set, &[digits]).len()
    };
    let (push, jne, jmp) = ("68f37fb7ad", "670f857c976e73", "ff24e59d8a1ddb");
    assert_eq!(told(|_| Said::Text("push -0x5248800c".into()), push), 1);
    assert_eq!(told(|_| Said::Text("push -0x5248800d".into()), push), 0);
    assert_eq!(told(|_| Said::Text("jne 0x736e9784".into()), jne), 1);
    assert_eq!(told(|_| Said::Text("jne 0x736e9783".into()), jne), 0);
    let text = |_| Said::Text("jmp dword ptr [0xdb1d8a9e]".into());
    assert_eq!(told(text, jmp), 1);
    assert_eq!(told(IA32.said, jmp), 0);
}

/// The text of this program is typical compiler output, if it is x86-64.
#[test]
fn real_text_is_read_the_same() {
    let mut text = Text::default();
    match text.add(&std::env::current_exe().unwrap()) {
        Err(TextError::Other(_)) => return,
        added => added.unwrap(),
    }
    assert!(text.instructions() > 100_000, "{}", text.instructions());
    let mut judge = spelling::Judge::new(&SET);
    text.kept().for_each(|bytes| judge.judge(*bytes));
    assert_eq!(judge.tally.unexplained, [""; 0]);
    assert!(text.rows.iter().filter(|count| **count > 0).count() > 60);
}

/// A seed determines what is generated.
#[test]
fn the_same_number_draws_the_same() {
    let drawn = |seed| {
        let mut rng = Rng::with_seed(seed);
        (0..100).map(|_| (SET.any)(&mut rng)).collect::<Vec<_>>()
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}
