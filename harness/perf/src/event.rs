//! The events that can be counted, and how the kernel is asked for them.

use std::ffi::CString;
use std::fs;
use std::num::ParseIntError;
use std::str::FromStr;

use crate::Error;

/// Where the kernel says which number stands for kprobes.
const KPROBE: &str = "/sys/bus/event_source/devices/kprobe/type";
const TRACEPOINTS: &str = "/sys/kernel/tracing/events";

/// Something to count.
pub enum Event {
    /// Calls of a function, or that it comes to a place in it; returns, if so.
    Kprobe {
        /// The number that stands for kprobes.
        kind: u32,
        /// The function.
        function: CString,
        /// How far in it.
        offset: u64,
        /// Whether it is to be counted when it returns.
        is_return: bool,
    },
    /// The tracepoint of this number.
    Tracepoint(u64),
    /// So many looks a second at who has been called by whom.
    Samples(u64),
}

impl Event {
    /// The event of this name.
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
