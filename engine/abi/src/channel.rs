//! The channel between the command and the engine in a traced process: a stream socket.
//!
//! The command sends a [`Question`], the struct of its ioctl, and the memory that the struct refers
//! to: the program of `PROGRAM`, the rows of `UNWIND`. The engine sends an [`Answer`], the struct,
//! and the memory that it would have written: the records of a snapshot. Addresses in the structs
//! mean nothing. All numbers are in the machine's own byte order.

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
    /// The size of the memory that was written. The struct that precedes it has the request's size.
    pub memory: u32,
}

/// The largest struct of an ioctl, in bytes.
pub const BODY_MAX: usize = 1024;

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
}

/// The descriptors that the command takes from the engine: its ends of the channel, and of the
/// stream of `Opened`.
pub const DESCRIPTORS: [i32; 2] = [1, 3];

const _: () = {
    assert!(size_of::<Question>() == 12);
    assert!(size_of::<Answer>() == 8);
    assert!(size_of::<Start>() == 32);
};
