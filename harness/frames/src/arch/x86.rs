//! x86-64.

use std::arch::global_asm;

/// Words of a frame that `frames_swap` leaves, and the return address's place among them.
pub const FRAME: usize = 7;
/// See [`FRAME`].
pub const RETURN: usize = 6;
/// The offsets of the instructions of `frames_load`.
pub const LOAD: [usize; 3] = [0, 3, 6];
/// Those of `frames_fetch`.
pub const FETCH: [usize; 4] = [0, 3, 5, 6];

/// The signal of an instruction that only the kernel may execute.
pub const PRIVILEGED: std::ffi::c_int = libc::SIGSEGV;
/// A function of special instructions that returns its argument plus 1, and their offsets.
pub const SPECIAL: Option<super::Special> = Some((frames_special, &[0, 4, 9, 13, 17, 21]));

unsafe extern "C" {
    fn frames_special(number: u32) -> u32;
}

/// The program counter that a signal found.
pub fn counter(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize
}

/// The code of a function that returns this number: `mov eax, number; ret`.
pub fn returning(number: u8) -> [u8; 8] {
    [0xb8, number, 0, 0, 0, 0xc3, 0x90, 0x90]
}

global_asm!(
    ".macro function name",
    ".globl \\name",
    ".type \\name, %function",
    "\\name:",
    ".cfi_startproc",
    ".endm",
    ".macro end name",
    ".cfi_endproc",
    ".size \\name, . - \\name",
    ".endm",
    ".text",
    "function frames_dive",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "test rdi, rdi",
    "jz 2f",
    "dec rdi",
    "call frames_dive",
    "jmp 3f",
    "2: mov rdi, rdx",
    "call rsi",
    "3: pop rbp",
    "ret",
    "end frames_dive",
    "function frames_hold",
    ".cfi_personality 0x1b, frames_catch",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov [rcx], rsp",
    "lea rax, [rip + 2f]",
    "mov [rcx + 8], rax",
    "call frames_dive",
    "xor eax, eax",
    "jmp 3f",
    "2: mov eax, 1",
    "3: pop rbp",
    "ret",
    "end frames_hold",
    "function frames_leap",
    "mov rsp, [rdi]",
    "jmp [rdi + 8]",
    "end frames_leap",
    "function frames_swap",
    "push rbp",
    "push r15",
    "push r14",
    "push r13",
    "push r12",
    "push rbx",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "pop rbx",
    "pop r12",
    "pop r13",
    "pop r14",
    "pop r15",
    "pop rbp",
    "ret",
    "end frames_swap",
    "function frames_start",
    "mov rdi, r12",
    "call rbx",
    "ud2",
    "end frames_start",
    "function frames_privileged",
    "hlt",
    "ret",
    "end frames_privileged",
    "function frames_trapped",
    "nop",
    "int3",
    "ret",
    "end frames_trapped",
    "function frames_clone3",
    // The place of a probe: without the module a guard takes the two that follow.
    "nop",
    "mov eax, 435",
    "syscall",
    "ret",
    "end frames_clone3",
    "function frames_load",
    "mov rax, rdi",
    "mov rax, [rax]",
    "ret",
    "end frames_load",
    "function frames_fetch",
    "mov rax, rdi",
    "push [rax]",
    "pop rax",
    "ret",
    "end frames_fetch",
    "function frames_special",
    "vmovd xmm0, edi",
    "vpshufd xmm0, xmm0, 0",
    "vpcmpeqb xmm1, xmm1, xmm1",
    "vpsubd xmm0, xmm0, xmm1",
    "vmovd eax, xmm0",
    "ret",
    "end frames_special",
    ".balign 4096",
    "function frames_paged",
    "lea rax, [rdi + 1]",
    "ret",
    "end frames_paged",
    ".balign 4096",
    ".purgem function",
    ".purgem end",
    options(raw)
);
