//! The ioctls of `/dev/dtrace`, named as DTrace names them.
//!
//! Each carries one struct in and out. The number is Linux's `_IOWR('D', nr, size)`, so a struct of
//! another size is an unknown ioctl. [`Conf`] reports the version for all other differences.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{Description, PidSite};

/// Incremented whenever a layout or its meaning changes.
pub const VERSION: u32 = 10;

/// The principal buffer's default size in bytes (DTrace's default `bufsize`).
pub const BUFFER_SIZE: u32 = 4 << 20;

/// The maximum number of ECBs of one consumer.
pub const ECBS_MAX: usize = 1 << 20;

/// The maximum number of speculations of one consumer: `speculation()` scans them all.
pub const SPECULATIONS_MAX: u32 = 1 << 12;

/// The maximum size of a program in bytes.
pub const PROGRAM_MAX: u32 = 16 << 20;

/// `CONF`: the module's version and configuration.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Conf {
    /// Out: the module's [`VERSION`].
    pub version: u32,
    /// Out: the number of principal buffers, numbered from 0.
    pub cpus: u32,
    /// Out: size in bytes of the kernel's pointers and of C's `long`.
    pub pointer: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PROGRAM`: the consumer's program, sent once and before any `ENABLE`. `EINVAL` if it is invalid;
/// `EACCES` if it is destructive, and the module allows no such program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Program {
    /// In: its address in the caller's memory.
    pub address: u64,
    /// In: its size in bytes, at most [`PROGRAM_MAX`].
    pub size: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PROBEMATCH`: the next probe that a description matches; `ESRCH` if there are no more.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct ProbeMatch {
    /// In: the description. Out: the probe's name.
    pub description: Description,
    /// In: the lowest ID to return. Out: the probe's ID.
    pub id: u32,
    /// Zero.
    pub reserved: u32,
}

/// `ENABLE`: an ECB for every probe that a description matches. A probe's ECBs fire in the order in
/// which they were enabled.
///
/// After `GO` it enables probes in processes only: those at which the clause is not enabled yet.
/// [`PidArm`] arms them.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Enable {
    /// In: the description.
    pub description: Description,
    /// Out: the number of probes matched; 0 is not an error.
    pub matched: u32,
    /// In: the clause of the program to run.
    pub clause: u32,
}

/// `PID_PROBES`: creates the probes of a function of a process that a description's name matches:
/// `entry`, `return`, and the offset of each instruction in hexadecimal. `ESRCH` if there is no such
/// process, `EPERM` if the caller may not trace it (ptrace(2)), `ENOEXEC` if its instruction set is
/// not the kernel's, `EINVAL` if it is the caller's own. `ENOSPC` if the probes would exceed a bound,
/// which `reason` then names; those that exist remain.
///
/// The probes exist until the process is gone or the last consumer that asked for them is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable)]
#[repr(C)]
pub struct PidProbes {
    /// In: the probes' module and function, and a glob for their names. The provider is `pid` and
    /// the process ID, whatever is here.
    pub description: Description,
    /// In: the function's address in the process.
    pub address: u64,
    /// In: its size in bytes.
    pub size: u64,
    /// In: the process ID, in the caller's PID namespace.
    pub pid: u32,
    /// Out: the number of probes that exist, including those that did before.
    pub provided: u32,
    /// Out: the number of probes that were refused.
    pub refused: u32,
    /// In: 1 if the function may end before `size`, so that only what control reaches is its own; else 0.
    pub is_open: u32,
    /// Out: why the last of them was refused, or which bound is reached; NUL-terminated.
    pub reason: [u8; REASON_LEN],
}

/// `UNWIND`: the unwind table of an object of a process, by which the consumer's clauses find callers
/// in that process: [`UnwindRow`](crate::UnwindRow)s sorted by address. Before `GO`. `ESRCH`, `EPERM`,
/// `ENOEXEC` and `EINVAL` as for `PID_PROBES`; `ENOSPC` if the consumer's tables would take more than
/// 64 MiB, or be more than 4,096.
///
/// All of a consumer's tables for a process are for the program that it executes in the first request,
/// which may have no rows; `ESRCH` if it executes another one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Unwind {
    /// In: the rows' address in the caller's memory.
    pub rows: u64,
    /// In: the first address of the object's code in the process.
    pub start: u64,
    /// In: the address behind it.
    pub end: u64,
    /// In: what the process's addresses exceed those of the rows by.
    pub bias: u64,
    /// In: the number of rows, at most [`UNWIND_ROWS_MAX`].
    pub count: u32,
    /// In: the process ID, in the caller's PID namespace.
    pub pid: u32,
}

