//! What a function walk needs to know of x86-64: instruction lengths. There are no data between
//! instructions, as kernels are built without jump tables.

use super::control::of_length;
use super::length;
use super::opening::Mode;
use crate::Control;
use crate::body::sealed::{Code, Ground};
use crate::body::{Gap, Step, Steps, Unwalked};

/// 64-bit mode, as a function walk decodes it.
#[derive(Clone, Copy, Debug)]
pub struct X64;

impl Steps for X64 {
    const ALIGN: u64 = 1;
    const PARTS: u64 = 4096;
    type Place = ();

    fn step(code: &Code, at: u64, (): ()) -> Step {
        match length(code) {
            Some(length) => Step {
                length: length as u64,
                control: of_length(code, length, at, Mode::Long),
                goes_on: !(is_call(code) || is_nop(code)),
            },
            None => Step {
                length: 1,
                control: Control::END,
                goes_on: false,
            },
        }
    }

    fn next_place(_: &Code, (): ()) {}

    fn call(code: &Code, at: u64) -> Option<u64> {
        let length = length(code)?;
        let mut rest = code.get(..length)?;
        while let [0x2e | 0x3e | 0x40..=0x4f | 0x64..=0x67, tail @ ..] = rest {
            rest = tail;
        }
        let [0xe8, a, b, c, d] = *rest else {
            return None;
        };
        let away = i32::from_le_bytes([a, b, c, d]);
        let behind = at.wrapping_add(length as u64);
        Some(behind.wrapping_add_signed(away.into()))
    }

    /// int3 follows returns and jumps to stop speculative execution.
    fn gap(code: &Code) -> Gap {
        match code.iter().take_while(|byte| **byte == 0xcc).count() {
            0 => Gap::Instruction,
            count => Gap::Filling(count as u64),
        }
    }

    fn survey(_: &Code, _: u64, control: Control, _: &mut Ground<'_>) -> Result<Control, Unwalked> {
        Ok(control)
    }
}

/// `nop` of any length.
fn is_nop(code: &Code) -> bool {
    let mut rest = code.as_slice();
    while let [0x2e | 0x66, tail @ ..] = rest {
        rest = tail;
    }
    matches!(rest, [0x90, ..] | [0x0f, 0x1f, ..])
}

/// `call`, and `ud2`, the kernel's WARN and BUG.
const fn is_call(code: &Code) -> bool {
    match code {
        [0x40..=0x4f | 0x2e | 0x3e, 0xff, modrm, ..] | [0xff, modrm, ..] => {
            matches!((*modrm) >> 3 & 0b111, 2 | 3)
        }
        [0xe8, ..] | [0x0f, 0x0b, ..] => true,
        _ => false,
    }
}
