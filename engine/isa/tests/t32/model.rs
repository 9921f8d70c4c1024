//! A model of emulated Thumb instructions, from the manual's pseudocode (DDI 0406C, A2, A6 and A8)
//! and independent of the code under test. As A32's, it performs an access that would fault only
//! for its alignment, as Linux does.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use engine_isa::arm::Regs;
use engine_isa::{Fault, Memory, Width};

use crate::model_of_arm::{LR, PC, Ram, SP};
use crate::words::holds;

/// A machine in the manual's terms, in Thumb state.
pub struct Model {
    pub regs: Regs,
    pub ram: Ram,
    /// Whether the instruction has written the pc.
    branched: bool,
}

/// ITSTATE in a program status.
pub fn itstate(cpsr: u32) -> u32 {
    cpsr >> 25 & 3 | (cpsr >> 10 & 0x3f) << 2
}

/// A program status with this ITSTATE.
pub fn with_itstate(cpsr: u32, state: u32) -> u32 {
    cpsr & !0x0600_fc00 | (state & 3) << 25 | (state >> 2) << 10
}

/// Whether ITSTATE is one that an IT instruction, or some instructions after it, leave behind.
pub fn is_block(state: u32) -> bool {
    let (condition, mask) = (state >> 4, state & 15);
    mask != 0 && condition < 14
}

/// An instruction, as one number of 32 bits: the first halfword is the upper half.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    /// Bits of the first halfword.
    fn one(self, high: u32, low: u32) -> u32 {
        field(self.0 >> 16, high, low)
    }

    /// Bits of the second halfword.
    fn two(self, high: u32, low: u32) -> u32 {
        field(self.0 & 0xffff, high, low)
    }
}

fn field(value: u32, high: u32, low: u32) -> u32 {
    (value >> low) & ((2 << (high - low)) - 1)
}

/// SignExtend of a number of this many bits.
fn sign_extend(value: u32, bits: u32) -> u32 {
    let sign = 1 << (bits - 1);
    (value ^ sign).wrapping_sub(sign)
}

impl Model {
    pub fn new(regs: Regs, ram: Ram) -> Self {
        Self {
            regs,
            ram,
            branched: false,
        }
    }

    /// Executes the instruction `word`, which the machine's pc points to.
    pub fn execute(&mut self, word: u32) -> Result<(), Fault> {
        let w = Word(word);
        let is_short = w.one(15, 11) < 0b11101;
        let state = itstate(self.regs.cpsr);
        if holds(self.current_condition(w, state), self.regs.cpsr.into()) {
            if is_short {
                self.short(w)?;
            } else {
                self.long(w)?;
            }
        }
        if !self.branched {
            let length = if is_short { 2 } else { 4 };
            self.regs.r[PC] = self.regs.r[PC].wrapping_add(length);
        }
        let begins = is_short && w.one(15, 8) == 0b1011_1111 && w.one(3, 0) != 0;
        // ITAdvance.
        let after = match state & 7 {
            _ if begins => w.one(7, 0),
            0 => 0,
            _ => state & 0b1110_0000 | (state & 0b1111) << 1,
        };
        self.regs.cpsr = with_itstate(self.regs.cpsr, after);
        Ok(())
    }

    /// CurrentCond.
    fn current_condition(&self, w: Word, state: u32) -> u32 {
        let is_long_branch = w.one(15, 11) == 0b11110
            && w.two(15, 14) == 0b10
            && w.two(12, 12) == 0
            && w.one(9, 7) != 0b111;
        if w.one(15, 12) == 0b1101 {
            w.one(11, 8)
        } else if is_long_branch {
            w.one(9, 6)
        } else if state & 15 != 0 {
            state >> 4
        } else {
            14
        }
    }

    /// R[n]: the PC is the instruction's address plus 4.
    fn r(&self, n: u32) -> u32 {
        match n as usize {
            PC => self.regs.r[PC].wrapping_add(4),
            n => self.regs.r[n],
        }
    }

    /// Align(PC, 4).
    fn aligned_pc(&self) -> u32 {
        self.r(15) / 4 * 4
    }

    fn branch_to(&mut self, address: u32) {
        self.regs.r[PC] = address;
        self.branched = true;
    }

    /// BranchWritePC in Thumb state.
    fn branch_write_pc(&mut self, address: u32) {
        self.branch_to(address & 0xffff_fffe);
    }

    fn bx_write_pc(&mut self, address: u32) {
        if address & 1 == 1 {
            self.branch_to(address - 1);
        } else {
            self.regs.cpsr &= !0x20;
            self.branch_to(address);
        }
    }

    fn short(&mut self, w: Word) -> Result<(), Fault> {
        match w.one(15, 12) {
            0b0100 if w.one(11, 11) == 1 => {
                let address = self.aligned_pc().wrapping_add(4 * w.one(7, 0));
                let data = self.load(address, Width::Four)?;
                self.regs.r[w.one(10, 8) as usize] = data;
            }
            0b0100 => self.special(w),
            0b1010 => {
                let sum = self.aligned_pc().wrapping_add(4 * w.one(7, 0));
                self.regs.r[w.one(10, 8) as usize] = sum;
            }
            0b1011 => self.miscellaneous(w)?,
            0b1101 => {
                let to = self.r(15).wrapping_add(sign_extend(w.one(7, 0) << 1, 9));
                self.branch_write_pc(to);
            }
            0b1110 => {
                let to = self.r(15).wrapping_add(sign_extend(w.one(10, 0) << 1, 12));
                self.branch_write_pc(to);
            }
            _ => panic!("{:08x}: the model has no such instruction", w.0),
        }
        Ok(())
    }

