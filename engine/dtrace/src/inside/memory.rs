//! The memory of another process.

use std::fs::{File, OpenOptions};
use std::io::Result;

/// The memory of a process that is traced.
pub fn memory(pid: i32) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true);
    options.open(format!("/proc/{pid}/mem"))
}
