//! What cannot be compared for x86, or only in part, each with the reason.

use super::places::{RFLAGS, RIP, RSP};
use super::shape::{Bytes, Shape};
use crate::set::{End, Outcome};

/// Whether an instruction may use floating point, vectors or masks.
pub fn is_wide(shape: &Shape) -> bool {
    if shape.is_vector {
        return true;
    }
    match (shape.map, shape.opcode) {
        (0, 0x9b | 0xd8..=0xdf) => true,
        (0, _) => false,
        (1, 0x40..=0x4f | 0x80..=0x9f | 0xa0..=0xad | 0xaf..=0xc1 | 0xc8..=0xcf) => false,
        (1, 0x00..=0x0d | 0x18..=0x27 | 0x30..=0x3f) => false,
        _ => true,
    }
}

/// The maximum number of processor steps of one instruction: a repeated one is stepped again and
/// again, through all the memory there is.
pub fn steps(shape: &Shape) -> usize {
    let is_string =
        shape.map == 0 && matches!(shape.opcode, 0x6c..=0x6f | 0xa4..=0xa7 | 0xaa..=0xaf);
    if is_string && shape.prefixes & Shape::REPEAT != 0 {
        1 << 14
    } else {
        1
    }
}

/// Whether an instruction may branch: calls, jumps, returns and loops.
pub fn is_branch(text: &[u8]) -> bool {
    let mut bytes: Bytes = [0; 15];
    bytes.copy_from_slice(&text[..15]);
    let shape = Shape::read(&bytes);
    let digit = bytes.get(shape.at + 1).map_or(0, |modrm| modrm >> 3 & 7);
    match (shape.is_vector, shape.map, shape.opcode) {
        (false, 0, 0x70..=0x7f | 0xc2 | 0xc3 | 0xca | 0xcb | 0xe0..=0xe3 | 0xe8..=0xeb) => true,
        (false, 0, 0xff) => matches!(digit, 2..=5),
        (false, 1, 0x80..=0x8f) => true,
        _ => false,
    }
}

/// Why executing it twice does not give the same result, if so.
pub fn not_judged(shape: &Shape, bytes: &Bytes, on_host: bool) -> Option<&'static str> {
    if !on_host && shape.is_vector {
        return Some("QEMU's processor has no AVX, and takes XOP for POP");
    }
    if !on_host && shape.map == 3 && matches!(shape.opcode, 0x60 | 0x61) {
        return Some("QEMU's processor takes some lengths of texts for negative, and crashes");
    }
    let modrm = bytes.get(shape.at + 1).copied().unwrap_or_default();
    if !on_host && shape.prefixes & Shape::LOCK != 0 && modrm >= 0xc0 {
        return Some(
            "QEMU's processor takes a locked bit of a register for one of memory, and crashes",
        );
    }
    let is_transaction = matches!(shape.opcode, 0xc6 | 0xc7) && shape.map == 0;
    if !on_host && is_transaction && modrm == 0xf8 {
        return Some("QEMU's processor has no transactions, and takes their beginning for MOV");
    }
    match (shape.is_vector, shape.map, shape.opcode, modrm) {
        (false, 1, 0x31 | 0x33, _) | (false, 1, 0x01, 0xf9) => {
            Some("it reads a counter, which goes on counting")
        }
        (false, 1, 0xc7, 0xf0..) => Some("it reads a random number"),
        (false, 0, 0x6c..=0x6f | 0xe4..=0xe7 | 0xec..=0xef, _) => {
            Some("it is about ports, and there are none")
        }
        _ => None,
    }
}

/// Whether an instruction may affect later ones.
pub fn changes_system(shape: &Shape) -> bool {
    matches!(
        (shape.is_vector, shape.map, shape.opcode),
        (false, 0, 0x07 | 0x1f | 0x8e | 0xc4 | 0xc5 | 0xf4)
            | (false, 1, 0x00..=0x09 | 0x20..=0x23 | 0x30..=0x35 | 0xa1 | 0xa9)
            | (false, 1, 0xae | 0xb2 | 0xb4 | 0xb5 | 0xc7)
    )
}

/// Why results of an instruction with this opcode may differ, if there is a reason.
pub fn excused(opcode: u8, native: &Outcome, ours: &Outcome) -> Option<&'static str> {
    /// The trap flag.
    const TF: u64 = 0x100;
    let gives_back = opcode == 0xc2;
    let far = native.state[RSP].abs_diff(ours.state[RSP]) == 0x1_0000;
    match (native.end, ours.end) {
        (End::Other(_), End::Fault(address)) if !is_canonical(address) => {
            Some("no memory has such an address, and the kernel does not say which it is")
        }
        (End::Done, End::Fault(address))
            if !is_canonical(address) && native.state[RIP] == address =>
        {
            Some("QEMU's processor goes to where nothing can be, and faults there")
        }
        (End::Fault(at), End::Fault(address))
            if !is_canonical(address) && is_pushed_at(at, native.state[RSP]) =>
        {
            Some(
                "it can neither store where it is to come back nor go on, and either may be seen first",
            )
        }
        (End::Done, End::Other(_)) if native.state[RFLAGS] & TF != 0 => {
            Some("the trap that it asked for comes before the way back, and not behind it")
        }
        (End::Done, End::Done) if gives_back && far => {
            Some("QEMU's processor takes what is given back for a number with a sign")
        }
        _ => None,
    }
}

/// Whether an address is one of the eight bytes that a push would write.
const fn is_pushed_at(address: u64, stack: u64) -> bool {
    address.wrapping_sub(stack.wrapping_sub(8)) < 8
}

/// Whether an address is canonical.
const fn is_canonical(address: u64) -> bool {
    matches!(address.cast_signed() >> 47, 0 | -1)
}
