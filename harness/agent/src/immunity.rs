//! The agent is not what a guest without memory should kill. What it starts may be: a process
//! inherits how willing the kernel is to kill it, so the agent is mortal while it starts one.

use std::fs::{File, read_to_string};
use std::io;
use std::os::unix::fs::FileExt;

use crate::tell;

/// Where the kernel is told.
const FILE: &str = "/proc/self/oom_score_adj";
/// What it is told by those who must not be killed.
const NEVER: &str = "-1000";

/// The agent's immunity, if it may have one.
#[derive(Debug)]
pub struct Immunity {
    file: File,
    inherited: String,
}

impl Immunity {
    /// Makes this process immune.
    pub fn acquire() -> io::Result<Self> {
        let inherited = read_to_string(FILE)?;
        let file = File::options().write(true).open(FILE)?;
        let immunity = Self { file, inherited };
        immunity.set(NEVER)?;
        Ok(immunity)
    }

    /// Does without it what must not pass it on. It is short, and the agent is small: while the
    /// kernel looks for something big, it is not the agent that it finds.
    pub fn without<T>(&self, starts: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.set(&self.inherited)?;
        let started = starts();
        if let Err(why) = self.set(NEVER) {
            tell(&format!("without memory it may be killed: {why}"));
        }
        started
    }

    fn set(&self, score: &str) -> io::Result<()> {
        self.file.write_all_at(score.as_bytes(), 0)
    }
}
