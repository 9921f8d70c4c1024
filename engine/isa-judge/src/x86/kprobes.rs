//! What kprobes (Linux 6.1) do about x86-64 instructions, for the census. (`ud2` is not rejected as
//! such, but because it is in the kernel's BUG table.)

use engine_isa::x86;

use crate::counted::Verdict;
use crate::image::Code;

use Verdict::{Emulate, Reject, Simulate};

/// What kprobes do about the first instruction of `code`.
pub fn verdict(code: &Code) -> Verdict {
    let known = x86::length(code).is_some();
    let rest = behind_prefixes(code);
    match *rest {
        _ if !known => Reject,
        [0x0f, second, third, ..] => of_two_bytes(second, third),
        [0xff, third, ..] => of_group_5(third),
        // Moves to SS, far branches, `int3` and `iret`.
        [0x8e, third, ..] if register(third) == 2 => Reject,
        [0x9a | 0xea | 0xcc | 0xcf, ..] => Reject,
        // Flags, returns, and branches of every kind.
        [0x9c | 0x9d | 0xfa | 0xfb, ..] => Simulate,
        [0xc2 | 0xc3 | 0xca | 0xcb, ..] => Simulate,
        [0x70..=0x7f | 0xe0..=0xe3 | 0xe8 | 0xe9 | 0xeb, ..] => Simulate,
        _ => Emulate,
    }
}

fn of_two_bytes(second: u8, third: u8) -> Verdict {
    match second {
        0x0b => Reject,
        // Hypercalls.
        0x01 if third & 0xf8 == 0xc0 => Reject,
        0x80..=0x8f => Simulate,
        _ => Emulate,
    }
}

/// Indirect branches through a register are simulated; those through memory and far ones are
/// rejected.
const fn of_group_5(third: u8) -> Verdict {
    match register(third) {
        2 | 4 if third >= 0xc0 => Simulate,
        2..=5 => Reject,
        _ => Emulate,
    }
}

const fn register(third: u8) -> u8 {
    third >> 3 & 7
}

fn behind_prefixes(code: &Code) -> &[u8] {
    let is_prefix = |byte: &u8| {
        matches!(
            byte,
            0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3
        )
    };
    let legacy = code.iter().take_while(|byte| is_prefix(byte)).count();
    let rest = &code[legacy..];
    match rest {
        [0x40..=0x4f, rest @ ..] => rest,
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_functions_begin_and_end_with() {
        for (bytes, wanted) in [
            (&[0x55][..], Emulate),
            (&[0x41, 0x57], Emulate),
            (&[0x0f, 0x1f, 0x44, 0x00, 0x00], Emulate),
            (&[0xc3], Simulate),
            (&[0xe9, 0, 0, 0, 0], Simulate),
            (&[0x0f, 0x84, 0, 0, 0, 0], Simulate),
            (&[0xff, 0xe0], Simulate),
            (&[0x41, 0xff, 0xd3], Simulate),
            (&[0xff, 0x25, 0, 0, 0, 0], Reject),
            (&[0x0f, 0x0b], Reject),
            (&[0x0f, 0x01, 0xc1], Reject),
            (&[0x48, 0xcf], Reject),
            (&[0xcc], Reject),
            (&[0x06], Reject),
        ] {
            let mut code = [0; 15];
            code[..bytes.len()].copy_from_slice(bytes);
            assert_eq!(verdict(&code), wanted, "{bytes:02x?}");
        }
    }
}
