//! A64 instructions executed out of line, in the process itself: code for another address that has the
//! effect of an instruction, wherever control goes then.
//!
//! A call sets the return address that it would have set in its place: an unwinder, and a program that
//! reads its return address, find what is there without us.

use super::emulate::Action;
use super::flow::{Branch, When};
use super::operand::Register;
use super::relocate::branch;
use super::transfer::Load;
use super::{LR, plan};
use crate::{Plan, Why};

/// Code that replaces an instruction at another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfLine {
    bytes: [u8; OutOfLine::LONGEST],
    length: usize,
}

/// Why an instruction cannot be executed out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmoved {
    /// It cannot be probed either.
    Refused(Why),
    /// It branches farther than a branch from here reaches.
    OutOfReach,
    /// It needs a register, and none is free: a call of what the link register has, and a load of
    /// pc-relative memory to none.
    Register,
}

impl OutOfLine {
    /// The length of the longest, a call, in bytes.
    pub const LONGEST: usize = 20;

    /// Translates the instruction `word` at `from` for the address `at`.
    ///
    /// # Errors
    /// The reason, if the instruction must stay where it is.
    pub fn new(word: u32, from: u64, at: u64) -> Result<Self, Unmoved> {
        let mut code = Writer {
            at,
            code: Self {
                bytes: [0; Self::LONGEST],
                length: 0,
            },
        };
        match plan(word) {
            Plan::Refuse(why) => return Err(Unmoved::Refused(why)),
            Plan::Relocate(_) => code.put(word),
            Plan::Emulate(emulation) => code.emulated(word, from, emulation.action())?,
        }
        Ok(code.code)
    }

    /// The code.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Where code is written, and its address.
struct Writer {
    at: u64,
    code: OutOfLine,
}

impl Writer {
    /// No code has more words than [`OutOfLine::LONGEST`] has room for.
    fn put(&mut self, word: u32) {
        let rest = self.code.bytes.get_mut(self.code.length..);
        if let Some(place) = rest.and_then(|rest| rest.first_chunk_mut()) {
            *place = word.to_le_bytes();
            self.code.length = self.code.length.wrapping_add(WORD);
        }
    }

    fn emulated(&mut self, word: u32, from: u64, action: Action) -> Result<(), Unmoved> {
        let to = |by: i32| from.wrapping_add_signed(by.into());
        match action {
            Action::Prefetch { .. } => {}
            Action::Adr { to: register, by } => self.set(register, to(by)),
            Action::Adrp {
                to: register,
                pages,
            } => {
                let page = from & !0xfff;
                self.set(register, page.wrapping_add_signed(i64::from(pages) << 12));
            }
            Action::Load(Load::Literal {
                to: register, by, ..
            }) => {
                if register.is_zero() {
                    return Err(Unmoved::Register);
                }
                self.set(register, to(by));
                self.put(from_register(word, register.number()));
            }
            Action::Branch(branch) => self.branch(word, from, branch)?,
            _ => self.put(word),
        }
        Ok(())
    }

    fn branch(&mut self, word: u32, from: u64, branch: Branch) -> Result<(), Unmoved> {
        let next = from.wrapping_add(WORD as u64);
        match branch {
            Branch::Near { when, by } => {
                if when != When::Always {
                    // Over the branch that is taken if the condition does not hold.
                    self.put(with_distance(word, when, 2));
                    self.put(B | 2);
                }
                self.jump(from.wrapping_add_signed(by.into()))
            }
            Branch::Call { by } => {
                self.set(LINK, next);
                self.jump(from.wrapping_add_signed(by.into()))
            }
            Branch::CallTo { to } if to.is_link() => Err(Unmoved::Register),
            Branch::CallTo { .. } => {
                self.set(LINK, next);
                self.put(word & !BLR_NOT_BR);
                Ok(())
            }
            Branch::To { .. } | Branch::Return { .. } => {
                self.put(word);
                Ok(())
            }
        }
    }

    fn jump(&mut self, to: u64) -> Result<(), Unmoved> {
        let from = self.at.wrapping_add(self.code.length as u64);
        self.put(branch(from, to).ok_or(Unmoved::OutOfReach)?);
        Ok(())
    }

