//! x86-64 instructions executed out of line, in the process itself: code for another address that
//! has the effect of an instruction, wherever control goes then.
//!
//! A slot needs no branches, since a trap handler emulates them; code that is reached by a jump must
//! have them. A call pushes the return address that it would have pushed in its place: an unwinder,
//! and a program that reads its return address, find what is there without us.

use super::condition::Condition;
use super::emulate::{Action, Emulation};
use super::opening::{Mode, Opening};
use super::operand::{Address, Base, Target};
use super::register::General;
use super::{LONGEST, plan};
use crate::{Plan, Why};

/// Code that replaces an instruction at another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfLine {
    bytes: [u8; OutOfLine::LONGEST],
    length: usize,
}

/// Why an instruction cannot be executed out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmoved {
    /// It cannot be probed either.
    Refused(Why),
    /// What it refers to is more than 2 GiB away.
    OutOfReach,
    /// It calls through the stack pointer itself.
    Stack,
}

impl OutOfLine {
    /// The length of the longest, an indirect call, in bytes.
    pub const LONGEST: usize = 32;

    /// Translates the instruction at `from`, the first of `text`, for the address `at`. A direct
    /// jump goes to what `moved` returns for its target. The length depends on `text` and `from`
    /// alone, so that a function can be laid out before its targets are known.
    ///
    /// # Errors
    /// The reason, if the instruction must stay where it is.
    pub fn new(
        text: &[u8; LONGEST],
        from: u64,
        at: u64,
        moved: impl Fn(u64) -> u64,
    ) -> Result<Self, Unmoved> {
        let mut code = Writer {
            at,
            code: Self {
                bytes: [0; Self::LONGEST],
                length: 0,
            },
        };
        match plan(text) {
            Plan::Refuse(why) => return Err(Unmoved::Refused(why)),
            Plan::Relocate(relocation) => {
                let copy = relocation.copy(at, from).ok_or(Unmoved::OutOfReach)?;
                code.put(copy.get(..relocation.length()).unwrap_or_default())?;
            }
            Plan::Emulate(emulation) => {
                let original = Original::new(text, from, emulation);
                code.emulated(&original, emulation.action(), moved)?;
            }
        }
        Ok(code.code)
    }

    /// The code.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// The instruction in its place.
struct Original<'a> {
    text: &'a [u8; LONGEST],
    /// Its bytes.
    bytes: &'a [u8],
    /// The address of the next instruction.
    next: u64,
}

impl<'a> Original<'a> {
    fn new(text: &'a [u8; LONGEST], from: u64, emulation: Emulation) -> Self {
        let length = emulation.length();
        Self {
            text,
            bytes: text.get(..length.into()).unwrap_or_default(),
            next: from.wrapping_add(length.into()),
        }
    }

    fn target(&self, distance: i32) -> u64 {
        self.next.wrapping_add_signed(distance.into())
    }
}

/// Where code is written, and its address.
struct Writer {
    at: u64,
    code: OutOfLine,
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Unmoved> {
        let end = self.code.length.wrapping_add(bytes.len());
        let place = self.code.bytes.get_mut(self.code.length..end);
        place.ok_or(Unmoved::OutOfReach)?.copy_from_slice(bytes);
        self.code.length = end;
        Ok(())
    }

    /// Puts the last four bytes of an instruction, which are relative to the next one.
    fn put_distance(&mut self, target: u64) -> Result<(), Unmoved> {
        let behind = self
            .at
            .wrapping_add(self.code.length as u64)
            .wrapping_add(4);
        let distance = i32::try_from(target.wrapping_sub(behind).cast_signed());
        let distance = distance.map_err(|_| Unmoved::OutOfReach)?;
        self.put(&distance.to_le_bytes())
    }

    fn jump(&mut self, target: u64) -> Result<(), Unmoved> {
        const JMP: u8 = 0xe9;
        self.put(&[JMP])?;
        self.put_distance(target)
    }

