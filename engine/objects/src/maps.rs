//! The lines of `/proc/PID/maps`, which are bytes: a path need not be UTF-8.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use crate::error::{Error, Result};

/// A device's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    /// The driver's part.
    pub major: u32,
    /// The device's part.
    pub minor: u32,
}

/// A mapping of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The address after its last.
    pub end: u64,
    /// Whether it can be executed.
    pub is_executable: bool,
    /// Whether writes go to the file, not to a private copy.
    pub is_shared: bool,
    /// Its offset in the file.
    pub offset: u64,
    /// The file's device.
    pub device: Device,
    /// The file's inode, 0 if it maps no file.
    pub inode: u64,
    /// The file's path or a name in brackets; empty for anonymous memory.
    pub path: PathBuf,
    /// The path as the line has it, if that differs: the kernel writes a newline as `\012` but a
    /// backslash as it is, so that a path with the four characters looks the same.
    pub literal: Option<PathBuf>,
    /// Whether the file has no name any more.
    pub is_deleted: bool,
}

impl Mapping {
    /// Whether it maps a file.
    pub fn is_file(&self) -> bool {
        self.inode != 0 && self.path.is_absolute()
    }

    /// Whether it is the vDSO.
    pub fn is_vdso(&self) -> bool {
        self.path.as_os_str() == "[vdso]"
    }
}

/// What the kernel appends to the path of a file without a name.
const DELETED: &[u8] = b" (deleted)";

/// Parses the contents of `/proc/PID/maps`.
///
/// # Errors
/// [`Error::Maps`] with the number of the first malformed line.
pub fn parse(maps: &[u8]) -> Result<Vec<Mapping>> {
    let lines = (1..).zip(maps.split(|byte| *byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    let parsed = lines.map(|(number, line)| mapping(line).ok_or(Error::Maps(number)));
    parsed.collect()
}

/// `start-end perms offset major:minor inode   path`
fn mapping(line: &[u8]) -> Option<Mapping> {
    let mut rest = line;
    let mut field = || {
        let end = rest
            .iter()
            .position(|byte| *byte == b' ')
            .unwrap_or(rest.len());
        let (field, behind) = rest.split_at(end);
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
        std::str::from_utf8(field).ok()
    };
    let (start, end) = field()?.split_once('-')?;
    let permissions = field()?.as_bytes();
    let offset = hex(field()?)?;
    let (major, minor) = field()?.split_once(':')?;
    let inode = field()?.parse().ok()?;
    let device = Device {
        major: u32::from_str_radix(major, 16).ok()?,
        minor: u32::from_str_radix(minor, 16).ok()?,
    };
    let (path, literal, is_deleted) = path(rest.trim_ascii_start());
    let (start, end) = (hex(start)?, hex(end)?);
    (start < end).then_some(Mapping {
        start,
        end,
        is_executable: *permissions.get(2)? == b'x',
        is_shared: *permissions.get(3)? == b's',
        offset,
        device,
        inode,
        path,
        literal,
        is_deleted,
    })
}

fn hex(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
}

/// The path, the path before unescaping if that differs, and whether it is marked as deleted.
fn path(field: &[u8]) -> (PathBuf, Option<PathBuf>, bool) {
    let name = field.strip_suffix(DELETED);
    let is_deleted = name.is_some();
    let literal = name.unwrap_or(field);
    let unescaped = unescape(literal);
    let literal = (unescaped != literal).then(|| to_path(literal.to_vec()));
    (to_path(unescaped), literal, is_deleted)
}

fn to_path(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

/// Replaces each `\012`, the only escape in maps.
fn unescape(path: &[u8]) -> Vec<u8> {
    let mut unescaped = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(br"\012") {
            unescaped.push(b'\n');
            rest = behind;
        } else {
            unescaped.push(byte);
            rest = behind;
        }
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn one(line: &[u8]) -> Mapping {
        parse(line).unwrap().remove(0)
    }

    #[test]
    fn a_line_is_parsed() {
        let line = b"7f00-8000 r-xp 00026000 fe:01 1234                       /lib/libc.so.6\n";
        let expected = Mapping {
            start: 0x7f00,
            end: 0x8000,
            is_executable: true,
            is_shared: false,
            offset: 0x26000,
            device: Device {
                major: 0xfe,
                minor: 1,
            },
            inode: 1234,
            path: "/lib/libc.so.6".into(),
            literal: None,
            is_deleted: false,
        };
        assert_eq!(one(line), expected);
        assert!(one(line).is_file());
    }

    #[test]
    fn spaces_bytes_and_marks_in_paths() {
        let made = one(b"1-2 r--s 0 0:1 7 /tmp/a b\\012c\xff (deleted)");
        assert_eq!(made.path.as_os_str().as_bytes(), b"/tmp/a b\nc\xff");
        let literal = made.literal.unwrap();
        assert_eq!(literal.as_os_str().as_bytes(), b"/tmp/a b\\012c\xff");
        assert!(made.is_deleted && made.is_shared && !made.is_executable);
    }

    #[test]
    fn what_is_no_file() {
        assert!(!one(b"1-2 rw-p 00000000 00:00 0 ").is_file());
        assert!(!one(b"1-2 rw-p 00000000 00:00 0").is_file());
        let vdso = one(b"1-2 r-xp 00000000 00:00 0                  [vdso]");
        assert!(vdso.is_vdso() && !vdso.is_file());
    }

    #[test]
    fn a_malformed_line_is_reported_by_number() {
        let fault = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert_eq!(
            fault(b"1-2 r-xp 0 0:0 0\n1-2 r-xp"),
            "line 2 of maps is malformed"
        );
        assert_eq!(fault(b"2-1 r-xp 0 0:0 0"), "line 1 of maps is malformed");
        assert_eq!(fault(b"1-2 r- 0 0:0 0"), "line 1 of maps is malformed");
        assert_eq!(fault(b"\xff"), "line 1 of maps is malformed");
    }
}
