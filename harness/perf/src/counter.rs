//! One event on one CPU, as `perf_event_open` has it.
#![expect(
    unsafe_code,
    reason = "neither the standard library nor rustix has this system call"
)]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};

use crate::event::Event;

/// `PERF_TYPE_SOFTWARE`, of which the clock is the first.
const SOFTWARE: u32 = 1;
/// `PERF_TYPE_TRACEPOINT`.
const TRACEPOINT: u32 = 2;
/// `PERF_SAMPLE_IP` and `PERF_SAMPLE_CALLCHAIN`.
const ADDRESS_AND_CALLERS: u64 = 1 | 1 << 5;
/// The bit of `freq`: the period is a frequency.
const FREQUENCY: u64 = 1 << 10;

/// `PERF_FLAG_FD_CLOEXEC`: the command does not get it.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// `struct perf_event_attr`, as it was when it had 72 bytes.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample: u64,
    read: u64,
    flags: u64,
    wakeup: u32,
    breakpoint: u32,
    /// A kprobe's function.
    config1: u64,
    /// How far in it.
    config2: u64,
}

const SIZE: u32 = 72;
const _: () = assert!(size_of::<Attributes>() == SIZE as usize);

impl From<&Event> for Attributes {
    fn from(event: &Event) -> Self {
        let none = Self {
            size: SIZE,
            ..Self::default()
        };
        match event {
            Event::Kprobe {
                kind,
                function,
                offset,
                is_return,
            } => Self {
                kind: *kind,
                config: u64::from(*is_return),
                config1: function.as_ptr().expose_provenance() as u64,
                config2: *offset,
                ..none
            },
            Event::Tracepoint(id) => Self {
                kind: TRACEPOINT,
                config: *id,
                ..none
            },
            Event::Samples(hertz) => Self {
                kind: SOFTWARE,
                period: *hertz,
                sample: ADDRESS_AND_CALLERS,
                flags: FREQUENCY,
                ..none
            },
        }
    }
}

/// It counts from its opening on.
pub struct Counter(File);

impl Counter {
    /// Counts this on this CPU, whoever runs there.
    pub fn open(event: &Event, cpu: usize) -> io::Result<Self> {
        let attributes = Attributes::from(event);
        // SAFETY: the kernel reads `size` bytes of the attributes, and the function's name, which ends with a
        // NUL; the event has it until this returns.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attributes,
                -1,
                cpu as libc::c_int,
                -1,
                CLOSE_ON_EXEC,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made it, and nobody else has it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) };
        Ok(Self(fd.into()))
    }

    /// How often it was.
    pub fn read(&self) -> io::Result<u64> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}
