//! AArch64: the trap is a `brk` with an immediate of our own.

#![expect(unsafe_code, reason = "the first and last instructions are assembly")]

use core::arch::{asm, naked_asm};

use engine_isa::arm64::{Arm64, Processor};
use engine_tracer::{Blacklist, blacklist};

use super::{FIRST, Regs, Stack, begin};
use crate::handler::{finish, hit, leave};
use crate::serve::serve;
use crate::slots::occupy;

/// The instruction set.
pub type Native = Arm64<ThisProcessor>;

/// Functions of a kernel, of which there is none here.
pub const BLACKLIST: &Blacklist = &blacklist::ARM64;

/// SIGTRAP
pub const SIGNAL: u32 = 5;

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

    /// Whether the processor implements BTI: field BT of ID_AA64PFR1_EL1, which the kernel emulates
    /// for programs.
    fn has_branch_types(&self) -> bool {
        let features: u64;
        // SAFETY: the kernel lets programs read it.
        unsafe {
            asm!(
                "mrs {}, id_aa64pfr1_el1",
                out(reg) features,
                options(nomem, nostack, preserves_flags),
            );
        }
        features & 0b1111 != 0
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

/// Nothing depends on `AT_HWCAP2`.
pub fn begin_with(_: u64) {}

/// The address of the handler.
pub fn handler() -> usize {
    (trapline_handler as *const ()).addr()
}

/// The address of what it returns to.
pub fn restorer() -> usize {
    (trapline_restorer as *const ()).addr()
}

/// The agent's first instructions. The command has set the register of the first argument, which is
/// that of [`serve`].
#[cfg_attr(trapline_agent, unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_enter() -> ! {
    naked_asm!(
        "mov x29, xzr",
        "adrp x9, {first}",
        "add x9, x9, :lo12:{first}",
        "add x9, x9, {size}",
        "mov sp, x9",
        "mov x19, x0",
        "bl {begin}",
        "mov sp, x0",
        "mov x0, x19",
        "bl {serve}",
        "brk #1",
        first = sym FIRST,
        size = const size_of::<Stack>(),
        begin = sym begin,
        serve = sym serve,
    )
}

/// The handler of traps.
#[unsafe(naked)]
unsafe extern "C" fn trapline_handler() {
    naked_asm!(
        "stp x29, x30, [sp, #-48]!",
        "mov x29, sp",
        "stp x19, x20, [sp, #16]",
        "stp x21, x22, [sp, #32]",
        "mov x20, x0",
        "mov x21, x1",
        "mov x22, x2",
        "bl {occupy}",
        "mov x19, x0",
        "mov sp, x0",
        "mov x0, x22",
        "mov x1, x21",
        "bl {hit}",
        "mov sp, x29",
        "mov x1, x0",
        "mov x0, x19",
        "mov x19, x1",
        "bl {leave}",
        "mov x0, x19",
        "mov x1, x20",
        "mov x2, x21",
        "mov x3, x22",
        "bl {finish}",
        "ldp x21, x22, [sp, #32]",
        "ldp x19, x20, [sp, #16]",
        "ldp x29, x30, [sp], #48",
        "ret",
        occupy = sym occupy,
        hit = sym hit,
        leave = sym leave,
        finish = sym finish,
    )
}

/// What it returns to: rt_sigreturn(2).
#[unsafe(naked)]
unsafe extern "C" fn trapline_restorer() {
    naked_asm!("mov x8, #139", "svc #0", "brk #1")
}

/// What the compiler calls, and no C library provides here. Their names are C's.
#[cfg(trapline_agent)]
mod bytes {
    use core::arch::naked_asm;

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memcpy() {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "subs x2, x2, #8",
            "b.lo 3f",
            "ldr x4, [x1], #8",
            "str x4, [x3], #8",
            "b 2b",
            "3:",
            "adds x2, x2, #8",
            "b.eq 5f",
            "4:",
            "ldrb w4, [x1], #1",
            "strb w4, [x3], #1",
            "subs x2, x2, #1",
            "b.ne 4b",
            "5:",
            "ret",
        )
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memmove() {
        naked_asm!(
            "sub x3, x0, x1",
            "cmp x3, x2",
            "b.hs {memcpy}",
            // The end of the source is overwritten first otherwise.
            "2:",
            "cbz x2, 3f",
            "sub x2, x2, #1",
            "ldrb w4, [x1, x2]",
            "strb w4, [x0, x2]",
            "b 2b",
            "3:",
            "ret",
            memcpy = sym memcpy,
        )
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memset() {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "cbz x2, 3f",
            "strb w1, [x3], #1",
            "sub x2, x2, #1",
            "b 2b",
            "3:",
            "ret",
        )
    }
}

/// Nothing is patched by jumps here yet: every site has a trap.
mod jumps {
    use alloc::vec::Vec;
    use core::marker::PhantomData;
    use core::ops::Range;

    use crate::mapping::Mapping;

    pub const JUMP: usize = 4;
    /// A branch reaches 128 MiB.
    pub const REACH: usize = 96 << 20;
    pub const GATE: usize = 0;
    pub const DETOUR_MAX: usize = 0;

    #[derive(Debug, Clone, Copy)]
    pub struct Window {
        pub start: usize,
        pub length: usize,
    }

    pub struct Body<'a>(PhantomData<&'a Mapping>);

    pub fn jump(_: usize, _: usize) -> [u8; JUMP] {
        [0; JUMP]
    }

    pub fn gate() -> [u8; GATE] {
        []
    }

    pub fn branch_targets(_: usize, _: &[u8]) -> Vec<usize> {
        Vec::new()
    }

    pub struct Guard {
        pub start: usize,
    }

    pub fn guards(_: &Range<usize>) -> Vec<Guard> {
        Vec::new()
    }

    impl Guard {
        pub fn original(&self) -> [u8; JUMP] {
            [0; JUMP]
        }

        pub fn detour(&self, _: usize, _: usize) -> Option<Vec<u8>> {
            None
        }
    }

    impl<'a> Body<'a> {
        pub fn of(_: &'a Mapping, _: &Range<usize>, _: Option<usize>) -> Self {
            Self(PhantomData)
        }

        pub fn original(&self, _: usize) -> [u8; JUMP] {
            [0; JUMP]
        }

        pub fn windows(&self, _: &[usize], _: &[usize]) -> Vec<Window> {
            Vec::new()
        }

        pub fn detour(
            &self,
            _: &Window,
            _: &[usize],
            _: usize,
            _: usize,
        ) -> Option<(Vec<u8>, usize)> {
            None
        }
    }
}

pub use jumps::{Body, DETOUR_MAX, GATE, JUMP, REACH, branch_targets, gate, guards, jump};
