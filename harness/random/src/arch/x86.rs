//! x86-64.

use std::arch::global_asm;

use super::Function;

unsafe extern "C" {
    /// Jumps into the middle of an instruction of its own if its argument is odd.
    fn random_hand_overlap(x: usize, y: usize) -> usize;
}

/// Functions with instructions inside of instructions.
pub const OVERLAPS: &[Function] = &[random_hand_overlap];

/// A trap has one byte, which is in one page.
pub const CROSSING: &[Function] = &[];

/// `mov $number, %eax` and `ret`, in eight bytes.
pub fn code_returning(number: u8) -> [u8; 8] {
    [0xb8, number, 0, 0, 0, 0xc3, 0x90, 0x90]
}

/// The same as a word.
pub fn returning(number: u8) -> usize {
    u64::from_le_bytes(code_returning(number)) as usize
}

/// What the constant of the instruction is overwritten by.
pub fn constant(number: u8) -> usize {
    number.into()
}

global_asm!(
    ".macro function name",
    ".globl \\name",
    ".hidden \\name",
    ".type \\name, %function",
    "\\name:",
    ".endm",
    ".macro end name",
    ".size \\name, . - \\name",
    ".endm",
    ".text",
    ".p2align 4",
    "function random_hand_prologue",
    "push rbp",
    "2: mov rbp, rsp",
    "sub rsp, 32",
    "mov [rbp - 8], rdi",
    "lea rax, [rdi + rdi*2]",
    "xor rax, [rbp - 8]",
    "add rax, rsi",
    "leave",
    "ret",
    "end random_hand_prologue",
    "function random_hand_behind",
    "push rbp",
    "3: xor rsi, 0x78",
    "shr rdi, 1",
    "test dil, 4",
    "jnz 3b",
    "jmp 2b",
    "end random_hand_behind",
);

global_asm!(
    // `mov ecx, constant`, whose constant is `inc eax; ret; nop`, a function of its own. The constant
    // is used, so that a trap in its first byte would be noticed.
    "function random_hand_overlap",
    "lea rax, [rdi + rsi*4]",
    "test edi, 1",
    "jnz random_hand_inner",
    ".byte 0xb9",
    "function random_hand_inner",
    ".byte 0xff, 0xc0, 0xc3, 0x90",
    "end random_hand_inner",
    "xor eax, ecx",
    "lea rcx, [rip + 2f + 1]",
    "test edi, 2",
    "jz 2f",
    "jmp rcx",
    // A comparison with a constant, and a nop with a prefix. Entered one byte later they are an
    // addition of another constant, and a nop.
    "2: .byte 0x3d, 0x05, 0x11, 0x22, 0x33",
    ".byte 0x44, 0x90",
    "rol eax, 3",
    "ret",
    "end random_hand_overlap",
);

global_asm!(
    "function random_hand_falling",
    "lea rdi, [rdi + rsi*8 + 3]",
    "xor rsi, rdi",
    "end random_hand_falling",
    "function random_hand_landing",
    "push rbx",
    "mov rbx, rdi",
    "imul rax, rbx, 77",
    "add rax, rsi",
    "pop rbx",
    "ret",
    "end random_hand_landing",
    "function random_hand_writer",
    "push rbx",
    "mov rbx, rdi",
    "mov [rdi], rsi",
    "call rbx",
    "pop rbx",
    "ret",
    "end random_hand_writer",
);

global_asm!(
    ".section .text.random_patched, \"ax\", %progbits",
    ".p2align 12",
    "function random_hand_patched",
    "lea rdx, [rip + 2f]",
    "mov [rdx], rdi",
    "xor eax, eax",
    ".p2align 3",
    "2: mov eax, 99",
    "ret",
    "nop",
    "nop",
    "end random_hand_patched",
    ".p2align 12",
    "function random_hand_constant",
    "lea rdx, [rip + 2f]",
    "mov [rdx + 1], edi",
    "xor eax, eax",
    "2: mov eax, 99",
    "ret",
    "end random_hand_constant",
    ".p2align 12",
    ".text",
);

global_asm!(
    "function random_hand_table",
    "mov eax, edi",
    "and edi, 3",
    "lea rdx, [rip + 2f]",
    "movsxd rcx, dword ptr [rdx + rdi*4]",
    "add rcx, rdx",
    "jmp rcx",
    "end random_hand_table",
    "2: .long random_hand_case0 - 2b, random_hand_case1 - 2b, random_hand_case2 - 2b, random_hand_case3 - 2b",
    "function random_hand_case0",
    "add eax, esi",
    "ret",
    "end random_hand_case0",
    ".byte 0x0f, 0xe8, 0xcc",
    "function random_hand_case1",
    "xor eax, esi",
    "jmp random_hand_case0",
    "end random_hand_case1",
    ".byte 0x48, 0xc7",
    "function random_hand_case2",
    "sub eax, esi",
    "end random_hand_case2",
    "function random_hand_case3",
    "imul eax, eax, 0x1234567",
    "mov edx, [rip + 3f]",
    "xor eax, edx",
    "ret",
    "end random_hand_case3",
    "3: .long 0xcc0b0fc3",
);
