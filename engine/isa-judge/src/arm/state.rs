//! What an A32 instruction is executed on: registers, and a window of memory around the code.

use std::fmt;
use std::ops::Range;

use engine_isa::{Fault, Memory, Width};

use crate::chance::{Rng, edge, percent};

/// The size of a page.
pub const PAGE: u32 = 0x1000;
/// Where the page with the code lies. Addresses change their sign at its end.
pub const CODE: u32 = 0x7fff_f000;
/// Where the data before the code begins.
pub const LOW: u32 = CODE - PAGE;
/// Where the data behind the code begins.
pub const HIGH: u32 = CODE + PAGE;
/// Where the slots are, with nothing readable around them.
pub const SLOTS: u32 = 0x2000_0000;

/// How many bytes of code there are.
pub const CODE_BYTES: usize = PAGE as usize;
/// How many bytes of data there are, before and behind the code.
pub const DATA_BYTES: usize = 2 * PAGE as usize;

/// All registers of the processor that an instruction may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// r0 to r14, and pc.
    pub r: [u32; 16],
    /// The program status.
    pub cpsr: u32,
    /// d0 to d31; only the first 16 exist on some processors.
    pub d: [u64; 32],
    /// The floating-point status.
    pub fpscr: u32,
}

/// Supervisor mode, with interrupts and the like masked.
const MODE: u32 = 0x13;
/// N, Z, C, V, Q, the four of GE, and A, I, F.
const FREE_FLAGS: u32 = 0xf80f_01c0;
/// Rounding, flush to zero, default NaN, and the flags.
const FREE_FPSCR: u32 = 0xf3c0_009f;

impl State {
    /// Registers by chance, for `word` at `pc`: those that may be a base mostly point into the
    /// window, and those that may be an offset are mostly small.
    pub fn by_chance(word: u32, pc: u32, rng: &mut Rng) -> Self {
        let mut r = [0; 16].map(|_: u32| value(rng));
        let field = |low: u32| ((word >> low) & 15) as usize;
        if percent(rng, 60) {
            r[field(0)] = small(rng);
        }
        if percent(rng, 75) {
            r[field(16)] = pointer(rng);
        }
        r[15] = pc;
        Self {
            r,
            cpsr: rng.u32(..) & FREE_FLAGS | MODE,
            d: [0; 32].map(|_: u64| double(rng)),
            fpscr: if percent(rng, 50) {
                0
            } else {
                rng.u32(..) & FREE_FPSCR
            },
        }
    }
}

fn value(rng: &mut Rng) -> u32 {
    match rng.u32(0..10) {
        0..3 => pointer(rng),
        3..5 => small(rng),
        5..7 => edge(rng),
        _ => rng.u32(..),
    }
}

/// A small number, of either sign.
fn small(rng: &mut Rng) -> u32 {
    let wide = [4, 16, 64, 1024][rng.usize(0..4)];
    rng.u32(0..2 * wide + 1).wrapping_sub(wide)
}

/// An address in the window or close to its ends, mostly aligned.
fn pointer(rng: &mut Rng) -> u32 {
    let page = if percent(rng, 10) {
        CODE
    } else {
        [LOW, HIGH][rng.usize(0..2)]
    };
    let offset = match rng.u32(0..10) {
        0 => rng.u32(0..128).wrapping_sub(64),
        1 => (PAGE - 64).wrapping_add(rng.u32(0..128)),
        _ => rng.u32(0..PAGE),
    };
    let address = page.wrapping_add(offset);
    match rng.u32(0..10) {
        0 => address,
        1 => address & !1,
        2..6 => address & !7,
        _ => address & !3,
    }
}

/// A register's worth of floating point: one double, two singles, or bits.
fn double(rng: &mut Rng) -> u64 {
    match rng.u32(0..4) {
        0 => f64::from(small(rng).cast_signed()).to_bits(),
        1 => {
            let single = |rng: &mut Rng| u64::from((small(rng).cast_signed() as f32).to_bits());
            single(rng) << 32 | single(rng)
        }
        2 => u64::from(edge(rng)) << 32 | u64::from(edge(rng)),
        _ => rng.u64(..),
    }
}

/// The memory that an instruction can see: data that can be written around code that cannot.
#[derive(Clone, PartialEq, Eq)]
pub struct Window {
    /// The page of code.
    pub code: Box<[u8; CODE_BYTES]>,
    /// The page before the code, and then the one behind it.
    pub data: Box<[u8; DATA_BYTES]>,
}

impl Window {
    /// The offset in `data` of the `width` bytes at `address`.
    fn in_data(address: u64, width: Width) -> Option<usize> {
        let address = u32::try_from(address).ok()?;
        let last = address.checked_add(width.bytes() as u32 - 1)?;
        let page = PAGE as usize;
        let offset = |base: u32| (address - base) as usize;
        match (address & !(PAGE - 1), last & !(PAGE - 1)) {
            (LOW, LOW) => Some(offset(LOW)),
            (HIGH, HIGH) => Some(page + offset(HIGH)),
            _ => None,
        }
    }

    /// The places in `data` of those of `bytes` bytes from `address` on that are there.
    pub fn places(address: u64, bytes: u64) -> Range<usize> {
        let place = |at| Self::in_data(at, Width::One);
        let mut places = (address..address + bytes).filter_map(place);
        let first = places.next();
        first.map_or(0..0, |first| first..places.next_back().unwrap_or(first) + 1)
    }

    /// The byte at `address`.
    fn byte(&self, address: u32) -> Option<u8> {
        match address & !(PAGE - 1) {
            CODE => Some(self.code[(address - CODE) as usize]),
            LOW => Some(self.data[(address - LOW) as usize]),
            HIGH => Some(self.data[(address - HIGH + PAGE) as usize]),
            _ => None,
        }
    }
}

/// A load or store that crosses from one page into another is done by bytes, as all of them are
/// for the code page's sake; one of which a byte cannot be had does nothing.
impl Memory for Window {
    fn load(&mut self, address: u64, width: Width) -> Result<u64, Fault> {
        let bytes = (0..width.bytes()).rev().map(|i| {
            // Addresses wrap as the processor's do.
            let at = address.wrapping_add(i) as u32;
            self.byte(at).map(u64::from)
        });
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

/// Registers with a value other than 0, by name.
impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "cpsr={:x}", self.cpsr)?;
        let set = |&(_, &value): &(usize, &u32)| value != 0;
        for (number, value) in self.r.iter().enumerate().filter(set) {
            write!(out, " r{number}={value:x}")?;
        }
        for (number, value) in self.d.iter().enumerate().filter(|(_, value)| **value != 0) {
            write!(out, " d{number}={value:x}")?;
        }
        match self.fpscr {
            0 => Ok(()),
            fpscr => write!(out, " fpscr={fpscr:x}"),
        }
    }
}