    /// ADD, MOV, BX and BLX of any register.
    fn special(&mut self, w: Word) {
        let (d, m) = (w.one(7, 7) << 3 | w.one(2, 0), w.one(6, 3));
        let result = match w.one(9, 8) {
            0b00 => self.r(d).wrapping_add(self.r(m)),
            0b10 => self.r(m),
            0b11 => {
                let target = self.r(m);
                if w.one(7, 7) == 1 {
                    self.regs.r[LR] = self.r(15).wrapping_sub(2) | 1;
                }
                return self.bx_write_pc(target);
            }
            _ => panic!("{:08x}: a comparison", w.0),
        };
        match d as usize {
            PC => self.branch_write_pc(result),
            d => self.regs.r[d] = result,
        }
    }

    fn miscellaneous(&mut self, w: Word) -> Result<(), Fault> {
        let lists = w.one(10, 9) == 0b10;
        match (w.one(11, 11), lists) {
            (0, true) => self.push(w.one(8, 8) << 14 | w.one(7, 0))?,
            (1, true) => self.load_several(SP, w.one(8, 8) << 15 | w.one(7, 0), true, true)?,
            _ if w.one(11, 7) == 0b00001 => {
                self.regs.r[SP] = self.r(13).wrapping_sub(4 * w.one(6, 0))
            }
            _ if w.one(10, 10) == 0 && w.one(8, 8) == 1 => {
                let imm32 = w.one(9, 9) << 6 | w.one(7, 3) << 1;
                let is_zero = self.r(w.one(2, 0)) == 0;
                if is_zero == (w.one(11, 11) == 0) {
                    self.branch_write_pc(self.r(15).wrapping_add(imm32));
                }
            }
            // IT, which `execute` does, and NOP.
            _ if w.one(11, 8) == 0b1111 => {}
            _ => panic!("{:08x}: the model has no such instruction", w.0),
        }
        Ok(())
    }

    fn long(&mut self, w: Word) -> Result<(), Fault> {
        match (w.one(12, 11), w.one(10, 9)) {
            (0b01, 0b00) if w.one(6, 6) == 0 => {
                let (list, n) = (w.two(15, 0), w.one(3, 0) as usize);
                match (w.one(8, 7), w.one(4, 4)) {
                    (0b01, 1) => self.load_several(n, list, true, w.one(5, 5) == 1),
                    (_, 1) => self.load_several(n, list, false, w.one(5, 5) == 1),
                    _ => self.push(list),
                }
            }
            (0b01, 0b00) if w.one(8, 4) == 0b01101 => {
                let (n, m) = (self.r(w.one(3, 0)), self.r(w.two(3, 0)));
                let halfwords = if w.two(4, 4) == 1 {
                    self.load(n.wrapping_add(m.wrapping_mul(2)), Width::Two)?
                } else {
                    self.load(n.wrapping_add(m), Width::One)?
                };
                self.branch_write_pc(self.r(15).wrapping_add(2 * halfwords));
                Ok(())
            }
            (0b01, 0b00) => {
                let address = self.literal(w, 4 * w.two(7, 0));
                let low = self.load(address, Width::Four)?;
                let high = self.load(address.wrapping_add(4), Width::Four)?;
                self.regs.r[w.two(15, 12) as usize] = low;
                self.regs.r[w.two(11, 8) as usize] = high;
                Ok(())
            }
            (0b10, _) if w.two(15, 15) == 1 => {
                self.branch(w);
                Ok(())
            }
            (0b10, _) => {
                self.constant(w);
                Ok(())
            }
            (0b11, 0b00) => self.transfer(w),
            _ => panic!("{:08x}: the model has no such instruction", w.0),
        }
    }

    /// The address of a literal.
    fn literal(&self, w: Word, imm32: u32) -> u32 {
        let base = self.aligned_pc();
        if w.one(7, 7) == 1 {
            base.wrapping_add(imm32)
        } else {
            base.wrapping_sub(imm32)
        }
    }

    /// B, BL, BLX, and the hints that do nothing.
    fn branch(&mut self, w: Word) {
        let (s, j1, j2) = (w.one(10, 10), w.two(13, 13), w.two(11, 11));
        if w.two(14, 14) == 0 && w.two(12, 12) == 0 {
            if w.one(9, 7) == 0b111 {
                return;
            }
            let imm = s << 20 | j2 << 19 | j1 << 18 | w.one(5, 0) << 12 | w.two(10, 0) << 1;
            let to = self.r(15).wrapping_add(sign_extend(imm, 21));
            return self.branch_write_pc(to);
        }
        let (i1, i2) = (u32::from(j1 == s), u32::from(j2 == s));
        let imm = s << 24 | i1 << 23 | i2 << 22 | w.one(9, 0) << 12 | w.two(10, 0) << 1;
        let imm32 = sign_extend(imm, 25);
        if w.two(14, 14) == 1 {
            self.regs.r[LR] = self.r(15) | 1;
        }
        if w.two(12, 12) == 0 {
            let to = self.aligned_pc().wrapping_add(imm32);
            self.regs.cpsr &= !0x20;
            self.branch_to(to);
        } else {
            self.branch_write_pc(self.r(15).wrapping_add(imm32));
        }
    }

