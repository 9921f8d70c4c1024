//! Code for the cache: what takes the place of the instructions at which the path divides.
//!
//! None of it changes flags. A sequence that needs a register saves rcx in the thread's [`State`].

use core::mem::offset_of;

use engine_abi::path::{BUFFER_END, SHARE, Share, TARGET};
use engine_isa::x86::{LONGEST, OutOfLine};

use super::opcode::Instruction;
use super::state::{CALL, FULL, LEAVE, LINK, LOOK_UP, State};
use crate::arch::frame::Regs;

/// Offsets from GS.
pub const CX: u32 = (offset_of!(State, regs) + offset_of!(Regs, cx)) as u32;
const NEXT: u32 = (SHARE + offset_of!(Share, next)) as u32;
const RESUME: u32 = offset_of!(State, resume) as u32;
const AT: u32 = offset_of!(State, at) as u32;
const ROUTINES: u32 = offset_of!(State, routines) as u32;

const _: () = assert!(TARGET == 2);

/// There is no room for more, or what an instruction refers to is too far away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom;

/// Where code is written, and its address.
pub struct Writer<'a> {
    at: u64,
    to: &'a mut [u8],
    length: usize,
}

impl<'a> Writer<'a> {
    /// Writes to `to` what will be executed at `at`.
    pub fn new(at: u64, to: &'a mut [u8]) -> Self {
        Self { at, to, length: 0 }
    }

    /// Bytes written.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Takes back what was written behind so many bytes.
    pub fn rewind(&mut self, length: usize) {
        self.length = length;
    }

    /// The address of the next byte.
    pub fn here(&self) -> u64 {
        self.at.wrapping_add(self.length as u64)
    }

