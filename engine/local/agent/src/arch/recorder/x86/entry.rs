//! Routines in assembly: what translations jump to, and where the kernel calls the recorder.
//!
//! Translations come with rcx saved in the state, and an argument in it. A routine that calls the runtime
//! saves all registers in the state and on the thread's stack for that, and restores them.

#![expect(
    unsafe_code,
    reason = "assembly, and functions that are called by their names"
)]

use core::arch::naked_asm;
use core::mem::offset_of;

use engine_abi::path::{self, BUFFER_END, SHARE, Share};

use super::addresses;
use super::begin::{begin, open};
use super::calls::{CALLS, begun, call, cloned};
use super::runtime::{full, leave, link, look_up};
use super::signals::{handle, stack};
use super::state::State;
use super::table::HASHES;
use crate::arch::frame::Regs;

/// The stack of the first instructions.
#[repr(C, align(64))]
struct Stack([u8; 32 << 10]);

/// Written by the recorder's first instructions only.
static mut FIRST: Stack = Stack([0; 32 << 10]);

/// Bytes of xmm0 to xmm15.
const VECTORS: usize = 16 * 16;

/// The system calls that the recorder has to know of: a bit for each number.
#[expect(clippy::indexing_slicing, reason = "at compile time")]
static KNOWN: [u64; 8] = {
    let mut bits = [0; 8];
    let mut index = 0;
    while index < CALLS.len() {
        let number = CALLS[index] as usize;
        bits[number / 64] |= 1 << (number % 64);
        index += 1;
    }
    bits
};

/// Sets the addresses.
extern "C" fn tell() {
    let all: [unsafe extern "C" fn(); addresses::ALL] = [
        trapline_path_look_up,
        trapline_path_link,
        trapline_path_full,
        trapline_path_call,
        trapline_path_leave,
        trapline_path_pass,
        trapline_path_wait,
        trapline_path_clone,
        trapline_path_jump,
        trapline_path_handler,
        trapline_path_restorer,
    ];
    addresses::set(all.map(|routine| (routine as *const ()).addr()));
}

/// The recorder's first instructions. The command has set rdi to the address of a
/// [`Begin`](engine_abi::path::Begin).
#[cfg_attr(trapline_agent, unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_record() -> ! {
    naked_asm!(
        "xor ebp, ebp",
        "lea rsp, [rip + {first} + {size}]",
        "mov r12, rdi",
        "call {tell}",
        "mov rdi, r12",
        "call {open}",
        "mov r13, rax",
        // The command takes the memory, or ends the process.
        "int3",
        "mov rdi, r12",
        "mov rsi, r13",
        // With the vector registers as they are: the program has none yet.
        "mov rsp, gs:[{stack}]",
        "sub rsp, {vectors}",
        "call {begin}",
        "jmp {restore}",
        first = sym FIRST,
        size = const size_of::<Stack>(),
        tell = sym tell,
        open = sym open,
        begin = sym begin,
        vectors = const VECTORS,
        restore = sym restore,
        stack = const STACK,
    )
}

/// Offsets from GS: the program's registers,
const AX: usize = reg(offset_of!(Regs, ax));
const CX: usize = reg(offset_of!(Regs, cx));
const DX: usize = reg(offset_of!(Regs, dx));
const SP: usize = reg(offset_of!(Regs, sp));
const FLAGS: usize = reg(offset_of!(Regs, flags));
/// and other parts of the state.
const ARITHMETIC: usize = offset_of!(State, arithmetic);
const TARGET: usize = offset_of!(State, target);
const TABLE: usize = offset_of!(State, table);
const RESUME: usize = offset_of!(State, resume);
const EXIT: usize = offset_of!(State, exit);
const STACK: usize = offset_of!(State, stack);
const ME: usize = offset_of!(State, me);
const NEXT: usize = SHARE + offset_of!(Share, next);

const fn reg(offset: usize) -> usize {
    offset_of!(State, regs) + offset
}

/// A routine that has [`run`] call a function.
macro_rules! runtime {
    ($function:expr) => {
        naked_asm!(
            "mov gs:[{ax}], rax",
            "lea rax, [rip + {function}]",
            "jmp {run}",
            ax = const AX,
            function = sym $function,
            run = sym run,
        )
    };
}

