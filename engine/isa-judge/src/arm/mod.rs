//! A32 as its judges see it.

#[cfg(feature = "unicorn")]
pub mod case;
#[cfg(feature = "unicorn")]
pub mod compare;
#[cfg(feature = "unicorn")]
pub mod execution;
pub mod kprobes;
#[cfg(feature = "unicorn")]
pub mod machine;
#[cfg(feature = "unicorn")]
pub mod regression;
#[cfg(feature = "unicorn")]
pub mod shrink;
pub mod spelling;
#[cfg(feature = "unicorn")]
pub mod state;
pub mod words;

use engine_isa::Plan;
use engine_isa::arm::{self, Exclusive};
use object::Architecture;

use crate::census::{self, Bounds, Monitor};

/// A32 as it is counted.
pub const CENSUS: census::Set = census::Set {
    name: "arm",
    bounds: Bounds {
        percent: 0.7,
        first: 10,
        returns: 0,
    },
    architecture: Architecture::Arm,
    answer: |word| match arm::plan(word) {
        Plan::Emulate(_) => "emulate".to_owned(),
        Plan::Relocate(_) => "relocate".to_owned(),
        Plan::Refuse(why) => format!("refuse {}", why.word()),
    },
    kprobes: |word| format!("{:?}", kprobes::verdict(word)).to_lowercase(),
    is_return,
    monitor: |word| match arm::exclusive(word) {
        Some(Exclusive::Load) => Monitor::Opens,
        Some(Exclusive::Store | Exclusive::Clear) => Monitor::Closes,
        None => Monitor::Leaves,
    },
};

/// The ways in which compiled functions return, under any condition: `bx lr`, several registers
/// with the pc among them, and the pc alone from the top of the stack.
fn is_return(word: u32) -> bool {
    let bx_lr = word & 0x0fff_ffff == 0x012f_ff1e;
    let list_with_pc = word & 0x0e50_8000 == 0x0810_8000;
    let pop_pc = word & 0x0fff_ffff == 0x049d_f004;
    word >> 28 != 15 && (bx_lr || list_with_pc || pop_pc)
}