    /// Writes bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), NoRoom> {
        let end = self.length.wrapping_add(bytes.len());
        let place = self.to.get_mut(self.length..end).ok_or(NoRoom)?;
        place.copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }

    fn put_offset(&mut self, opcode: &[u8], offset: u32) -> Result<(), NoRoom> {
        self.put(opcode)?;
        self.put(&offset.to_le_bytes())
    }

    /// Ends an instruction with the distance to an address.
    fn put_distance(&mut self, opcode: &[u8], target: u64) -> Result<(), NoRoom> {
        self.put(opcode)?;
        let behind = self.here().wrapping_add(4);
        let distance = i32::try_from(target.wrapping_sub(behind).cast_signed());
        self.put(&distance.map_err(|_| NoRoom)?.to_le_bytes())
    }

    /// `mov gs:[offset], rcx`
    fn store_cx(&mut self, offset: u32) -> Result<(), NoRoom> {
        self.put_offset(&[0x65, 0x48, 0x89, 0x0c, 0x25], offset)
    }

    /// `mov rcx, gs:[offset]`
    fn load_cx(&mut self, offset: u32) -> Result<(), NoRoom> {
        self.put_offset(&[0x65, 0x48, 0x8b, 0x0c, 0x25], offset)
    }

    /// `mov rcx, number`
    pub fn set_cx(&mut self, number: u64) -> Result<(), NoRoom> {
        self.put(&[0x48, 0xb9])?;
        self.put(&number.to_le_bytes())
    }

    /// `lea rcx, [address]`
    fn lea_cx(&mut self, address: u64) -> Result<(), NoRoom> {
        self.put_distance(&[0x48, 0x8d, 0x0d], address)
    }

    /// `jmp gs:[routine]`
    fn routine(&mut self, routine: usize) -> Result<(), NoRoom> {
        let offset = ROUTINES.wrapping_add((routine as u32).wrapping_mul(8));
        self.put_offset(&[0x65, 0xff, 0x24, 0x25], offset)
    }

    /// An instruction of the program that is executed as it is.
    pub fn copy(&mut self, text: &[u8; LONGEST], from: u64) -> Result<(), NoRoom> {
        let moved = OutOfLine::new(text, from, self.here(), |target| target);
        self.put(moved.map_err(|_| NoRoom)?.bytes())
    }

    /// Writes the event of a conditional branch: whether the condition holds.
    pub fn event_if(&mut self, condition: u8) -> Result<(), NoRoom> {
        self.event(|code| code.put_offset(&[0x65, 0x0f, 0x90 | condition, 0x81], BUFFER_END as u32))
    }

    /// Writes an event of one byte.
    pub fn event_of(&mut self, tag: u8) -> Result<(), NoRoom> {
        self.event(|code| {
            code.put_offset(&[0x65, 0xc6, 0x81], BUFFER_END as u32)?;
            code.put(&[tag])
        })
    }

    /// `store` writes the event at rcx.
    fn event(&mut self, store: impl FnOnce(&mut Self) -> Result<(), NoRoom>) -> Result<(), NoRoom> {
        const LEA_CX_CX_1: [u8; 4] = [0x48, 0x8d, 0x49, 1];
        /// `jrcxz` over a jump over the sequence for a full buffer.
        const UNLESS_FULL: [u8; 4] = [0xe3, 2, 0xeb, FULL_LENGTH];
        /// Of the three instructions for a full buffer.
        const FULL_LENGTH: u8 = 7 + 9 + 8;
        self.store_cx(CX)?;
        self.load_cx(NEXT)?;
        store(self)?;
        self.put(&LEA_CX_CX_1)?;
        self.store_cx(NEXT)?;
        self.put(&UNLESS_FULL)?;
        let behind = self.here().wrapping_add(FULL_LENGTH.into());
        self.lea_cx(behind)?;
        self.store_cx(RESUME)?;
        self.routine(FULL)?;
        self.load_cx(CX)
    }

    /// A jump by condition; returns the place of its distance, for [`Writer::land`].
    pub fn jump_if(&mut self, condition: u8) -> Result<usize, NoRoom> {
        self.put(&[0x0f, 0x80 | condition, 0, 0, 0, 0])?;
        Ok(self.length)
    }

    /// A branch that counts, which jumps over a short jump that follows it: `bytes` are all but the distance.
    pub fn count(&mut self, bytes: &[u8]) -> Result<usize, NoRoom> {
        const OVER_THE_SHORT_JUMP: u8 = 2;
        const SHORT_JUMP_OVER_THE_LONG_ONE: [u8; 2] = [0xeb, 5];
        self.put(bytes)?;
        self.put(&[OVER_THE_SHORT_JUMP])?;
        self.put(&SHORT_JUMP_OVER_THE_LONG_ONE)?;
        self.put(&[0xe9, 0, 0, 0, 0])?;
        Ok(self.length)
    }

    /// Has the jump that ends at `end` come here.
    pub fn land(&mut self, end: usize) -> Result<(), NoRoom> {
        let distance = (self.length.wrapping_sub(end) as u32).to_le_bytes();
        let start = end.wrapping_sub(distance.len());
        let place = self.to.get_mut(start..end).ok_or(NoRoom)?;
        place.copy_from_slice(&distance);
        Ok(())
    }

    /// Pushes a return address. The upper half is written separately.
    pub fn push(&mut self, address: u64) -> Result<(), NoRoom> {
        const PUSH: u8 = 0x68;
        const MOV_TO_STACK_PLUS_4: [u8; 4] = [0xc7, 0x44, 0x24, 4];
        let [low @ .., a, b, c, d] = address.to_le_bytes();
        self.put(&[PUSH])?;
        self.put(&low)?;
        self.put(&MOV_TO_STACK_PLUS_4)?;
        self.put(&[a, b, c, d])
    }

    /// Goes to an address of the program by a jump through a literal, which has to be linked first: until
    /// then it refers to what follows.
    pub fn leave_to(&mut self, target: u64) -> Result<(), NoRoom> {
        const JMP: [u8; 2] = [0xff, 0x25];
        const LENGTH: u64 = 6;
        /// So that it is written at once.
        const ALIGNMENT: u64 = 8;
        let literal = self.here().wrapping_add(LENGTH).next_multiple_of(ALIGNMENT);
        self.put_distance(&JMP, literal)?;
        while self.here() < literal {
            self.put(&[0xcc])?;
        }
        self.put(&literal.wrapping_add(ALIGNMENT).to_le_bytes())?;
        self.store_cx(CX)?;
        self.lea_cx(literal)?;
        self.store_cx(RESUME)?;
        self.set_cx(target)?;
        self.routine(LINK)
    }

    /// Goes to an address outside of the cache.
    pub fn jump_out(&mut self, target: u64) -> Result<(), NoRoom> {
        const JMP_LITERAL_BEHIND: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];
        self.put(&JMP_LITERAL_BEHIND)?;
        self.put(&target.to_le_bytes())
    }

    /// Leaves the cache for good.
    pub fn leave(&mut self, target: u64) -> Result<(), NoRoom> {
        self.store_cx(CX)?;
        self.set_cx(target)?;
        self.routine(LEAVE)
    }

    /// Loads the target of an indirect branch, which ends at `behind`, into rcx.
    pub fn load_target(
        &mut self,
        instruction: &Instruction<'_>,
        behind: u64,
    ) -> Result<(), NoRoom> {
        const FS: u8 = 0x64;
        const ADDRESS: u8 = 0x67;
        const WIDE: u8 = 0x48;
        const XB: u8 = 0b11;
        const MOV: u8 = 0x8b;
        const TO_CX: u8 = 1 << 3;
        const NOT_REG: u8 = 0b11_000_111;
        self.store_cx(CX)?;
        let (prefixes, rest) = instruction
            .bytes
            .split_at_checked(instruction.opcode)
            .ok_or(NoRoom)?;
        let [_, modrm, rest @ ..] = rest else {
            return Err(NoRoom);
        };
        let kept = prefixes.iter().filter(|it| [FS, ADDRESS].contains(it));
        let opcode = [WIDE | instruction.rex & XB, MOV, modrm & NOT_REG | TO_CX];
        let mut text = [0x90; LONGEST];
        let bytes = kept.chain(&opcode).chain(rest);
        let mut length = 0u64;
        for (to, from) in text.iter_mut().zip(bytes) {
            *to = *from;
            length = length.wrapping_add(1);
        }
        self.copy(&text, behind.wrapping_sub(length))
    }

    /// Loads the target of a return into rcx, and pops it and so many bytes.
    pub fn pop_target(&mut self, released: u16) -> Result<(), NoRoom> {
        const MOV_CX_STACK: [u8; 4] = [0x48, 0x8b, 0x0c, 0x24];
        const LEA_SP_SP: [u8; 4] = [0x48, 0x8d, 0xa4, 0x24];
        self.store_cx(CX)?;
        self.put(&MOV_CX_STACK)?;
        self.put_offset(&LEA_SP_SP, u32::from(released).wrapping_add(8))
    }

    /// Goes to the program's address in rcx.
    pub fn look_up(&mut self) -> Result<(), NoRoom> {
        self.routine(LOOK_UP)
    }

    /// Makes the system call of the instruction at `at`.
    pub fn system_call(&mut self, at: u64, behind: u64) -> Result<(), NoRoom> {
        const REST: u64 = 7 + 9 + 8;
        self.store_cx(CX)?;
        self.set_cx(at)?;
        self.store_cx(AT)?;
        let resume = self.here().wrapping_add(REST);
        self.lea_cx(resume)?;
        self.store_cx(RESUME)?;
        self.routine(CALL)?;
        self.set_cx(behind)
    }
}