    /// `movz`, and a `movk` for each other halfword that is not 0.
    fn set(&mut self, to: Register, value: u64) {
        const MOVZ: u32 = 0xd280_0000;
        const MOVK: u32 = 0xf280_0000;
        let mut opcode = MOVZ;
        for at in 0..4 {
            let half = (value.wrapping_shr(16_u32.wrapping_mul(at)) & 0xffff) as u32;
            if half != 0 || (at == 0 && value <= 0xffff) {
                self.put(opcode | at << 21 | half << 5 | to.number());
                opcode = MOVK;
            }
        }
    }
}

/// Bytes of an instruction.
const WORD: usize = 4;
const LINK: Register = Register::new(1, LR as u32);
const B: u32 = 0x1400_0000;
/// The bit in which `blr` differs from `br`.
const BLR_NOT_BR: u32 = 1 << 21;

/// A conditional branch with another distance, in words.
const fn with_distance(word: u32, when: When, words: u32) -> u32 {
    let bits = match when {
        When::BitZero(..) => 14,
        _ => 19,
    };
    let field = (1_u32 << bits).wrapping_sub(1) << 5;
    word & !field | words << 5
}

/// `ldr` or `ldrsw` of the address that the register itself has, in place of a literal's.
const fn from_register(literal: u32, register: u32) -> u32 {
    let opcode = match literal >> 30 {
        0b00 => 0xb940_0000,
        0b01 => 0xf940_0000,
        _ => 0xb980_0000,
    };
    opcode | register << 5 | register
}

#[cfg(test)]
mod tests {
    use super::{OutOfLine, Unmoved};
    use crate::Why;
    use std::vec::Vec;

    const FROM: u64 = 0xaaaa_0000_1000;
    const AT: u64 = 0xaaaa_0400_0000;

    fn moved(word: u32) -> Result<Vec<u32>, Unmoved> {
        let code = OutOfLine::new(word, FROM, AT)?;
        let (words, rest) = code.bytes().as_chunks();
        assert!(rest.is_empty());
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// `b` at the `index`th word of the code, to a distance from the instruction.
    fn b(index: u64, by: u64) -> u32 {
        let words = (FROM + by).wrapping_sub(AT + 4 * index) >> 2;
        0x1400_0000 | words as u32 & 0x03ff_ffff
    }

    #[test]
    fn what_does_not_refer_to_its_place_is_copied() {
        // stp x29, x30, [sp, #-16]!; paciasp; bti c; nop; mov x0, x1; ldr x1, [x0]; ret; br x16; retaa
        for word in [
            0xa9bf_7bfd,
            0xd503_233f,
            0xd503_245f,
            0xd503_201f,
            0xaa01_03e0,
            0xf940_0001,
            0xd65f_03c0,
            0xd61f_0200,
            0xd65f_0bff,
        ] {
            assert_eq!(moved(word).unwrap(), [word]);
        }
    }

    #[test]
    fn addresses_are_those_of_its_place() {
        // adr x3, .+8
        let adr = [0xd282_0103, 0xf2d5_5543];
        assert_eq!(moved(0x1000_0043).unwrap(), adr);
        // adrp x3, .+0x1000
        assert_eq!(moved(0xb000_0003).unwrap(), [0xd284_0003, 0xf2d5_5543]);
        // ldr x3, .+8; ldr w3, .+8; ldrsw x3, .+8
        for (literal, load) in [
            (0x5800_0043, 0xf940_0063),
            (0x1800_0043, 0xb940_0063),
            (0x9800_0043, 0xb980_0063),
        ] {
            assert_eq!(moved(literal).unwrap(), [&adr[..], &[load]].concat());
        }
        // ldr xzr, .+8
        assert_eq!(moved(0x5800_005f), Err(Unmoved::Register));
        // prfm pldl1keep, .+8
        assert_eq!(moved(0xd800_0040).unwrap(), []);
        // adr x3, .-0x1000, of the address 0.
        let zero = OutOfLine::new(0x10ff_8003, 0x1000, AT).unwrap();
        assert_eq!(zero.bytes(), 0xd280_0003_u32.to_le_bytes());
    }

    #[test]
    fn branches_go_where_they_went() {
        assert_eq!(moved(0x1400_0004).unwrap(), [b(0, 16)]);
        // b.ne; cbz x1; tbnz x1, #33
        for (word, over) in [
            (0x5400_0081, 0x5400_0041),
            (0xb400_0081, 0xb400_0041),
            (0xb708_0081, 0xb708_0041),
        ] {
            assert_eq!(moved(word).unwrap(), [over, 0x1400_0002, b(2, 16)]);
        }
    }

    #[test]
    fn a_call_returns_to_behind_its_place() {
        let link = [0xd282_009e, 0xf2d5_555e];
        assert_eq!(
            moved(0x9400_0004).unwrap(),
            [&link[..], &[b(2, 16)]].concat()
        );
        // blr x8
        let indirect = [&link[..], &[0xd61f_0100]].concat();
        assert_eq!(moved(0xd63f_0100).unwrap(), indirect);
        // blr x30
        assert_eq!(moved(0xd63f_03c0), Err(Unmoved::Register));
        let longest = OutOfLine::new(0x9400_0004, 0x1234_5678_9abc_def0, 0x1234_5678_9abc_0000);
        assert_eq!(longest.unwrap().bytes().len(), OutOfLine::LONGEST);
    }

    #[test]
    fn what_cannot_be_moved_stays() {
        let far = OutOfLine::new(0x1400_0004, FROM, FROM + (1 << 28));
        assert_eq!(far, Err(Unmoved::OutOfReach));
        // stxr w0, x1, [x2]
        let exclusive = moved(0xc800_7c41);
        assert_eq!(exclusive, Err(Unmoved::Refused(Why::Exclusive)));
    }
}
