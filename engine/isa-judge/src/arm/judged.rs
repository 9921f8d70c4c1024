//! What cannot be compared for A32, or only in part, each with the reason.

/// Rows that accept words which neither processor implements, each with the reason.
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
];
const REGISTERS: &str = "which system registers there are is the processor's affair";
const MODES: &str = "which can be reached depends on the mode, and on extensions of the processor";

/// Whether an instruction uses the floating-point registers.
pub const fn is_float(word: u32) -> bool {
    let coprocessor = matches!(word >> 25 & 7, 0b110 | 0b111) && word >> 9 & 7 == 0b101;
    let vector = word >> 25 == 0b111_1001 || word >> 24 == 0b1111_0100;
    coprocessor || vector
}

/// Why executing an instruction twice does not give the same result, if so.
pub fn not_judged(word: u32) -> Option<&'static str> {
    const TIMERS: u32 = 14;
    const COUNTERS: u32 = 9;
    let of_system = word >> 28 != 15 && word >> 8 & 15 == 15;
    let reads_one = word >> 24 & 15 == 0b1110 && word >> 20 & 1 == 1 && word >> 4 & 1 == 1;
    let reads_two = word >> 20 & 0xff == 0b1100_0101;
    let number = if reads_two {
        word & 15
    } else {
        word >> 16 & 15
    };
    let counts = of_system && (reads_one || reads_two) && matches!(number, TIMERS | COUNTERS);
    counts.then_some("it reads a counter, which goes on counting")
}

/// Whether an instruction writes a system register, and so may affect later instructions.
pub const fn changes_system(word: u32) -> bool {
    let of_system = word >> 28 != 15 && matches!(word >> 8 & 15, 14 | 15);
    let writes_one = word >> 24 & 15 == 0b1110 && word >> 20 & 1 == 0 && word >> 4 & 1 == 1;
    let writes_two = word >> 20 & 0xff == 0b1100_0100;
    of_system && (writes_one || writes_two)
}

/// The registers that an instruction loads, except for its base.
pub const fn loads(word: u32) -> u32 {
    let base = 1 << (word >> 16 & 15);
    let is_load = word >> 20 & 1 == 1;
    let is_list = word >> 25 & 7 == 0b100 && is_load;
    let is_pair = word & 0x0e10_00f0 == 0x0000_00d0;
    let loaded = match (is_list, is_pair) {
        (true, _) => word & 0xffff,
        (_, true) => 0b11 << (word >> 12 & 15),
        _ => 0,
    };
    loaded & !base
}
