//! A32: census, reference disassembler and reference processors.

#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(feature = "unicorn")]
pub mod judged;
pub mod kprobes;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod spelling;

use engine_isa::Plan;
use engine_isa::{Exclusive, arm};
use object::Architecture;

use crate::counted::{self, Bounds, Monitor};
use crate::prng::{Rng, percent};
use crate::words::word;

/// Instructions that the kernel emits with `.inst`, so that the assembler marks them as data: BUG,
/// and `msr elr_hyp, lr` and `eret`.
const AS_NUMBERS: [u32; 3] = [0xe7f0_01f2, 0xe12e_f30e, 0xe160_006e];

/// A32 for the census.
pub const CENSUS: counted::Set = counted::Set {
    name: "arm",
    bounds: Bounds {
        percent: 0.7,
        percent_in_all: 0.9,
        first: 10,
        returns: 0,
    },
    architecture: Architecture::Arm,
    length: |_| 4,
    answer: |code| match arm::plan(word(code)) {
        Plan::Emulate(_) => "emulate".to_owned(),
        Plan::Relocate(_) => "relocate".to_owned(),
        Plan::Refuse(why) => format!("refuse {}", why.word()),
    },
    kprobes: |code| kprobes::verdict(word(code)),
    is_return: |_, _, code| is_return(word(code)),
    monitor: |code| match arm::exclusive(word(code)) {
        Some(Exclusive::Load) => Monitor::Opens,
        Some(Exclusive::Store | Exclusive::Clear) => Monitor::Closes,
        None => Monitor::Leaves,
    },
    is_filling: |code| word(code) == 0,
    is_marked_data: |code| AS_NUMBERS.contains(&word(code)),
};

/// The returns of compiled functions, under any condition: `bx lr`, load multiple with the pc, and
/// `ldr pc` from the top of the stack. Assembly also pops the pc with a larger offset, or uses `mov
/// pc, lr`.
fn is_return(word: u32) -> bool {
    let bx_lr = word & 0x0fff_ffff == 0x012f_ff1e;
    let list_with_pc = word & 0x0e50_8000 == 0x0810_8000;
    let pop_pc = word & 0x0fff_f000 == 0x049d_f000;
    let mov_pc_lr = word & 0x0fff_ffff == 0x01a0_f00e;
    word >> 28 != 15 && (bx_lr || list_with_pc || pop_pc || mov_pc_lr)
}

/// A word, mostly with the condition `always`, as nearly all code has.
fn usual(word: u32, rng: &mut Rng) -> u32 {
    if word >> 28 != 15 && percent(rng, 60) {
        return word & 0x0fff_ffff | 0xe000_0000;
    }
    word
}