/// Calls the function in rax with the state and the argument in rcx, and goes on at the exit. The program's
/// rax and rcx are saved.
#[unsafe(naked)]
unsafe extern "C" fn run() {
    naked_asm!(
        registers!(save "gs:[{regs} + 8 * "),
        "mov gs:[{sp}], rsp",
        "mov rsp, gs:[{stack}]",
        "pushfq",
        "pop qword ptr gs:[{flags}]",
        "cld",
        "sub rsp, {vectors}",
        vectors!(save),
        "mov rdi, gs:[{me}]",
        "mov rsi, rcx",
        "call rax",
        "jmp {restore}",
        vectors = const VECTORS,
        restore = sym restore,
        regs = const offset_of!(State, regs),
        sp = const SP,
        flags = const FLAGS,
        stack = const STACK,
        me = const ME,
    )
}

/// Restores all registers, and goes on at the exit.
#[unsafe(naked)]
unsafe extern "C" fn restore() {
    naked_asm!(
        vectors!(restore),
        "push qword ptr gs:[{flags}]",
        "popfq",
        "mov rsp, gs:[{sp}]",
        // With the program's stack, and without a change to the flags.
        "mov rsi, gs:[{me}]",
        "lea rsi, [rsi + {exit_mask}]",
        "mov edi, 2", // SIG_SETMASK
        "mov edx, 0",
        "mov r10d, 8",
        "mov eax, {rt_sigprocmask}",
        "syscall",
        "mov rax, gs:[{ax}]",
        "mov rcx, gs:[{cx}]",
        registers!(restore "gs:[{regs} + 8 * "),
        "jmp qword ptr gs:[{exit}]",
        ax = const AX,
        cx = const CX,
        regs = const offset_of!(State, regs),
        sp = const SP,
        flags = const FLAGS,
        exit = const EXIT,
        exit_mask = const offset_of!(State, exit_mask),
        rt_sigprocmask = const syscalls::Sysno::rt_sigprocmask as u32,
        me = const ME,
    )
}

/// Restores the flags, rax and rdx as [`trapline_path_look_up`] has saved them, and calls the runtime.
#[unsafe(naked)]
unsafe extern "C" fn miss() {
    naked_asm!(
        "mov rax, gs:[{arithmetic}]",
        "add al, 0x7f",
        "sahf",
        "mov rdx, gs:[{dx}]",
        "lea rax, [rip + {look_up}]",
        "jmp {run}",
        look_up = sym look_up,
        run = sym run,
        dx = const DX,
        arithmetic = const ARITHMETIC,
    )
}

/// Goes to the program's address in rcx, and writes an event of that.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_look_up() {
    naked_asm!(
        "mov gs:[{ax}], rax",
        "mov gs:[{dx}], rdx",
        "lahf",
        "seto al",
        "mov gs:[{arithmetic}], rax",
        "mov gs:[{target}], rcx",
        "mov rdx, gs:[{next}]",
        "mov byte ptr gs:[rdx + {end}], {tag}",
        "mov gs:[rdx + {end} + 1], rcx",
        "add rdx, 9",
        "mov gs:[{next}], rdx",
        // Behind it there must be room for an event of a byte.
        "cmp rdx, -16",
        "jge {miss}",
        "mov eax, ecx",
        "and eax, {hashes} - 1",
        "shl rax, 4",
        "add rax, gs:[{table}]",
        "2:",
        "mov rdx, [rax]",
        "cmp rdx, rcx",
        "je 3f",
        "test rdx, rdx",
        "jz {miss}",
        "add rax, 16",
        "jmp 2b",
        "3:",
        "mov rax, [rax + 8]",
        // The table may have been emptied in between.
        "test rax, rax",
        "jz {miss}",
        "mov gs:[{resume}], rax",
        "mov rax, gs:[{arithmetic}]",
        "add al, 0x7f",
        "sahf",
        "mov rax, gs:[{ax}]",
        "mov rdx, gs:[{dx}]",
        "mov rcx, gs:[{cx}]",
        "jmp qword ptr gs:[{resume}]",
        end = const BUFFER_END,
        tag = const path::TARGET,
        hashes = const HASHES,
        miss = sym miss,
        ax = const AX,
        cx = const CX,
        dx = const DX,
        arithmetic = const ARITHMETIC,
        target = const TARGET,
        table = const TABLE,
        resume = const RESUME,
        next = const NEXT,
    )
}

/// Goes to the program's address in rcx from a direct branch that is not linked.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_link() {
    runtime!(link)
}

/// Has the buffer emptied.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_full() {
    runtime!(full)
}

/// Leaves the cache for good.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_leave() {
    runtime!(leave)
}

