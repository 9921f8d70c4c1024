//! The unwinding instructions of 32-bit ARM, as the exception handling ABI for the architecture
//! defines them (IHI 0038, section "Frame unwinding instructions").
//!
//! They restore registers from the frame: a virtual stack pointer moves up, and registers are
//! popped. Here they are executed on offsets: what was popped is where it was saved.

use engine_abi::{FrameRule, UnwindRow};

use super::rows::{plain, saved, units};

/// The frame pointer of ARM code, the stack pointer, the link register and the program counter.
const FP: u8 = 11;
const SP: u8 = 13;
const LR: u8 = 14;
const PC: u8 = 15;

/// A rule for instructions; none if it is not expressible, or if they are malformed.
pub fn rule(instructions: &[u8]) -> Option<UnwindRow> {
    let mut frame = Frame::default();
    let mut bytes = instructions.iter().copied();
    while let Some(instruction) = bytes.next() {
        if instruction == FINISH {
            break;
        }
        frame.step(instruction, &mut bytes)?;
    }
    frame.rule()
}

const FINISH: u8 = 0xb0;

/// Where the registers of the caller are, so far. Offsets are in bytes, from the stack pointer or,
/// if `is_fp`, from the frame pointer.
#[derive(Debug, Default)]
struct Frame {
    is_fp: bool,
    /// The virtual stack pointer.
    vsp: i64,
    fp: Option<i64>,
    sp: Option<i64>,
    lr: Option<i64>,
    pc: Option<i64>,
}

impl Frame {
    fn step(&mut self, instruction: u8, rest: &mut impl Iterator<Item = u8>) -> Option<()> {
        let low = |bits: u8| instruction & ((1 << bits) - 1);
        match instruction {
            0x00..=0x3f => self.skip(i64::from(low(6)) * 4 + 4),
            0x40..=0x7f => self.skip(-i64::from(low(6)) * 4 - 4),
            0x80..=0x8f => {
                let mask = u16::from(low(4)) << 8 | u16::from(rest.next()?);
                // Without registers, it says that the function refuses to be unwound.
                (mask != 0).then(|| self.pop(mask << 4))?
            }
            0x90..=0x9f => self.move_from(low(4)),
            0xa0..=0xaf => {
                let registers = (2_u16 << low(3)) - 1;
                let link = u16::from(instruction & 8) << 11;
                self.pop(registers << 4 | link)
            }
            0xb1 => match rest.next()? {
                mask @ 1..=0x0f => self.pop(mask.into()),
                _ => None,
            },
            0xb2 => self.skip(0x204 + (leb128(rest)? << 2)),
            // FSTMX stores a word more than the registers.
            0xb3 => self.skip(doubles(rest.next()?) + 4),
            // The authentication code of the return address.
            0xb4 => self.skip(4),
            0xb8..=0xbf => self.skip(i64::from(low(3)) * 8 + 12),
            0xc0..=0xc5 | 0xd0..=0xd7 => self.skip(i64::from(low(3)) * 8 + 8),
            0xc6 | 0xc8 | 0xc9 => self.skip(doubles(rest.next()?)),
            0xc7 => match rest.next()? {
                mask @ 1..=0x0f => self.skip(i64::from(mask.count_ones()) * 4),
                _ => None,
            },
            _ => None,
        }
    }

    /// Moves the virtual stack pointer.
    fn skip(&mut self, bytes: i64) -> Option<()> {
        self.vsp = self.vsp.checked_add(bytes)?;
        Some(())
    }

    /// Pops the registers of a mask, the lowest first.
    fn pop(&mut self, mask: u16) -> Option<()> {
        // Nothing is known of what lies at a stack pointer that came from memory.
        if self.sp.is_some() {
            return None;
        }
        for register in (0..=PC).filter(|register| mask >> register & 1 != 0) {
            let place = match register {
                FP => &mut self.fp,
                SP => &mut self.sp,
                LR => &mut self.lr,
                PC => &mut self.pc,
                _ => &mut None,
            };
            *place = Some(self.vsp);
            self.skip(4)?;
        }
        Some(())
    }

    /// Continues at the frame pointer. What was popped before has no constant distance to it.
    fn move_from(&mut self, register: u8) -> Option<()> {
        let popped = [self.fp, self.sp, self.lr, self.pc];
        if register != FP || popped != [None; 4] {
            return None;
        }
        (self.is_fp, self.vsp) = (true, 0);
        Some(())
    }

    fn rule(&self) -> Option<UnwindRow> {
        if let Some(sp) = self.sp {
            return self.signal(sp);
        }
        let from_cfa = |at: Option<i64>| at.map(|at| at - self.vsp);
        let rule = if self.is_fp {
            FrameRule::Fp
        } else {
            FrameRule::Sp
        };
        Some(UnwindRow {
            cfa: units(self.vsp)?,
            ra: saved(from_cfa(self.pc.or(self.lr)))?,
            fp: saved(from_cfa(self.fp))?,
            ..plain(rule)
        })
    }

