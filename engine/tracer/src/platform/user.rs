//! User threads, as walks over their stacks need them.

use engine_isa::{arm, arm64, x86};

/// A frame of a user stack: the registers that lead to its caller's.
///
/// The platform knows where they are in its own registers; what is done with them is the same on
/// every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFrame {
    /// The program counter.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer, or whatever the code keeps in that register.
    pub fp: u64,
    /// The link register, as long as nothing else is kept in it; 0 where there is none.
    pub lr: u64,
    /// How the code saves a caller's frame.
    pub layout: FrameLayout,
}

/// How code saves a caller's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameLayout {
    /// Bytes of an address: 4 or 8.
    pub word: u8,
    /// Whether a call leaves the return address in the link register; else it pushes it.
    pub has_link: bool,
    /// What the frame pointer points to.
    pub record: FrameRecord,
    /// The bits of a return address that are the address.
    pub mask: u64,
}

/// What the frame pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameRecord {
    /// The caller's frame pointer, and above it the return address.
    Pair,
    /// The last word of what was pushed. Compilers differ: the return address with the caller's
    /// frame pointer below it; the program counter with return address, stack pointer and frame
    /// pointer below it (APCS); or the caller's frame pointer with the return address above it.
    Pushed,
    /// Nothing that is known.
    Unknown,
}

impl From<&x86::Regs> for UserFrame {
    fn from(regs: &x86::Regs) -> Self {
        /// The code segment of 32-bit programs.
        const USER32_CS: u64 = 0x23;
        let (word, mask) = match regs.cs & 0xffff {
            USER32_CS => (4, 0xffff_ffff),
            _ => (8, u64::MAX),
        };
        Self {
            pc: regs.ip,
            sp: regs.sp,
            fp: regs.bp,
            lr: 0,
            layout: FrameLayout {
                word,
                has_link: false,
                record: FrameRecord::Pair,
                mask,
            },
        }
    }
}

impl From<&arm64::Regs> for UserFrame {
    fn from(regs: &arm64::Regs) -> Self {
        /// The bits of PSTATE that say: a 32-bit program, and in Thumb code.
        const IS_32_BIT: u64 = 1 << 4;
        const THUMB: u64 = 1 << 5;
        let is_32_bit = regs.pstate & IS_32_BIT != 0;
        let [fp, sp, lr] = match (is_32_bit, &regs.x) {
            (true, [_, _, _, _, _, _, _, _, _, _, _, fp, _, sp, lr, ..]) => [*fp, *sp, *lr],
            (false, [.., fp, lr]) => [*fp, regs.sp, *lr],
        };
        let record = match (is_32_bit, regs.pstate & THUMB) {
            (false, _) => FrameRecord::Pair,
            (true, 0) => FrameRecord::Pushed,
            (true, _) => FrameRecord::Unknown,
        };
        // Above 48 bits, a return address has its signature; the lowest bit marks Thumb code.
        let (word, mask) = match is_32_bit {
            true => (4, 0xffff_fffe),
            false => (8, (1 << 48) - 1),
        };
        Self {
            pc: regs.pc,
            sp,
            fp,
            lr,
            layout: FrameLayout {
                word,
                has_link: true,
                record,
                mask,
            },
        }
    }
}

/// Compilers keep no frames in r11 in Thumb code.
impl From<&arm::Regs> for UserFrame {
    fn from(regs: &arm::Regs) -> Self {
        /// The bit of the program status that says so.
        const THUMB: u32 = 1 << 5;
        let [.., fp, _, sp, lr, pc] = regs.r;
        let [pc, sp, fp, lr] = [pc, sp, fp, lr].map(u64::from);
        let record = match regs.cpsr & THUMB {
            0 => FrameRecord::Pushed,
            _ => FrameRecord::Unknown,
        };
        let layout = FrameLayout {
            word: 4,
            has_link: true,
            record,
            // The lowest bit of a return address says that the code there is Thumb.
            mask: 0xffff_fffe,
        };
        Self {
            pc,
            sp,
            fp,
            lr,
            layout,
        }
    }
}
