//! Files of proc(5), which have no size of their own.

use alloc::vec::Vec;
use core::ffi::CStr;
use core::fmt::{self, Arguments, Write};

use engine_tracer::filled;
use syscalls::Errno;

use crate::sys::{self, Fd};

/// Bytes that are read at once.
const CHUNK: usize = 4096;

/// A file's name, which is short. The allocating formatter of the standard library unwinds, and cannot be
/// linked.
pub struct Name {
    bytes: [u8; 64],
    used: usize,
}

impl Name {
    /// What is to be written; none if it is too long.
    pub fn of(arguments: Arguments<'_>) -> Option<Self> {
        let mut name = Self {
            bytes: [0; 64],
            used: 0,
        };
        name.write_fmt(arguments).ok().map(|()| name)
    }

    /// With a NUL behind it.
    pub fn get(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

impl Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.used.wrapping_add(text.len());
        // A NUL remains.
        if end >= self.bytes.len() {
            return Err(fmt::Error);
        }
        let place = self.bytes.get_mut(self.used..end).unwrap_or_default();
        for (to, from) in place.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        self.used = end;
        Ok(())
    }
}

/// Reads a file.
pub fn read(name: &CStr) -> Result<Vec<u8>, Errno> {
    read_by(name, sys::read)
}

/// The names in a folder that are numbers.
pub fn numbers(folder: &CStr) -> Result<Vec<u32>, Errno> {
    /// Where a `struct linux_dirent64` has its length, and its name.
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    let entries = read_by(folder, sys::entries)?;
    let mut rest = &*entries;
    let mut numbers = Vec::new();
    while let Some(length) = rest.get(LENGTH..).and_then(|rest| rest.first_chunk()) {
        let (entry, behind) = rest
            .split_at_checked(u16::from_ne_bytes(*length).into())
            .ok_or(Errno::EINVAL)?;
        let name = entry.get(NAME..).map(CStr::from_bytes_until_nul);
        let name = name.and_then(|name| name.ok()?.to_str().ok());
        numbers.extend(name.and_then(|name| name.parse::<u32>().ok()));
        rest = behind;
    }
    Ok(numbers)
}

/// Reads all, by a system call that reads some.
fn read_by(
    name: &CStr,
    some: impl Fn(Fd, &mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    let file = sys::open(name, false)?;
    let mut text = Vec::new();
    let result = loop {
        let mut chunk = [0; CHUNK];
        match some(file, &mut chunk) {
            Ok(0) => break Ok(()),
            Ok(length) => {
                let Ok(grown) = filled(text.len().wrapping_add(length), || 0) else {
                    break Err(Errno::ENOMEM);
                };
                let before = core::mem::replace(&mut text, grown);
                let bytes = before.iter().chain(&chunk);
                text.iter_mut()
                    .zip(bytes)
                    .for_each(|(to, from)| *to = *from);
            }
            Err(why) => break Err(why),
        }
    };
    sys::close(file);
    result.map(|()| text)
}
