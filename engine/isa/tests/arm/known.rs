//! capstone knows what is accepted, and does not know what is undefined in floating point and
//! Advanced SIMD, which the second reading does not cover.

use capstone::prelude::*;
use engine_isa::arm::{self, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::words;

thread_local! {
    static CAPSTONE: Capstone = {
        let arm = Capstone::new().arm();
        arm.mode(arch::arm::ArchMode::Arm).build().unwrap()
    };
}

/// The disassembler's name for the instruction, if it knows it.
fn name(word: u32) -> Option<String> {
    CAPSTONE.with(|capstone| words::name(capstone, word))
}

/// Valid words that the disassembler does not know: unallocated memory hints.
fn is_unknown_to_it(word: u32) -> bool {
    word & 0xfd70_0000 == 0xf410_0000
}

/// Whether the word is a floating-point or Advanced SIMD instruction.
fn is_extension(word: u32) -> bool {
    let conditional = word >> 28 != 15;
    let transfers_or_computes =
        word & 0x0c00_0e00 == 0x0c00_0a00 && word & 0x0f00_0000 != 0x0f00_0000;
    let simd = word & 0xfe00_0000 == 0xf200_0000 || word & 0xff10_0000 == 0xf400_0000;
    conditional && transfers_or_computes || simd
}

/// Instructions of later architecture versions only: half-precision arithmetic, rounding, and lazy
/// state saving.
fn is_later(name: &str) -> bool {
    name.contains(".f16")
        || name.starts_with("vrint")
        || name.starts_with("vl") && name.ends_with("stm")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn what_is_accepted_is_known(word in words::near_a_row(ROWS)) {
        let accepted = !matches!(arm::plan(word), Plan::Refuse(_));
        if accepted && !is_unknown_to_it(word) {
            prop_assert!(name(word).is_some(), "{:08x}", word);
        }
    }

    #[test]
    fn what_is_undefined_is_not_known(word in words::near_a_row(ROWS)) {
        if is_extension(word) && arm::plan(word) == Plan::Refuse(Why::Undefined) {
            let name = name(word);
            prop_assert!(name.as_deref().is_none_or(is_later), "{:08x}: {:?}", word, name);
        }
    }
}
