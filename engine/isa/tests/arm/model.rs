//! A model of emulated instructions, from the manual's pseudocode (DDI 0406C, A2 and A8) and
//! independent of the code under test: a machine whose memory can run out. It deviates from the
//! pseudocode in one respect, as Linux does: an access that would fault only for its alignment is
//! performed.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::collections::BTreeMap;

use engine_isa::arm::{Regs, Version};
use engine_isa::{Fault, Memory, Width};

use crate::words::holds;

pub const SP: usize = 13;
pub const LR: usize = 14;
pub const PC: usize = 15;

/// Bytewise memory that allows a limited number of accesses. A byte that was never stored has a
/// value derived from its address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ram {
    pub bytes: BTreeMap<u64, u8>,
    pub accesses_left: usize,
}

impl Ram {
    pub fn of_accesses(accesses_left: usize) -> Self {
        Self {
            bytes: BTreeMap::new(),
            accesses_left,
        }
    }

    fn access(&mut self, address: u64) -> Result<(), Fault> {
        assert!(address <= u32::MAX.into());
        self.accesses_left = self.accesses_left.checked_sub(1).ok_or(Fault { address })?;
        Ok(())
    }

    fn byte(&self, address: u64) -> u8 {
        let made = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        self.bytes.get(&address).copied().unwrap_or(made)
    }
}

impl Memory for Ram {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.access(address)?;
        let bytes = (0..width.bytes()).rev();
        Ok(bytes.fold(0, |value, at| {
            value << 8 | u64::from(self.byte(address + at))
        }))
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        self.access(address)?;
        for (at, byte) in (0..width.bytes()).zip(value.to_le_bytes()) {
            self.bytes.insert(address + at, byte);
        }
        Ok(())
    }
}

/// A machine in the manual's terms.
pub struct Model {
    pub version: Version,
    pub regs: Regs,
    pub ram: Ram,
    /// Whether the instruction has written the pc.
    branched: bool,
}

fn field(word: u32, high: u32, low: u32) -> u32 {
    (word >> low) & ((2 << (high - low)) - 1)
}

fn is_set(word: u32, bit: u32) -> bool {
    field(word, bit, bit) == 1
}

fn sign_extended(value: u32, bits: u32) -> u32 {
    (((value as i32) << (32 - bits)) >> (32 - bits)) as u32
}

impl Model {
    pub fn new(version: Version, regs: Regs, ram: Ram) -> Self {
        Self {
            version,
            regs,
            ram,
            branched: false,
        }
    }

    /// Executes the instruction `word`, which the machine's pc points to.
    pub fn execute(&mut self, word: u32) -> Result<(), Fault> {
        if word >> 28 == 15 {
            self.unconditional(word);
        } else if holds(word >> 28, self.regs.cpsr.into()) {
            self.operate(word)?;
        }
        if !self.branched {
            self.regs.r[PC] = self.regs.r[PC].wrapping_add(4);
        }
        Ok(())
    }

    fn unconditional(&mut self, word: u32) {
        match word >> 25 {
            // BLX to Thumb code at the sum of the aligned PC and imm32.
            0b111_1101 => {
                self.regs.r[LR] = self.regs.r[PC].wrapping_add(4);
                let imm32 = sign_extended(field(word, 23, 0) << 2 | field(word, 24, 24) << 1, 26);
                let target = (self.r(PC) & !3).wrapping_add(imm32);
                self.regs.cpsr |= 1 << 5;
                self.branch_to(target);
            }
            // PLD and PLI have no visible effect.
            0b111_1010 | 0b111_1011 => {}
            _ => panic!("{word:08x}: the model has no such instruction"),
        }
    }

    fn operate(&mut self, word: u32) -> Result<(), Fault> {
        match field(word, 27, 25) {
            0b000 if is_set(word, 7) && is_set(word, 4) => self.extra_load_store(word)?,
            0b000 if field(word, 24, 23) == 0b10 && !is_set(word, 20) => self.branch_register(word),
            0b001 if word & 0x0fff_ffff == 0x0320_f000 => {}
            0b000 | 0b001 => self.data_processing(word),
            0b010 | 0b011 => self.load_store(word)?,
            0b100 => self.load_store_multiple(word)?,
            0b101 => self.branch(word),
            _ => panic!("{word:08x}: the model has no such instruction"),
        }
        Ok(())
    }

    fn flags(&self) -> (bool, bool, bool, bool) {
        let flag = |bit| is_set(self.regs.cpsr, bit);
        (flag(31), flag(30), flag(29), flag(28))
    }

