//! Keeps the OOM killer from the agent, but not from the processes it starts. A child inherits
//! `oom_score_adj`, so the agent drops its immunity while it starts one.

use std::fs::{File, read_to_string};
use std::io;
use std::os::unix::fs::FileExt;

use crate::log;

/// The file of the calling process's adjustment.
const FILE: &str = "/proc/self/oom_score_adj";
/// OOM_SCORE_ADJ_MIN: never killed.
const NEVER: &str = "-1000";

/// The agent's immunity.
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

    /// Runs `start` without immunity, so that a child does not inherit it. The window is short and
    /// the agent too small to be the OOM killer's first choice.
    pub fn suspended<T>(&self, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        self.set(&self.inherited)?;
        let started = start();
        if let Err(why) = self.set(NEVER) {
            log(&format!("without memory it may be killed: {why}"));
        }
        started
    }

    fn set(&self, score: &str) -> io::Result<()> {
        self.file.write_all_at(score.as_bytes(), 0)
    }
}
