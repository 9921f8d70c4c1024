//! The disassembly check on some thousands of random words; `cargo xtask fuzz isa` checks millions.

use engine_isa_judge::arm::spelling::SET;
use engine_isa_judge::spelling::{self, Said};
use engine_isa_judge::{arm64, t32};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn a_thousand_words_are_read_the_same(seed: u64) {
        let tally = spelling::run(&SET, seed, 1000, None);
        prop_assert!(tally.unexplained.is_empty(), "\n{}", tally.unexplained.join("\n"));
    }

    #[test]
    fn a_thousand_words_of_t32_are_read_the_same(seed: u64) {
        let tally = spelling::run(&t32::spelling::SET, seed, 1000, None);
        prop_assert!(tally.unexplained.is_empty(), "\n{}", tally.unexplained.join("\n"));
    }

    #[test]
    fn a_thousand_words_of_a64_are_read_the_same(seed: u64) {
        let tally = spelling::run(&arm64::spelling::SET, seed, 1000, None);
        prop_assert!(tally.unexplained.is_empty(), "\n{}", tally.unexplained.join("\n"));
    }
}

/// Whether a word has no unexplained difference.
fn is_read(set: &spelling::Set<u32>, word: u32) -> bool {
    let mut judge = spelling::Judge::new(set);
    judge.judge(word);
    judge.tally.unexplained.is_empty()
}

#[test]
fn another_name_and_other_operands_are_noticed() {
    let reads = |said: fn(u32) -> Said, word| {
        let set = spelling::Set {
            said,
            differences: &[],
            ..SET
        };
        is_read(&set, word)
    };
    let push = 0x092d_4010;
    assert!(reads(|_| Said::Text("pusheq {r4, lr}".into()), push));
    assert!(!reads(|_| Said::Text("push {r4, lr}".into()), push));
    assert!(!reads(|_| Said::Text("pusheq {r4, r12}".into()), push));
    assert!(!reads(|_| Said::Text("stmiaeq sp!, {r4, lr}".into()), push));
    assert!(!reads(|_| Said::Nothing, push));
    let add = 0x1280_3a02;
    assert!(reads(|_| Said::Name("add".into()), add));
    assert!(!reads(|_| Said::Name("adc".into()), add));
    assert!(reads(|_| Said::Text("addne r3, r0, #0x2000".into()), add));
    assert!(!reads(|_| Said::Text("addne r3, r0, #0x20000".into()), add));
}

/// An instruction with the pc as an operand behaves differently in a slot: `add r3, pc, r0`, `ldr
/// r0, [pc, #4]`, `ldm r0, {r1, pc}`, `mov pc, r15`. A coprocessor's `c15` is not the pc, and
/// neither is `r1, r5`.
#[test]
fn a_relocated_word_that_names_the_pc_is_noticed() {
    let is_read = |said: fn(u32) -> Said, word| {
        let set = spelling::Set { said, ..SET };
        is_read(&set, word)
    };
    assert!(!is_read(|_| Said::Name("add".into()), 0xe08f_3000));
    assert!(!is_read(|_| Said::Name("ldr".into()), 0xe59f_0004));
    assert!(!is_read(|_| Said::Name("ldm".into()), 0xe890_8002));
    assert!(!is_read(|_| Said::Name("mov".into()), 0xe1a0_f00f));
    assert!(is_read(|_| Said::Name("add".into()), 0xe081_3005));
    assert!(is_read(|_| Said::Name("mcr".into()), 0xee0f_0f1f));
}

/// Words that once were read differently, and alternative spellings.
#[test]
fn what_was_read_differently_is_settled() {
    let mut judge = spelling::Judge::new(&SET);
    for word in [0xe416_f000, 0xe456_f000, 0x2c24_0a00, 0x2c34_0a00] {
        judge.judge(word);
    }
    assert!(
        judge.tally.unexplained.is_empty(),
        "{:?}",
        judge.tally.unexplained
    );
}

/// The same for A64: another register, another distance, and a valid instruction called undefined.
#[test]
fn other_operands_of_a64_are_noticed() {
    let reads = |said: fn(u32) -> Said, word| {
        let set = spelling::Set {
            said,
            differences: &[],
            ..arm64::spelling::SET
        };
        is_read(&set, word)
    };
    let load = 0x5800_0041;
    assert!(reads(|_| Said::Text("ldr x1, .+0x8".into()), load));
    assert!(!reads(|_| Said::Text("ldr x2, .+0x8".into()), load));
    assert!(!reads(|_| Said::Text("ldr x1, .+0xc".into()), load));
    assert!(!reads(|_| Said::Text("ldr w1, .+0x8".into()), load));
    assert!(!reads(|_| Said::Nothing, load));
    let add = 0x8b02_0020;
    assert!(reads(|_| Said::Name("add, adds".into()), add));
    assert!(!reads(|_| Said::Name("adc".into()), add));
    assert!(!reads(|_| Said::Nothing, add));
}

/// Pc-relative instructions behave differently in a slot: `ldr x1, .+8`, `adr x0, .`, `b .`, `cbz
/// x0, .`, `tbz w0, #0, .`, `prfm pldl1keep, .+8`; but `ldr x0, [x1]` does not.
#[test]
fn a_relocated_word_of_a64_that_names_its_place_is_noticed() {
    let is_read = |name: fn(u32) -> Said, word| {
        let set = spelling::Set {
            said: name,
            ..arm64::spelling::SET
        };
        is_read(&set, word)
    };
    assert!(!is_read(|_| Said::Name("ldr".into()), 0x5800_0041));
    assert!(!is_read(|_| Said::Name("ldr".into()), 0x1c00_0041));
    assert!(!is_read(|_| Said::Name("adr".into()), 0x1000_0000));
    assert!(!is_read(|_| Said::Name("b".into()), 0x1400_0000));
    assert!(!is_read(|_| Said::Name("b".into()), 0x5400_0000));
    assert!(!is_read(|_| Said::Name("cbz".into()), 0xb400_0000));
    assert!(!is_read(|_| Said::Name("tbz".into()), 0x3600_0000));
    assert!(!is_read(|_| Said::Name("prfm".into()), 0xd800_0040));
    assert!(is_read(|_| Said::Name("ldr".into()), 0xf940_0020));
}
