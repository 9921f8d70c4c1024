//! A plain reading of the manual: the emulated instructions, decoded byte by byte from chapter 2
//! and the instructions' own pages.

/// The register number of the instruction pointer.
pub const IP: usize = 16;
pub const SP: usize = 4;
pub const COUNT: usize = 1;

/// An instruction in the model's terms.
#[derive(Debug)]
pub struct Read {
    pub length: usize,
    pub operation: Operation,
}

#[derive(Debug)]
pub enum Operation {
    Nop,
    Push(Source),
    Jump(Source),
    Call(Source),
    /// A condition code.
    JumpIf(u8, Source),
    /// Which of loopne, loope, loop and jrcxz, and the width of the count in bits.
    Count(u8, u32, Source),
    /// Releases this many bytes of the stack.
    Return(u64),
}

#[derive(Clone, Copy, Debug)]
pub enum Source {
    Register(usize),
    Number(u64),
    /// A distance from the next instruction.
    Ahead(u64),
    Memory {
        base: Option<usize>,
        index: Option<(usize, u64)>,
        displacement: u64,
        /// The width of an address in bits.
        bits: u32,
    },
}

/// Decodes one instruction, in 64-bit or 32-bit mode; `None` if it is not emulated.
pub fn read(wide: bool, text: &[u8; 15]) -> Option<Read> {
    let mut reader = Reader {
        wide,
        text,
        at: 0,
        size: false,
        address: false,
        segment: false,
        locked: false,
        last: None,
        rex: 0,
    };
    reader.prefixes()?;
    let operation = reader.operation()?;
    (!reader.locked).then_some(Read {
        length: reader.at,
        operation,
    })
}