    /// R[n]: the PC is the instruction's address plus 8.
    fn r(&self, n: usize) -> u32 {
        match n {
            PC => self.regs.r[PC].wrapping_add(8),
            _ => self.regs.r[n],
        }
    }

    fn register(&self, word: u32, low: u32) -> u32 {
        self.r(field(word, low + 3, low) as usize)
    }

    fn branch_to(&mut self, address: u32) {
        self.regs.r[PC] = address;
        self.branched = true;
    }

    fn branch_write_pc(&mut self, address: u32) {
        self.branch_to(address & 0xffff_fffc);
    }

    fn bx_write_pc(&mut self, address: u32) {
        if is_set(address, 0) {
            self.regs.cpsr |= 1 << 5;
            self.branch_to(address & 0xffff_fffe);
        } else {
            self.branch_to(address);
        }
    }

    fn branch(&mut self, word: u32) {
        let target = self
            .r(PC)
            .wrapping_add(sign_extended(field(word, 23, 0) << 2, 26));
        if is_set(word, 24) {
            self.regs.r[LR] = self.regs.r[PC].wrapping_add(4);
        }
        self.branch_write_pc(target);
    }

    fn branch_register(&mut self, word: u32) {
        let target = self.register(word, 0);
        if field(word, 7, 4) == 0b0011 {
            self.regs.r[LR] = self.regs.r[PC].wrapping_add(4);
        }
        self.bx_write_pc(target);
    }

    fn data_processing(&mut self, word: u32) {
        let (_, _, c, v) = self.flags();
        let (operand, carry) = if is_set(word, 25) {
            expand_imm_c(field(word, 11, 0), c)
        } else {
            self.shifted_register(word)
        };
        let rn = self.register(word, 16);
        let logical = |result: u32| (result, carry, v);
        let (result, carry, overflow) = match field(word, 24, 21) {
            0 | 8 => logical(rn & operand),
            1 | 9 => logical(rn ^ operand),
            2 | 10 => add_with_carry(rn, !operand, true),
            3 => add_with_carry(!rn, operand, true),
            4 | 11 => add_with_carry(rn, operand, false),
            5 => add_with_carry(rn, operand, c),
            6 => add_with_carry(rn, !operand, c),
            7 => add_with_carry(!rn, operand, c),
            12 => logical(rn | operand),
            13 => logical(operand),
            14 => logical(rn & !operand),
            _ => logical(!operand),
        };
        let rd = field(word, 15, 12) as usize;
        if field(word, 24, 23) != 0b10 {
            match (rd, self.version) {
                (PC, Version::V6) => self.branch_write_pc(result),
                (PC, Version::V7) => self.bx_write_pc(result),
                _ => self.regs.r[rd] = result,
            }
        }
        if is_set(word, 20) {
            let flags = [is_set(result, 31), result == 0, carry, overflow];
            for (bit, flag) in (28..32).rev().zip(flags) {
                self.regs.cpsr = self.regs.cpsr & !(1 << bit) | u32::from(flag) << bit;
            }
        }
    }

    /// Shift_C of Rm by imm5.
    fn shifted_register(&self, word: u32) -> (u32, bool) {
        let (x, imm5) = (self.register(word, 0), field(word, 11, 7));
        let (_, _, c, _) = self.flags();
        let n = if imm5 == 0 { 32 } else { imm5 };
        match (field(word, 6, 5), imm5) {
            (0, 0) => (x, c),
            (0, _) => {
                let extended = u64::from(x) << imm5;
                (extended as u32, extended >> 32 & 1 == 1)
            }
            (1, _) => ((u64::from(x) >> n) as u32, u64::from(x) >> (n - 1) & 1 == 1),
            (2, _) => {
                let extended = i64::from(x as i32);
                ((extended >> n) as u32, extended >> (n - 1) & 1 == 1)
            }
            (_, 0) => (u32::from(c) << 31 | x >> 1, is_set(x, 0)),
            (_, _) => {
                let twice = u64::from(x) << 32 | u64::from(x);
                let result = (twice >> imm5) as u32;
                (result, is_set(result, 31))
            }
        }
    }

    fn load_store(&mut self, word: u32) -> Result<(), Fault> {
        let offset = if is_set(word, 25) {
            self.shifted_register(word).0
        } else {
            field(word, 11, 0)
        };
        let width = if is_set(word, 22) {
            Width::One
        } else {
            Width::Four
        };
        let (address, moved) = self.addresses(word, offset);
        let rt = field(word, 15, 12) as usize;
        if !is_set(word, 20) {
            self.store(address, width, self.r(rt))?;
            return self.write_back(word, moved);
        }
        let data = self.load(address, width)?;
        self.write_back(word, moved)?;
        match rt {
            PC => self.bx_write_pc(data),
            _ => self.regs.r[rt] = data,
        }
        Ok(())
    }

