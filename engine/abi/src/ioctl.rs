//! The requests of `/dev/dtrace`, named as DTrace names them.
//!
//! Each carries one struct in and out. A number is Linux' `_IOWR('D', nr, size)`, so that a
//! struct of another size is refused as an unknown request; [`Conf`] tells the rest.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::Description;

/// Raised whenever a layout or a meaning changes.
pub const VERSION: u32 = 1;

/// A principal buffer's size where the consumer asks for none (DTrace's default `bufsize`).
pub const BUFFER_SIZE: u32 = 4 << 20;

/// The most ECBs that one consumer may hold.
pub const ECBS_MAX: usize = 1 << 20;

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

/// `ENABLE`: an ECB for every probe that a description matches.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Enable {
    /// In: the description.
    pub description: Description,
    /// Out: how many probes it matched; none is an answer, not an error.
    pub matched: u32,
    /// Zero.
    pub reserved: u32,
}

/// `GO`: how the arming went.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct Go {
    /// In: bytes of each CPU's principal buffer, rounded up to a power of two between 256 bytes and
    /// 1 GiB; 0 for [`BUFFER_SIZE`].
    pub buffer_size: u32,
    /// Out: ECBs whose probe is not armed, because its text is no longer one that can be.
    pub unarmed: u32,
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
}

/// `BUFSNAP`: takes the records of one CPU's principal buffer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable,
)]
#[repr(C)]
pub struct BufSnap {
    /// In: where to put them, an address of the caller's.
    pub address: u64,
    /// In: bytes of room there. Out: bytes put there: whole records only.
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
    /// Disarms it; what was recorded can still be drained. Carries nothing.
    Stop = 5 (()),
    /// Carries [`BufSnap`].
    BufSnap = 6 (BufSnap),
    /// Carries [`EprobeDesc`].
    Eprobe = 7 (EprobeDesc),
}

/// `_IOWR('D', nr, size)` of Linux' generic `asm/ioctl.h`, or `_IO('D', nr)` without a size.
const fn request(nr: u32, size: usize) -> u32 {
    let direction: u32 = if size == 0 { 0 } else { 3 };
    direction << 30 | (size as u32) << 16 | (b'D' as u32) << 8 | nr
}

const _: () = {
    assert!(size_of::<Conf>() == 8);
    assert!(size_of::<ProbeMatch>() == 392);
    assert!(size_of::<Enable>() == 392);
    assert!(size_of::<Go>() == 8);
    assert!(size_of::<EprobeDesc>() == 392);
    assert!(size_of::<BufSnap>() == 24);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_command_and_its_size() {
        assert_eq!(Command::Conf.number(), 0xc008_4401);
        assert_eq!(Command::from_number(0xc008_4401), Some(Command::Conf));
        assert_eq!(Command::from_number(0xc009_4401), None);
        assert_eq!(Command::BufSnap.number() >> 16 & 0x3fff, 24);
        assert_eq!(Command::Stop.number(), 0x4405);
    }
}
