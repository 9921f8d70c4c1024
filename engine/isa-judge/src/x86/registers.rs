//! The registers of x86-64: names, indexes in a state, and random values.

use std::sync::LazyLock;

use engine_isa::x86::Regs;

use super::places::{CORE, FS_BASE, K0, MXCSR, RFLAGS, RIP, RSP, ST0, ZMM, ZMM0};
use super::shape::{self, Bytes, Shape};
use crate::prng::{self, Rng, percent, small, wide_edge};
use crate::state::{Names, State};
use crate::window;

/// CF, PF, AF, ZF, SF, DF and OF.
pub const FREE_FLAGS: u64 = 0xcd5;
/// The reserved bit 1, and IF.
const FIXED_FLAGS: u64 = 0x202;

const GENERAL: [&str; 20] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip", "rflags", "fs", "gs",
];

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let core = GENERAL.iter().map(|name| (*name).to_owned());
    let status = ["mxcsr", "fcw", "fsw", "ftw"].map(str::to_owned);
    let stack = (0..8).flat_map(|number| [format!("st{number}"), format!("st{number}.exponent")]);
    let part = |number| move |part| format!("zmm{number}.{part}");
    let vector = (0..32).flat_map(|number| (0..ZMM).map(part(number)));
    let mask = (0..8).map(|number| format!("k{number}"));
    core.chain(status)
        .chain(stack)
        .chain(vector)
        .chain(mask)
        .collect()
});

/// The names.
pub fn names() -> Names {
    &NAMES
}

/// The registers that a trap saves.
pub fn to_regs(state: &State) -> Regs {
    Regs {
        ax: state[0],
        cx: state[1],
        dx: state[2],
        bx: state[3],
        sp: state[4],
        bp: state[5],
        si: state[6],
        di: state[7],
        r8: state[8],
        r9: state[9],
        r10: state[10],
        r11: state[11],
        r12: state[12],
        r13: state[13],
        r14: state[14],
        r15: state[15],
        ip: state[RIP],
        flags: state[RFLAGS],
        ..Regs::default()
    }
}

/// The inverse.
pub fn of_regs(regs: &Regs, state: &mut State) {
    let general = [
        regs.ax, regs.cx, regs.dx, regs.bx, regs.sp, regs.bp, regs.si, regs.di, regs.r8, regs.r9,
        regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, regs.ip, regs.flags,
    ];
    state[0..FS_BASE].copy_from_slice(&general);
}

/// Random registers that suit an instruction at `pc`.
pub fn random<const WIDE: bool>(bytes: &Bytes, pc: u64, rng: &mut Rng) -> State {
    let mut state = State::zero(&NAMES);
    state[0..16].fill_with(|| value(rng));
    state[RSP] = window::pointer(rng) & !7;
    for of_string in [6, 7] {
        if percent(rng, 60) {
            state[of_string] = window::pointer(rng);
        }
    }
    if percent(rng, 60) {
        state[1] = small(rng) & 0xff;
    }
    state[RIP] = pc;
    state[RFLAGS] = rng.u64(..) & FREE_FLAGS | FIXED_FLAGS;
    if WIDE {
        let base = window::pointer(rng) & !0xfff;
        state[FS_BASE..CORE].fill(base);
    }
    if percent(rng, 85) {
        shape::aim(&Shape::read_in(WIDE, bytes), bytes, &mut state, rng);
    }
    if !WIDE {
        state[0..8]
            .iter_mut()
            .for_each(|value| *value &= 0xffff_ffff);
        state[8..RIP].fill(0);
    }
    floating_point(&mut state, rng);
    state
}

/// All floating-point exceptions masked, random rounding.
fn floating_point(state: &mut State, rng: &mut Rng) {
    state[MXCSR] = 0x1f80 | rng.u64(..) & 0xe07f;
    state[MXCSR + 1] = 0x007f | rng.u64(0..4) << 10 | [0, 2, 3][rng.usize(0..3)] << 8;
    state[MXCSR + 2] = rng.u64(..) & 0x4700 | rng.u64(0..8) << 11;
    state[MXCSR + 3] = if percent(rng, 80) { 0 } else { 0xffff };
    for number in 0..8 {
        state[ST0 + 2 * number] = rng.u64(..) | 1 << 63;
        state[ST0 + 2 * number + 1] = match rng.u32(0..4) {
            0 => 0,
            1 => rng.u64(..) & 0xffff,
            _ => 0x3fff + (small(rng) & 31),
        };
        if percent(rng, 20) {
            state[ST0 + 2 * number] = 0;
            state[ST0 + 2 * number + 1] = 0;
        }
    }
    state[ZMM0..K0].fill_with(|| prng::double(rng));
    state[K0..].fill_with(|| rng.u64(..));
}

fn value(rng: &mut Rng) -> u64 {
    match rng.u32(0..10) {
        0..4 => window::pointer(rng),
        4..6 => small(rng),
        6..8 => wide_edge(rng),
        _ => rng.u64(..),
    }
}