    /// The address accessed, and the base after writeback.
    fn addresses(&self, word: u32, offset: u32) -> (u32, u32) {
        let base = self.register(word, 16);
        let moved = if is_set(word, 23) {
            base.wrapping_add(offset)
        } else {
            base.wrapping_sub(offset)
        };
        (if is_set(word, 24) { moved } else { base }, moved)
    }

    fn write_back(&mut self, word: u32, moved: u32) -> Result<(), Fault> {
        if !is_set(word, 24) || is_set(word, 21) {
            self.regs.r[field(word, 19, 16) as usize] = moved;
        }
        Ok(())
    }

    fn extra_load_store(&mut self, word: u32) -> Result<(), Fault> {
        let offset = if is_set(word, 22) {
            field(word, 11, 8) << 4 | field(word, 3, 0)
        } else {
            self.register(word, 0)
        };
        let (address, _) = self.addresses(word, offset);
        let rt = field(word, 15, 12) as usize;
        match (is_set(word, 20), field(word, 6, 5)) {
            (false, 0b01) => self.store(address, Width::Two, self.r(rt))?,
            (true, 0b01) => self.regs.r[rt] = self.load(address, Width::Two)?,
            (true, 0b10) => self.regs.r[rt] = sign_extended(self.load(address, Width::One)?, 8),
            (true, 0b11) => self.regs.r[rt] = sign_extended(self.load(address, Width::Two)?, 16),
            (false, kind) => {
                let above = address.wrapping_add(4);
                if kind == 0b10 {
                    let low = self.load(address, Width::Four)?;
                    let high = self.load(above, Width::Four)?;
                    (self.regs.r[rt], self.regs.r[rt + 1]) = (low, high);
                } else {
                    self.store(address, Width::Four, self.r(rt))?;
                    self.store(above, Width::Four, self.r(rt + 1))?;
                }
            }
            _ => panic!("{word:08x}: no such transfer"),
        }
        Ok(())
    }

    fn load_store_multiple(&mut self, word: u32) -> Result<(), Fault> {
        let (before, up) = (is_set(word, 24), is_set(word, 23));
        let n = field(word, 19, 16) as usize;
        let size = 4 * field(word, 15, 0).count_ones();
        let lowest = match (before, up) {
            (false, true) => self.regs.r[n],
            (true, true) => self.regs.r[n].wrapping_add(4),
            (false, false) => self.regs.r[n].wrapping_sub(size).wrapping_add(4),
            (true, false) => self.regs.r[n].wrapping_sub(size),
        };
        let moved = if up {
            self.regs.r[n].wrapping_add(size)
        } else {
            self.regs.r[n].wrapping_sub(size)
        };
        let mut address = lowest;
        let mut loaded = Vec::new();
        for i in (0..16).filter(|&i| is_set(word, i as u32)) {
            if is_set(word, 20) {
                loaded.push((i, self.load(address, Width::Four)?));
            } else {
                self.store(address, Width::Four, self.r(i))?;
            }
            address = address.wrapping_add(4);
        }
        if is_set(word, 21) {
            self.regs.r[n] = moved;
        }
        for (i, data) in loaded {
            match i {
                PC => self.bx_write_pc(data),
                _ => self.regs.r[i] = data,
            }
        }
        Ok(())
    }

    fn load(&mut self, address: u32, width: Width) -> Result<u32, Fault> {
        Ok(self.ram.load(address.into(), width)? as u32)
    }

    fn store(&mut self, address: u32, width: Width, value: u32) -> Result<(), Fault> {
        self.ram.store(address.into(), width, value.into())
    }
}

/// ARMExpandImm_C.
fn expand_imm_c(imm12: u32, carry: bool) -> (u32, bool) {
    let twice = u64::from(imm12 & 0xff) * 0x1_0000_0001;
    let turned = (twice >> (2 * (imm12 >> 8))) as u32;
    let carry = if imm12 >> 8 == 0 {
        carry
    } else {
        is_set(turned, 31)
    };
    (turned, carry)
}

/// AddWithCarry.
fn add_with_carry(x: u32, y: u32, carry: bool) -> (u32, bool, bool) {
    let unsigned = u64::from(x) + u64::from(y) + u64::from(carry);
    let signed = i64::from(x as i32) + i64::from(y as i32) + i64::from(carry);
    let result = unsigned as u32;
    let carry = u64::from(result) != unsigned;
    (result, carry, i64::from(result as i32) != signed)
}
