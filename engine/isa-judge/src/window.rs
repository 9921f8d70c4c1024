//! The memory that an instruction runs on: a page of code with a page of data on either side and,
//! elsewhere, the slots. Nothing around them is mapped.

use std::ops::Range;

use engine_isa::{Fault, Memory, Width};

use crate::prng::{Rng, percent};

/// The size of a page.
pub const PAGE: u64 = 0x1000;
/// The address of the code page. 32-bit addresses change sign at its end.
pub const CODE: u64 = 0x7fff_f000;
/// The address of the data before the code.
pub const LOW: u64 = CODE - PAGE;
/// The address of the data after the code.
pub const HIGH: u64 = CODE + PAGE;
/// The address of the slots: within branch range of the code.
pub const SLOTS: u64 = 0x7c00_0000;
/// The number of pages of slots.
pub const SLOT_PAGES: u64 = 2;

/// Size of the code in bytes.
pub const CODE_BYTES: usize = PAGE as usize;
/// Size of the data in bytes, before and after the code.
pub const DATA_BYTES: usize = 2 * CODE_BYTES;
/// Size of the slots in bytes.
pub const SLOTS_BYTES: usize = SLOT_PAGES as usize * CODE_BYTES;

/// The data, as bytes.
pub type Data = [u8; DATA_BYTES];

/// The accessible memory: writable data around read-only code.
#[derive(Clone, PartialEq, Eq)]
pub struct Window {
    /// The page of code.
    pub code: Box<[u8; CODE_BYTES]>,
    /// The page before the code, followed by the one after it.
    pub data: Box<Data>,
}

impl Window {
    /// The offset in `data` of `width` bytes at `address`.
    fn in_data(address: u64, width: Width) -> Option<usize> {
        let last = address.checked_add(width.bytes() - 1)?;
        match (address & !(PAGE - 1), last & !(PAGE - 1)) {
            (LOW, LOW) => Some((address - LOW) as usize),
            (HIGH, HIGH) => Some(CODE_BYTES + (address - HIGH) as usize),
            _ => None,
        }
    }

    /// The offsets in `data` of those of `bytes` bytes from `address` on that exist.
    pub fn places(address: u64, bytes: u64) -> Range<usize> {
        let place = |at| Self::in_data(at, Width::One);
        let mut places = (0..bytes).filter_map(|away| place(address.wrapping_add(away)));
        let first = places.next();
        first.map_or(0..0, |first| first..places.next_back().unwrap_or(first) + 1)
    }

    /// The byte at `address`.
    fn byte(&self, address: u64) -> Option<u8> {
        let code = address.checked_sub(CODE);
        let code = code.and_then(|offset| self.code.get(usize::try_from(offset).ok()?));
        let data = || Some(self.data[Self::in_data(address, Width::One)?]);
        code.copied().or_else(data)
    }
}

/// Loads are bytewise, since they may cross into or out of the code page; a store must be within a
/// data page. An access that fails has no effect.
impl Memory for Window {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let byte = |i| self.byte(address.wrapping_add(i)).map(u64::from);
        let bytes = (0..width.bytes()).rev().map(byte);
        bytes
            .reduce(|high, low| Some(high? << 8 | low?))
            .flatten()
            .ok_or(Fault { address })
    }

    fn store(&mut self, address: u64, width: Width, value: u64) -> Result<(), Fault> {
        let offset = Self::in_data(address, width).ok_or(Fault { address })?;
        let bytes = width.bytes() as usize;
        self.data[offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        Ok(())
    }
}

/// Whether an address is in a slot.
pub fn is_slot(address: u64) -> bool {
    (SLOTS..SLOTS + SLOT_PAGES * PAGE).contains(&address)
}

/// Whether an address is on the page of code.
pub fn is_code(address: u64) -> bool {
    (CODE..CODE + PAGE).contains(&address)
}

/// An address in the window or near its ends, mostly aligned.
pub fn pointer(rng: &mut Rng) -> u64 {
    let page = if percent(rng, 10) {
        CODE
    } else {
        [LOW, HIGH][rng.usize(0..2)]
    };
    let offset = match rng.u32(0..10) {
        0 => rng.u64(0..128).wrapping_sub(64),
        1 => PAGE - 64 + rng.u64(0..128),
        _ => rng.u64(0..PAGE),
    };
    let address = page.wrapping_add(offset);
    match rng.u32(0..10) {
        0 => address,
        1 => address & !1,
        2..5 => address & !7,
        5..7 => address & !15,
        _ => address & !3,
    }
}
