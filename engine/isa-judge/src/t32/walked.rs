//! Walks over the functions of a program in Thumb state, and the places in IT blocks that they find.

use std::collections::BTreeMap;

use engine_isa::Arch;
use engine_isa::arm::t32::{self, T32};
use engine_isa::arm::{Arm, Block, Mode};
use engine_isa::body::{Exit, Text};
use object::Architecture;

use crate::bodies::{self, Bodies};
use crate::counted::{self, Bounds, Monitor, Verdict};
use crate::image::{Code, Image};

/// Thumb, for walks over a program's functions.
pub const WALKED: counted::Set = counted::Set {
    name: "thumb",
    bounds: Bounds {
        percent: 0.5,
        percent_in_all: 1.0,
        first: 0,
        returns: 0,
    },
    architecture: Architecture::Arm,
    length: |code| t32::length(word(code)),
    answer: |code| t32::plan(word(code), Block::NONE).to_string(),
    kprobes: |_| Verdict::Reject,
    is_return: |_, _, code| is_return(word(code)),
    monitor: |_| Monitor::Leaves,
    is_filling: |code| matches!(word(code) >> 16, 0 | 0xbf00) || word(code) == 0xf3af_8000,
    // Programs have `udf` as a number, so that the assembler marks it as data.
    is_marked_data: |code| word(code) >> 24 == 0xde,
};

fn word(code: &Code) -> u32 {
    t32::word([code[0], code[1], code[2], code[3]])
}

/// The returns of compiled functions: `bx lr`, `pop {..., pc}`, load multiple with the pc, `ldr pc`
/// from the top of the stack, and `mov pc, lr`.
fn is_return(word: u32) -> bool {
    let is_short = matches!(word >> 16, 0x4770 | 0x46f7) || word >> 24 == 0xbd;
    let list_with_pc = word & 0xfe50_8000 == 0xe810_8000;
    let pop_pc = word & 0xffff_ff00 == 0xf85d_fb00;
    is_short || list_with_pc || pop_pc
}

/// Walks over all functions.
pub fn walk(image: &Image) -> Bodies {
    let mut bodies = bodies::walk::<T32>(image, &WALKED);
    for (&start, function) in image.functions.iter().filter(|(_, it)| it.size != 0) {
        for at in misplaced(image, start, function.size) {
            let name = function.name.clone();
            bodies.wrong.push(("another place in a block", at, name));
        }
    }
    bodies
}

/// Which instructions and exits of a function a walk finds at other places of IT blocks than if all
/// of the function is decoded one after the other.
fn misplaced(image: &Image, start: u64, size: u64) -> Vec<u64> {
    let mut places = BTreeMap::new();
    let mut block = Block::NONE;
    for (at, code) in image.instructions(start..start + size, WALKED.length) {
        places.insert(at as usize, Mode::T32(block));
        block = t32::next(word(&code), block);
    }
    let text = Text {
        load: &|at, bytes| image.load(at, bytes),
        part: &|_| None,
        returns: &|_| false,
        is_open: false,
    };
    let extent = start as usize..(start + size) as usize;
    let mode = Mode::T32(Block::NONE);
    let mut memory = vec![0; Arm::room(size as usize, mode)];
    let mut wrong = Vec::new();
    let mut see = |at: usize, mode: Mode, _: Option<Exit>| {
        if places.get(&at).is_some_and(|place| *place != mode) {
            wrong.push(at as u64);
        }
    };
    _ = Arm::instructions(&text, extent, mode, &mut memory, &mut see);
    wrong
}
