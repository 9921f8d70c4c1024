//! A perf event on one CPU.
#![expect(
    unsafe_code,
    reason = "neither the standard library nor rustix has this system call"
)]

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};

use crate::event::Event;

/// `PERF_TYPE_SOFTWARE`; config 0 is `PERF_COUNT_SW_CPU_CLOCK`.
const SOFTWARE: u32 = 1;
/// `PERF_TYPE_TRACEPOINT`.
const TRACEPOINT: u32 = 2;
/// `PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN`.
const IP_AND_CALLCHAIN: u64 = 1 | 1 << 5;
/// The `freq` flag: the period is a frequency, in Hz.
const FREQ_FLAG: u64 = 1 << 10;

/// `PERF_FLAG_FD_CLOEXEC`: the traced command must not inherit the event.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// `struct perf_event_attr` up to `PERF_ATTR_SIZE_VER1`, 72 bytes.
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
    /// `kprobe_func`: address of the function's name.
    config1: u64,
    /// `probe_offset`, in bytes.
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
                sample: IP_AND_CALLCHAIN,
                flags: FREQ_FLAG,
                ..none
            },
        }
    }
}

/// A counter, which runs from open to drop.
pub struct Counter(File);

impl Counter {
    /// Counts an event on one CPU, for all processes. Needs CAP_PERFMON.
    pub fn open(event: &Event, cpu: usize) -> io::Result<Self> {
        let attributes = Attributes::from(event);
        // SAFETY: the kernel reads `size` bytes of `attributes`, which has exactly that size, and
        // the NUL-terminated function name, which `event` owns.
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
        // SAFETY: the kernel has just returned this descriptor, so nothing else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) };
        Ok(Self(fd.into()))
    }

    /// The number of events so far.
    pub fn read(&self) -> io::Result<u64> {
        let mut count = [0; 8];
        (&self.0).read_exact(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}