struct Reader<'a> {
    wide: bool,
    text: &'a [u8; 15],
    at: usize,
    size: bool,
    address: bool,
    /// FS or GS; in 32-bit mode, the last segment prefix.
    segment: bool,
    locked: bool,
    /// The last of F2 and F3.
    last: Option<u8>,
    rex: u8,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn prefixes(&mut self) -> Option<()> {
        loop {
            let byte = self.byte()?;
            match byte {
                0x40..=0x4f if self.wide => {
                    self.rex = byte;
                    continue;
                }
                0x26 | 0x2e | 0x36 | 0x3e if !self.wide => self.segment = false,
                0x26 | 0x2e | 0x36 | 0x3e => {}
                0x64 | 0x65 => self.segment = true,
                0x66 => self.size = true,
                0x67 => self.address = true,
                0xf0 => self.locked = true,
                0xf2 | 0xf3 => self.last = Some(byte),
                _ => {
                    self.at -= 1;
                    return Some(());
                }
            }
            self.rex = 0;
        }
    }

    fn rex_has(&self, bit: u8) -> bool {
        self.rex & bit != 0
    }

    /// Whether all processors agree on the width of the instruction pointer.
    fn branches(&self) -> Option<()> {
        (!self.size || self.rex_has(8)).then_some(())
    }

    fn operation(&mut self) -> Option<Operation> {
        let opcode = self.byte()?;
        Some(match opcode {
            0x90 if self.last != Some(0xf3) && !self.rex_has(1) => Operation::Nop,
            0x50..=0x57 if !self.size => Operation::Push(Source::Register(self.low(opcode, 1))),
            0x6a if !self.size => Operation::Push(Source::Number(self.signed(1)?)),
            0x68 if !self.size => Operation::Push(Source::Number(self.signed(4)?)),
            0x70..=0x7f => {
                self.branches()?;
                Operation::JumpIf(opcode % 16, self.ahead(1)?)
            }
            0xe0 | 0xe1 if self.last.is_some() => return None,
            0xe0..=0xe3 => {
                self.branches()?;
                let bits = if self.wide { 64 } else { 32 } >> u32::from(self.address);
                Operation::Count(opcode % 4, bits, self.ahead(1)?)
            }
            0xe8 => {
                self.branches()?;
                Operation::Call(self.ahead(4)?)
            }
            0xe9 => {
                self.branches()?;
                Operation::Jump(self.ahead(4)?)
            }
            0xeb => {
                self.branches()?;
                Operation::Jump(self.ahead(1)?)
            }
            0xc2 => {
                self.branches()?;
                Operation::Return(self.signed(2)? & 0xffff)
            }
            0xc3 => {
                self.branches()?;
                Operation::Return(0)
            }
            0xff => {
                self.branches()?;
                let (digit, source) = self.modrm()?;
                match digit {
                    2 => Operation::Call(source?),
                    4 => Operation::Jump(source?),
                    _ => return None,
                }
            }
            0x0f => return self.operation_of_two_bytes(),
            _ => return None,
        })
    }

    fn operation_of_two_bytes(&mut self) -> Option<Operation> {
        let opcode = self.byte()?;
        Some(match opcode {
            0x1f => {
                // The operand is not accessed, so its segment does not matter.
                self.segment = false;
                self.modrm()?;
                Operation::Nop
            }
            0x1e if self.last == Some(0xf3) => {
                let modrm = self.byte()?;
                if modrm != 0xfa && modrm != 0xfb {
                    return None;
                }
                Operation::Nop
            }
            0x80..=0x8f => {
                self.branches()?;
                Operation::JumpIf(opcode % 16, self.ahead(4)?)
            }
            _ => return None,
        })
    }

    /// The next bytes, lowest first, sign-extended.
    fn signed(&mut self, size: usize) -> Option<u64> {
        let bytes = self.text.get(self.at..self.at + size)?;
        self.at += size;
        let number = bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number * 256 + u64::from(byte));
        Some(sign_extended(number, size as u32 * 8))
    }

    fn ahead(&mut self, size: usize) -> Option<Source> {
        self.signed(size).map(Source::Ahead)
    }

    /// The register in the low three bits, extended by a bit of REX.
    fn low(&self, byte: u8, bit: u8) -> usize {
        usize::from(byte % 8) + if self.rex_has(bit) { 8 } else { 0 }
    }

    /// A ModRM byte's reg field, and its register or memory operand (tables 2-2 and 2-3, and
    /// 2.2.1.6 for what is relative to the instruction pointer); no operand for memory in a
    /// segment.
    fn modrm(&mut self) -> Option<(u8, Option<Source>)> {
        let modrm = self.byte()?;
        let (mode, digit) = (modrm / 64, modrm / 8 % 8);
        if mode == 3 {
            return Some((digit, Some(Source::Register(self.low(modrm, 1)))));
        }
        if self.address && !self.wide {
            self.skip_16_bits(mode, modrm % 8)?;
            return Some((digit, None));
        }
        let mut base = Some(self.low(modrm, 1));
        let mut index = None;
        let mut size = [0, 1, 4][usize::from(mode)];
        if modrm % 8 == 4 {
            let sib = self.byte()?;
            base = Some(self.low(sib, 1));
            if sib % 8 == 5 && mode == 0 {
                (base, size) = (None, 4);
            }
            let number = self.low(sib / 8, 2);
            index = (number != 4).then_some((number, 1 << (sib / 64)));
        } else if modrm % 8 == 5 && mode == 0 {
            (base, size) = (self.wide.then_some(IP), 4);
        }
        let displacement = if size == 0 { 0 } else { self.signed(size)? };
        let bits = if self.wide && !self.address { 64 } else { 32 };
        let memory = Source::Memory {
            base,
            index,
            displacement,
            bits,
        };
        Some((digit, (!self.segment).then_some(memory)))
    }

    /// Table 2-1.
    fn skip_16_bits(&mut self, mode: u8, rm: u8) -> Option<()> {
        let size = match (mode, rm) {
            (0, 6) | (2, _) => 2,
            (1, _) => 1,
            _ => 0,
        };
        self.at += size;
        (self.at <= 15).then_some(())
    }
}

/// The low `bits`, sign-extended.
pub fn sign_extended(value: u64, bits: u32) -> u64 {
    if bits > 0 && value >> (bits - 1) & 1 == 1 && bits < 64 {
        value | u64::MAX << bits
    } else {
        value
    }
}
