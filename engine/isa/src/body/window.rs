//! A read-ahead window over text: one read of kernel text may cost as much as hundreds of steps.

use super::Text;
use crate::x86::LONGEST;

/// The bytes from an instruction on, as many as the longest has. Those past the end are 0.
pub type Code = [u8; LONGEST];

/// Bytes read at once.
const STRETCH: usize = 128;
const WITH_TAIL: usize = STRETCH + LONGEST;

/// The bytes read last.
pub(super) struct Window<'a> {
    text: &'a Text<'a>,
    start: u64,
    filled: usize,
    /// Zero past what was read.
    bytes: [u8; WITH_TAIL],
}

impl<'a> Window<'a> {
    pub(super) const fn new(text: &'a Text<'a>) -> Self {
        Self {
            text,
            start: 0,
            filled: 0,
            bytes: [0; WITH_TAIL],
        }
    }

    /// The bytes at an address that is `left` bytes before the end; `None` if they cannot be read.
    #[inline]
    pub(super) fn code(&mut self, at: u64, left: u64) -> Option<Code> {
        let wanted = left.min(LONGEST as u64);
        let offset = at.wrapping_sub(self.start);
        let is_filled =
            offset < self.filled as u64 && wanted <= (self.filled as u64).wrapping_sub(offset);
        if !is_filled {
            self.fill(at, left)?;
        }
        let offset = at.wrapping_sub(self.start) as usize;
        let bytes = self.bytes.get(offset..)?;
        bytes.first_chunk().copied()
    }

    fn fill(&mut self, at: u64, left: u64) -> Option<()> {
        let count = left.min(STRETCH as u64) as usize;
        self.filled = 0;
        self.bytes = [0; WITH_TAIL];
        let is_read = (self.text.load)(at, self.bytes.get_mut(..count)?);
        (self.start, self.filled) = (at, if is_read { count } else { 0 });
        is_read.then_some(())
    }
}
