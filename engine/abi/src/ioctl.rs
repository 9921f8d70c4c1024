//! The requests of `/dev/dtrace`, named as DTrace names them.
//!
//! Each carries one struct in and out. A number is Linux' `_IOWR('D', nr, size)`, so that a
//! struct of another size is refused as an unknown request; [`Conf`] tells the rest.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::Description;

/// Raised whenever a layout or a meaning changes.
pub const VERSION: u32 = 4;

/// A principal buffer's size where the consumer asks for none (DTrace's default `bufsize`).
pub const BUFFER_SIZE: u32 = 4 << 20;

/// The most ECBs that one consumer may hold.
pub const ECBS_MAX: usize = 1 << 20;

/// The most speculations of one consumer: `speculation()` looks at each.
pub const SPECULATIONS_MAX: u32 = 1 << 12;

/// The most bytes of a program.
pub const PROGRAM_MAX: u32 = 16 << 20;

/// `CONF`: whom the command talks to.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Conf {
    /// Out: [`VERSION`] of the module.
    pub version: u32,
    /// Out: how many principal buffers there are; they are numbered from 0.
    pub cpus: u32,
    /// Out: bytes of a pointer, and of C's `long`, in the kernel.
    pub pointer: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PROGRAM`: the consumer's program, once, before any `ENABLE`. `EINVAL` where it is not one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Program {
    /// In: where it is, an address of the caller's.
    pub address: u64,
    /// In: its bytes, at most [`PROGRAM_MAX`].
    pub size: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PROBEMATCH`: the next probe that a description matches; `ESRCH` when there is none.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ProbeMatch {
    /// In: the description. Out: the probe.
    pub description: Description,
    /// In: the first ID that may be answered. Out: the probe's.
    pub id: u32,
    /// Zero.
    pub reserved: u32,
}

/// `ENABLE`: an ECB for every probe that a description matches. A probe's ECBs fire in the order in which
/// they were enabled.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Enable {
    /// In: the description.
    pub description: Description,
    /// Out: how many probes it matched; none is an answer, not an error.
    pub matched: u32,
    /// In: the clause of the program that it does.
    pub clause: u32,
}

/// `GO`: with what to trace, and how the arming went. When it returns, `BEGIN` has fired.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Go {
    /// In: bytes of each CPU's principal buffer, rounded up to a power of two between 256 bytes and
    /// 1 GiB; 0 for [`BUFFER_SIZE`].
    pub buffer_size: u32,
    /// In: bytes of each CPU's aggregation buffer; 0 for [`BUFFER_SIZE`].
    pub aggregation_size: u32,
    /// In: bytes for dynamic variables; 0 for 1 MiB (DTrace's default `dynvarsize`).
    pub dynamic_size: u32,
    /// In: how many speculations there are, at most [`SPECULATIONS_MAX`]; 0 for 1 (DTrace's default
    /// `nspec`).
    pub speculations: u32,
    /// In: bytes of each CPU's buffer of each speculation; 0 for 32 KiB (DTrace's default `specsize`).
    pub speculation_size: u32,
    /// In: a [`BufferPolicy`].
    pub policy: u32,
    /// Out: ECBs whose probe is not armed, because its text is no longer one that can be.
    pub unarmed: u32,
    /// Out: the CPU on which `BEGIN` fired.
    pub cpu: u32,
    /// In: a [`Mechanism`]; `EOPNOTSUPP` where this kernel does not have it.
    pub mechanism: u32,
}

/// What tells the engine that a function is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// A trap in place of an instruction.
    Trap,
    /// The call that the kernel's function tracer has there, and a trap where it has none.
    Ftrace,
    /// The cheaper of the two.
    Auto,
}

impl Mechanism {
    /// The mechanism of this code.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Trap),
            1 => Some(Self::Ftrace),
            2 => Some(Self::Auto),
            _ => None,
        }
    }

    /// Its code.
    pub const fn code(self) -> u32 {
        self as u32
    }
}

/// What a principal buffer does when it is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferPolicy {
    /// It drops, until it was drained.
    Switch,
    /// It takes no more, and tracing ends; it can be drained when tracing was stopped.
    Fill,
    /// It forgets its oldest records; it can be drained when tracing was stopped.
    Ring,
}

impl BufferPolicy {
    /// The policy of this code.
    pub const fn from_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Switch),
            1 => Some(Self::Fill),
            2 => Some(Self::Ring),
            _ => None,
        }
    }

    /// Its code.
    pub const fn code(self) -> u32 {
        self as u32
    }
}

/// `STOP`: when it returns, `END` has fired, and nothing fires any more.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Stop {
    /// Out: the CPU on which `END` fired.
    pub cpu: u32,
    /// Zero.
    pub reserved: u32,
}

