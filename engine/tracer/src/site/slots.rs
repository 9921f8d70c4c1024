//! Slots: executable copies of displaced instructions, each followed by a jump back.
//!
//! A slot is written before its site is armed and belongs to the site until that is disarmed. A
//! thread that a trap sent there may have been interrupted in it. So a retired slot is rewritten
//! only after [`KernelText::synchronize_code`](crate::platform::KernelText::synchronize_code); the
//! same holds for freeing the memory, which happens once no site has a slot. All of it runs under
//! the control lock.

use alloc::vec::Vec;
use core::mem;

use crate::grow::OutOfMemory;
use crate::platform::Platform;

/// All slots. They have one size.
#[derive(Debug, Default)]
pub struct Slots {
    /// The allocations that they lie in.
    chunks: Vec<usize>,
    /// Slots that no thread can be executing.
    free: Vec<usize>,
    /// Retired slots, which a thread may still be executing.
    retired: Vec<usize>,
    /// Number of slots that belong to a site.
    used: usize,
}

impl Slots {
    /// Allocates a slot of `size` bytes and fills it with `code`, which is passed the slot's address;
    /// none if there is no such code for that address. May sleep.
    pub fn take<P: Platform, C: AsRef<[u8]>>(
        &mut self,
        platform: &P,
        size: usize,
        code: impl FnOnce(usize) -> Option<C>,
    ) -> Result<Option<usize>, OutOfMemory> {
        if self.free.is_empty() && !self.retired.is_empty() {
            platform.synchronize_code();
            mem::swap(&mut self.free, &mut self.retired);
        }
        if self.free.is_empty() {
            self.grow(platform, size)?;
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

    /// Retires a slot. Its site is disarmed, and no new trap sends a CPU there.
    pub fn retire(&mut self, slot: usize) {
        self.used = self.used.wrapping_sub(1);
        // Within the capacity that `grow` reserved.
        push_within(&mut self.retired, slot);
    }

    /// Frees all memory if no site has a slot. May sleep.
    pub fn release_if_unused<P: Platform>(&mut self, platform: &P) {
        if self.used == 0 {
            self.release(platform);
        }
    }

    /// Frees all memory. No trap may send a CPU there any more. May sleep.
    pub fn release<P: Platform>(&mut self, platform: &P) {
        if self.chunks.is_empty() {
            return;
        }
        platform.synchronize_code();
        for chunk in mem::take(self).chunks {
            platform.code_free(chunk);
        }
    }

    /// Number of slots that belong to a site.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Size of the allocations in bytes.
    pub fn bytes<P: Platform>(&self) -> usize {
        self.chunks.len().wrapping_mul(P::CODE)
    }

    /// Adds an allocation's worth of slots, and reserves list capacity for all slots to be free or
    /// retired.
    fn grow<P: Platform>(&mut self, platform: &P, size: usize) -> Result<(), OutOfMemory> {
        let more = P::CODE.checked_div(size).unwrap_or_default();
        let all = self.used.wrapping_add(more);
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.free.try_reserve(all).map_err(|_| OutOfMemory)?;
        self.retired.try_reserve(all).map_err(|_| OutOfMemory)?;
        let chunk = platform.code_alloc()?;
        push_within(&mut self.chunks, chunk);
        let slots = (0..more).map(|number| chunk.wrapping_add(number.wrapping_mul(size)));
        // In reverse, so that the first is popped first.
        slots
            .rev()
            .for_each(|slot| push_within(&mut self.free, slot));
        Ok(())
    }
}

/// Appends an item within the capacity. The check lets the compiler drop `push`'s growing path and
/// the panic in it.
fn push_within(items: &mut Vec<usize>, item: usize) {
    if items.len() < items.capacity() {
        items.push(item);
    }
}
