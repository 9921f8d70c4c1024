//! ARMv6, and what an unwinder that reads ARM's tables asks of a frame that may have a handler.

use std::arch::global_asm;
use std::ffi::{c_int, c_void};

use super::Exception;

/// Words of a frame that `frames_swap` leaves, and the return address's place among them.
pub const FRAME: usize = 9;
/// See [`FRAME`].
pub const RETURN: usize = 8;
/// The offsets of the instructions of `frames_load`.
pub const LOAD: [usize; 3] = [0, 4, 8];
/// Those of `frames_fetch`.
pub const FETCH: [usize; 5] = [0, 4, 8, 12, 16];

/// The signal of an instruction that only the kernel may execute.
pub const PRIVILEGED: c_int = libc::SIGILL;
/// A function of special instructions that returns its argument plus 1, and their offsets.
pub const SPECIAL: Option<super::Special> = None;

/// The program counter that a signal found.
pub fn counter(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.arm_pc as usize
}

/// The code of a function that returns this number: `mov r0, number; bx lr`.
pub fn returning(number: u8) -> [u8; 8] {
    [number, 0x00, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1]
}

/// The unwinder asks: what to do, and whether it only looks for a handler.
const ACTION: c_int = 3;
const SEARCHES: c_int = 0;
const HANDLER_FOUND: c_int = 6;
const INSTALL_CONTEXT: c_int = 7;

const CORE_REGISTERS: c_int = 0;
const PC: u32 = 15;
const WORD: c_int = 0;

unsafe extern "C" {
    fn _Unwind_VRS_Set(
        context: *mut c_void,
        class: c_int,
        register: u32,
        kind: c_int,
        value: *mut c_void,
    ) -> c_int;
}

/// The personality of `frames_hold`, which catches everything.
#[unsafe(no_mangle)]
unsafe extern "C" fn frames_catch(
    state: c_int,
    exception: *mut Exception,
    context: *mut c_void,
) -> c_int {
    if state & ACTION == SEARCHES {
        return HANDLER_FOUND;
    }
    // SAFETY: only an `Exception` of ours is ever thrown, and it outlives the call of `frames_hold`
    // that is its handler.
    let mut pc = unsafe { (*exception).held.pc };
    let value = (&raw mut pc).cast();
    // SAFETY: the unwinder's context, which it passes for this purpose; the value is a word.
    unsafe { _Unwind_VRS_Set(context, CORE_REGISTERS, PC, WORD, value) };
    INSTALL_CONTEXT
}

global_asm!(
    ".macro function name",
    ".globl \\name",
    ".type \\name, %function",
    "\\name:",
    ".fnstart",
    ".endm",
    ".macro end name",
    ".fnend",
    ".size \\name, . - \\name",
    ".endm",
    ".text",
    ".arm",
    ".balign 4",
    "function frames_dive",
    "push {r4, lr}",
    ".save {r4, lr}",
    "cmp r0, #0",
    "beq 2f",
    "sub r0, r0, #1",
    "bl frames_dive",
    "b 3f",
    "2: mov r0, r2",
    "blx r1",
    "3: pop {r4, pc}",
    "end frames_dive",
    "function frames_hold",
    "push {r4, lr}",
    ".save {r4, lr}",
    "str sp, [r3]",
    "adr r12, 2f",
    "str r12, [r3, #4]",
    "bl frames_dive",
    "mov r0, #0",
    "b 3f",
    "2: mov r0, #1",
    "3: pop {r4, pc}",
    ".personality frames_catch",
    ".handlerdata",
    "end frames_hold",
    "function frames_leap",
    ".cantunwind",
    "ldr sp, [r0]",
    "ldr lr, [r0, #4]",
    "bx lr",
    "end frames_leap",
    "function frames_swap",
    ".cantunwind",
    "push {r4, r5, r6, r7, r8, r9, r10, r11, lr}",
    "str sp, [r0]",
    "mov sp, r1",
    "pop {r4, r5, r6, r7, r8, r9, r10, r11, pc}",
    "end frames_swap",
    "function frames_start",
    ".cantunwind",
    "mov r0, r5",
    "blx r4",
    "udf #0",
    "end frames_start",
    "function frames_privileged",
    "mrc p15, 0, r0, c0, c0, 0",
    "bx lr",
    "end frames_privileged",
    "function frames_trapped",
    "nop",
    "bkpt #0",
    "bx lr",
    "end frames_trapped",
    "function frames_clone3",
    "mov ip, r7",
    "mov r7, #432",
    "add r7, r7, #3",
    "svc #0",
    "mov r7, ip",
    "bx lr",
    "end frames_clone3",
    "function frames_load",
    "mov r1, r0",
    "ldr r0, [r1]",
    "bx lr",
    "end frames_load",
    "function frames_fetch",
    "mov r1, r0",
    "ldr r2, [r1], #4",
    "sub r1, r1, r0",
    "add r0, r2, r1, lsr #3",
    "bx lr",
    "end frames_fetch",
    ".balign 4096",
    "function frames_paged",
    "add r0, r0, #1",
    "bx lr",
    "end frames_paged",
    ".balign 4096",
    ".purgem function",
    ".purgem end",
    options(raw)
);
