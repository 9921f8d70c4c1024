//! The events that can be counted, by name.

use std::ffi::CString;
use std::fs;
use std::num::ParseIntError;
use std::str::FromStr;

use crate::Error;

/// Holds the dynamic PMU type of kprobes.
const KPROBE: &str = "/sys/bus/event_source/devices/kprobe/type";
const TRACEPOINTS: &str = "/sys/kernel/tracing/events";

/// An event.
pub enum Event {
    /// A kprobe on a function or on an instruction in it, or a kretprobe.
    Kprobe {
        /// The PMU type of kprobes.
        kind: u32,
        /// The function's name.
        function: CString,
        /// Offset into it, in bytes.
        offset: u64,
        /// Whether it is a kretprobe.
        is_return: bool,
    },
    /// A tracepoint, by id.
    Tracepoint(u64),
    /// Call-chain samples of the CPU clock, at this frequency in Hz.
    Samples(u64),
}

impl Event {
    /// Parses an event's name; looks up the PMU type or the tracepoint's id in sysfs.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let unknown = || Error::Event(text.to_owned());
        let (kind, what) = text.split_once(':').ok_or_else(unknown)?;
        match kind {
            "kprobe" => kprobe(what, false),
            "kretprobe" => kprobe(what, true),
            "tracepoint" => Ok(Self::Tracepoint(read(&format!("{TRACEPOINTS}/{what}/id"))?)),
            "samples" => Ok(Self::Samples(number(what)?)),
            _ => Err(unknown()),
        }
    }
}

fn kprobe(what: &str, is_return: bool) -> Result<Event, Error> {
    let (function, offset) = what.split_once('+').unwrap_or((what, "0"));
    let function = CString::new(function).map_err(|_| Error::Event(what.to_owned()))?;
    Ok(Event::Kprobe {
        kind: read(KPROBE)?,
        function,
        offset: number(offset)?,
        is_return,
    })
}

fn read<N: FromStr<Err = ParseIntError>>(path: &str) -> Result<N, Error> {
    let text = fs::read_to_string(path).map_err(|why| Error::File(path.to_owned(), why))?;
    number(text.trim_end())
}

fn number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, Error> {
    text.parse()
        .map_err(|why| Error::Number(text.to_owned(), why))
}
