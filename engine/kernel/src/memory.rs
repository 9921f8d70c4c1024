//! Memory as a displaced instruction would have reached it: in the same mode and address space.
//!
//! What faults here would have faulted in the interrupted code; it does so now, and is at least as
//! fatal: where a trap's handler runs as in an NMI, the kernel panics.

use core::ptr;

use engine_isa::{Fault, Memory, Width};

/// The memory of the code that a trap interrupted.
pub struct Interrupted;

impl Memory for Interrupted {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        Ok(match width {
            Width::One => read::<u8>(address).into(),
            Width::Two => read::<u16>(address).into(),
            Width::Four => read::<u32>(address).into(),
            Width::Eight => read::<u64>(address),
        })
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        match width {
            Width::One => write(address, value as u8),
            Width::Two => write(address, value as u16),
            Width::Four => write(address, value as u32),
            Width::Eight => write(address, value),
        }
        Ok(())
    }
}

/// One access where the address is aligned, as the instruction's own would be.
fn read<T: Copy>(address: u64) -> T {
    let place = ptr::with_exposed_provenance::<T>(address as usize);
    if place.is_aligned() {
        // SAFETY: aligned; the interrupted code was about to do this very load of a plain number.
        unsafe { place.read_volatile() }
    } else {
        // SAFETY: the interrupted code was about to do this very load of a plain number.
        unsafe { place.read_unaligned() }
    }
}

/// One access where the address is aligned, as the instruction's own would be.
fn write<T: Copy>(address: u64, value: T) {
    let place = ptr::with_exposed_provenance_mut::<T>(address as usize);
    if place.is_aligned() {
        // SAFETY: aligned; the interrupted code was about to do this very store.
        unsafe { place.write_volatile(value) };
    } else {
        // SAFETY: the interrupted code was about to do this very store.
        unsafe { place.write_unaligned(value) };
    }
}
