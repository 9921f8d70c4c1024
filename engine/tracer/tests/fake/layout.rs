//! What is in the fake kernel: its text, its functions, and its tables.

use std::ops::Range;

use engine_isa::Variant;
use engine_isa::arm::{Arm, Relocation};

/// `push {r4, lr}`
pub const PUSH: u32 = 0xe92d_4010;
/// A disabled ftrace slot.
pub const NOP: u32 = 0xe320_f000;
/// `udf #0`, which the engine refuses to plan.
pub const UDF: u32 = 0xe7f0_00f0;
/// `mov r0, #0`, in place of a no-op: the instruction core would refuse the real one.
pub const PLACEHOLDER: u32 = 0xe3a0_0000;
/// `mov r0, #5` and `mov r0, #6`: position-independent, so relocated unchanged.
pub const MOV_5: u32 = 0xe3a0_0005;
pub const MOV_6: u32 = 0xe3a0_0006;
/// Data in text, not an instruction.
pub const DATA_WORD: u32 = 0xc010_1234;

pub const ALPHA: usize = 0x8000;
pub const BETA: usize = 0x8100;
pub const GAMMA: usize = 0x8200;
pub const TOXIC: usize = 0x8280;
pub const REFUSED: usize = 0x8300;
pub const FORBIDDEN: usize = 0x8400;
pub const OWN_WAY: usize = 0x8500;
/// Begins with an ftrace slot.
pub const TRACED: usize = 0x8600;
pub const COLD: usize = 0x8700;
/// Two that begin with a placeholder; only the first is rewritten by the kernel.
pub const REWRITTEN: usize = 0x8800;
pub const KEPT: usize = 0x8900;
/// Two whose first instructions are relocated into slots.
pub const MOVED: usize = 0x8a00;
pub const SHIFTED: usize = 0x8b00;
pub const DATA: usize = 0x8c00;
/// Relocated, but its slot must be within [`REACH`] of it.
pub const NEAR: usize = 0x8d00;
const REACH: usize = 0x1000;
/// Has a conditional return and one at its end.
pub const LEAVES: usize = 0x8e00;
/// Consists of a return only.
pub const EMPTY: usize = 0x8e40;
/// Ends with a tail call.
pub const TAILS: usize = 0x8e80;
/// Continues in a `.cold` part and returns from there.
pub const SPLIT: usize = 0x8ec0;
pub const SPLIT_COLD: usize = 0x8f00;
/// Never returns.
pub const STAYS: usize = 0x8f40;
/// One of its exits cannot be probed.
pub const HALF: usize = 0x8f80;
/// Begins with an ftrace slot and loops back to the instruction after it.
pub const SPINS: usize = 0x8fc0;
/// Listed by the symbol table, but without text and size.
pub const VANISHED: usize = 0x9000;

/// The tracepoints, numbered from 1.
pub const TRACEPOINTS: [&[u8]; 3] = [b"sched_switch", b"sched_wakeup", b"irq_handler_entry"];

/// A module's text: `push {r4, lr}`, `pop {r4, pc}`; `bx lr`.
pub const MODULE_TEXT: [(usize, u32); 3] = [(0, PUSH), (4, 0xe8bd_8010), (8, 0xe12f_ff1e)];
pub const CPUS: usize = 4;

/// ID of the first timer's probe, after those of the dtrace and proc providers.
pub const FIRST_TIMER: u32 = 12;
/// ID of the first system call's entry probe, after the IDs reserved for timers.
pub const FIRST_SYSCALL: u32 = FIRST_TIMER + 1000;
/// ID of the first function's entry probe, after the IDs reserved for system calls and tracepoints.
pub const FIRST: u32 = FIRST_SYSCALL + 4096 + 8192;
/// Base of the code memory, which slots are allocated from.
pub const CODE_AT: usize = 0x10_0000;
/// Bytes of address space for code memory.
pub const CODE_BYTES: usize = 0x1000;
/// Readable kernel memory: each byte is the low byte of its address.
pub const MEMORY_AT: Range<u64> = 0x1_0000..0x2_0000;
/// Readable user memory, with the same contents.
pub const USER_AT: Range<u64> = 0x40_0000..0x50_0000;

