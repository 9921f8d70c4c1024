//! A model of emulated instructions, from the manual's pseudocode (DDI 0487, C6.2 by instruction)
//! and independent of the code under test: a machine whose memory can run out.
#![allow(dead_code, reason = "each test binary uses its part of it")]

use engine_isa::arm64::{Processor, Regs};
use engine_isa::{Fault, Memory, Width};

use crate::words::holds;

pub const BTYPE: u64 = 3 << 10;

/// Memory in which every byte differs from its neighbors. It records reads, and faults after a
/// number of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rom {
    seed: u64,
    loads: Vec<(u64, u64)>,
    loads_left: usize,
}

impl Rom {
    pub fn of_loads(loads_left: usize, seed: u64) -> Self {
        let loads = Vec::new();
        Self {
            seed,
            loads,
            loads_left,
        }
    }

    fn byte(&self, address: u64) -> u8 {
        let mixed = (address ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed.to_be_bytes()[0]
    }

    /// Mem[address, bytes] in the manual, lowest byte first.
    fn mem(&mut self, address: u64, bytes: u64) -> Result<u64, Fault> {
        self.loads_left = self.loads_left.checked_sub(1).ok_or(Fault { address })?;
        self.loads.push((address, bytes));
        let byte_at = |offset| u64::from(self.byte(address.wrapping_add(offset)));
        let place = |value, offset| value | byte_at(offset) << (8 * offset);
        Ok((0..bytes).fold(0, place))
    }
}

impl Memory for Rom {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.mem(address, width.bytes())
    }

    fn store(&mut self, address: u64, _: Width, _: u64) -> Result<(), Fault> {
        panic!("nothing here stores, but {address:#x} is stored to")
    }
}

/// A processor that signs with this function, and that may have BTYPE.
pub struct Cpu<F> {
    pub sign: F,
    pub bti: bool,
}

impl<F: Fn(u64, u64) -> u64> Processor for Cpu<F> {
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        (self.sign)(pointer, modifier)
    }

    fn has_branch_types(&self) -> bool {
        self.bti
    }
}

/// A substitute for AddPACIA that no register move can imitate.
pub fn add_pacia(pointer: u64, modifier: u64) -> u64 {
    pointer.rotate_left(9) ^ modifier.wrapping_mul(3) ^ 0x5a
}

/// A processor that signs with [`add_pacia`].
pub fn cpu(bti: bool) -> Cpu<fn(u64, u64) -> u64> {
    let sign = add_pacia;
    Cpu { sign, bti }
}

/// A machine in the manual's terms, whose text is on an unguarded page.
pub struct Model {
    pub regs: Regs,
    pub rom: Rom,
    pub bti: bool,
}

/// A bit field of a word.
fn field(word: u32, high: u32, low: u32) -> u32 {
    let count = high - low + 1;
    (word >> low) & (u32::MAX >> (32 - count))
}

fn sign_extend(value: u64, from: u32) -> u64 {
    let is_negative = from < 64 && value >> (from - 1) & 1 == 1;
    if is_negative {
        value | u64::MAX << from
    } else {
        value
    }
}

impl Model {
    fn x(&self, n: u32, datasize: u32) -> u64 {
        let whole = if n == 31 { 0 } else { self.regs.x[n as usize] };
        whole & u64::MAX >> (64 - datasize)
    }

    fn set_x(&mut self, n: u32, datasize: u32, value: u64) {
        if n != 31 {
            self.regs.x[n as usize] = value & u64::MAX >> (64 - datasize);
        }
    }

    /// Executes the instruction `word`, which the machine's pc points to.
    pub fn execute(&mut self, word: u32) -> Result<(), Fault> {
        let (mut btype_next, mut target) = (0, None);
        match field(word, 28, 23) {
            0b100000 | 0b100001 => self.pc_relative_address(word),
            0b100010 => {
                let datasize = 32 << field(word, 31, 31);
                self.set_x(field(word, 4, 0), datasize, self.regs.sp);
            }
            0b100101 => self.move_wide(word),
            0b101000..=0b101111 if field(word, 31, 24) == 0xd5 => self.hint(field(word, 11, 5)),
            0b101000..=0b101111 => (target, btype_next) = self.branch(word),
            0b010100 => {
                let datasize = 32 << field(word, 31, 31);
                let operand = self.x(field(word, 20, 16), datasize);
                self.set_x(field(word, 4, 0), datasize, operand);
            }
            0b110000 | 0b110001 if field(word, 29, 29) == 0 => self.load_literal(word)?,
            _ => self.load(word)?,
        }
        self.regs.pc = target.unwrap_or(self.regs.pc.wrapping_add(4));
        self.regs.pstate &= !BTYPE;
        if self.bti {
            self.regs.pstate |= btype_next << 10;
        }
        Ok(())
    }

