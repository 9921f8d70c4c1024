//! Where control goes after an instruction.

use super::opening::Mode;
use super::{LONGEST, length, length_ia32};
use crate::{Away, Control};

/// Where control goes after the instruction at the address `at`, the first of `text`, in 64-bit
/// mode; its length is that of [`length`]. An invalid instruction goes nowhere.
#[must_use]
pub fn control(text: &[u8; LONGEST], at: u64) -> Control {
    match length(text) {
        Some(length) => of_length(text, length, at, Mode::Long),
        None => Control::END,
    }
}

/// The same in compatibility mode.
#[must_use]
pub fn control_ia32(text: &[u8; LONGEST], at: u64) -> Control {
    match length_ia32(text) {
        Some(length) => of_length(text, length, at, Mode::Compat),
        None => Control::END,
    }
}

/// The same for an instruction whose length is known.
pub(super) fn of_length(text: &[u8; LONGEST], length: usize, at: u64, mode: Mode) -> Control {
    let mut rest = text.get(..length).unwrap_or(&[]);
    let is_prefix = |byte: u8| match byte {
        0x26 | 0x2e | 0x36 | 0x3e | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3 => true,
        0x40..=0x4f => matches!(mode, Mode::Long),
        _ => false,
    };
    let mut has_16_bits = false;
    while let [byte, tail @ ..] = rest
        && is_prefix(*byte)
    {
        has_16_bits |= *byte == 0x66 && matches!(mode, Mode::Compat);
        rest = tail;
    }
    let behind = at.wrapping_add(length as u64);
    let to = |conditional| {
        // A 16-bit operand size truncates the instruction pointer too.
        let away = match (has_16_bits, mode) {
            (true, _) => Away::Indirect,
            (false, Mode::Long) => Away::To(target(rest, behind)),
            (false, Mode::Compat) => Away::To(target(rest, behind) as u32 as u64),
        };
        Control::to(away, conditional)
    };
    match rest {
        [0x70..=0x7f | 0xe0..=0xe3, ..] | [0x0f, 0x80..=0x8f, ..] => to(true),
        [0xe9 | 0xeb, ..] => to(false),
        [0xc2 | 0xc3, ..] => Control::to(Away::Return, false),
        [0xff, modrm, ..] if matches!(modrm >> 3 & 0b111, 4 | 5) => {
            Control::to(Away::Indirect, false)
        }
        // int3, a far return, iret, sysret and sysexit.
        [0xcc | 0xca | 0xcb | 0xcf, ..] | [0x0f, 0x07 | 0x35, ..] => Control::END,
        _ => Control::NEXT,
    }
}

/// The target that the last four bytes, or the last one, are relative to `behind`.
const fn target(instruction: &[u8], behind: u64) -> u64 {
    let away = match instruction {
        [0x0f, _, a, b, c, d] | [0xe9, a, b, c, d] => i32::from_le_bytes([*a, *b, *c, *d]),
        [_, byte] => byte.cast_signed() as i32,
        _ => 0,
    };
    behind.wrapping_add_signed(away as i64)
}