/// Makes a system call. The kernel does not keep rcx and r11.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_call() {
    naked_asm!(
        "mov rcx, rax",
        "lahf",
        "seto al",
        "mov gs:[{arithmetic}], rax",
        "mov rax, rcx",
        "cmp eax, {known_bits}",
        "jae 2f",
        "lea rcx, [rip + {known}]",
        "bt dword ptr [rcx], eax",
        "jc 3f",
        "2:",
        "mov rcx, rax",
        "mov rax, gs:[{arithmetic}]",
        "add al, 0x7f",
        "sahf",
        "mov rax, rcx",
        "jmp {pass}",
        "3:",
        "mov gs:[{ax}], rax",
        "mov rax, gs:[{arithmetic}]",
        "add al, 0x7f",
        "sahf",
        "lea rax, [rip + {call}]",
        "jmp {run}",
        known_bits = const size_of_val(&KNOWN) * 8,
        known = sym KNOWN,
        call = sym call,
        pass = sym trapline_path_pass,
        run = sym run,
        ax = const AX,
        arithmetic = const ARITHMETIC,
    )
}

/// The system call itself.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_pass() {
    naked_asm!(
        "syscall",
        "jmp qword ptr gs:[{resume}]",
        resume = const RESUME,
    )
}

/// One that waits with another mask of signals: what is let in comes behind it.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_wait() {
    naked_asm!(
        "syscall",
        "jmp qword ptr gs:[{resume}]",
        resume = const RESUME,
    )
}

/// The system call that makes a process or a thread. r9 is the address of the state of a thread that is to
/// be recorded, or 0; signals are blocked.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_clone() {
    naked_asm!(
        "syscall",
        "test rax, rax",
        "jnz 2f",
        "test r9, r9",
        "jz 2f",
        "mov edi, 0x1001", // ARCH_SET_GS
        "mov rsi, r9",
        "mov eax, {arch_prctl}",
        "syscall",
        "mov gs:[{sp}], rsp",
        "mov rsp, gs:[{stack}]",
        "sub rsp, {vectors}",
        vectors!(save),
        "mov rdi, gs:[{me}]",
        "call {begun}",
        "jmp {restore}",
        "2:",
        "mov gs:[{cx}], rcx",
        "mov gs:[{ax}], rax",
        "lea rax, [rip + {cloned}]",
        "jmp {run}",
        arch_prctl = const syscalls::Sysno::arch_prctl as u32,
        vectors = const VECTORS,
        begun = sym begun,
        cloned = sym cloned,
        restore = sym restore,
        run = sym run,
        ax = const AX,
        cx = const CX,
        sp = const SP,
        stack = const STACK,
        me = const ME,
    )
}

/// Goes to the program's own text.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_jump() {
    naked_asm!("jmp rcx")
}

/// The handler of signals: where the process's own handler is to go on it is called as the kernel would
/// have called it, on its stack.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_handler() {
    naked_asm!(
        "push rdi",
        "push rsi",
        "push rdx",
        "push 0",
        "mov rbx, rsp",
        "mov edi, 0x1004", // ARCH_GET_GS
        "mov rsi, rsp",
        "mov eax, {arch_prctl}",
        "syscall",
        "mov rdi, [rbx]",
        "mov rsi, rbx",
        // For a frame that a thread has on its own stack.
        "and rsp, -16",
        "call {stack}",
        "mov rsp, rax",
        "and rsp, -16",
        "mov rdi, [rbx + 24]",
        "mov rsi, [rbx + 16]",
        "mov rdx, [rbx + 8]",
        "mov rcx, [rbx]",
        "call {handle}",
        "mov [rbx], rdx",
        "mov r12, rax",
        "mov rsp, rbx",
        "test r12, r12",
        "jz 2f",
        // With the stack that the kernel has chosen.
        "mov rsi, rbx",
        "mov edi, 2", // SIG_SETMASK
        "mov edx, 0",
        "mov r10d, 8",
        "mov eax, {rt_sigprocmask}",
        "syscall",
        "add rsp, 8",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "xor eax, eax",
        "jmp r12",
        "2:",
        "add rsp, 40",
        "mov eax, {rt_sigreturn}",
        "syscall",
        "ud2",
        rt_sigprocmask = const syscalls::Sysno::rt_sigprocmask as u32,
        arch_prctl = const syscalls::Sysno::arch_prctl as u32,
        rt_sigreturn = const syscalls::Sysno::rt_sigreturn as u32,
        stack = sym stack,
        handle = sym handle,
    )
}

/// What a handler returns to whose action has no restorer.
#[unsafe(naked)]
unsafe extern "C" fn trapline_path_restorer() {
    naked_asm!(
        "mov eax, {rt_sigreturn}",
        "syscall",
        "ud2",
        rt_sigreturn = const syscalls::Sysno::rt_sigreturn as u32,
    )
}
