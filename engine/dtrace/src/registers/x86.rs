//! x86-64, for 64-bit and 32-bit programs.

/// Names and places.
pub const ROWS: &[&[(&str, u64)]] = &[
    &[
        ("R_R15", 0),
        ("R_R14", 1),
        ("R_R13", 2),
        ("R_R12", 3),
        ("R_RBP", 4),
        ("R_RBX", 5),
        ("R_R11", 6),
        ("R_R10", 7),
        ("R_R9", 8),
        ("R_R8", 9),
        ("R_RAX", 10),
        ("R_RCX", 11),
        ("R_RDX", 12),
        ("R_RSI", 13),
        ("R_RDI", 14),
        ("R_RIP", 16),
        ("R_CS", 17),
        ("R_RFL", 18),
        ("R_RSP", 19),
        ("R_SS", 20),
    ],
    // By their use.
    &[
        ("R_PC", 16),
        ("R_SP", 19),
        ("R_FP", 4),
        ("R_PS", 18),
        ("R_RETVAL", 10),
        ("R_R0", 10),
        ("R_R1", 12),
    ],
    // Of 32-bit programs.
    &[
        ("R_EBP", 4),
        ("R_EBX", 5),
        ("R_EAX", 10),
        ("R_ECX", 11),
        ("R_EDX", 12),
        ("R_ESI", 13),
        ("R_EDI", 14),
        ("R_EIP", 16),
        ("R_EFL", 18),
        ("R_ESP", 19),
    ],
];