/// The most rows of a table.
pub const UNWIND_ROWS_MAX: u32 = 1 << 22;

/// Size of a reason in [`PidProbes`], including the NUL.
pub const REASON_LEN: usize = 128;

impl PidProbes {
    /// A request for the probes of a function.
    pub const fn new(pid: u32, description: Description, address: u64, size: u64) -> Self {
        Self {
            description,
            address,
            size,
            pid,
            provided: 0,
            refused: 0,
            is_open: 0,
            reason: [0; REASON_LEN],
        }
    }
}

/// `PID_UNMAPPED`: a process has unmapped an object. Functions there whose traps are gone have no
/// probes any more, so that what is mapped there next gets its own. `ESRCH` if the consumer has no
/// probes in the process.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct PidRange {
    /// In: the address at which the object's code began.
    pub address: u64,
    /// In: its size in bytes.
    pub size: u64,
    /// In: the process ID, as it was passed in [`PidProbes`].
    pub pid: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PID_ARM`: answers a thread that waits, once what has been enabled since `GO` is armed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct PidArm {
    /// In: what was read from the device; a ticket of 0 is no thread's.
    pub opened: Opened,
    /// In: whether anything is to be armed or disarmed.
    pub arm: u32,
    /// Out: 1 if the thread had waited too long and has continued before.
    pub late: u32,
}

/// What read(2) of the device returns, and waits for: a thread of a process has opened or closed
/// objects, or begins, and waits for [`PidArm`] with this.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Opened {
    /// The process ID, as it was passed in [`PidProbes`].
    pub pid: u32,
    /// Identifies the wait.
    pub ticket: u32,
    /// 1 if it begins, by executing a program or by a fork, and `pid` is its ID in the initial PID
    /// namespace; else 0.
    pub begins: u32,
    /// Zero.
    pub reserved: u32,
}

/// `PID_EXECS`: holds each process that executes a program, from now on and until `STOP`, before it
/// enters that: for a moment, until it has been read from the device and answered by `PID_ARM`. Not
/// held are the children of the process that asks. Only before `GO`. `EOPNOTSUPP` in another PID
/// namespace than the initial one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct PidExecs {
    /// Zero.
    pub reserved: u32,
}

/// `GO`: the buffer sizes and policy, and the result of arming. When it returns, `BEGIN` has fired.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Go {
    /// In: size in bytes of each CPU's principal buffer, rounded up to a power of two between 256
    /// bytes and 1 GiB; 0 for [`BUFFER_SIZE`].
    pub buffer_size: u32,
    /// In: size in bytes of each CPU's aggregation buffer; 0 for [`BUFFER_SIZE`].
    pub aggregation_size: u32,
    /// In: size in bytes of the dynamic variables; 0 for 1 MiB (DTrace's default `dynvarsize`).
    pub dynamic_size: u32,
    /// In: the number of speculations, at most [`SPECULATIONS_MAX`]; 0 for 1 (DTrace's default
    /// `nspec`).
    pub speculations: u32,
    /// In: size in bytes of each CPU's buffer of each speculation; 0 for 32 KiB (DTrace's default
    /// `specsize`).
    pub speculation_size: u32,
    /// In: a [`BufferPolicy`].
    pub policy: u32,
    /// Out: the number of ECBs whose probe was not armed because its text is no longer eligible.
    pub unarmed: u32,
    /// Out: the CPU on which `BEGIN` fired.
    pub cpu: u32,
    /// In: a [`Mechanism`]; `EOPNOTSUPP` if this kernel does not have it.
    pub mechanism: u32,
}

/// How the engine is notified of a function's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// A breakpoint in place of an instruction.
    Trap,
    /// The call site of the kernel's function tracer, or a breakpoint if the function has none.
    Ftrace,
    /// The cheaper of the two.
    Auto,
}

impl Mechanism {
    /// The mechanism with this code.
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
    /// Drops records until it is drained.
    Switch,
    /// Ends tracing; it can be drained once tracing has stopped.
    Fill,
    /// Wraps around, overwriting the oldest records; it can be drained once tracing has stopped.
    Ring,
}

impl BufferPolicy {
    /// The policy with this code.
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

/// `STOP`: ends tracing. When it returns, `END` has fired, and nothing fires any more.
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

/// `STATUS`: counts of faults and drops since `GO`, and whether tracing is ending. Drops of a full
/// principal or aggregation buffer are not among them: `BUFSNAP` and `AGGSNAP` return those.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Status {
    /// Out: assignments to dynamic variables dropped for lack of space.
    pub dynamic_drops: u64,
    /// Out: records dropped because a speculation's buffer was full.
    pub speculation_drops: u64,
    /// Out: failed calls of `speculation()` while discarded or committed speculations were still
    /// busy.
    pub speculations_busy: u64,
    /// Out: other failed calls of `speculation()`: all were in use.
    pub speculations_unavailable: u64,
    /// Out: clauses aborted by a fault.
    pub errors: u64,
    /// Out: faults in clauses of `ERROR`, which do not fire `ERROR` again.
    pub error_drops: u64,
    /// Out: firings dropped because too little kernel stack was left.
    pub stack_drops: u64,
    /// Out: 1 if a clause has called `exit`, or a buffer with the policy `fill` is full.
    pub ending: u32,
    /// Out: 1 if the deadman has ended tracing: the consumer's clauses kept a CPU from its threads,
    /// or the consumer sent no request for too long. `END` does not fire.
    pub killed: u32,
}

/// `EPROBE`: the probe of an enabled probe ID.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct EprobeDesc {
    /// Out: the probe's name.
    pub description: Description,
    /// In: the enabled probe ID, from a record.
    pub epid: u32,
    /// Out: the probe's ID.
    pub id: u32,
    /// Out: the clause that it runs.
    pub clause: u32,
    /// Zero.
    pub reserved: u32,
}

/// `BUFSNAP`: drains the records of one CPU's principal buffer.
///
/// `AGGSNAP`: drains one CPU's aggregation buffer, as records whose `epid` is the aggregation's row
/// in the program and whose data are the key followed by its words; `ENOSPC` if not everything
/// fits. The rest comes with the next request, before anything newer: the buffer is drained when
/// nothing comes.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct BufSnap {
    /// In: the destination, an address in the caller's memory.
    pub address: u64,
    /// In: its size in bytes. Out: bytes written, whole records only.
    pub size: u32,
    /// In: the CPU.
    pub cpu: u32,
    /// Out: records dropped since the last request because the buffer was full.
    pub drops: u64,
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $nr:literal ($carries:ty),)*) => {
        /// An ioctl.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $variant,)*
        }

        impl Command {
            /// Every ioctl.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The ioctl with this number.
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
    /// Arms the enabled probes: when it returns, they fire. Carries [`Go`].
    Go = 4 (Go),
    /// Disarms them; recorded data can still be drained. Carries [`Stop`].
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
    /// Carries [`PidProbes`].
    PidProbes = 11 (PidProbes),
    /// Holds each thread of a process that executes the first instruction of a function, which its
    /// dynamic linker calls when objects have been mapped or unmapped: the thread waits, from now on
    /// and until `STOP`, for a moment until it has been read from the device and answered by
    /// `PID_ARM`. No object takes the place of another while it waits. Only before `GO`. Carries
    /// [`PidProbes`], whose errors are the same; `ENOSPC` if too many are watched.
    PidWatch = 12 (PidProbes),
    /// Carries [`PidRange`].
    PidUnmapped = 13 (PidRange),
    /// Carries [`PidArm`].
    PidArm = 14 (PidArm),
    /// Carries [`Unwind`].
    Unwind = 15 (Unwind),
    /// Carries [`PidSite`].
    PidSite = 16 (PidSite),
    /// Carries [`PidExecs`].
    PidExecs = 17 (PidExecs),
}

/// `_IOWR('D', nr, size)` of Linux's generic `asm/ioctl.h`, or `_IO('D', nr)` without a size.
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
    assert!(size_of::<PidProbes>() == 544);
    assert!(size_of::<Unwind>() == 40);
    assert!(size_of::<PidRange>() == 24);
    assert!(size_of::<PidArm>() == 24);
    assert!(size_of::<Opened>() == 16);
    assert!(size_of::<PidExecs>() == 4);
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
