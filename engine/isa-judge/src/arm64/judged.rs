//! What cannot be compared for A64, or only in part, each with the reason.

use engine_isa::arm64::ROWS;

use super::places::{A64, Q0, SP};
use crate::set::{Done, End, Outcome};
use crate::state::State;
use crate::window::{CODE, PAGE};

/// Why neither processor implements some words that a row accepts, if known.
pub fn why_not_known(name: &str) -> Option<&'static str> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    let digits: String = row.pattern.text().split(' ').collect();
    let is_scalable = digits[3..7]
        .chars()
        .zip("0010".chars())
        .all(|(digit, wanted)| digit == wanted);
    let is_matrix = &digits[0..1] == "1" && &digits[3..7] == "0000";
    if is_scalable || is_matrix {
        return Some(
            "QEMU's processor has the first of the scalable extensions, and none of the later",
        );
    }
    let listed = NOT_KNOWN.iter().find(|(names, _)| names.contains(&name));
    listed.map(|(_, why)| *why)
}

/// Rows that accept words which neither processor implements, each with the reason.
const NOT_KNOWN: &[(&[&str], &str)] = &[
    (
        &[
            "sys, at, brb, dc, ic, tlbi, cfp, cpp, dvp",
            "sysl",
            "msr",
            "mrs",
        ],
        "which system registers and operations there are is the processor's affair",
    ),
    (
        &[
            "addg, subg",
            "ldg",
            "stzgm",
            "stgm, ldgm",
            "stg, stzg, st2g, stz2g",
            "stgp",
            "stgp (writes its base)",
            "subp",
            "subps, cmpp",
            "irg",
            "gmi",
            "msr (tco, #imm)",
        ],
        "Unicorn has no memory with tags",
    ),
    (
        &[
            "dsb (nXS)",
            "wfet, wfit",
            "msr (allint, #imm)",
            "msr (ssbs, #imm)",
            "msr (dit, #imm)",
            "smstart, smstop, msr (svcr, #imm)",
            "ld64b",
            "st64b",
            "st64bv0",
            "st64bv",
            "bfcvt",
            "usdot",
            "bfcvtn, bfcvtn2",
            "sudot",
            "bfdot, sqdmull, sqdmull2",
            "sqdmull, sqdmull2, usdot",
            "bfmlalb (u 0)",
            "bfmlalb (u 1)",
            "bfmlalt (u 0)",
            "bfmlalt (u 1)",
            "bfdot",
            "smmla, ummla",
            "usmmla",
            "bfmmla",
        ],
        "it is newer than QEMU's processors",
    ),
];

/// Whether an instruction uses vectors or floating point.
pub const fn is_wide(word: u32) -> bool {
    let computes = word >> 25 & 7 == 0b111;
    let loads = word >> 25 & 5 == 0b100 && word >> 26 & 1 == 1;
    let is_scalable = word >> 25 & 15 == 0b0010;
    let is_status = word >> 24 == 0xd5 && word >> 8 & 0xff == 0x44;
    computes || loads || is_scalable || is_status
}

/// Why executing an instruction twice does not give the same result, if so.
pub const fn not_judged(word: u32) -> Option<&'static str> {
    let reads = word >> 20 == 0xd53;
    let operation = word >> 16 & 7;
    let number = word >> 12 & 15;
    let counts = reads && operation & 3 == 3 && matches!(number, 9 | 14) || reads && number == 14;
    let is_random = word & 0xffff_ffc0 == 0xd53b_2400;
    match (counts, is_random) {
        (true, _) => Some("it reads a counter, which goes on counting"),
        (_, true) => Some("it reads a random number"),
        _ => None,
    }
}

/// Whether this is a first-fault gather load: only its first address may fault.
const fn is_first_fault_gather(word: u32) -> bool {
    let stops = word >> 13 & 1 == 1;
    let is_broadcast = word >> 22 & 1 == 1 && word >> 15 & 1 == 1;
    match word >> 25 {
        0b100_0010 => stops && !is_broadcast,
        0b110_0010 => stops,
        _ => false,
    }
}

/// The indexes in a state of a gather's address operands: a register or a vector, and another
/// vector.
fn gathered(word: u32) -> impl Iterator<Item = usize> {
    let [base, offset] = [word >> 5, word >> 16].map(|field| (field & 31) as usize);
    let places = [base].into_iter().chain(
        [base, offset]
            .into_iter()
            .flat_map(|number| [Q0 + 2 * number, Q0 + 2 * number + 1]),
    );
    places.filter(move |_| is_first_fault_gather(word))
}

/// The bits that make a 64-bit address, or one of two 32-bit ones, not a multiple of 8.
const ODD: u64 = 0x7_0000_0007;

/// Keeps every address of a gather from crossing a page boundary, which would crash Unicorn.
pub fn survive(word: u32, state: &mut State) {
    gathered(word).for_each(|place| state[place] &= !ODD);
}

/// Whether a branch target is not a multiple of 4. Pointer authentication only affects the upper
/// half of a register, so the lower half is enough.
fn leads_between(word: u32, state: &State) -> bool {
    const LINK: u32 = 30;
    let is_branch = word >> 25 == 0b110_1011;
    let targets = [word >> 5 & 31, LINK].map(|register| state[register as usize] as u32);
    let is_between = |target: u32| target & 3 != 0 && u64::from(target) & !(PAGE - 1) == CODE;
    is_branch && targets.into_iter().any(is_between)
}

/// Why Unicorn would crash, if so: QEMU probes whether a load crosses into the next page, and gets
/// it wrong; and it decodes whatever a branch targets, and does not handle every invalid word.
pub fn not_survived(word: u32, state: &State) -> Option<&'static str> {
    if gathered(word).any(|place| state[place] & ODD != 0) {
        return Some(
            "QEMU loads beyond a page of the host, where only the first of several addresses may fault",
        );
    }
    leads_between(word, state).then_some(
        "QEMU decodes half of one instruction and half of another, and dies of some that there are not",
    )
}

/// Whether an instruction writes a system register, or is a system operation.
pub const fn changes_system(word: u32) -> bool {
    let is_system = word >> 22 == 0b11_0101_0100;
    let reads = word >> 21 & 1 == 1;
    let is_hint_or_barrier = word >> 16 & 15 == 3 && matches!(word >> 12 & 15, 2 | 3);
    is_system && !reads && !is_hint_or_barrier
}

/// Why results may differ, if there is a reason.
pub fn excused(done: &Done<'_, A64>, ours: &Outcome) -> Option<&'static str> {
    let sp = done.before[SP];
    let is_odd_stack = ours.end == End::Fault(sp) && !sp.is_multiple_of(16);
    is_odd_stack.then_some("QEMU lets a stack pointer be used that is no multiple of 16")
}

#[cfg(test)]
mod tests {
    use super::not_judged;

    #[test]
    fn counters_and_random_numbers_are_not_judged() {
        for word in [0xd53b_2400, 0xd53b_2425, 0xd53b_e040, 0xd53b_9d00] {
            assert!(not_judged(word).is_some(), "{word:08x}");
        }
        for word in [0xd53b_d040, 0xd538_4100, 0xd503_201f] {
            assert_eq!(not_judged(word), None, "{word:08x}");
        }
    }
}
