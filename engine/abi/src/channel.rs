//! The channel between the command and the engine in a traced process: a stream socket.
//!
//! The command sends a [`Question`], the struct of its ioctl, and the memory that the struct refers
//! to: the program of `PROGRAM`, the rows of `UNWIND`. The engine sends an [`Answer`], the struct,
//! and the memory that it would have written: the records of a snapshot. Addresses in the structs
//! mean nothing. All numbers are in the machine's own byte order.
//!
//! A question can have several structs, one behind another: to wake two processes for each function of
//! a program takes longer than to create its probes. They are requests of their own, made in order up
//! to the first that fails; all are sent back. The size of such a struct is a multiple of 8.

use core::sync::atomic::AtomicU32;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// What precedes a request.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Question {
    /// The ioctl's number.
    pub number: u32,
    /// The size of its struct.
    pub body: u32,
    /// The number of structs: 1 up to [`BODIES_MAX`].
    pub count: u32,
    /// The size of the memory that the struct refers to.
    pub memory: u32,
}

/// What precedes its answer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Answer {
    /// The error number, or 0.
    pub error: u32,
    /// The number of structs that were no error.
    pub done: u32,
    /// The size of the memory that was written. The structs that precede it have the request's size.
    pub memory: u32,
}

/// The largest struct of an ioctl, in bytes.
pub const BODY_MAX: usize = 1024;

/// The most structs of a question.
pub const BODIES_MAX: usize = 64;

/// What the engine needs to know at its start: the command writes it behind the code.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Start {
    /// The address of the vDSO's `clock_gettime`; 0 if there is none.
    pub clock: u64,
    /// `AT_HWCAP2` of getauxval(3).
    pub capabilities: u64,
    /// The process, as the command calls it.
    pub pid: u32,
    /// Its parent, likewise.
    pub parent: u32,
    /// The process, as it calls itself.
    pub own_pid: u32,
    /// 1 if jumps may take the place of traps, as no thread runs; else 0.
    pub has_jumps: u32,
    /// 1 if no thread is in the code that an earlier engine has left; else 0.
    pub may_recycle: u32,
    /// The command, as the process calls it; 0 if it has no number for it.
    pub command: u32,
}

/// What the engine tells behind [`Start`]: the command, until that has its descriptors; and when it has
/// ended, the next engine in the process.
#[derive(Debug, FromBytes, IntoBytes, KnownLayout)]
#[repr(C)]
pub struct Left {
    /// [`Left::STARTS`], [`Left::IS_OPEN`], [`Left::HAS_ENDED`] or [`Left::IS_KEPT`].
    pub stage: AtomicU32,
    /// How many ranges there are; more than [`Left::RANGES`] if they must not be used again.
    pub count: u32,
    /// The ranges in which a thread may still execute code: first address, and that behind the last.
    pub code: [[u64; 2]; Self::RANGES],
}

impl Left {
    /// Its descriptors are those of the traced process, or none.
    pub const STARTS: u32 = 0;

    /// It has [`DESCRIPTORS`], until the command has asked the first question.
    pub const IS_OPEN: u32 = 1;

    /// It has ended, and all text is as it was.
    pub const HAS_ENDED: u32 = 2;

    /// It has ended, but some text could not be restored, and still needs it.
    pub const IS_KEPT: u32 = 3;

    /// The most ranges that it tells of.
    pub const RANGES: usize = 128;

    /// What it tells at its start.
    pub const fn new() -> Self {
        Self {
            stage: AtomicU32::new(Self::STARTS),
            count: 0,
            code: [[0; 2]; Self::RANGES],
        }
    }
}

impl Default for Left {
    fn default() -> Self {
        Self::new()
    }
}

/// The descriptors that the command takes from the engine: its ends of the channel, and of the
/// stream of `Opened`.
pub const DESCRIPTORS: [i32; 2] = [1, 3];

const _: () = {
    assert!(size_of::<Question>() == 16);
    assert!(size_of::<Answer>() == 12);
    assert!(size_of::<Start>() == 40);
};
