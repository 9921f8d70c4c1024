//! x86 instructions that have the same effect at any address: a slot holds a copy and a jump back.
//! Displacements relative to the instruction pointer are adjusted.

use core::fmt;

use super::LONGEST;
use super::opening::Mode;
use crate::mutant::{self, Mutant};

/// An instruction that [`plan`](super::plan) found to be relocatable: a copy has the same effect
/// once its displacement from the instruction pointer, if it has one, is adjusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    bytes: [u8; LONGEST],
    length: u8,
    /// Offset of that displacement; 0, which no displacement can have, if there is none.
    relative: u8,
    /// Whether its addresses have 32 bits, and so wrap around.
    narrow: bool,
    mode: Mode,
}

/// Size of a displacement in bytes.
const DISPLACEMENT: usize = 4;
/// `jmp rel32`.
const NEAR: u8 = 0xe9;
/// Its length.
const NEAR_LENGTH: i64 = 5;
/// `jmp [rip]`: jumps to the address in the next eight bytes.
const FAR: [u8; 6] = [0xff, 0x25, 0, 0, 0, 0];
/// Fills the rest of a slot, which never runs.
const NOBODY: u8 = super::TRAP;

impl Relocation {
    /// Size of a slot in bytes.
    pub const SIZE: usize = 32;

    pub(super) const fn new(
        text: &[u8; LONGEST],
        length: u8,
        relative: Option<u8>,
        narrow: bool,
        mode: Mode,
    ) -> Self {
        let relative = match relative {
            Some(place) => place,
            None => 0,
        };
        Self {
            bytes: *text,
            length,
            relative,
            narrow,
            mode,
        }
    }

    /// The length of the displaced instruction in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        self.length as usize
    }

    /// The copy of the instruction at `from` for the address `at`, in [`Relocation::length`] bytes.
    /// `None` if what it addresses relative to the instruction pointer is out of reach.
    pub(super) fn copy(self, at: u64, from: u64) -> Option<[u8; LONGEST]> {
        let mut copy = self.bytes;
        self.count_anew(&mut copy, from.wrapping_sub(at).cast_signed())?;
        Some(copy)
    }

    /// The contents of a slot at `at` for the instruction displaced from `from`: the copy, and a
    /// jump to the next instruction. `None` if what it addresses relative to the instruction
    /// pointer is out of reach.
    #[must_use]
    pub fn slot(self, at: u64, from: u64) -> Option<[u8; Self::SIZE]> {
        let moved = from.wrapping_sub(at).cast_signed();
        let mut slot = [NOBODY; Self::SIZE];
        let (copy, rest) = slot.split_at_mut_checked(self.length())?;
        copy.copy_from_slice(self.bytes.get(..self.length())?);
        self.count_anew(copy, moved)?;
        let short = u64::from(mutant::is_chosen(Mutant::OneByteBack));
        let next = from.wrapping_add(self.length.into()).wrapping_sub(short);
        match self.near(moved.wrapping_sub_unsigned(short)) {
            Some(distance) => go_on_near(rest, distance)?,
            None => go_on_far(rest, next)?,
        }
        Some(slot)
    }

    /// The distance of the jump back, if `jmp rel32` can cover it.
    fn near(self, moved: i64) -> Option<i32> {
        let distance = moved.wrapping_sub(NEAR_LENGTH);
        match self.mode {
            Mode::Long => i32::try_from(distance).ok(),
            Mode::Compat => Some(distance as i32),
        }
    }

    /// Adjusts the displacement of a copy that is `moved` bytes below the original.
    fn count_anew(self, copy: &mut [u8], moved: i64) -> Option<()> {
        if self.relative == 0 || mutant::is_chosen(Mutant::CopyAsIs) {
            return Some(());
        }
        let field = copy.get_mut(self.relative.into()..)?;
        let field = field.first_chunk_mut::<DISPLACEMENT>()?;
        let displacement = i32::from_le_bytes(*field);
        let anew = if self.narrow || mutant::is_chosen(Mutant::FarWraps) {
            displacement.wrapping_add(moved as i32)
        } else {
            let anew = i64::from(displacement).checked_add(moved)?;
            i32::try_from(anew).ok()?
        };
        *field = anew.to_le_bytes();
        Some(())
    }
}

