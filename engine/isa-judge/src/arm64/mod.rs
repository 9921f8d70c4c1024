//! A64: census, reference disassembler and reference processors.

#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(feature = "unicorn")]
pub mod judged;
pub mod kprobes;
#[cfg(feature = "unicorn")]
pub mod places;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod spelling;

use engine_isa::Plan;
use engine_isa::{Exclusive, arm64};
use object::Architecture;

use crate::counted::{self, Bounds, Monitor};
use crate::words::word;

/// A64 for the census.
pub const CENSUS: counted::Set = counted::Set {
    name: "arm64",
    bounds: Bounds {
        percent: 0.7,
        percent_in_all: 1.5,
        first: 30,
        returns: 0,
    },
    architecture: Architecture::Aarch64,
    length: |_| 4,
    answer: |code| match arm64::plan(word(code)) {
        Plan::Emulate(_) => "emulate".to_owned(),
        Plan::Relocate(_) => "relocate".to_owned(),
        Plan::Refuse(why) => format!("refuse {}", why.word()),
    },
    kprobes: |code| kprobes::verdict(word(code)),
    // `ret`.
    is_return: |_, _, code| word(code) & 0xffff_fc1f == 0xd65f_0000,
    monitor: |code| match arm64::exclusive(word(code)) {
        Some(Exclusive::Load) => Monitor::Opens,
        Some(Exclusive::Store | Exclusive::Clear) => Monitor::Closes,
        None => Monitor::Leaves,
    },
    is_filling: |code| word(code) == 0,
    is_marked_data: |_| false,
};
