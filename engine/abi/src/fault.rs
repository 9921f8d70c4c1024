//! What can go wrong while a program runs.

use crate::codes;

codes! {
    /// Why a clause was given up. Its code is `arg4` of the `ERROR` probe, as DTrace numbers it
    /// (DTRACEFLT_*).
    Fault: u32, sentence {
        /// An address without memory, or of memory that may not be written. `arg5` is the address.
        BadAddress = 1 "invalid address",
        /// An address that is no multiple of the access's size. `arg5` is the address.
        BadAlignment = 2 "invalid alignment",
        /// What the engine cannot do for this firing.
        IllegalOperation = 3 "illegal operation",
        /// A division by zero.
        DivideByZero = 4 "divide-by-zero",
        /// Scratch memory is used up.
        NoScratch = 5 "out of scratch space",
        /// Kernel memory that the consumer may not read. `arg5` is the address.
        KernelPrivilege = 6 "invalid kernel access",
        /// Memory of another's process. `arg5` is the address.
        UserPrivilege = 7 "invalid user access",
        /// A key that is too long.
        KeyTooLong = 8 "tuple stack overflow",
        /// A stack that cannot be walked.
        BadStack = 9 "bad stack",
        /// More work than one run of a clause may do. DTrace has none such, and numbers up to 10.
        TooLong = 11 "too much work in one clause",
    }
}
