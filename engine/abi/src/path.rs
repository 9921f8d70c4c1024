//! The path of a program: what a recorder in the traced process writes, and the memory that it shares with
//! the command for that.
//!
//! The memory begins with a [`Header`], in a page of its own; [`AREAS`] areas of [`AREA`] bytes follow. A
//! thread that is recorded has an area: the first page is the recorder's own, the second begins with a
//! [`Share`], and the thread's buffer of events follows. An index into it counts from its end, so it is
//! negative; when it has become 0 or more the buffer is full, and the thread waits until the command has
//! taken it. The last event may go beyond the end, by less than [`SLACK`] bytes.
//!
//! An event is its tag in one byte, and what the tag says. Numbers are little-endian, and not aligned.
//! Instructions are executed one after another in a **block**: text that the recorder has translated at
//! once, from an address to which control came. Where a conditional branch or an indirect one is executed
//! there is an event; direct branches need none.

use core::sync::atomic::{AtomicI64, AtomicU32};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The most threads that are recorded at a time.
pub const AREAS: usize = 512;

/// Bytes of an area.
pub const AREA: usize = 1 << 20;

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// Where the [`Share`] of an area is.
pub const SHARE: usize = PAGE;

/// Where the buffer of an area begins.
pub const BUFFER: usize = 2 * PAGE;

/// Bytes behind a buffer.
pub const SLACK: usize = 64;

/// Where the buffer of an area ends.
pub const BUFFER_END: usize = AREA - SLACK;

/// Bytes of the memory.
pub const SIZE: usize = PAGE + AREAS * AREA;

/// The most bytes of text in a block.
pub const TEXT_MAX: usize = 512;

/// The index of a buffer's first event.
pub const FIRST: i64 = (BUFFER as i64) - (BUFFER_END as i64);

/// What is at the memory's begin.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// Incremented, and woken, when a thread waits for the command or has ended.
    pub doorbell: AtomicU32,
}

/// What a thread and the command share.
#[repr(C)]
#[derive(Debug)]
pub struct Share {
    /// The index of the next event.
    pub next: AtomicI64,
    /// [`FREE`], [`RUNS`], [`WAITS`] or [`ENDED`].
    pub stage: AtomicU32,
    /// The thread's ID, as it calls itself.
    pub thread: AtomicU32,
}

/// The area is no thread's.
pub const FREE: u32 = 0;
/// Its thread runs.
pub const RUNS: u32 = 1;
/// Its thread waits until the command has taken the events, and has set the index to [`FIRST`] and then [`RUNS`]: while
/// it runs, what is before the index has not been taken before.
pub const WAITS: u32 = 2;
/// Its thread has ended. The command takes the events, and sets [`FREE`].
pub const ENDED: u32 = 3;

/// A conditional branch was not taken.
pub const NOT_TAKEN: u8 = 0;
/// A conditional branch was taken.
pub const TAKEN: u8 = 1;
/// An indirect jump, a call or a return went to an address: `u64`.
pub const TARGET: u8 = 2;
/// A block was translated: its number `u32`, its generation `u32`, its address `u64`, the length of its text
/// `u16`, and the text. In a thread, text at an address is that of the newest block there of the thread's
/// generation. A generation of 0: it is text only where [`ENTER`] says so.
pub const TEXT: u8 = 3;
/// The block that is entered now is that of a number: `u32`. Text that can change is named each time.
pub const ENTER: u8 = 4;
/// From its arrival at an address on, `u64`, the thread's generation is this: `u32`. Its first one is 1.
pub const GENERATION: u8 = 5;
/// A signal was delivered: its number `u8`, the address of the instruction `u64` before which, and its
/// handler's `u64`, where the thread goes on.
pub const SIGNAL: u8 = 6;
/// A handler returned: by the system call at an address `u64`, to an address `u64`.
pub const SIGNAL_RETURN: u8 = 7;
/// The thread begins at an address: `u64`.
pub const START: u8 = 8;
/// The thread ends: by the system call at an address, `u64`.
pub const END: u8 = 9;
/// The thread is not recorded any more from the instruction at an address on: `u64`. Why: a [`Left`], `u8`.
pub const LEFT: u8 = 10;
/// A process or thread was made by the system call at an address, `u64`: its ID, `u32`.
pub const CLONE: u8 = 11;
/// A program is about to be executed, by the system call at an address: `u64`. If an event follows, it was
/// not, or not yet.
pub const EXEC: u8 = 12;
/// Code is from a mapping: its first address `u64`, the one behind it `u64`, the offset in its file `u64`,
/// 1 if its text can change `u8`, the length of its name `u16`, and the name, which is empty if it has none.
pub const MAP: u8 = 13;

/// Why a thread is not recorded any more.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// An instruction that the recorder cannot translate.
    Instruction = 1,
    /// It uses the segment register that the recorder needs.
    Segment = 2,
    /// There was no memory for translations.
    Memory = 3,
}

/// What the recorder finds at its start.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Begin {
    /// The first thread's registers, in the order of ptrace(2)'s.
    pub regs: [u64; 27],
    /// The signals that it blocks.
    pub mask: u64,
    /// Where the recorder is, and its size.
    pub image: [u64; 2],
    /// Set by the recorder before its first trap: the descriptor of the memory, which it closes afterwards; or
    /// a negated error number.
    pub file: i64,
}