/// `STATUS`: what was lost since `GO`, by kind, and whether tracing is to end.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Status {
    /// Out: assignments to dynamic variables for which there was no room.
    pub dynamic_drops: u64,
    /// Out: records that found a speculation's buffer full.
    pub speculation_drops: u64,
    /// Out: `speculation()` had none left because those discarded or committed were still busy.
    pub speculations_busy: u64,
    /// Out: `speculation()` had none left.
    pub speculations_unavailable: u64,
    /// Out: clauses that a fault ended.
    pub errors: u64,
    /// Out: faults in clauses of `ERROR`, which fire no other.
    pub error_drops: u64,
    /// Out: firings that found too little of the kernel's stack left.
    pub stack_drops: u64,
    /// Out: 1 if a clause has called `exit`, or a buffer of the policy `fill` is full.
    pub ending: u32,
    /// Out: 1 if the deadman has ended tracing: the consumer's clauses kept a CPU from its threads, or the consumer
    /// asked for nothing for too long. `END` does not fire.
    pub killed: u32,
}

/// `EPROBE`: the probe behind an enabled probe ID.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct EprobeDesc {
    /// Out: the probe.
    pub description: Description,
    /// In: the enabled probe ID, out of a record.
    pub epid: u32,
    /// Out: the probe's ID.
    pub id: u32,
    /// Out: the clause that it does.
    pub clause: u32,
    /// Zero.
    pub reserved: u32,
}

/// `BUFSNAP`: takes the records of one CPU's principal buffer. `AGGSNAP`: takes what its aggregation
/// buffer holds, in records whose `epid` is the aggregation's row in the program and whose data are the
/// key and then its words; `ENOSPC` where there is not room for all of it. What there was not room for
/// comes with the next request, before what was given later: all is taken when nothing comes.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct BufSnap {
    /// In: where to put them, an address of the caller's.
    pub address: u64,
    /// In: bytes of room there. Out: bytes put there, whole records only.
    pub size: u32,
    /// In: whose buffer.
    pub cpu: u32,
    /// Out: records that found the buffer full since the last request.
    pub drops: u64,
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $nr:literal ($carries:ty),)*) => {
        /// A request.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $variant,)*
        }

        impl Command {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The request of this number.
            pub const fn from_number(number: u32) -> Option<Self> {
                $(if number == Self::$variant.number() { return Some(Self::$variant); })*
                None
            }

            /// Its ioctl number.
            pub const fn number(self) -> u32 {
                match self {
                    $(Self::$variant => request($nr, size_of::<$carries>()),)*
                }
            }
        }
    };
}

commands! {
    /// Carries [`Conf`].
    Conf = 1 (Conf),
    /// Carries [`ProbeMatch`].
    ProbeMatch = 2 (ProbeMatch),
    /// Carries [`Enable`].
    Enable = 3 (Enable),
    /// Arms what was enabled: when this returns, probes fire. Carries [`Go`].
    Go = 4 (Go),
    /// Disarms it; what was recorded can still be drained. Carries [`Stop`].
    Stop = 5 (Stop),
    /// Carries [`BufSnap`].
    BufSnap = 6 (BufSnap),
    /// Carries [`EprobeDesc`].
    Eprobe = 7 (EprobeDesc),
    /// Carries [`Program`].
    Program = 8 (Program),
    /// Carries [`BufSnap`].
    AggSnap = 9 (BufSnap),
    /// Carries [`Status`].
    Status = 10 (Status),
}

/// `_IOWR('D', nr, size)` of Linux' generic `asm/ioctl.h`, or `_IO('D', nr)` without a size.
const fn request(nr: u32, size: usize) -> u32 {
    let direction: u32 = if size == 0 { 0 } else { 3 };
    direction << 30 | (size as u32) << 16 | (b'D' as u32) << 8 | nr
}

const _: () = {
    assert!(size_of::<Conf>() == 16);
    assert!(size_of::<Program>() == 16);
    assert!(size_of::<ProbeMatch>() == 392);
    assert!(size_of::<Enable>() == 392);
    assert!(size_of::<Go>() == 36);
    assert!(size_of::<Stop>() == 8);
    assert!(size_of::<Status>() == 64);
    assert!(size_of::<EprobeDesc>() == 400);
    assert!(size_of::<BufSnap>() == 24);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_command_and_its_size() {
        assert_eq!(Command::Conf.number(), 0xc010_4401);
        assert_eq!(Command::from_number(0xc010_4401), Some(Command::Conf));
        assert_eq!(Command::from_number(0xc011_4401), None);
        assert_eq!(Command::BufSnap.number() >> 16 & 0x3fff, 24);
        assert_eq!(Command::Stop.number() >> 16 & 0x3fff, 8);
    }
}
