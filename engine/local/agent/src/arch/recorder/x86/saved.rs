//! Instructions that save or restore each of many registers, for routines in assembly.

/// Saves or restores rdx, rbx, rbp, rsi, rdi and r8 to r15: `registers!(save "gs:[{regs} + 8 * ")` has the begin
/// of an operand, which the index in [`Regs`](crate::arch::frame::Regs) completes.
macro_rules! registers {
    ($way:tt $memory:literal) => {
        registers!(@ $way $memory,
            (0 "r15") (1 "r14") (2 "r13") (3 "r12") (4 "rbp") (5 "rbx") (6 "r11") (7 "r10")
            (8 "r9") (9 "r8") (12 "rdx") (13 "rsi") (14 "rdi"))
    };
    (@ save $memory:literal, $(($index:literal $register:literal))+) => {
        concat!($("mov ", $memory, $index, "], ", $register, "\n"),+)
    };
    (@ restore $memory:literal, $(($index:literal $register:literal))+) => {
        concat!($("mov ", $register, ", ", $memory, $index, "]\n"),+)
    };
}

/// Saves or restores xmm0 to xmm15 in the 256 bytes at rsp.
macro_rules! vectors {
    ($way:tt) => {
        vectors!(@ $way 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ save $($number:literal)+) => {
        concat!($("movups [rsp + 16 * ", $number, "], xmm", $number, "\n"),+)
    };
    (@ restore $($number:literal)+) => {
        concat!($("movups xmm", $number, ", [rsp + 16 * ", $number, "]\n"),+)
    };
}