    /// All registers are restored from memory: a signal trampoline.
    fn signal(&self, sp: i64) -> Option<UnwindRow> {
        let (fp, lr, pc) = (self.fp?, self.lr?, self.pc?);
        if self.is_fp {
            return None;
        }
        Some(UnwindRow {
            extra: units(lr - pc)?.try_into().ok()?,
            cfa: units(sp)?,
            ra: units(pc)?,
            fp: units(fp)?,
            ..plain(FrameRule::Signal)
        })
    }
}

/// The size of consecutive double registers, or of others of that size: their number less one is in
/// the lower half of a byte.
fn doubles(byte: u8) -> i64 {
    (i64::from(byte & 0x0f) + 1) * 8
}

/// A number of at most 28 bits.
fn leb128(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let byte = bytes.next()?;
        number |= i64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule's name, CFA, return address and frame pointer in units.
    fn made(instructions: &[u8]) -> Option<(&'static str, i16, Option<i16>, Option<i16>)> {
        let row = rule(instructions)?;
        let kept = |at: i16| (at != UnwindRow::KEPT).then_some(at);
        let name = FrameRule::from_code(row.rule).unwrap().text();
        Some((name, row.cfa, kept(row.ra), kept(row.fp)))
    }

    #[test]
    fn pushed_registers() {
        // push {r4, lr}
        assert_eq!(made(&[0xa8]), Some(("sp", 2, Some(-1), None)));
        // push {r4-r11, lr}; sub sp, sp, #12
        assert_eq!(
            made(&[0x02, 0xaf, 0xb0]),
            Some(("sp", 12, Some(-1), Some(-2)))
        );
        // push {r3, r4, lr}
        assert_eq!(made(&[0xb1, 0x08, 0xa8]), Some(("sp", 3, Some(-1), None)));
        // push {r4, r5}, in a function that calls none
        assert_eq!(made(&[0xa1, 0xb0]), Some(("sp", 2, None, None)));
        // push {r0-r3}; push {lr}; sub sp, sp, #12
        assert_eq!(
            made(&[0x02, 0x84, 0x00, 0xb1, 0x0f, 0xb0]),
            Some(("sp", 8, Some(-5), None))
        );
        // nothing
        assert_eq!(made(&[]), Some(("sp", 0, None, None)));
    }

    #[test]
    fn a_frame_pointer_is_the_base() {
        // push {fp, lr}; add fp, sp, #4
        assert_eq!(
            made(&[0x9b, 0x40, 0x84, 0x80]),
            Some(("fp", 1, Some(-1), Some(-2)))
        );
        assert_eq!(made(&[0x97, 0x84, 0x00]), None, "Thumb's frame pointer");
        assert_eq!(made(&[0x9d]), None, "reserved");
        assert_eq!(made(&[0xaf, 0x9b]), None, "after registers were popped");
    }

    #[test]
    fn large_frames_and_floating_point_registers() {
        assert_eq!(made(&[0xb2, 0x81, 0x01, 0xa8]).unwrap().1, 129 + 129 + 2);
        assert_eq!(made(&[0xb3, 0x81, 0xa8]).unwrap().1, 5 + 2);
        assert_eq!(made(&[0xb9, 0xa8]).unwrap().1, 5 + 2);
        assert_eq!(made(&[0xc9, 0x81, 0xa8]).unwrap().1, 4 + 2);
        assert_eq!(made(&[0xd1, 0xa8]).unwrap().1, 4 + 2);
        assert_eq!(made(&[0xc7, 0x05]).unwrap().1, 2);
        assert_eq!(made(&[0x41, 0x3f]).unwrap().1, 64 - 2);
    }

    #[test]
    fn a_signal_trampoline_restores_everything() {
        let row = rule(&[0x07, 0xb1, 0x0f, 0x8f, 0xff, 0xb0]).unwrap();
        let signal = UnwindRow {
            extra: -1,
            cfa: 8 + 13,
            ra: 8 + 15,
            fp: 8 + 11,
            ..plain(FrameRule::Signal)
        };
        assert_eq!(row, signal);
    }

    #[test]
    fn malformed_instructions_give_no_rule() {
        let malformed: [&[u8]; 9] = [
            &[0x80, 0x00],
            &[0x84],
            &[0xb1],
            &[0xb1, 0x10],
            &[0xb2],
            &[0xb2, 0x80, 0x80, 0x80, 0x80, 0x00],
            &[0xb5],
            &[0xca, 0x00],
            &[0xff],
        ];
        for instructions in malformed {
            assert_eq!(rule(instructions), None, "{instructions:x?}");
        }
    }
}
