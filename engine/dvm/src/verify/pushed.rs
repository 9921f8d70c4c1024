//! What is pushed at an instruction. Values are pushed and consumed in one basic block, so the
//! state is the same on every path.

use engine_abi::FieldKind;

use crate::invalid::Why;
use crate::limits::{KEY_MAX, KEY_PARTS_MAX};
use crate::memory::round_up;
use crate::mutant;
use crate::names::Subroutine;
use crate::rows::KeyPart;

/// The pushed values.
pub(super) struct Pushed {
    parts: [KeyPart; KEY_PARTS_MAX as usize],
    count: usize,
}

impl Pushed {
    /// Nothing.
    pub(super) fn nothing() -> Self {
        let vacant = KeyPart {
            size: 0,
            kind: FieldKind::Scalar,
        };
        Self {
            parts: [vacant; KEY_PARTS_MAX as usize],
            count: 0,
        }
    }

    /// Whether nothing is pushed.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Pushes `size` bytes.
    pub(super) fn push(&mut self, kind: FieldKind, size: u32) -> Result<(), Why> {
        let place = self.parts.get_mut(self.count).ok_or(Why::PushedTooMuch)?;
        if !(1..=KEY_MAX).contains(&size) {
            return Err(Why::PushedTooMuch);
        }
        let size = round_up(size);
        *place = KeyPart { size, kind };
        self.count = self.count.wrapping_add(1);
        Ok(())
    }

    /// Consumes all as a key with these components.
    pub(super) fn take_key(&mut self, keys: impl Iterator<Item = KeyPart>) -> Result<(), Why> {
        let is_same = keys.eq(self.parts.iter().take(self.count).copied())
            || mutant::is_active("key-of-another");
        self.count = 0;
        is_same.then_some(()).ok_or(Why::KeyMismatch)
    }

    /// Consumes all as a subroutine's arguments.
    pub(super) fn take_arguments(&mut self, subroutine: Subroutine) -> Result<(), Why> {
        let (fewest, most) = subroutine.arguments();
        let mut arguments = self.parts.iter().take(self.count);
        let fits = (usize::from(fewest)..=usize::from(most)).contains(&self.count)
            && arguments.all(|part| part.kind == FieldKind::Scalar);
        self.count = 0;
        fits.then_some(()).ok_or(Why::Arguments)
    }
}
