//! capstone knows what is accepted, and as long as we have it.

use capstone::prelude::*;
use engine_isa::Plan;
use engine_isa::arm::Block;
use engine_isa::arm::t32::{self, ROWS};
use proptest::prelude::*;

use crate::words;

thread_local! {
    static CAPSTONE: Capstone = {
        let arm = Capstone::new().arm();
        let thumb = arm.mode(arch::arm::ArchMode::Thumb);
        thumb.extra_mode([arch::arm::ArchExtraMode::V8].into_iter()).build().unwrap()
    };
}

/// The length of the instruction, if the disassembler knows it.
fn length(word: u32) -> Option<usize> {
    let bytes = word.rotate_left(16).to_le_bytes();
    CAPSTONE.with(|capstone| {
        let found = capstone.disasm_count(&bytes, 0, 1).unwrap();
        found.iter().next().map(|insn| insn.bytes().len())
    })
}

/// Valid words that the disassembler does not know: unallocated memory hints.
fn is_unknown_to_it(word: u32) -> bool {
    ROWS[t32::row(word)].name.contains("not allocated")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn what_is_accepted_is_known(word in words::near_a_row(ROWS)) {
        let accepted = !matches!(t32::plan(word, Block::NONE), Plan::Refuse(_));
        if accepted && !is_unknown_to_it(word) {
            prop_assert_eq!(length(word), Some(t32::length(word)), "{:08x}", word);
        }
    }
}
