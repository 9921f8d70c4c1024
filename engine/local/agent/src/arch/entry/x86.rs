//! x86-64.

use core::arch::naked_asm;
use core::mem::offset_of;

use engine_abi::channel::Start;
use engine_tracer::VALUES;

use super::{FIRST, Stack, begin};
use crate::arch::frame::Regs;
use crate::arch::windows::{RED_ZONE, SITE};
use crate::clock::{CLOCK, ClockId};
use crate::handler::{finish, hit, leave, passed, wait_for};
use crate::masks::call;
use crate::recorded::record;
use crate::serve::serve;
use crate::slots::occupy;

/// The agent's first instructions. The command has set the register of the first argument, which is
/// that of [`serve`]: a [`Start`], and behind it is the other.
#[cfg_attr(trapline_agent, unsafe(no_mangle))]
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_enter() -> ! {
    naked_asm!(
        "xor ebp, ebp",
        "lea rsp, [rip + {first} + {size}]",
        "mov r12, rdi",
        "lea r13, [rdi + {start}]",
        "call {begin}",
        "mov rsp, rax",
        "mov rdi, r12",
        "mov rsi, r13",
        "call {serve}",
        "ud2",
        first = sym FIRST,
        size = const size_of::<Stack>(),
        start = const size_of::<Start>(),
        begin = sym begin,
        serve = sym serve,
    )
}

/// Bytes of xmm0 to xmm15, which the agent's code may use. It uses nothing above their lower halves,
/// and leaves that alone.
const VECTORS: usize = 16 * 16;

/// The status flags: carry, parity, auxiliary carry, zero, sign and overflow.
const STATUS: i32 = 0x8d5;

/// The direction flag.
const DIRECTION: i32 = 0x400;

/// The other flags, as they are in the agent's code, and nearly always in a program's: interrupts are
/// enabled, and bit 1 is always set.
const OTHERS: i32 = 0x202;

/// The code that detours call with the red zone skipped: saves all registers, executes `$inner`, and
/// restores them. rbx is the address of the [`Regs`] then, and the stack is aligned. The address of the
/// site is [`SITE`] bytes before the return address.
macro_rules! detour {
    ([$($inner:literal,)*], $($operand:tt)*) => {
        naked_asm!(
        "pushfq",
        "test byte ptr [rsp + 1], {direction} >> 8",
        "jz 2f",
        "cld",
        "2:",
        "sub rsp, {regs}",
        "mov [rsp + {r15}], r15",
        "mov [rsp + {r14}], r14",
        "mov [rsp + {r13}], r13",
        "mov [rsp + {r12}], r12",
        "mov [rsp + {bp}], rbp",
        "mov [rsp + {bx}], rbx",
        "mov [rsp + {r11}], r11",
        "mov [rsp + {r10}], r10",
        "mov [rsp + {r9}], r9",
        "mov [rsp + {r8}], r8",
        "mov [rsp + {ax}], rax",
        "mov [rsp + {cx}], rcx",
        "mov [rsp + {dx}], rdx",
        "mov [rsp + {si}], rsi",
        "mov [rsp + {di}], rdi",
        "mov rbx, rsp",
        "mov rax, [rbx + {regs} + 8]",
        "mov rax, [rax - {site}]",
        "mov [rbx + {ip}], rax",
        "mov rax, [rbx + {regs}]",
        "mov [rbx + {flags}], rax",
        "lea rax, [rbx + {regs} + 16 + {red_zone}]",
        "mov [rbx + {sp}], rax",
        "mov qword ptr [rbx + {orig_ax}], -1",
        "mov qword ptr [rbx + {cs}], 0x33",
        "mov qword ptr [rbx + {ss}], 0x2b",
        "and rsp, -16",
        "sub rsp, {vectors}",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "movups [rsp + 128], xmm8",
        "movups [rsp + 144], xmm9",
        "movups [rsp + 160], xmm10",
        "movups [rsp + 176], xmm11",
        "movups [rsp + 192], xmm12",
        "movups [rsp + 208], xmm13",
        "movups [rsp + 224], xmm14",
        "movups [rsp + 240], xmm15",
            $($inner,)*
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "movups xmm8, [rsp + 128]",
        "movups xmm9, [rsp + 144]",
        "movups xmm10, [rsp + 160]",
        "movups xmm11, [rsp + 176]",
        "movups xmm12, [rsp + 192]",
        "movups xmm13, [rsp + 208]",
        "movups xmm14, [rsp + 224]",
        "movups xmm15, [rsp + 240]",
        "mov rsp, rbx",
        "mov eax, [rsp + {regs}]",
        "mov ecx, eax",
        "and ecx, {not_status}",
        "cmp ecx, {others}",
        "jne 3f",
        // `popfq` takes 10 ns, and only the status flags differ: `sahf` has all of them but the overflow.
        "mov ecx, eax",
        "shr ecx, 11",
        "mov ah, al",
        "mov al, cl",
        "add al, 127",
        "sahf",
        "jmp 4f",
        "3:",
        "push rax",
        "popfq",
        "4:",
        "mov r15, [rsp + {r15}]",
        "mov r14, [rsp + {r14}]",
        "mov r13, [rsp + {r13}]",
        "mov r12, [rsp + {r12}]",
        "mov rbp, [rsp + {bp}]",
        "mov rbx, [rsp + {bx}]",
        "mov r11, [rsp + {r11}]",
        "mov r10, [rsp + {r10}]",
        "mov r9, [rsp + {r9}]",
        "mov r8, [rsp + {r8}]",
        "mov rax, [rsp + {ax}]",
        "mov rcx, [rsp + {cx}]",
        "mov rdx, [rsp + {dx}]",
        "mov rsi, [rsp + {si}]",
        "mov rdi, [rsp + {di}]",
        "lea rsp, [rsp + {regs} + 8]",
        "ret",
        regs = const size_of::<Regs>(),
        direction = const DIRECTION,
        not_status = const !STATUS,
        others = const OTHERS,
        r15 = const offset_of!(Regs, r15),
        r14 = const offset_of!(Regs, r14),
        r13 = const offset_of!(Regs, r13),
        r12 = const offset_of!(Regs, r12),
        bp = const offset_of!(Regs, bp),
        bx = const offset_of!(Regs, bx),
        r11 = const offset_of!(Regs, r11),
        r10 = const offset_of!(Regs, r10),
        r9 = const offset_of!(Regs, r9),
        r8 = const offset_of!(Regs, r8),
        ax = const offset_of!(Regs, ax),
        cx = const offset_of!(Regs, cx),
        dx = const offset_of!(Regs, dx),
        si = const offset_of!(Regs, si),
        di = const offset_of!(Regs, di),
        orig_ax = const offset_of!(Regs, orig_ax),
        ip = const offset_of!(Regs, ip),
        cs = const offset_of!(Regs, cs),
        flags = const offset_of!(Regs, flags),
        sp = const offset_of!(Regs, sp),
        ss = const offset_of!(Regs, ss),
        site = const SITE,
        red_zone = const RED_ZONE,
        vectors = const VECTORS,
            $($operand)*
        )
    };
}

