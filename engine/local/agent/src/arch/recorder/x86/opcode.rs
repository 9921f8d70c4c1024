//! What an instruction does to the path.

use engine_isa::x86::{LONGEST, length};

/// An instruction, as the recorder needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Control goes to the next one.
    Plain,
    /// A conditional branch on flags: its condition code, and its distance.
    JumpIf(u8, i32),
    /// One that counts in rcx: its distance.
    Count(i8),
    /// A direct jump: its distance.
    Jump(i32),
    /// A direct call.
    Call(i32),
    /// An indirect jump.
    JumpTo,
    /// An indirect call.
    CallTo,
    /// A return, which releases so many bytes.
    Return(u16),
    /// A system call.
    System,
    /// A trap: it always raises a signal.
    Trap,
    /// Uses GS or its base.
    Segment,
    /// The recorder has no translation of it.
    Unknown,
}

/// An instruction's parts.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The offset of its opcode, behind all prefixes.
    pub opcode: usize,
    /// Its REX prefix; 0 without.
    pub rex: u8,
    pub kind: Kind,
}

impl<'a> Instruction<'a> {
    /// The first instruction of `text`; `None` if there is none.
    pub fn read(text: &'a [u8; LONGEST]) -> Option<Self> {
        let bytes = text.get(..length(text)?)?;
        let is_prefix = |byte: &&u8| matches!(**byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3 | 0x40..=0x4f);
        let opcode = bytes.iter().take_while(is_prefix).count();
        let (prefixes, rest) = bytes.split_at_checked(opcode)?;
        let rex = prefixes.last().filter(|byte| **byte & 0xf0 == 0x40);
        Some(Self {
            bytes,
            opcode,
            rex: rex.copied().unwrap_or_default(),
            kind: kind(prefixes, rest),
        })
    }
}

/// Digit of a ModRM byte.
const fn digit(modrm: u8) -> u8 {
    modrm >> 3 & 0b111
}

fn kind(prefixes: &[u8], rest: &[u8]) -> Kind {
    const GS: u8 = 0x65;
    const SIZE: u8 = 0x66;
    const REPEAT: u8 = 0xf3;
    let has = |prefix| prefixes.contains(&prefix);
    match *rest {
        _ if has(GS) => Kind::Segment,
        // A 16-bit operand size may truncate the instruction pointer.
        [
            0x70..=0x7f | 0xe0..=0xe3 | 0xe8 | 0xe9 | 0xeb | 0xc2 | 0xc3 | 0xff,
            ..,
        ] if has(SIZE) && branches(rest) => Kind::Unknown,
        [code @ 0x70..=0x7f, away] => Kind::JumpIf(code & 0xf, away.cast_signed().into()),
        [0x0f, code @ 0x80..=0x8f, a, b, c, d] => {
            Kind::JumpIf(code & 0xf, i32::from_le_bytes([a, b, c, d]))
        }
        [0xe0..=0xe3, away] => Kind::Count(away.cast_signed()),
        [0xeb, away] => Kind::Jump(away.cast_signed().into()),
        [0xe9, a, b, c, d] => Kind::Jump(i32::from_le_bytes([a, b, c, d])),
        [0xe8, a, b, c, d] => Kind::Call(i32::from_le_bytes([a, b, c, d])),
        [0xc3] => Kind::Return(0),
        [0xc2, a, b] => Kind::Return(u16::from_le_bytes([a, b])),
        [0xff, modrm, ..] => match digit(modrm) {
            2 => Kind::CallTo,
            4 => Kind::JumpTo,
            3 | 5 => Kind::Unknown,
            _ => Kind::Plain,
        },
        [0x0f, 0x05] => Kind::System,
        [0xcc | 0xf4] | [0x0f, 0x0b] => Kind::Trap,
        // int, far branches and returns, iret, sysenter and its returns, and transactions.
        [0xcd | 0xca | 0xcb | 0xcf, ..] | [0x0f, 0x07 | 0x34 | 0x35] | [0xc7, 0xf8, ..] => {
            Kind::Unknown
        }
        [0x8e, modrm] if digit(modrm) == 5 => Kind::Segment,
        // rdgsbase and wrgsbase.
        [0x0f, 0xae, modrm] if has(REPEAT) && modrm >= 0xc0 && matches!(digit(modrm), 1 | 3) => {
            Kind::Segment
        }
        _ => Kind::Plain,
    }
}

/// Whether an opcode that begins like a branch is one.
fn branches(rest: &[u8]) -> bool {
    match *rest {
        [0xff, modrm, ..] => matches!(digit(modrm), 2..=5),
        _ => true,
    }
}
