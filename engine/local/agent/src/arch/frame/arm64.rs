//! AArch64: the trap is a `brk` with an immediate of our own.

#![expect(
    unsafe_code,
    reason = "reads registers and signs addresses by instructions"
)]

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use engine_isa::arm64::{Arm64, Processor};
use engine_tracer::{Blacklist, blacklist};

use super::Regs;

/// The instruction set.
pub type Native = Arm64<ThisProcessor>;

/// Functions of a kernel, of which there is none here.
pub const BLACKLIST: &Blacklist = &blacklist::ARM64;

/// SIGTRAP
pub const SIGNAL: u32 = 5;

/// TRAP_BRKPT
pub const CODE: i32 = 1;

/// Whether the kernel sends [`SIGNAL`] for this instruction: a `brk`, whatever its immediate (Arm's manual, C6.2).
pub fn is_trap(text: &[u8]) -> bool {
    let word = text.first_chunk().map(|word| u32::from_le_bytes(*word));
    word.is_some_and(|word| word & 0xffe0_001f == 0xd420_0000)
}

/// The processor that took the trap.
#[derive(Debug, Default)]
pub struct ThisProcessor;

impl Processor for ThisProcessor {
    /// With the keys of the process, which are in effect here too.
    fn sign(&self, pointer: u64, modifier: u64) -> u64 {
        let signed;
        // SAFETY: PACIA1716, encoded in the hint space, so that every AArch64 processor executes it.
        // It writes only x17.
        unsafe {
            asm!(
                "hint #8",
                inout("x17") pointer => signed,
                in("x16") modifier,
                options(nomem, nostack, preserves_flags),
            );
        }
        signed
    }

    fn has_branch_types(&self) -> bool {
        has_branch_types()
    }
}

/// Linux's `struct ucontext` (`asm/ucontext.h`, `asm/sigcontext.h`), as far as it is needed.
#[repr(C)]
pub struct Context {
    flags: u64,
    link: u64,
    stack: [u64; 3],
    /// The mask of signals, and room for more.
    pub mask: u64,
    masks: [u64; 15],
    /// The next is aligned to 16 bytes.
    reserved: u64,
    fault: u64,
    x: [u64; 31],
    sp: u64,
    pc: u64,
    pstate: u64,
}

const _: () = assert!(core::mem::offset_of!(Context, fault) == 176);

impl Context {
    /// The thread's registers.
    pub fn regs(&self) -> Regs {
        let (x, sp, pc, pstate) = (self.x, self.sp, self.pc, self.pstate);
        Regs { x, sp, pc, pstate }
    }

    /// Has the thread continue with these.
    pub fn set(&mut self, regs: &Regs) {
        self.x = regs.x;
        (self.sp, self.pc, self.pstate) = (regs.sp, regs.pc, regs.pstate);
    }
}

/// The address of a detour's site.
pub fn pc(regs: &Regs) -> usize {
    regs.pc as usize
}

/// The number and the arguments of a system call.
pub fn system_call(regs: &Regs) -> (usize, [usize; 6]) {
    let [a, b, c, d, e, f, _, _, number, ..] = regs.x;
    (number as usize, [a, b, c, d, e, f].map(|it| it as usize))
}

/// Sets what is different after a system call.
pub fn set_result(regs: &mut Regs, result: isize) {
    let [first, ..] = &mut regs.x;
    *first = result as u64;
}

/// A register by its number: the order is that of [`Regs`].
pub fn register(regs: &Regs, number: u64) -> u64 {
    let rest = [regs.sp, regs.pc, regs.pstate];
    let mut all = regs.x.iter().chain(&rest);
    let register = usize::try_from(number).ok().and_then(|it| all.nth(it));
    register.copied().unwrap_or_default()
}

/// TPIDR_EL0.
pub fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: programs may read it.
    unsafe {
        asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags));
    }
    pointer
}

/// What the processor has: [`BRANCH_TYPES`] and so on. Detours read it too.
pub static FEATURES: AtomicU32 = AtomicU32::new(0);

/// Indirect branches are checked (BTI).
const BRANCH_TYPES: u32 = 1;
/// Atomic additions (LSE).
const ATOMICS: u32 = 1 << 1;
/// Vectors and predicates of any length (SVE): its bit's number.
pub const SCALABLE: u32 = 2;
/// A mode in which code like the agent's is undefined (SME), until the kernel leaves it for a handler.
const STREAMING: u32 = 1 << 3;

/// Learns what the processor has: the kernel lets programs read the registers that say so, as far as it
/// supports that. Nothing depends on `AT_HWCAP2`.
pub fn begin_with(_: u64) {
    let (instructions, first, second): (u64, u64, u64);
    // SAFETY: the kernel emulates them.
    unsafe {
        asm!(
            "mrs {}, id_aa64isar0_el1",
            "mrs {}, id_aa64pfr0_el1",
            "mrs {}, id_aa64pfr1_el1",
            out(reg) instructions,
            out(reg) first,
            out(reg) second,
            options(nomem, nostack, preserves_flags),
        );
    }
    let has = |register: u64, place: u32, feature: u32| match register >> place & 0b1111 {
        0 => 0,
        _ => feature,
    };
    let features = has(second, 0, BRANCH_TYPES)
        | has(instructions, 20, ATOMICS)
        | has(first, 32, 1 << SCALABLE)
        | has(second, 24, STREAMING);
    FEATURES.store(features, Ordering::Relaxed);
}

/// Whether it checks where indirect branches lead to, in pages that ask for it.
pub fn has_branch_types() -> bool {
    FEATURES.load(Ordering::Relaxed) & BRANCH_TYPES != 0
}

/// Whether there is a mode in which the agent's code cannot be executed.
pub fn has_streaming() -> bool {
    FEATURES.load(Ordering::Relaxed) & STREAMING != 0
}

/// Whether it has atomic additions.
pub fn has_atomics() -> bool {
    FEATURES.load(Ordering::Relaxed) & ATOMICS != 0
}
