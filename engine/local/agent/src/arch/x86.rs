//! x86-64: the trap is `int3`.

#![expect(unsafe_code, reason = "the first and last instructions are assembly")]

use core::arch::naked_asm;

use engine_tracer::{Blacklist, blacklist};

use super::{FIRST, Regs, Stack, begin};
use crate::handler::{finish, hit, leave};
use crate::serve::serve;
use crate::slots::occupy;

/// The instruction set.
pub type Native = engine_isa::x86::X86;

/// Functions of a kernel, of which there is none here.
pub const BLACKLIST: &Blacklist = &blacklist::X86;

/// SIGTRAP
pub const SIGNAL: u32 = 5;

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
}

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

/// The address of the handler.
pub fn handler() -> usize {
    (trapline_handler as *const ()).addr()
}

/// The address of what it returns to.
pub fn restorer() -> usize {
    (trapline_restorer as *const ()).addr()
}

/// The agent's first instructions. The command has set the registers of the first three arguments,
/// which are those of [`serve`].
#[cfg_attr(trapline_agent, unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_enter() -> ! {
    naked_asm!(
        "xor ebp, ebp",
        "lea rsp, [rip + {first} + {size}]",
        "mov r12, rdi",
        "mov r13, rsi",
        "mov r14, rdx",
        "call {begin}",
        "mov rsp, rax",
        "mov rdi, r12",
        "mov rsi, r13",
        "mov rdx, r14",
        "call {serve}",
        "ud2",
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
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "mov r12, rdi",
        "mov r13, rsi",
        "mov r14, rdx",
        "call {occupy}",
        "mov rbx, rax",
        "mov rsp, rax",
        "mov rdi, r14",
        "call {hit}",
        "lea rsp, [rbp - 32]",
        "mov rdi, rbx",
        "mov rbx, rax",
        "call {leave}",
        "mov rdi, rbx",
        "mov rsi, r12",
        "mov rdx, r13",
        "mov rcx, r14",
        "call {finish}",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
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
    naked_asm!("mov eax, 15", "syscall", "ud2")
}

/// What the compiler calls, and no C library provides here. Their names are C's.
#[cfg(trapline_agent)]
mod bytes {
    use core::arch::naked_asm;

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memcpy() {
        naked_asm!("mov rax, rdi", "mov rcx, rdx", "rep movsb", "ret")
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memmove() {
        naked_asm!(
            "mov rax, rdi",
            "mov rcx, rdx",
            "mov rdx, rdi",
            "sub rdx, rsi",
            "cmp rdx, rcx",
            "jb 2f",
            "rep movsb",
            "ret",
            // The end of the source is overwritten first otherwise.
            "2:",
            "lea rsi, [rsi + rcx - 1]",
            "lea rdi, [rdi + rcx - 1]",
            "std",
            "rep movsb",
            "cld",
            "ret",
        )
    }

    #[unsafe(no_mangle)]
    #[unsafe(naked)]
    unsafe extern "C" fn memset() {
        naked_asm!(
            "mov r8, rdi",
            "mov eax, esi",
            "mov rcx, rdx",
            "rep stosb",
            "mov rax, r8",
            "ret",
        )
    }
}