    fn emulated(
        &mut self,
        original: &Original<'_>,
        action: Action,
        moved: impl Fn(u64) -> u64,
    ) -> Result<(), Unmoved> {
        match action {
            Action::Nothing | Action::Push(_) | Action::Return(_) => self.put(original.bytes),
            Action::Jump(Target::Relative(distance)) => self.jump(moved(original.target(distance))),
            Action::Jump(target) => self.indirect(original, target, 0),
            // A call of the function's own address is one of the function, wherever it is executed.
            Action::Call(Target::Relative(distance)) => {
                self.push(original.next)?;
                self.jump(original.target(distance))
            }
            Action::Call(target) => {
                self.push(original.next)?;
                self.indirect(original, target, WORD)
            }
            Action::JumpIf(Condition::Flags(code), distance) => {
                self.put(&[0x0f, 0x80 | code])?;
                self.put_distance(moved(original.target(distance)))
            }
            Action::JumpIf(Condition::Count(..), distance) => {
                const OVER_THE_SHORT_JUMP: u8 = 2;
                const SHORT_JUMP_OVER_THE_LONG_ONE: [u8; 2] = [0xeb, 5];
                let without_distance = original.bytes.split_last().map(|(_, bytes)| bytes);
                self.put(without_distance.unwrap_or_default())?;
                self.put(&[OVER_THE_SHORT_JUMP])?;
                self.put(&SHORT_JUMP_OVER_THE_LONG_ONE)?;
                self.jump(moved(original.target(distance)))
            }
        }
    }

    /// Pushes an address, and changes neither registers nor flags. The upper half is written
    /// separately, unless it is the sign of the lower.
    fn push(&mut self, address: u64) -> Result<(), Unmoved> {
        const PUSH: u8 = 0x68;
        const MOV_TO_STACK_PLUS_4: [u8; 4] = [0xc7, 0x44, 0x24, 4];
        let [low @ .., a, b, c, d] = address.to_le_bytes();
        self.put(&[PUSH])?;
        self.put(&low)?;
        if i64::from(i32::from_le_bytes(low)) != address.cast_signed() {
            self.put(&MOV_TO_STACK_PLUS_4)?;
            self.put(&[a, b, c, d])?;
        }
        Ok(())
    }

    /// Jumps to the target of an indirect jump or call, with the stack pointer `pushed` bytes lower.
    fn indirect(
        &mut self,
        original: &Original<'_>,
        target: Target,
        pushed: i32,
    ) -> Result<(), Unmoved> {
        let opening = Opening::read(Mode::Long, original.text).ok_or(Unmoved::Stack)?;
        let (before, behind) = original
            .bytes
            .split_at_checked(opening.at)
            .unwrap_or_default();
        let (modrm, behind) = behind.split_first().unwrap_or((&0, &[]));
        let modrm = modrm & !REG | JMP_DIGIT << 3;
        match target {
            Target::Register(General::Sp) if pushed != 0 => return Err(Unmoved::Stack),
            Target::Memory(address) if address.base == Base::NextInstruction => {
                self.put(before)?;
                self.put(&[modrm])?;
                return self.put_relative(address, original.next);
            }
            Target::Memory(address)
                if address.base == Base::Register(General::Sp) && pushed != 0 =>
            {
                let higher = address.displacement.checked_add(pushed);
                let higher = higher.ok_or(Unmoved::OutOfReach)?;
                let sib = *behind.first().ok_or(Unmoved::Stack)?;
                self.put(before)?;
                self.put(&[modrm & !MOD | WITH_FOUR_BYTES, sib])?;
                return self.put(&higher.to_le_bytes());
            }
            _ => {}
        }
        self.put(before)?;
        self.put(&[modrm])?;
        self.put(behind)
    }

    /// Puts the displacement of a memory operand that is relative to the next instruction.
    fn put_relative(&mut self, address: Address, next: u64) -> Result<(), Unmoved> {
        let place = next.wrapping_add_signed(address.displacement.into());
        if !address.narrow {
            return self.put_distance(place);
        }
        let behind = self
            .at
            .wrapping_add(self.code.length as u64)
            .wrapping_add(4);
        self.put(&(place.wrapping_sub(behind) as u32).to_le_bytes())
    }
}

/// Bytes that a call pushes.
const WORD: i32 = 8;
/// The fields of a ModRM byte.
const MOD: u8 = 0b11_000_000;
const REG: u8 = 0b00_111_000;
/// `FF /4` jumps.
const JMP_DIGIT: u8 = 4;
/// The displacement has four bytes.
const WITH_FOUR_BYTES: u8 = 0b10_000_000;

#[cfg(test)]
mod tests {
    use super::{LONGEST, OutOfLine, Unmoved};
    use std::vec::Vec;

    const FROM: u64 = 0x5555_0000_1000;
    const AT: u64 = 0x5555_0010_0000;

    fn moved(bytes: &[u8], from: u64, at: u64) -> Result<Vec<u8>, Unmoved> {
        let mut text = [0x90; LONGEST];
        text[..bytes.len()].copy_from_slice(bytes);
        OutOfLine::new(&text, from, at, |target| target).map(|code| code.bytes().to_vec())
    }

