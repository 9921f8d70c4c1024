//! Slots: where copies of displaced instructions stand, each with the way back behind it.
//!
//! A slot is written before its site is armed, and is the site's until that is disarmed. Whom a trap
//! has sent there may have been interrupted on the way through: so a slot that was given back is
//! written again only after [`Platform::synchronize_code`], and so is its memory given back, which it
//! is when no site has a slot.

use alloc::vec::Vec;
use core::mem;

use crate::grow::OutOfMemory;
use crate::platform::Platform;

/// All slots, of one size.
#[derive(Debug, Default)]
pub struct Slots {
    /// The pieces of memory that they lie in.
    pieces: Vec<usize>,
    /// Those that nobody can be inside of.
    free: Vec<usize>,
    /// Those given back, which somebody may still be inside of.
    left: Vec<usize>,
    /// How many are a site's.
    used: usize,
}

impl Slots {
    /// A slot of this size with `code` in it, which is told the slot's address; none where there can be
    /// no such code at that address. May sleep.
    pub fn take<P: Platform, C: AsRef<[u8]>>(
        &mut self,
        platform: &P,
        code: impl FnOnce(usize) -> Option<C>,
    ) -> Result<Option<usize>, OutOfMemory> {
        if self.free.is_empty() && !self.left.is_empty() {
            platform.synchronize_code();
            mem::swap(&mut self.free, &mut self.left);
        }
        if self.free.is_empty() {
            self.grow(platform, size_of::<C>())?;
        }
        let slot = self.free.pop().ok_or(OutOfMemory)?;
        let Some(code) = code(slot) else {
            push_within(&mut self.free, slot);
            return Ok(None);
        };
        self.used = self.used.wrapping_add(1);
        platform.code_write(slot, code.as_ref());
        Ok(Some(slot))
    }

    /// Its site is disarmed, and no trap will send anybody there any more.
    pub fn give_back(&mut self, slot: usize) {
        self.used = self.used.wrapping_sub(1);
        // There is room: `grow` has seen to that.
        push_within(&mut self.left, slot);
    }

    /// Gives the memory back, if no site has a slot. May sleep.
    pub fn tidy<P: Platform>(&mut self, platform: &P) {
        if self.used == 0 {
            self.release(platform);
        }
    }

    /// Gives the memory back, when no trap will send anybody there any more. May sleep.
    pub fn release<P: Platform>(&mut self, platform: &P) {
        if self.pieces.is_empty() {
            return;
        }
        platform.synchronize_code();
        for piece in mem::take(self).pieces {
            platform.code_free(piece);
        }
    }

    /// How many are a site's.
    pub fn used(&self) -> usize {
        self.used
    }

    /// How much memory there is for them.
    pub fn bytes<P: Platform>(&self) -> usize {
        self.pieces.len().wrapping_mul(P::CODE)
    }

    /// Room for as many slots as a piece of memory has, and for all to be given back.
    fn grow<P: Platform>(&mut self, platform: &P, size: usize) -> Result<(), OutOfMemory> {
        let more = P::CODE.checked_div(size).unwrap_or_default();
        let all = self.used.wrapping_add(more);
        self.pieces.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.free.try_reserve(all).map_err(|_| OutOfMemory)?;
        self.left.try_reserve(all).map_err(|_| OutOfMemory)?;
        let piece = platform.code_alloc()?;
        push_within(&mut self.pieces, piece);
        let slots = (0..more).map(|number| piece.wrapping_add(number.wrapping_mul(size)));
        // From the last to the first, which then is the first to be taken.
        slots
            .rev()
            .for_each(|slot| push_within(&mut self.free, slot));
        Ok(())
    }
}

/// Appends what there is room for. It spares the compiler the growing path of `push`, and so its panic.
fn push_within(items: &mut Vec<usize>, item: usize) {
    if items.len() < items.capacity() {
        items.push(item);
    }
}
