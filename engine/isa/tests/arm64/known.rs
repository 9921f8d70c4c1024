//! capstone knows what is accepted, and does not know what is undefined.

use capstone::prelude::*;
use engine_isa::arm64::{self, ROWS};
use engine_isa::{Plan, Why};
use proptest::prelude::*;

use crate::words;

thread_local! {
    static CAPSTONE: Capstone = {
        let arm64 = Capstone::new().arm64();
        arm64.mode(arch::arm64::ArchMode::Arm).build().unwrap()
    };
}

/// The disassembler's name for the instruction, if it knows it.
fn name(word: u32) -> Option<String> {
    CAPSTONE.with(|capstone| words::name(capstone, word))
}

/// Valid words that the disassembler does not know: `stgp`, and unprivileged loads of the base
/// register itself, which it takes for writeback.
fn is_unknown_to_it(word: u32) -> bool {
    let stores_with_tag = word & 0xfe40_0000 == 0x6800_0000;
    let unprivileged = word & 0x3f20_0c00 == 0x3800_0800;
    let by_itself = word & 31 == word >> 5 & 31;
    stores_with_tag || unprivileged && by_itself
}

/// Words that the disassembler knows although they cannot be executed: those that exist in order to
/// trap, those for debug state only, and `mrs` and `msr` of registers with op0 0.
fn is_no_instruction(name: &str) -> bool {
    let traps = ["udf", "brk", "hlt"];
    let debugs = ["dcps1", "dcps2", "dcps3", "drps"];
    traps.contains(&name) || debugs.contains(&name)
}

fn is_register_of_op0_0(word: u32) -> bool {
    word & 0xffd8_0000 == 0xd500_0000
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16384))]

    #[test]
    fn what_is_accepted_is_known(word in words::near_a_row(ROWS)) {
        let accepted = !matches!(arm64::plan(word), Plan::Refuse(_));
        if accepted && !is_unknown_to_it(word) {
            prop_assert!(name(word).is_some(), "{:08x}", word);
        }
    }

    #[test]
    fn what_is_undefined_is_not_known(word in words::near_a_row(ROWS)) {
        if arm64::plan(word) == Plan::Refuse(Why::Undefined) && !is_register_of_op0_0(word) {
            let name = name(word);
            prop_assert!(name.as_deref().is_none_or(is_no_instruction), "{:08x}: {:?}", word, name);
        }
    }

    #[test]
    fn a_row_has_the_name_of_its_words(word in words::near_a_row(ROWS)) {
        let row = &ROWS[arm64::row(word)];
        let name = name(word).unwrap_or_default();
        let base = name.split('.').next().unwrap_or_default();
        if matches!(arm64::plan(word), Plan::Relocate(_)) && !name.is_empty() {
            let names = row.name.split(" (").next().unwrap_or_default();
            prop_assert!(names.split(", ").any(|one| is_form_of(base, one)), "{:08x}: {} is {}", word, name, row.name);
        }
    }
}

/// Whether a name is that of a row, with ordering suffixes of an atomic access; one without a
/// destination is called a store.
fn is_form_of(name: &str, one: &str) -> bool {
    let stem = one.strip_suffix(['b', 'h']).unwrap_or(one);
    let size = &one[stem.len()..];
    let ordered = ["", "a", "l", "al"].map(|order| format!("{stem}{order}{size}"));
    let is_atomic = one.starts_with("ld") || one.starts_with("swp");
    let loads = name.strip_prefix("st").map(|rest| format!("ld{rest}"));
    let is_ordered = |name: &str| ordered.iter().any(|ordered| name == ordered);
    name == one || is_atomic && (is_ordered(name) || loads.as_deref().is_some_and(is_ordered))
}