/// A32 with what the fake kernel decides: which slots are in reach, placeholders and data.
pub struct A32;

impl Variant for A32 {
    type Base = Arm;

    fn slot(
        relocation: Relocation,
        at: usize,
        from: usize,
        next: usize,
    ) -> Option<[u8; Relocation::SIZE]> {
        let is_in_reach = from != NEAR || at.abs_diff(from) <= REACH;
        is_in_reach.then(|| relocation.slot(next as u32))
    }

    fn is_placeholder(text: &[u8; 4]) -> bool {
        let word = u32::from_le_bytes(*text);
        word == PLACEHOLDER || word >> 24 == 0xea
    }

    fn begins_function(text: &[u8; 4]) -> bool {
        u32::from_le_bytes(*text) != DATA_WORD
    }
}

/// The encoding of a `b` from one address to another.
pub const fn branch(from: usize, to: usize) -> u32 {
    let words = (to.wrapping_sub(from + 8) >> 2) as u32;
    0xea00_0000 | words & 0xff_ffff
}

/// The functions' text.
pub const TEXT: [(usize, u32); 33] = [
    (ALPHA, PUSH),
    (BETA, 0xe24d_d010),  // sub sp, sp, #16
    (GAMMA, 0xe52d_e004), // push {lr}
    (TOXIC, PUSH),
    (REFUSED, UDF),
    (FORBIDDEN, PUSH),
    (OWN_WAY, PUSH),
    (TRACED, NOP),
    (TRACED + 4, PUSH),
    (COLD, PUSH),
    (REWRITTEN, PLACEHOLDER),
    (KEPT, PLACEHOLDER),
    (MOVED, MOV_5),
    (SHIFTED, MOV_6),
    (DATA, DATA_WORD),
    (NEAR, MOV_5),
    (LEAVES, 0xe350_0000),     // cmp r0, #0
    (LEAVES + 4, 0x012f_ff1e), // bxeq lr
    (LEAVES + 8, MOV_5),
    (LEAVES + 12, 0xe12f_ff1e), // bx lr
    (EMPTY, 0xe12f_ff1e),
    (TAILS, MOV_5),
    (TAILS + 4, branch(TAILS + 4, LEAVES)),
    (SPLIT, MOV_5),
    (SPLIT + 4, branch(SPLIT + 4, SPLIT_COLD)),
    (SPLIT_COLD, MOV_6),
    (SPLIT_COLD + 4, 0xe12f_ff1e),
    (STAYS, branch(STAYS, STAYS)),
    (HALF, 0x012f_ff1e),
    (HALF + 4, branch(HALF + 4, ALPHA)),
    (SPINS, NOP),
    (SPINS + 4, MOV_5),
    (SPINS + 8, branch(SPINS + 8, SPINS + 4)),
];

/// The system calls: ABI, number and name.
pub const SYSCALLS: [(u32, u32, &str); 9] = [
    (0, 3, "read"),
    (0, 1, "exit"),
    (0, 11, "execve"),
    (0, 119, "sigreturn"),
    (0, 3, "read_again"),
    (0, 0xf0002, "cacheflush"),
    (1, 0, "open"),
    (1, 3, "close"),
    (1, 11, "fcntl"),
];

/// The kernel's functions, modules not included.
pub const FUNCTIONS: [(&str, usize); 26] = [
    ("alpha", ALPHA),
    ("alpha_alias", ALPHA),
    ("beta", BETA),
    ("gamma", GAMMA),
    ("another_beta", BETA),
    ("own_way.part.0", TOXIC),
    ("refused", REFUSED),
    ("forbidden", FORBIDDEN),
    ("own_way", OWN_WAY),
    ("traced", TRACED),
    ("alpha.cold", COLD),
    ("rewritten", REWRITTEN),
    ("kept", KEPT),
    ("moved", MOVED),
    ("shifted", SHIFTED),
    ("data", DATA),
    ("near", NEAR),
    ("leaves", LEAVES),
    ("empty", EMPTY),
    ("tails", TAILS),
    ("split", SPLIT),
    ("split.cold", SPLIT_COLD),
    ("stays", STAYS),
    ("half", HALF),
    ("spins", SPINS),
    ("vanished", VANISHED),
];
