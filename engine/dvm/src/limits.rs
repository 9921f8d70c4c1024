//! What no program may exceed. A program within them is verified in one pass, and one run of a clause
//! does a bounded amount of work: no more instructions than [`CODE_MAX`], which together have no more
//! bytes of operands than [`WORK_MAX`].

/// The least and the most bytes of a string, its NUL included.
pub const STRING_SIZE: core::ops::RangeInclusive<u32> = 8..=64 << 10;

/// The most bytes of scratch memory that a program may ask for.
pub const SCRATCH_MAX: u32 = 1 << 20;

/// The most instructions of a clause, and the most actions, of which some may have none. A statement
/// takes some ten, so that is a clause of more than a thousand; and whoever fires it waits for them all.
pub const CODE_MAX: u32 = 16 << 10;

/// The most bytes that one run of a clause reads or writes room for, each once: a firing runs with interrupts off.
/// What an ARM1176 copies byte by byte in some tenth of a second.
pub const WORK_MAX: u32 = 8 << 20;

/// What a walk over the kernel's stack, or over all speculations, is reckoned as, in bytes.
pub const WALK_WORK: u32 = 32 << 10;

/// The most bytes of a clause's record.
pub const RECORD_MAX: u32 = 64 << 10;

/// The most bytes of a variable that is no scalar.
pub const VALUE_MAX: u32 = 64 << 10;

/// The most parts of a key.
pub const KEY_PARTS_MAX: u32 = 16;

/// The most bytes of a key.
pub const KEY_MAX: u32 = 8 << 10;

/// The most steps that `lquantize` and `llquantize` may have between their ends, as in DTrace.
pub const LEVELS_MAX: u32 = u16::MAX as u32;

/// The most instructions at once that earlier ones branch to, from anywhere in a clause on.
pub const TARGETS_MAX: usize = 64;
