//! What cannot be compared for T16 and T32, or only in part, each with the reason.

use crate::arm;

/// Rows that accept words which the processor does not implement, each with the reason.
pub const NOT_KNOWN: &[(&str, &str)] = &[
    ("ldc p14", REGISTERS),
    ("mcr p14", REGISTERS),
    ("mcr p15", REGISTERS),
    ("mcrr p15", REGISTERS),
    ("mrc p14", REGISTERS),
    ("mrc p15", REGISTERS),
    ("mrrc p14", REGISTERS),
    ("mrrc p15", REGISTERS),
    ("stc p14", REGISTERS),
    ("mrs rd, banked", MODES),
    ("msr banked, rn", MODES),
    ("vmrs rt, fpinst", BEFORE),
    ("vmrs rt, fpinst2", BEFORE),
    ("vmsr fpinst, rt", BEFORE),
    ("vmsr fpinst2, rt", BEFORE),
];
const REGISTERS: &str = "which system registers there are is the processor's affair";
const MODES: &str = "which can be reached depends on the mode, and on extensions of the processor";
const BEFORE: &str = "of Unicorn's processors only those before ARMv7 have this register";

/// Whether an instruction is a coprocessor's that A32 has too, with the condition that always
/// holds.
const fn is_coprocessor(word: u32) -> bool {
    word >> 26 == 0b11_1011 && word >> 24 != 0b1110_1111
}

/// Whether an instruction uses the floating-point registers.
pub const fn is_float(word: u32) -> bool {
    let coprocessor = is_coprocessor(word) && arm::judged::is_float(word);
    let vector = word >> 29 == 0b111 && word >> 24 & 0xf == 0b1111;
    let structures = word >> 24 == 0b1111_1001 && word >> 20 & 1 == 0;
    coprocessor || vector || structures
}

/// Why executing an instruction twice does not give the same result, if so.
pub fn not_judged(word: u32) -> Option<&'static str> {
    if is_coprocessor(word) {
        return arm::judged::not_judged(word);
    }
    None
}

/// Whether an instruction writes a system register, and so may affect later instructions.
pub const fn changes_system(word: u32) -> bool {
    is_coprocessor(word) && arm::judged::changes_system(word)
}

/// `isb`.
pub const fn is_isb(word: u32) -> bool {
    word & 0xffff_fff0 == 0xf3bf_8f60
}

/// Whether a hypervisor may have an instruction trapped: accesses to system registers, banked ones,
/// and those that identify the floating-point unit.
pub const fn may_be_trapped(word: u32) -> bool {
    let of_system = matches!(word >> 8 & 15, 14 | 15);
    let is_banked = matches!(word & 0xffe0_d020, 0xf3e0_8020 | 0xf380_8020);
    let identifies = word & 0x0ff0_0f10 == 0x0ef0_0a10 && word >> 16 & 15 != 1;
    is_banked || is_coprocessor(word) && (of_system || identifies)
}

/// The registers that an instruction loads, except for its base.
pub const fn loads(word: u32) -> u32 {
    let half = word >> 16;
    let base = 1 << (half & 15);
    let (loaded, base) = match half >> 8 {
        0xbc | 0xbd => (half & 0xff, 1 << 13),
        0xc8..=0xcf => (half & 0xff, 1 << (half >> 8 & 7)),
        0xe8 | 0xe9 if half & 0x50 == 0x10 => (word & 0xffff, base),
        0xe8 | 0xe9 if half & 0x50 == 0x50 => {
            (1 << (word >> 12 & 15) | 1 << (word >> 8 & 15), base)
        }
        _ => (0, 0),
    };
    loaded & !base
}
