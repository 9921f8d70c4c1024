//! Translates a block: instructions in a row, up to one after which control never goes to the next.
//!
//! The same text at the same address, translated for the same place, always gives the same code. So where
//! an instruction of the program begins in the code is not kept, but found by translating again.

use alloc::vec::Vec;

use engine_isa::x86::LONGEST;

use super::emit::{NoRoom, Writer};
use super::opcode::{Instruction, Kind};

/// The most instructions of a block.
const INSTRUCTIONS: usize = 48;

/// The most bytes that the code of a block has.
pub const CODE_MAX: usize = 16 << 10;

/// Events of a conditional branch.
const NOT_TAKEN: u8 = engine_abi::path::NOT_TAKEN;
const TAKEN: u8 = engine_abi::path::TAKEN;

/// Whether a block ends with an instruction.
enum Next {
    GoesOn,
    Ends,
}

/// A block as it is translated.
struct Block<'a, 'b> {
    code: &'a mut Writer<'b>,
    /// Jumps that lead out of the block: where each ends in the code, and its target.
    exits: Vec<(usize, u64)>,
}

/// Translates the block at `pc`, of which `text` is as much as can be read, and at most what a block may
/// have. Calls `begins` with the offset in the code and the address of each instruction. Returns how much
/// of the text it is.
pub fn translate(
    pc: u64,
    text: &[u8],
    code: &mut Writer<'_>,
    mut begins: impl FnMut(usize, u64),
) -> Result<usize, NoRoom> {
    let mut block = Block {
        code,
        exits: Vec::new(),
    };
    block.exits.try_reserve(INSTRUCTIONS).map_err(|_| NoRoom)?;
    let mut done = 0usize;
    for count in 0..INSTRUCTIONS {
        let at = pc.wrapping_add(done as u64);
        let rest = text.get(done..).unwrap_or_default();
        let window = window(rest);
        let instruction = Instruction::read(&window).filter(|it| it.bytes.len() <= rest.len());
        let Some(instruction) = instruction else {
            block.end_before(count, at, !text.is_empty())?;
            return block.finish(done);
        };
        begins(block.code.length(), at);
        let start = block.code.length();
        let behind = at.wrapping_add(instruction.bytes.len() as u64);
        match block.put(&instruction, &window, at, behind) {
            Ok(next) => {
                done = done.wrapping_add(instruction.bytes.len());
                if matches!(next, Next::Ends) {
                    return block.finish(done);
                }
            }
            // What it refers to is out of reach, or it is no instruction for programs.
            Err(NoRoom) if count == 0 => {
                block.code.rewind(start);
                block.code.leave(at)?;
                return block.finish(done.wrapping_add(instruction.bytes.len()));
            }
            Err(NoRoom) => {
                block.code.rewind(start);
                block.code.leave_to(at)?;
                return block.finish(done);
            }
        }
    }
    block.code.leave_to(pc.wrapping_add(done as u64))?;
    block.finish(done)
}

/// The bytes of an instruction, and what fills the window behind the text.
fn window(text: &[u8]) -> [u8; LONGEST] {
    const NOP: u8 = 0x90;
    let mut window = [NOP; LONGEST];
    for (to, from) in window.iter_mut().zip(text) {
        *to = *from;
    }
    window
}

impl Block<'_, '_> {
    fn put(
        &mut self,
        instruction: &Instruction<'_>,
        text: &[u8; LONGEST],
        at: u64,
        behind: u64,
    ) -> Result<Next, NoRoom> {
        let code = &mut *self.code;
        let to = |distance: i32| behind.wrapping_add_signed(distance.into());
        match instruction.kind {
            Kind::Plain => {
                code.copy(text, at)?;
                return Ok(Next::GoesOn);
            }
            Kind::System => {
                code.system_call(at, behind)?;
                return Ok(Next::GoesOn);
            }
            Kind::JumpIf(condition, distance) => {
                code.event_if(condition)?;
                let end = code.jump_if(condition)?;
                self.exits.push((end, to(distance)));
                return Ok(Next::GoesOn);
            }
            Kind::Count(distance) => {
                self.count(instruction, to(distance.into()))?;
                return Ok(Next::GoesOn);
            }
            Kind::Jump(distance) => code.leave_to(to(distance))?,
            Kind::Call(distance) => {
                code.push(behind)?;
                code.leave_to(to(distance))?;
            }
            Kind::JumpTo => {
                code.load_target(instruction, behind)?;
                code.look_up()?;
            }
            Kind::CallTo => {
                code.load_target(instruction, behind)?;
                code.push(behind)?;
                code.look_up()?;
            }
            Kind::Return(released) => {
                code.pop_target(released)?;
                code.look_up()?;
            }
            Kind::Trap => code.jump_out(at)?,
            Kind::Segment | Kind::Unknown => code.leave(at)?,
        }
        Ok(Next::Ends)
    }

    /// A branch that counts.
    fn count(&mut self, instruction: &Instruction<'_>, target: u64) -> Result<(), NoRoom> {
        let code = &mut *self.code;
        let (_, bytes) = instruction.bytes.split_last().ok_or(NoRoom)?;
        let taken = code.count(bytes)?;
        code.event_of(NOT_TAKEN)?;
        const JMP: [u8; 5] = [0xe9, 0, 0, 0, 0];
        code.put(&JMP)?;
        let not_taken = code.length();
        code.land(taken)?;
        code.event_of(TAKEN)?;
        code.leave_to(target)?;
        code.land(not_taken)
    }

    /// There is no instruction at `at`, or not all of it: the `count`-th of the block. If there is no code at all it
    /// is executed in its place, and raises the signal that it raises.
    fn end_before(&mut self, count: usize, at: u64, is_code: bool) -> Result<(), NoRoom> {
        match (count, is_code) {
            (0, false) => self.code.jump_out(at),
            (0, true) => self.code.leave(at),
            _ => self.code.leave_to(at),
        }
    }

    fn finish(self, done: usize) -> Result<usize, NoRoom> {
        for (end, target) in self.exits {
            self.code.land(end)?;
            self.code.leave_to(target)?;
        }
        Ok(done)
    }
}
