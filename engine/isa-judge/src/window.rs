//! The memory that an instruction is executed on: a page of code with data before and behind it, and
//! elsewhere the slots, with nothing readable around them.

use std::ops::Range;

use engine_isa::{Fault, Memory, Width};

use crate::chance::{Rng, percent};

/// The size of a page.
pub const PAGE: u64 = 0x1000;
/// Where the page with the code lies. Addresses of 32 bits change their sign at its end.
pub const CODE: u64 = 0x7fff_f000;
/// Where the data before the code begins.
pub const LOW: u64 = CODE - PAGE;
/// Where the data behind the code begins.
pub const HIGH: u64 = CODE + PAGE;
/// Where the slots begin: within reach of every branch from and to the code.
pub const SLOTS: u64 = 0x7c00_0000;
/// How many pages the slots take.
pub const SLOT_PAGES: u64 = 2;

/// How many bytes of code there are.
pub const CODE_BYTES: usize = PAGE as usize;
/// How many bytes of data there are, before and behind the code.
pub const DATA_BYTES: usize = 2 * CODE_BYTES;
/// How many bytes the slots take.
pub const SLOTS_BYTES: usize = SLOT_PAGES as usize * CODE_BYTES;

/// The data, as bytes.
pub type Data = [u8; DATA_BYTES];

/// The memory that an instruction can see: data that can be written around code that cannot.
#[derive(Clone, PartialEq, Eq)]
pub struct Window {
    /// The page of code.
    pub code: Box<[u8; CODE_BYTES]>,
    /// The page before the code, and then the one behind it.
    pub data: Box<Data>,
}

impl Window {
    /// The offset in `data` of the `width` bytes at `address`.
    fn in_data(address: u64, width: Width) -> Option<usize> {
        let last = address.checked_add(width.bytes() - 1)?;
        match (address & !(PAGE - 1), last & !(PAGE - 1)) {
            (LOW, LOW) => Some((address - LOW) as usize),
            (HIGH, HIGH) => Some(CODE_BYTES + (address - HIGH) as usize),
            _ => None,
        }
    }

    /// The places in `data` of those of `bytes` bytes from `address` on that are there.
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

/// A load or store that crosses from one page into another is done by bytes, as all of them are
/// for the code page's sake; one of which a byte cannot be had does nothing.
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

/// Whether an address is one of a slot's.
pub fn is_slot(address: u64) -> bool {
    (SLOTS..SLOTS + SLOT_PAGES * PAGE).contains(&address)
}

/// An address in the window or close to its ends, mostly aligned.
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
