//! x86-64: it uses general registers and the status flags only, neither vector registers nor the direction
//! flag.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use engine_isa::Away;
use engine_isa::x86::{LONGEST, control, length};

use crate::code;

pub fn is_plain(start: usize, through: [usize; 2]) -> bool {
    /// More instructions than there are.
    const MOST: usize = 4096;
    let mut seen = BTreeSet::new();
    let mut rest = Vec::from([start]);
    while let Some(at) = rest.pop() {
        if !seen.insert(at) {
            continue;
        }
        let Some(next) = next_of(at, through).filter(|_| seen.len() <= MOST) else {
            return false;
        };
        rest.extend(next.into_iter().flatten());
    }
    true
}

/// Where control goes from a plain instruction, as far as it does not come back by a return.
fn next_of(at: usize, [place, called]: [usize; 2]) -> Option<[Option<usize>; 2]> {
    let mut text = [0; LONGEST];
    code::read(at, &mut text).ok()?;
    let length = length(&text)?;
    let behind = at.wrapping_add(length);
    let is_prefix = |byte: &&u8| matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3);
    let prefixes = text.iter().take_while(is_prefix).count();
    let opcode = text.get(prefixes..length)?;
    let relative = |distance: [u8; 4]| {
        let distance = i32::from_le_bytes(distance);
        behind.wrapping_add_signed(distance as isize)
    };
    let away = match *opcode {
        // A call through memory.
        [0xff, 0x15, a, b, c, d] if relative([a, b, c, d]) == place => Some(called),
        _ if !is_opcode_plain(opcode) => return None,
        // UD2.
        [0x0f, 0x0b] => return Some([None, None]),
        [0xe8, a, b, c, d] => Some(relative([a, b, c, d])),
        _ => match control(&text, at as u64).away {
            Some(Away::To(target)) => Some(target as usize),
            Some(Away::Return) | None => None,
            Some(Away::Indirect | Away::Switch) => return None,
        },
    };
    let next = control(&text, at as u64).next;
    Some([next.then_some(behind), away])
}

/// What is not known to be plain counts as not.
fn is_opcode_plain(opcode: &[u8]) -> bool {
    let is_register = |modrm: u8| modrm >> 6 == 3;
    match *opcode {
        // MOV and others of general registers, system calls, RDTSC, and what does nothing.
        [0x0f, 0x05 | 0x0b | 0x1e | 0x1f | 0x31, ..] => true,
        // CMOVcc, Jcc, SETcc; BT, SHLD, SHRD, IMUL; CMPXCHG, MOVZX, MOVSX; XADD, BSWAP.
        [0x0f, 0x40..=0x4f | 0x80..=0x9f, ..] => true,
        [0x0f, 0xa3..=0xa5 | 0xab..=0xad | 0xaf..=0xb1 | 0xb3, ..] => true,
        [0x0f, 0xb6..=0xbf | 0xc0 | 0xc1 | 0xc8..=0xcf, ..] => true,
        // Fences and RDFSBASE; RDPID; RDTSCP.
        [0x0f, 0xae | 0xc7, modrm, ..] => is_register(modrm),
        [0x0f, 0x01, 0xf9, ..] => true,
        [0x0f, ..] => false,
        // Calls and jumps by registers or memory.
        [0xff, modrm, ..] => !matches!(modrm >> 3 & 7, 2..=5),
        // VEX, EVEX, and x87.
        [0x62 | 0xc4 | 0xc5 | 0x9b | 0xd8..=0xdf, ..] => false,
        // Strings, and the direction flag.
        [0x6c..=0x6f | 0xa4..=0xa7 | 0xaa..=0xaf | 0xfc | 0xfd, ..] => false,
        [] => false,
        _ => true,
    }
}
