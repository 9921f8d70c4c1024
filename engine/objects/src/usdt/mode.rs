//! The instruction set of a site on 32-bit ARM, by its instruction.

use object::read::ReadRef;

use crate::elf::header::Endian;
use crate::functions::Mode;

/// `nop`, and `mov r0, r0`, which assemblers write for processors before ARMv6K.
const ARM: [u32; 2] = [0xe320_f000, 0xe1a0_0000];
/// `nop`, and `mov r8, r8`, which assemblers write for processors before ARMv6T2.
const THUMB: [u16; 2] = [0xbf00, 0x46c0];

/// The instruction set that the instruction at an offset in the file is a `nop` of.
///
/// Instructions are little-endian in all files that can run under Linux since ARMv6; in a big-endian
/// file the linker may have swapped them or not, so nothing is concluded.
pub fn at<'d, R: ReadRef<'d>>(offset: u64, endian: Endian, data: R) -> Option<Mode> {
    if endian == Endian::Big {
        return None;
    }
    let half = data.read_bytes_at(offset, 2).ok()?;
    if THUMB.map(u16::to_le_bytes).iter().any(|nop| nop == half) {
        return Some(Mode::Thumb);
    }
    let word = data.read_bytes_at(offset, 4).ok()?;
    let is_nop = ARM.map(u32::to_le_bytes).iter().any(|nop| nop == word);
    is_nop.then_some(Mode::Arm)
}
