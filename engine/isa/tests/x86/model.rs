//! A model of emulated instructions, in the manual's terms.

use std::collections::BTreeMap;

use engine_isa::x86::Regs;
use engine_isa::{Fault, Memory, Width};

use super::reading::{COUNT, IP, Operation, SP, Source, read};

/// Bytewise memory with defined initial contents, in which eight aligned bytes are a canonical
/// address; or no memory at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ram {
    pub written: BTreeMap<u64, u8>,
    missing: bool,
    pub loads: Vec<(u64, u64)>,
}

impl Ram {
    pub fn missing() -> Self {
        Self {
            missing: true,
            ..Self::default()
        }
    }

    fn byte(&self, address: u64) -> u8 {
        let any = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        let untouched = match address % 8 {
            5 => any & 0x7f,
            6 | 7 => 0,
            _ => any,
        };
        self.written.get(&address).copied().unwrap_or(untouched)
    }

    pub fn fetch(&mut self, address: u64, size: u64) -> Result<u64, Fault> {
        if self.missing {
            return Err(Fault { address });
        }
        self.loads.push((address, size));
        let bytes = (0..size).rev();
        Ok(bytes.fold(0, |value, offset| {
            value << 8 | u64::from(self.byte(address.wrapping_add(offset)))
        }))
    }

    pub fn put(&mut self, address: u64, size: u64, value: u64) -> Result<(), Fault> {
        if self.missing {
            return Err(Fault { address });
        }
        for (offset, byte) in (0..size).zip(value.to_le_bytes()) {
            self.written.insert(address.wrapping_add(offset), byte);
        }
        Ok(())
    }
}

impl Memory for Ram {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        self.fetch(address, width.bytes())
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        self.put(address, width.bytes(), value)
    }
}

/// A machine in the manual's terms: sixteen registers by number, IP and the flags.
pub struct Model {
    pub wide: bool,
    pub r: [u64; 17],
    pub flags: u64,
    pub ram: Ram,
}

impl Model {
    fn bits(&self) -> u32 {
        if self.wide { 64 } else { 32 }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.bits() / 8)
    }

    pub fn execute(&mut self, text: &[u8; 15]) -> Result<(), Fault> {
        let read = read(self.wide, text).expect("only what is accepted is executed");
        self.r[IP] = (self.r[IP].wrapping_add(read.length as u64)) & mask(self.bits());
        match read.operation {
            Operation::Nop => {}
            Operation::Push(source) => {
                let value = self.value(source)?;
                self.push(value)?;
            }
            Operation::Jump(source) => {
                let target = self.value(source)?;
                self.go(target)?;
            }
            Operation::Call(source) => {
                let (target, back) = (self.value(source)?, self.r[IP]);
                self.go(target)?;
                self.push(back)?;
            }
            Operation::JumpIf(code, source) => {
                if self.holds(code) {
                    let target = self.value(source)?;
                    self.go(target)?;
                }
            }
            Operation::Count(which, bits, source) => {
                if self.counts(which, bits) {
                    let target = self.value(source)?;
                    self.go(target)?;
                }
            }
            Operation::Return(release) => {
                let target = self.ram.fetch(self.r[SP], self.bytes())?;
                self.go(target)?;
                self.move_sp(self.bytes() + release);
            }
        }
        Ok(())
    }

    /// The general protection fault of a branch to a noncanonical address.
    fn go(&mut self, address: u64) -> Result<(), Fault> {
        let upper = address >> 47;
        if self.wide && upper != 0 && upper != (1 << 17) - 1 {
            return Err(Fault { address });
        }
        self.r[IP] = address;
        Ok(())
    }

    fn move_sp(&mut self, by: u64) {
        self.r[SP] = self.r[SP].wrapping_add(by) & mask(self.bits());
    }

    fn push(&mut self, value: u64) -> Result<(), Fault> {
        self.move_sp(self.bytes().wrapping_neg());
        self.ram.put(self.r[SP], self.bytes(), value)
    }

    /// Whether a condition code holds (appendix B of volume 1).
    fn holds(&self, code: u8) -> bool {
        let flag = |bit: u32| self.flags >> bit & 1 == 1;
        let (cf, pf, zf, sf, of) = (flag(0), flag(2), flag(6), flag(7), flag(11));
        match code {
            0 => of,
            1 => !of,
            2 => cf,
            3 => !cf,
            4 => zf,
            5 => !zf,
            6 => cf || zf,
            7 => !cf && !zf,
            8 => sf,
            9 => !sf,
            10 => pf,
            11 => !pf,
            12 => sf != of,
            13 => sf == of,
            14 => zf || sf != of,
            _ => !zf && sf == of,
        }
    }

    /// Decrements the count, except for jrcxz; whether the branch is taken.
    fn counts(&mut self, which: u8, bits: u32) -> bool {
        let zero_flag = self.flags >> 6 & 1 == 1;
        let count = self.r[COUNT] & mask(bits);
        if which == 3 {
            return count == 0;
        }
        let count = count.wrapping_sub(1) & mask(bits);
        let kept = if bits == 16 { !mask(16) } else { 0 };
        self.r[COUNT] = self.r[COUNT] & kept | count;
        count != 0 && (which == 2 || zero_flag == (which == 1))
    }

    fn value(&mut self, source: Source) -> Result<u64, Fault> {
        let value = match source {
            Source::Number(value) => value,
            Source::Register(number) => self.r[number],
            Source::Ahead(distance) => self.r[IP].wrapping_add(distance),
            Source::Memory {
                base,
                index,
                displacement,
                bits,
            } => {
                let base = base.map_or(0, |number| u128::from(self.r[number]));
                let index = index.map_or(0, |(number, scale)| {
                    u128::from(self.r[number]) * u128::from(scale)
                });
                let address = (base + index + u128::from(displacement)) as u64;
                self.ram.fetch(address & mask(bits), self.bytes())?
            }
        };
        Ok(value & mask(self.bits()))
    }
}

pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Registers that no instruction here uses.
pub const OTHERS: Regs = Regs {
    orig_ax: u64::MAX,
    cs: 0x10,
    flags: 0x246,
    ss: 0x18,
    r15: 0,
    r14: 0,
    r13: 0,
    r12: 0,
    bp: 0,
    bx: 0,
    r11: 0,
    r10: 0,
    r9: 0,
    r8: 0,
    ax: 0,
    cx: 0,
    dx: 0,
    si: 0,
    di: 0,
    ip: 0,
    sp: 0,
};

/// Registers by number, in the layout of Linux.
pub fn laid_out(r: &[u64; 17]) -> Regs {
    let &[
        ax,
        cx,
        dx,
        bx,
        sp,
        bp,
        si,
        di,
        r8,
        r9,
        r10,
        r11,
        r12,
        r13,
        r14,
        r15,
        ip,
    ] = r;
    Regs {
        r15,
        r14,
        r13,
        r12,
        bp,
        bx,
        r11,
        r10,
        r9,
        r8,
        ax,
        cx,
        dx,
        si,
        di,
        ip,
        sp,
        ..OTHERS
    }
}
