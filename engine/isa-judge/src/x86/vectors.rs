//! The extended registers of x86-64 in `xsave` format.

use std::arch::x86_64::__cpuid_count;

use super::places::{K0, MXCSR, ST0, ZMM, ZMM0};
use crate::state::State;

/// The offset of each component.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The upper halves of ymm0 to ymm15.
    ymm: Option<usize>,
    /// k0 to k7.
    masks: Option<usize>,
    /// The upper halves of zmm0 to zmm15.
    zmm: Option<usize>,
    /// zmm16 to zmm31.
    more: Option<usize>,
    /// The components that exist, as bits.
    present: u64,
}

/// The offset of XSTATE_BV: which components are not in their initial state.
const PRESENT: usize = 512;

impl Layout {
    /// The layout of a process whose registers were stored like this.
    pub fn of(stored: &[u8]) -> Self {
        /// The offset at which the kernel reports what it saves.
        const SAVED: usize = 464;
        let present = read(stored, SAVED, 8);
        let part = |number: u32| {
            let leaf = __cpuid_count(0xd, number);
            (present >> number & 1 == 1).then_some(leaf.ebx as usize)
        };
        Self {
            ymm: part(2),
            masks: part(5),
            zmm: part(6),
            more: part(7),
            present: present & 0b1110_0111,
        }
    }

    /// Stores a state's registers.
    pub fn store(&self, state: &State, stored: &mut [u8]) {
        self.each(|place, at, bytes| {
            let value = to_stored(place, state[place]).to_le_bytes();
            stored[at..at + bytes].copy_from_slice(&value[..bytes]);
        });
        stored[PRESENT..PRESENT + 8].copy_from_slice(&self.present.to_le_bytes());
    }

    /// Loads what was stored. A component in its initial state was not stored.
    pub fn load(&self, stored: &[u8], state: &mut State) {
        let present = read(stored, PRESENT, 8);
        self.each(|place, at, bytes| {
            let is_there = present >> part_of(at, self) & 1 == 1 || at < PRESENT;
            let value = if is_there { read(stored, at, bytes) } else { 0 };
            state[place] = of_stored(place, value);
        });
    }

    /// Calls `value` with each entry's index in a state, its offset, and its size in bytes.
    fn each(&self, mut value: impl FnMut(usize, usize, usize)) {
        value(MXCSR, 24, 4);
        value(MXCSR + 1, 0, 2);
        value(MXCSR + 2, 2, 2);
        value(MXCSR + 3, 4, 1);
        for number in 0..8 {
            value(ST0 + 2 * number, 32 + 16 * number, 8);
            value(ST0 + 2 * number + 1, 40 + 16 * number, 2);
        }
        for (first, count, parts, at) in [
            (0, 16, 0..2, Some(160)),
            (0, 16, 2..4, self.ymm),
            (0, 16, 4..8, self.zmm),
            (16, 16, 0..8, self.more),
        ] {
            let Some(at) = at else { continue };
            for number in 0..count {
                let width = parts.len();
                for (nth, part) in parts.clone().enumerate() {
                    let place = ZMM0 + (first + number) * ZMM + part;
                    value(place, at + 8 * (number * width + nth), 8);
                }
            }
        }
        if let Some(at) = self.masks {
            (0..8).for_each(|number| value(K0 + number, at + 8 * number, 8));
        }
    }
}

/// The bit of the component that an offset is in.
fn part_of(at: usize, layout: &Layout) -> u32 {
    let parts = [
        (layout.ymm, 2),
        (layout.masks, 5),
        (layout.zmm, 6),
        (layout.more, 7),
    ];
    let before = parts
        .iter()
        .filter_map(|(from, bit)| Some(((*from)?, *bit)));
    let last = before.filter(|(from, _)| *from <= at).max();
    last.map_or(1, |(_, bit)| bit)
}

/// x87's tag word abridged: one bit for each register that is in use.
fn to_stored(place: usize, value: u64) -> u64 {
    if place != MXCSR + 3 {
        return value;
    }
    let in_use = (0..8).filter(|register| value >> (2 * register) & 3 != 3);
    in_use.fold(0, |bits, register| bits | 1 << register)
}

/// The inverse; the kind of a register's contents is lost.
fn of_stored(place: usize, value: u64) -> u64 {
    if place != MXCSR + 3 {
        return value;
    }
    let empty = (0..8).filter(|register| value >> register & 1 == 0);
    empty.fold(0, |tags, register| tags | 3 << (2 * register))
}

fn read(stored: &[u8], at: usize, bytes: usize) -> u64 {
    let value = stored[at..at + bytes].iter().rev();
    value.fold(0, |value, byte| value << 8 | u64::from(*byte))
}