    #[test]
    fn what_does_not_refer_to_its_place_is_copied() {
        for bytes in [
            &[0xf3, 0x0f, 0x1e, 0xfa][..],
            &[0x41, 0x57],
            &[0xc3],
            &[0x48, 0x83, 0xec, 0x18],
            &[0xff, 0xe0],
            &[0xff, 0x24, 0xc5, 0, 0x10, 0, 0],
        ] {
            assert_eq!(moved(bytes, FROM, AT).unwrap(), bytes);
        }
    }

    #[test]
    fn jumps_get_their_long_forms() {
        // To FROM + 0x12, from the end of five or six bytes.
        let back = |length: u64| ((FROM + 0x12).wrapping_sub(AT + length) as u32).to_le_bytes();
        assert_eq!(
            moved(&[0xeb, 0x10], FROM, AT).unwrap(),
            [&[0xe9][..], &back(5)].concat()
        );
        let jne = [&[0x0f, 0x85][..], &back(6)].concat();
        assert_eq!(moved(&[0x75, 0x10], FROM, AT).unwrap(), jne);
        let jrcxz = [&[0xe3, 2, 0xeb, 5, 0xe9][..], &back(9)].concat();
        assert_eq!(moved(&[0xe3, 0x10], FROM, AT).unwrap(), jrcxz);
    }

    #[test]
    fn a_call_pushes_its_own_return_address() {
        let call = moved(&[0xe8, 0, 0, 0, 0], FROM, AT).unwrap();
        let upper = [0xc7, 0x44, 0x24, 4, 0x55, 0x55, 0, 0];
        assert_eq!(call[..5], [0x68, 5, 0x10, 0, 0]);
        assert_eq!(call[5..13], upper);
        let back = (FROM + 5).wrapping_sub(AT + 18) as u32;
        assert_eq!(call[13..], [&[0xe9][..], &back.to_le_bytes()].concat());
        // Of a program that is not PIE.
        let low = moved(&[0xe8, 0, 0, 0, 0], 0x40_1000, 0x50_0000).unwrap();
        assert_eq!(low[..5], [0x68, 5, 0x10, 0x40, 0]);
        assert_eq!(low.len(), 10);
    }

    #[test]
    fn an_indirect_call_jumps_where_it_would_have_called() {
        let behind = |bytes: &[u8]| moved(bytes, 0x40_1000, 0x50_0000).unwrap()[5..].to_vec();
        // call rax; call r11; call [rbx + 8].
        assert_eq!(behind(&[0xff, 0xd0]), [0xff, 0xe0]);
        assert_eq!(behind(&[0x41, 0xff, 0xd3]), [0x41, 0xff, 0xe3]);
        assert_eq!(behind(&[0xff, 0x53, 8]), [0xff, 0x63, 8]);
        // call [rsp + 8] and call [rsp]: the push has moved the stack pointer.
        assert_eq!(
            behind(&[0xff, 0x54, 0x24, 8]),
            [0xff, 0xa4, 0x24, 16, 0, 0, 0]
        );
        assert_eq!(behind(&[0xff, 0x14, 0x24]), [0xff, 0xa4, 0x24, 8, 0, 0, 0]);
        // call [rip + 0x10] reads 0x401016, from behind 0x50000b.
        let back = 0x40_1016_u32.wrapping_sub(0x50_000b).to_le_bytes();
        let expected = [&[0xff, 0x25][..], &back].concat();
        assert_eq!(behind(&[0xff, 0x15, 0x10, 0, 0, 0]), expected);
        assert_eq!(moved(&[0xff, 0xd4], FROM, AT), Err(Unmoved::Stack));
    }

    #[test]
    fn what_is_out_of_reach_stays() {
        let far = FROM + (1 << 40);
        for bytes in [
            &[0xeb, 0x10][..],
            &[0x48, 0x8d, 0x05, 0, 0, 0, 0],
            &[0xff, 0x25, 0, 0, 0, 0],
        ] {
            assert_eq!(moved(bytes, FROM, far), Err(Unmoved::OutOfReach));
        }
        assert!(moved(&[0x55], FROM, far).is_ok());
    }

    #[test]
    fn no_code_is_longer_than_said() {
        // call [rip + x] with all prefixes that it can have.
        let text = [
            0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0xff, 0x15, 0, 0, 0, 0,
        ];
        assert_eq!(moved(&text, FROM, AT).unwrap().len(), 13 + 14);
        let text = [
            0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0xff, 0x94, 0x24, 0, 0, 0, 0,
        ];
        assert_eq!(moved(&text, FROM, AT).unwrap().len(), 13 + 15);
    }
}
