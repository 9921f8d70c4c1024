//! Limits on programs. They keep verification to one pass and bound the work of one run of a
//! clause: at most [`CODE_MAX`] instructions, whose operands total at most [`WORK_MAX`] bytes.

/// The minimum and maximum size of a string in bytes, including its NUL.
pub const STRING_SIZE: core::ops::RangeInclusive<u32> = 2..=64 << 10;

/// The maximum scratch memory that a program may declare, and the maximum heap, in bytes.
pub const SCRATCH_MAX: u32 = 1 << 20;

/// The maximum number of instructions of a clause, and of actions, which may be empty. A statement
/// takes about ten, so this is a clause of more than a thousand. All of them run in one firing.
pub const CODE_MAX: u32 = 16 << 10;

/// The maximum number of bytes that one run of a clause reads, or zeroes for results, each counted
/// once: a firing runs with interrupts disabled. An ARM1176 copies this much bytewise in about a
/// tenth of a second.
pub const WORK_MAX: u32 = 8 << 20;

/// The cost of a walk over the kernel stack, over all speculations, or over the ancestors of a
/// process, in bytes of work.
pub const WALK_WORK: u32 = 32 << 10;

/// The cost of a write to user memory besides its bytes, in bytes of work: it may fault.
pub const STORE_WORK: u32 = 256;

/// The cost of a frame of the user stack, in bytes of work: some words are read, each with a look
/// at the page tables at worst, and a row is searched for.
pub const USER_FRAME_WORK: u32 = 512;

/// The maximum number of frames of a user stack: as many as fit into a record.
pub const USER_FRAMES_MAX: u32 = RECORD_MAX / 8 - 1;

/// The maximum size of a clause's record in bytes.
pub const RECORD_MAX: u32 = 64 << 10;

/// The maximum size of a variable that is not a scalar, in bytes.
pub const VALUE_MAX: u32 = 64 << 10;

/// The maximum number of components of a key.
pub const KEY_PARTS_MAX: u32 = 16;

/// The maximum size of a key in bytes.
pub const KEY_MAX: u32 = 8 << 10;

/// The maximum number of steps of `lquantize` and `llquantize`, as in DTrace.
pub const LEVELS_MAX: u32 = u16::MAX as u32;

/// The maximum number of pending branch targets at any point of a clause.
pub const TARGETS_MAX: usize = 64;
