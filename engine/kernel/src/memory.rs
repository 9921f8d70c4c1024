//! Memory accesses of emulated instructions, made in the mode and address space of the interrupted
//! code.
//!
//! Accesses are not protected by a fixup. One that faults would have faulted in the interrupted
//! code too; taken from the trap's handler it is at least as fatal. Where the handler runs as in an
//! NMI, the kernel panics.

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

/// Loads a value; in a single access if the address is aligned, as the displaced instruction would.
fn read<T: Copy>(address: u64) -> T {
    let place = ptr::with_exposed_provenance::<T>(address as usize);
    if place.is_aligned() {
        // SAFETY: aligned; the displaced instruction makes this very load of a plain integer.
        unsafe { place.read_volatile() }
    } else {
        // SAFETY: the displaced instruction makes this very load of a plain integer.
        unsafe { place.read_unaligned() }
    }
}

/// Stores a value; in a single access if the address is aligned, as the displaced instruction
/// would.
fn write<T: Copy>(address: u64, value: T) {
    let place = ptr::with_exposed_provenance_mut::<T>(address as usize);
    if place.is_aligned() {
        // SAFETY: aligned; the displaced instruction makes this very store.
        unsafe { place.write_volatile(value) };
    } else {
        // SAFETY: the displaced instruction makes this very store.
        unsafe { place.write_unaligned(value) };
    }
}
