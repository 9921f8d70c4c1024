//! x86: census, reference disassembler and reference processors.

#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod child;
pub mod differences;
pub mod drawn;
#[cfg(feature = "unicorn")]
pub mod guest;
#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod host;
#[cfg(feature = "unicorn")]
pub mod judged;
#[cfg(feature = "unicorn")]
pub mod known;
pub mod kprobes;
pub mod made;
pub mod places;
mod prefixes;
mod reading;
pub mod registers;
#[cfg(feature = "unicorn")]
pub mod set;
pub mod shape;
pub mod spelling;
pub mod text;
#[cfg(all(feature = "unicorn", target_arch = "x86_64"))]
pub mod vectors;

use engine_isa::Plan;
use engine_isa::x86;
use object::Architecture;

use crate::counted::{self, Bounds, Monitor};

/// x86-64 for the census.
pub const CENSUS: counted::Set = counted::Set {
    name: "x86",
    bounds: Bounds {
        percent: 0.7,
        percent_in_all: 0.8,
        first: 150,
        returns: 0,
    },
    architecture: Architecture::X86_64,
    length: |code| x86::length(code).unwrap_or(1),
    answer: |code| match x86::plan(code) {
        Plan::Emulate(_) => "emulate".to_owned(),
        Plan::Relocate(_) => "relocate".to_owned(),
        Plan::Refuse(why) => format!("refuse {}", why.word()),
    },
    kprobes: |code| kprobes::verdict(code),
    is_return: |image, at, code| matches!(code[0], 0xc2 | 0xc3) || image.jumps_to_return(at),
    monitor: |_| Monitor::Leaves,
    is_filling: |code| code[0] == 0xcc,
    is_marked_data: |_| false,
};