/// Writes a relative jump to the rest of a slot.
fn go_on_near(rest: &mut [u8], distance: i32) -> Option<()> {
    let (jump, rest) = rest.split_first_mut()?;
    *jump = NEAR;
    *rest.first_chunk_mut()? = distance.to_le_bytes();
    Some(())
}

/// Writes an absolute jump to the rest of a slot.
fn go_on_far(rest: &mut [u8], next: u64) -> Option<()> {
    let (jump, rest) = rest.split_first_chunk_mut()?;
    *jump = FAR;
    *rest.first_chunk_mut()? = next.to_le_bytes();
    Some(())
}

/// The bytes, with an adjusted displacement in brackets: `48 8b 05 [79 56 34 02]`.
impl fmt::Display for Relocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = usize::from(self.relative);
        let last = first.wrapping_add(DISPLACEMENT).wrapping_sub(1);
        for (place, byte) in self.bytes.iter().enumerate().take(self.length()) {
            let space = if place == 0 { "" } else { " " };
            let open = if first != 0 && place == first {
                "["
            } else {
                ""
            };
            let close = if first != 0 && place == last { "]" } else { "" };
            write!(out, "{space}{open}{byte:02x}{close}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::{LONGEST, Mode, Relocation};

    fn relocation(bytes: &[u8], relative: Option<u8>, narrow: bool) -> Relocation {
        relocation_in(Mode::Long, bytes, relative, narrow)
    }

    fn relocation_in(mode: Mode, bytes: &[u8], relative: Option<u8>, narrow: bool) -> Relocation {
        let mut text = [0x90; LONGEST];
        text[..bytes.len()].copy_from_slice(bytes);
        Relocation::new(&text, bytes.len() as u8, relative, narrow, mode)
    }

    #[test]
    fn a_slot_is_the_copy_and_the_way_back() {
        let add = relocation(&[0x48, 0x01, 0xf7], None, false);
        let slot = add.slot(0xffff_ffff_a000_0000, 0xffff_ffff_8100_0000);
        let slot = slot.unwrap();
        assert_eq!(slot[..3], [0x48, 0x01, 0xf7]);
        // From the end of the jump, a0000008, to 81000003.
        assert_eq!(slot[3..8], [0xe9, 0xfb, 0xff, 0xff, 0xe0]);
        assert!(slot[8..].iter().all(|&byte| byte == 0xcc));
    }

    #[test]
    fn a_slot_far_away_holds_the_address() {
        let add = relocation(&[0x48, 0x01, 0xf7], None, false);
        let slot = add.slot(0x7f00_0000_0000, 0x1000).unwrap();
        assert_eq!(slot[3..9], [0xff, 0x25, 0, 0, 0, 0]);
        assert_eq!(slot[9..17], 0x1003_u64.to_le_bytes());
    }

    #[test]
    fn what_counts_from_the_instruction_pointer_leads_where_it_led() {
        let mov = relocation(&[0x48, 0x8b, 0x05, 0x10, 0, 0, 0], Some(3), false);
        let slot = mov.slot(0x2000, 0x1000).unwrap();
        assert_eq!(slot[..7], [0x48, 0x8b, 0x05, 0x10, 0xf0, 0xff, 0xff]);
        assert_eq!(mov.to_string(), "48 8b 05 [10 00 00 00]");
        assert_eq!(mov.slot(0x1_0000_0000, 0x1000), None);
        assert_eq!(mov.slot(0x1000, 0x7fff_fff0 + 0x1000), None);
        assert!(mov.slot(0x1000, 0x7fff_ffef + 0x1000).is_some());
    }

    #[test]
    fn addresses_of_32_bits_begin_anew() {
        let mov = relocation(&[0x67, 0x8b, 0x05, 0xf0, 0xff, 0xff, 0x7f], Some(3), true);
        let slot = mov.slot(0x1000, 0x9000_1000).unwrap();
        assert_eq!(slot[..7], [0x67, 0x8b, 0x05, 0xf0, 0xff, 0xff, 0x0f]);
    }

    /// No 32-bit slot needs `jmp [rip]`: every address is in reach.
    #[test]
    fn a_slot_of_32_bits_is_never_far_away() {
        let add = relocation_in(Mode::Compat, &[0x01, 0xf7], None, true);
        let slot = add.slot(0xf700_0000, 0x0804_8000).unwrap();
        // From the end of the jump, f7000007, to 08048002.
        assert_eq!(slot[2..7], [0xe9, 0xfb, 0x7f, 0x04, 0x11]);
    }
}
