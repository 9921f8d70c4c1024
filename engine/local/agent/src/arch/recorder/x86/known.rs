//! What is known of the process's mappings of code.

use alloc::vec::Vec;
use core::ops::Range;

use crate::maps;

/// A mapping of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub range: Range<u64>,
    /// Whether its text may change without a system call that the recorder sees.
    pub changes: bool,
}

/// The mappings of code that blocks were translated from.
#[derive(Debug)]
pub struct Known(Vec<Code>);

impl Known {
    /// None yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The mapping that an address is in, if it is one of code; `tell` gets one that was not known before,
    /// with the offset in its file and its name.
    pub fn find(&mut self, pc: u64, tell: impl FnOnce(&Code, u64, &[u8])) -> Option<Code> {
        if let Some(code) = self.0.iter().find(|code| code.range.contains(&pc)) {
            return Some(code.clone());
        }
        let line = maps::describe(pc as usize)?;
        if !line.is_executable {
            return None;
        }
        let is_vdso = line.name == b"[vdso]";
        let code = Code {
            range: line.range.start as u64..line.range.end as u64,
            changes: line.is_writable
                || line.is_shared
                || !(is_vdso || line.name.starts_with(b"/")),
        };
        tell(&code, line.offset, &line.name);
        self.0.try_reserve(1).ok()?;
        self.0.push(code.clone());
        Some(code)
    }

    /// Forgets what overlaps a range; returns whether anything did.
    pub fn forget(&mut self, range: &Range<u64>) -> bool {
        let before = self.0.len();
        self.0
            .retain(|code| code.range.end <= range.start || range.end <= code.range.start);
        self.0.len() < before
    }
}
