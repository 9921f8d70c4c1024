//! Run-time faults of a program.

use crate::codes;

codes! {
    /// Why a clause was aborted. The code is `arg4` of the `ERROR` probe and numbered as in DTrace
    /// (DTRACEFLT_*).
    Fault: u32, sentence {
        /// An unmapped address, or one that may not be written. `arg5` is the address.
        BadAddress = 1 "invalid address",
        /// An address that is not a multiple of the access size. `arg5` is the address.
        BadAlignment = 2 "invalid alignment",
        /// An operation that the engine cannot perform in this firing.
        IllegalOperation = 3 "illegal operation",
        /// A division by zero.
        DivideByZero = 4 "divide-by-zero",
        /// Scratch memory is exhausted.
        NoScratch = 5 "out of scratch space",
        /// Kernel memory that the consumer may not read. `arg5` is the address.
        KernelPrivilege = 6 "invalid kernel access",
        /// Memory of another process. `arg5` is the address.
        UserPrivilege = 7 "invalid user access",
        /// A key that is too long.
        KeyTooLong = 8 "tuple stack overflow",
        /// A stack that cannot be walked.
        BadStack = 9 "bad stack",
        /// A size that is negative, or larger than the memory that it is for can be. `arg5` is the
        /// size.
        BadSize = 10 "invalid size",
        /// More work than one run of a clause may do. DTrace has no such fault; its numbers of
        /// faults in clauses are far below.
        TooLong = 100 "too much work in one clause",
    }
}
