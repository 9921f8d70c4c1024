//! The memory that an emulated instruction accesses.

#![expect(
    unsafe_code,
    reason = "the instruction would have made the same access"
)]

use engine_isa::{Fault, Memory, Width};

/// The process's own memory, accessed as the displaced instruction would: a fault is the process's.
pub struct Own;

impl Memory for Own {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let mut word = [0u8; 8];
        let from: *const u8 = core::ptr::with_exposed_provenance(address as usize);
        let length = width.bytes() as usize;
        // SAFETY: the displaced instruction reads there: where it could not, the process gets the
        // signal that it would have got. No width exceeds the word.
        unsafe { core::ptr::copy_nonoverlapping(from, word.as_mut_ptr(), length.min(8)) };
        Ok(u64::from_le_bytes(word))
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        let word = value.to_le_bytes();
        let to: *mut u8 = core::ptr::with_exposed_provenance_mut(address as usize);
        let length = width.bytes() as usize;
        // SAFETY: the displaced instruction writes there, likewise; the handler's frame lies below
        // what it may write to.
        unsafe { core::ptr::copy_nonoverlapping(word.as_ptr(), to, length.min(8)) };
        Ok(())
    }
}