    /// The target if taken, and BTypeNext.
    fn branch(&mut self, word: u32) -> (Option<u64>, u64) {
        let (pc, after) = (self.regs.pc, self.regs.pc.wrapping_add(4));
        let away = |imm: u32, bits: u32| Some(pc.wrapping_add(sign_extend(imm.into(), bits) << 2));
        let taken = |yes: bool, to: Option<u64>| if yes { to } else { None };
        let op = field(word, 24, 24) == 1;
        let datasize = 32 << field(word, 31, 31);
        match field(word, 30, 25) {
            0b001010 | 0b001011 => {
                if field(word, 31, 31) == 1 {
                    self.regs.x[30] = after;
                }
                (away(field(word, 25, 0), 26), 0)
            }
            0b101010 => {
                let holds = holds(field(word, 3, 0), self.regs.pstate);
                (taken(holds, away(field(word, 23, 5), 19)), 0)
            }
            0b011010 => {
                let is_zero = self.x(field(word, 4, 0), datasize) == 0;
                (taken(is_zero != op, away(field(word, 23, 5), 19)), 0)
            }
            0b011011 => {
                let bit = field(word, 31, 31) * 32 + field(word, 23, 19);
                let is_zero = self.x(field(word, 4, 0), 64) >> bit & 1 == 0;
                (taken(is_zero != op, away(field(word, 18, 5), 14)), 0)
            }
            0b101011 => {
                let to = self.x(field(word, 9, 5), 64);
                match field(word, 22, 21) {
                    0b00 => (Some(to), 0b01),
                    0b01 => {
                        self.regs.x[30] = after;
                        (Some(to), 0b10)
                    }
                    _ => (Some(to), 0b00),
                }
            }
            _ => panic!("{word:08x} is no branch"),
        }
    }

    fn pc_relative_address(&mut self, word: u32) {
        let imm = u64::from(field(word, 23, 5) << 2 | field(word, 30, 29));
        let (base, imm) = if field(word, 31, 31) == 1 {
            (self.regs.pc & !0xfff, sign_extend(imm << 12, 33))
        } else {
            (self.regs.pc, sign_extend(imm, 21))
        };
        self.set_x(field(word, 4, 0), 64, base.wrapping_add(imm));
    }

    fn hint(&mut self, number: u32) {
        if number == 25 {
            self.regs.x[30] = add_pacia(self.regs.x[30], self.regs.sp);
        }
    }

    fn move_wide(&mut self, word: u32) {
        let datasize = 32 << field(word, 31, 31);
        let (opcode, rd) = (field(word, 30, 29), field(word, 4, 0));
        let (imm16, pos) = (u64::from(field(word, 20, 5)), field(word, 22, 21) << 4);
        let mut result = if opcode == 0b11 {
            self.x(rd, datasize)
        } else {
            0
        };
        result &= !(0xffff << pos);
        result |= imm16 << pos;
        if opcode == 0b00 {
            result = !result;
        }
        self.set_x(rd, datasize, result);
    }

    /// The base register, with CheckSPAlignment if it is the stack pointer.
    fn base(&self, n: u32) -> Result<u64, Fault> {
        let address = self.regs.sp;
        match n {
            31 if !address.is_multiple_of(16) => Err(Fault { address }),
            31 => Ok(address),
            _ => Ok(self.regs.x[n as usize]),
        }
    }

    fn load_literal(&mut self, word: u32) -> Result<(), Fault> {
        let offset = sign_extend(field(word, 23, 5).into(), 19) << 2;
        let (address, t) = (self.regs.pc.wrapping_add(offset), field(word, 4, 0));
        match field(word, 31, 30) {
            0b00 => {
                let data = self.rom.mem(address, 4)?;
                self.set_x(t, 32, data);
            }
            0b01 => {
                let data = self.rom.mem(address, 8)?;
                self.set_x(t, 64, data);
            }
            0b10 => {
                let data = self.rom.mem(address, 4)?;
                self.set_x(t, 64, sign_extend(data, 32));
            }
            // Prefetch.
            _ => {}
        }
        Ok(())
    }

    fn load(&mut self, word: u32) -> Result<(), Fault> {
        let (size, opc) = (field(word, 31, 30), field(word, 23, 22));
        let bytes = 1_u64 << size;
        let offset = if field(word, 24, 24) == 1 {
            u64::from(field(word, 21, 10)) * bytes
        } else {
            sign_extend(field(word, 20, 12).into(), 9)
        };
        let address = self.base(field(word, 9, 5))?.wrapping_add(offset);
        let data = self.rom.mem(address, bytes)?;
        let (value, regsize) = match opc {
            0b01 => (data, if size == 3 { 64 } else { 32 }),
            0b10 => (sign_extend(data, 8 << size), 64),
            0b11 => (sign_extend(data, 8 << size), 32),
            _ => panic!("{word:08x} is a store"),
        };
        self.set_x(field(word, 4, 0), regsize, value);
        Ok(())
    }
}
