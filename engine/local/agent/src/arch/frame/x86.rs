//! x86-64: the trap is `int3`.

#![expect(unsafe_code, reason = "reads the base of FS")]

use core::arch::asm;
use core::mem::offset_of;
use core::sync::atomic::{AtomicBool, Ordering};

use engine_tracer::{Blacklist, blacklist};
use syscalls::{Sysno, syscall};

use super::Regs;

/// The instruction set.
pub type Native = engine_isa::x86::X86;

/// Functions of a kernel, of which there is none here.
pub const BLACKLIST: &Blacklist = &blacklist::X86;

/// SIGTRAP
pub const SIGNAL: u32 = 5;

/// SI_KERNEL, of an `int3`; that of an `int1` is TRAP_BRKPT.
pub const CODE: i32 = 0x80;

/// Whether the kernel sends [`SIGNAL`] for this instruction: `int3` or `int1` (Intel's manual, volume 2). Not for the
/// longer `int 3`, of which only the last byte would be here.
pub fn is_trap(text: &[u8]) -> bool {
    matches!(text.first(), Some(0xcc | 0xf1))
}

/// Linux's `struct ucontext` (`asm-generic/ucontext.h`, `asm/sigcontext.h`), as far as it is needed.
#[repr(C)]
pub struct Context {
    flags: u64,
    link: u64,
    stack: [u64; 3],
    /// r8 to r15.
    upper: [u64; 8],
    di: u64,
    si: u64,
    bp: u64,
    bx: u64,
    dx: u64,
    ax: u64,
    cx: u64,
    sp: u64,
    ip: u64,
    status: u64,
    /// cs, gs, fs and ss.
    segments: [u16; 4],
    /// Of the trap, the place of the vector registers, and what is reserved.
    rest: [u64; 13],
    /// The mask of signals.
    pub mask: u64,
}

const _: () = assert!(offset_of!(Context, mask) == 296);

impl Context {
    /// The thread's registers.
    pub fn regs(&self) -> Regs {
        let [r8, r9, r10, r11, r12, r13, r14, r15] = self.upper;
        let [cs, _, _, ss] = self.segments.map(u64::from);
        Regs {
            r15,
            r14,
            r13,
            r12,
            bp: self.bp,
            bx: self.bx,
            r11,
            r10,
            r9,
            r8,
            ax: self.ax,
            cx: self.cx,
            dx: self.dx,
            si: self.si,
            di: self.di,
            orig_ax: u64::MAX,
            ip: self.ip,
            cs,
            flags: self.status,
            sp: self.sp,
            ss,
        }
    }

    /// Has the thread continue with these.
    pub fn set(&mut self, regs: &Regs) {
        self.upper = [
            regs.r8, regs.r9, regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15,
        ];
        (self.bp, self.bx) = (regs.bp, regs.bx);
        (self.ax, self.cx, self.dx) = (regs.ax, regs.cx, regs.dx);
        (self.si, self.di) = (regs.si, regs.di);
        (self.ip, self.sp, self.status) = (regs.ip, regs.sp, regs.flags);
    }
}

/// The address of a detour's site.
pub fn pc(regs: &Regs) -> usize {
    regs.ip as usize
}

/// The number and the arguments of a system call.
pub fn system_call(regs: &Regs) -> (usize, [usize; 6]) {
    let arguments = [regs.di, regs.si, regs.dx, regs.r10, regs.r8, regs.r9];
    (regs.ax as usize, arguments.map(|it| it as usize))
}

/// Sets what is different after a system call.
pub fn set_result(regs: &mut Regs, result: isize) {
    regs.ax = result as u64;
    (regs.cx, regs.r11) = (regs.ip, regs.flags);
}

/// A register by its number: the order is that of [`Regs`].
pub fn register(regs: &Regs, number: u64) -> u64 {
    let all = [
        regs.r15,
        regs.r14,
        regs.r13,
        regs.r12,
        regs.bp,
        regs.bx,
        regs.r11,
        regs.r10,
        regs.r9,
        regs.r8,
        regs.ax,
        regs.cx,
        regs.dx,
        regs.si,
        regs.di,
        regs.orig_ax,
        regs.ip,
        regs.cs,
        regs.flags,
        regs.sp,
        regs.ss,
    ];
    let register = usize::try_from(number).ok().and_then(|it| all.get(it));
    register.copied().unwrap_or_default()
}

/// The base of FS.
pub fn thread_pointer() -> usize {
    if !HAS_FSGSBASE.load(Ordering::Relaxed) {
        const ARCH_GET_FS: usize = 0x1003;
        let mut base = 0;
        // SAFETY: `base` is valid for writes.
        let _ = unsafe { syscall!(Sysno::arch_prctl, ARCH_GET_FS, &raw mut base) };
        return base;
    }
    let base;
    // SAFETY: the kernel lets programs execute it.
    unsafe { asm!("rdfsbase {}", out(reg) base, options(nomem, nostack, preserves_flags)) };
    base
}

/// Whether `rdfsbase` may be executed.
static HAS_FSGSBASE: AtomicBool = AtomicBool::new(false);

/// Learns what the processor has, from the kernel's `AT_HWCAP2`.
pub fn begin_with(capabilities: u64) {
    const FSGSBASE: u64 = 1 << 1;
    HAS_FSGSBASE.store(capabilities & FSGSBASE != 0, Ordering::Relaxed);
}