/// Fires a site.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_detour() {
    detour!(
        [
            "mov r13, rsp",
            "call {occupy}",
            "mov r12, rax",
            "mov rsp, rax",
            "mov rdi, rbx",
            "call {passed}",
            "mov rsp, r13",
            "mov rdi, r12",
            "mov r12, rax",
            "call {leave}",
            "mov edi, r12d",
            "call {wait}",
        ],
        occupy = sym occupy,
        passed = sym passed,
        leave = sym leave,
        wait = sym wait_for,
    )
}

/// Records a hit of a site, whose plan is [`SITE`] bytes before the return address. What is
/// not saved here nothing uses: see [`plain`](crate::arch::plain).
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_recorded() {
    naked_asm!(
        // The values, as `record` has them.
        "push rax",
        "lahf",
        "seto al",
        "push r9",
        "push r8",
        "push rcx",
        "push rdx",
        "push rsi",
        "push rdi",
        "sub rsp, 16",
        "push r10",
        "push r11",
        "push rax",
        "push rbx",
        "push rbp",
        "lea rbx, [rsp + {saved}]",
        "and rsp, -16",
        "call {occupy}",
        "mov rbp, rax",
        "mov edi, {monotonic}",
        "mov rsi, rbx",
        "call [rip + {clock}]",
        "mov rax, [rbx + {values}]",
        "mov rdi, rbx",
        "mov rsi, [rax - {site}]",
        "mov rdx, rbp",
        "call {record}",
        "lea rsp, [rbx - {saved}]",
        "pop rbp",
        "pop rbx",
        "pop rax",
        "pop r11",
        "pop r10",
        "add rsp, 16",
        "pop rdi",
        "pop rsi",
        "pop rdx",
        "pop rcx",
        "pop r8",
        "pop r9",
        "add al, 127",
        "sahf",
        "pop rax",
        "ret",
        saved = const 5 * 8,
        values = const VALUES * 8,
        site = const SITE,
        monotonic = const ClockId::Monotonic as u32,
        occupy = sym occupy,
        clock = sym CLOCK,
        record = sym record,
    )
}

/// Makes a system call.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_call() {
    detour!(
        ["mov rdi, rbx", "call {call}",],
        call = sym call,
    )
}

/// The handler of traps.
#[unsafe(naked)]
pub unsafe extern "C" fn trapline_handler() {
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
        "mov rsi, r13",
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
pub unsafe extern "C" fn trapline_restorer() {
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
