//! A plain reading of the manual: the same instructions as the table's, decoded
//! byte by byte from chapter 2 and the instructions' own pages.

/// The number that stands for the instruction pointer.
pub const IP: usize = 16;
pub const SP: usize = 4;

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
    Move(Target, Source),
    Address(Target, Target),
}

#[derive(Debug)]
pub enum Source {
    Target(Target),
    /// The same, as a number with a sign.
    Signed(Target),
    Immediate(u64),
}

/// Some bits of a register, or of memory.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    Register {
        number: usize,
        bits: u32,
        shift: u32,
    },
    Memory {
        base: Option<usize>,
        index: Option<(usize, u64)>,
        displacement: u64,
        bits: u32,
    },
}

/// Reads one instruction; `None` for what is to be refused.
pub fn read(text: &[u8; 15]) -> Option<Read> {
    let mut reader = Reader::new(text);
    let operation = reader.operation()?;
    let length = reader.at;
    match operation {
        Operation::Move(to, _) | Operation::Address(to, _) if to.touches_stack() => None,
        operation => Some(Read { length, operation }),
    }
}

impl Target {
    /// The stack pointer itself, or memory that is found by it.
    fn touches_stack(self) -> bool {
        match self {
            Self::Register { number, shift, .. } => number == SP && shift == 0,
            Self::Memory { base, .. } => base == Some(SP),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8; 15],
    at: usize,
    operand_size: bool,
    rex: Option<u8>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8; 15]) -> Self {
        let mut reader = Self {
            text,
            at: 0,
            operand_size: false,
            rex: None,
        };
        if reader.text[reader.at] == 0x66 {
            reader.operand_size = true;
            reader.at += 1;
        }
        if reader.text[reader.at] >> 4 == 4 {
            reader.rex = Some(reader.text[reader.at]);
            reader.at += 1;
        }
        reader
    }

    fn operation(&mut self) -> Option<Operation> {
        let bits = self.bits();
        let plain = !self.operand_size && self.rex.is_none();
        let byte_sized = !self.operand_size && !self.rex_has(8);
        let no_reg = !self.rex_has(4);
        let only_b = no_reg && !self.rex_has(2);
        let operation = match self.number(1) {
            0x90 if self.rex.is_none() => Operation::Nop,
            0xf3 if plain && self.number(3) == 0xfa_1e0f => Operation::Nop,
            opcode @ 0x50..=0x57 if byte_sized && only_b => {
                Operation::Push(Source::Target(self.in_opcode(opcode, 64)))
            }
            0x6a if plain => Operation::Push(self.immediate(1)),
            0x68 if plain => Operation::Push(self.immediate(4)),
            0x88 if byte_sized => {
                let (reg, rm) = self.modrm(8, 8);
                Operation::Move(rm, Source::Target(reg))
            }
            0x89 => {
                let (reg, rm) = self.modrm(bits, bits);
                Operation::Move(rm, Source::Target(reg))
            }
            0x8a if byte_sized => {
                let (reg, rm) = self.modrm(8, 8);
                Operation::Move(reg, Source::Target(rm))
            }
            0x8b => {
                let (reg, rm) = self.modrm(bits, bits);
                Operation::Move(reg, Source::Target(rm))
            }
            0x63 if bits == 64 && !self.operand_size => {
                let (reg, rm) = self.modrm(64, 32);
                Operation::Move(reg, Source::Signed(rm))
            }
            0x8d => match self.modrm(bits, bits) {
                (reg, memory @ Target::Memory { .. }) => Operation::Address(reg, memory),
                _ => return None,
            },
            opcode @ 0xb0..=0xb7 if byte_sized && only_b => {
                Operation::Move(self.in_opcode(opcode, 8), self.immediate(1))
            }
            opcode @ 0xb8..=0xbf if only_b => {
                let size = bits as usize / 8;
                Operation::Move(self.in_opcode(opcode, bits), self.immediate(size))
            }
            0xc6 if byte_sized && no_reg && self.digit() == 0 => {
                let (_, rm) = self.modrm(8, 8);
                Operation::Move(rm, self.immediate(1))
            }
            0xc7 if no_reg && self.digit() == 0 => {
                let (_, rm) = self.modrm(bits, bits);
                Operation::Move(rm, self.immediate(if bits == 16 { 2 } else { 4 }))
            }
            0x0f => return self.operation_of_two_bytes(),
            _ => return None,
        };
        Some(operation)
    }

    fn operation_of_two_bytes(&mut self) -> Option<Operation> {
        let bits = self.bits();
        let opcode = self.number(1);
        let operation = match opcode {
            0x1f if !self.rex_has(4) && self.digit() == 0 => {
                self.modrm(bits, bits);
                Operation::Nop
            }
            0xb6 | 0xb7 | 0xbe | 0xbf => {
                let (reg, rm) = self.modrm(bits, if opcode & 1 == 0 { 8 } else { 16 });
                let signed = opcode >= 0xbe;
                let source = if signed {
                    Source::Signed
                } else {
                    Source::Target
                };
                Operation::Move(reg, source(rm))
            }
            _ => return None,
        };
        Some(operation)
    }

    fn rex_has(&self, bit: u8) -> bool {
        self.rex.is_some_and(|rex| rex & bit != 0)
    }

    fn bits(&self) -> u32 {
        match (self.rex_has(8), self.operand_size) {
            (true, _) => 64,
            (false, true) => 16,
            (false, false) => 32,
        }
    }

    /// The next bytes, lowest first.
    fn number(&mut self, size: usize) -> u64 {
        let bytes = &self.text[self.at..self.at + size];
        self.at += size;
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number * 256 + u64::from(byte))
    }

    fn signed(&mut self, size: usize) -> u64 {
        sign_extended(self.number(size), size as u32 * 8)
    }

    fn immediate(&mut self, size: usize) -> Source {
        Source::Immediate(self.signed(size))
    }

    fn in_opcode(&self, opcode: u64, bits: u32) -> Target {
        self.register((opcode % 8) as usize, 1, bits)
    }

    fn digit(&self) -> u8 {
        self.text[self.at] / 8 % 8
    }

    fn register(&self, low: usize, rex_bit: u8, bits: u32) -> Target {
        if bits == 8 && self.rex.is_none() && low >= 4 {
            let (number, shift) = (low - 4, 8);
            return Target::Register {
                number,
                bits,
                shift,
            };
        }
        let number = low + if self.rex_has(rex_bit) { 8 } else { 0 };
        Target::Register {
            number,
            bits,
            shift: 0,
        }
    }

    /// The register and the register or memory of a ModRM byte (tables 2-2 and
    /// 2-3, and 2.2.1.6 for what is relative to the instruction pointer).
    fn modrm(&mut self, reg_bits: u32, rm_bits: u32) -> (Target, Target) {
        let modrm = self.number(1) as usize;
        let (mode, reg, rm) = (modrm / 64, modrm / 8 % 8, modrm % 8);
        let reg = self.register(reg, 4, reg_bits);
        if mode == 3 {
            return (reg, self.register(rm, 1, rm_bits));
        }
        let high = |reader: &Self, bit| if reader.rex_has(bit) { 8 } else { 0 };
        let mut base = Some(rm + high(self, 1));
        let mut index = None;
        let mut displacement_size = [0, 1, 4][mode];
        if rm == 4 {
            let sib = self.number(1) as usize;
            base = Some(sib % 8 + high(self, 1));
            if sib % 8 == 5 && mode == 0 {
                (base, displacement_size) = (None, 4);
            }
            let number = sib / 8 % 8 + high(self, 2);
            index = (number != 4).then_some((number, 1 << (sib / 64)));
        } else if rm == 5 && mode == 0 {
            (base, displacement_size) = (Some(IP), 4);
        }
        let displacement = self.signed(displacement_size);
        let bits = rm_bits;
        let memory = Target::Memory {
            base,
            index,
            displacement,
            bits,
        };
        (reg, memory)
    }
}

/// The low `bits` as a number with a sign.
pub fn sign_extended(value: u64, bits: u32) -> u64 {
    if bits > 0 && value >> (bits - 1) & 1 == 1 && bits < 64 {
        value | u64::MAX << bits
    } else {
        value
    }
}