    /// ADR, and SUB from the SP.
    fn constant(&mut self, w: Word) {
        let imm12 = w.one(10, 10) << 11 | w.two(14, 12) << 8 | w.two(7, 0);
        let d = w.two(11, 8) as usize;
        self.regs.r[d] = match (w.one(9, 9), w.one(8, 4), w.one(3, 0)) {
            (1, 0b00000, 15) => self.aligned_pc().wrapping_add(imm12),
            (1, 0b01010, 15) => self.aligned_pc().wrapping_sub(imm12),
            (1, 0b01010, 13) => self.r(13).wrapping_sub(imm12),
            (0, 0b11010, 13) => self.r(13).wrapping_sub(expand_imm(imm12)),
            _ => panic!("{:08x}: the model has no such instruction", w.0),
        };
    }

    /// Loads of words, bytes and halfwords, and PUSH of one register.
    fn transfer(&mut self, w: Word) -> Result<(), Fault> {
        let (n, t) = (w.one(3, 0), w.two(15, 12));
        if w.one(4, 4) == 0 {
            return self.push(1 << t);
        }
        let word = w.one(6, 5) == 0b10;
        // PLD.
        if t == 15 && !word {
            return Ok(());
        }
        let base = self.r(n);
        let (address, moved) = if n == 15 {
            (self.literal(w, w.two(11, 0)), None)
        } else if w.one(7, 7) == 1 {
            (base.wrapping_add(w.two(11, 0)), None)
        } else if w.two(11, 11) == 0 {
            let shifted = self.r(w.two(3, 0)) << w.two(5, 4);
            (base.wrapping_add(shifted), None)
        } else {
            let imm32 = w.two(7, 0);
            let moved = if w.two(9, 9) == 1 {
                base.wrapping_add(imm32)
            } else {
                base.wrapping_sub(imm32)
            };
            let address = if w.two(10, 10) == 1 { moved } else { base };
            (address, (w.two(8, 8) == 1).then_some(moved))
        };
        let width = [Width::One, Width::Two, Width::Four][w.one(6, 5) as usize];
        let data = self.load(address, width)?;
        let data = match (w.one(8, 8), width) {
            (1, Width::One) => sign_extend(data, 8),
            (1, Width::Two) => sign_extend(data, 16),
            _ => data,
        };
        if let Some(moved) = moved {
            self.regs.r[n as usize] = moved;
        }
        match t {
            15 => self.bx_write_pc(data),
            t => self.regs.r[t as usize] = data,
        }
        Ok(())
    }

    fn push(&mut self, list: u32) -> Result<(), Fault> {
        let bottom = self.r(13).wrapping_sub(4 * list.count_ones());
        let mut address = bottom;
        for i in (0..15).filter(|i| list >> i & 1 == 1) {
            self.ram
                .store(address.into(), Width::Four, self.r(i).into())?;
            address = address.wrapping_add(4);
        }
        self.regs.r[SP] = bottom;
        Ok(())
    }

    /// POP, LDM and LDMDB.
    fn load_several(&mut self, n: usize, list: u32, up: bool, back: bool) -> Result<(), Fault> {
        let (base, size) = (self.regs.r[n], 4 * list.count_ones());
        let (mut address, moved) = if up {
            (base, base.wrapping_add(size))
        } else {
            (base.wrapping_sub(size), base.wrapping_sub(size))
        };
        let mut loaded = Vec::new();
        for i in (0..16).filter(|i| list >> i & 1 == 1) {
            loaded.push((i, self.load(address, Width::Four)?));
            address = address.wrapping_add(4);
        }
        if back {
            self.regs.r[n] = moved;
        }
        for (i, data) in loaded {
            match i {
                PC => self.bx_write_pc(data),
                i => self.regs.r[i] = data,
            }
        }
        Ok(())
    }

    fn load(&mut self, address: u32, width: Width) -> Result<u32, Fault> {
        Ok(self.ram.load(address.into(), width)? as u32)
    }
}

/// ThumbExpandImm.
fn expand_imm(imm12: u32) -> u32 {
    let imm8 = imm12 & 0xff;
    match imm12 >> 8 {
        0 => imm8,
        1 => imm8 * 0x0001_0001,
        2 => imm8 * 0x0100_0100,
        3 => imm8 * 0x0101_0101,
        _ => {
            let unrotated = u64::from(0x80 | imm12 & 0x7f) << 32;
            let turned = unrotated >> (imm12 >> 7);
            (turned | turned >> 32) as u32
        }
    }
}
