//! Addresses of the machine's own memory. They share a register's 64 bits with kernel and user
//! addresses: the top 16 bits are [`TAG`], which no such address has, the next 16 are the segment,
//! and the low half is the offset in it.
//!
//! Variables that consist of bytes are a segment, too. Each has more of it than the largest one
//! takes, so an address beyond a variable is not that of another one.
//!
//! On a 32-bit kernel a pointer in memory, such as a member of a structure, has four bytes. There,
//! segments and variables of moderate size have [`short`] addresses instead.

use crate::limits::VALUE_MAX;

/// The top 16 bits of an address of the machine's own memory.
pub const TAG: u16 = 0x4456;

/// A segment of the machine's own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// The program's strings, read-only.
    Strings,
    /// Scratch memory: copies of variables and results of subroutines, valid for one run of a
    /// clause.
    Scratch,
    /// The memory of `alloca` and `copyin`, likewise valid for one run.
    Heap,
}

/// The segment of variables.
const VARIABLES: u16 = 3;

/// The low bits of an address in the segment of variables that are the offset in the variable.
const OFFSET_BITS: u32 = 18;

const _: () = assert!(VALUE_MAX < 1 << OFFSET_BITS);

/// The number of variables that have addresses: the first ones.
pub const ADDRESSABLE: u32 = 1 << (32 - OFFSET_BITS);

/// Addresses of 32 bits, in ranges where a 32-bit kernel maps nothing: on ARM the guard region below
/// the fixmap, and what lies between the fixmap and the tightly coupled memories
/// (Documentation/arm/memory.rst).
mod short {
    use super::{Location, Segment};

    /// Whether pointers in memory have four bytes.
    pub(super) const USED: bool = cfg!(target_pointer_width = "32");

    const HEAP: u32 = 0xffc0_0000;
    const SCRATCH: u32 = 0xffc4_0000;
    const SCRATCH_END: u32 = 0xffc8_0000;
    const STRINGS: u32 = 0xfff0_0000;
    const VARIABLES: u32 = 0xfff2_0000;
    const END: u32 = 0xfffe_0000;

    const OFFSET_BITS: u32 = 12;
    const VARIABLES_MAX: u32 = (END - VARIABLES) >> OFFSET_BITS;

    /// The address of an offset in a segment, if all addresses of one of this size fit, and the one
    /// at its end.
    pub(super) const fn of_segment(segment: Segment, offset: u32, size: usize) -> Option<u64> {
        let (start, end) = match segment {
            Segment::Heap => (HEAP, SCRATCH),
            Segment::Scratch => (SCRATCH, SCRATCH_END),
            Segment::Strings => (STRINGS, VARIABLES),
        };
        if size >= end.wrapping_sub(start) as usize {
            return None;
        }
        Some(start.wrapping_add(offset) as u64)
    }

    /// The address of a variable, likewise.
    pub(super) const fn of_variable(number: u32, size: u32) -> Option<u64> {
        if number >= VARIABLES_MAX || size >= 1 << OFFSET_BITS {
            return None;
        }
        Some(VARIABLES.wrapping_add(number << OFFSET_BITS) as u64)
    }

    /// What such an address refers to.
    pub(super) const fn location(address: u64) -> Location {
        if address >> 32 != 0 {
            return Location::Outside;
        }
        match address as u32 {
            low @ HEAP..SCRATCH => Location::Own(Segment::Heap, low.wrapping_sub(HEAP)),
            low @ SCRATCH..SCRATCH_END => {
                Location::Own(Segment::Scratch, low.wrapping_sub(SCRATCH))
            }
            low @ STRINGS..VARIABLES => Location::Own(Segment::Strings, low.wrapping_sub(STRINGS)),
            low @ VARIABLES..END => {
                let low = low.wrapping_sub(VARIABLES);
                Location::Variable(low >> OFFSET_BITS, low & ((1 << OFFSET_BITS) - 1))
            }
            _ => Location::Outside,
        }
    }
}

/// The address of a variable of `size` bytes, which must be one of the first [`ADDRESSABLE`].
pub(crate) const fn of_variable(number: u32, size: u32) -> u64 {
    if short::USED
        && let Some(address) = short::of_variable(number, size)
    {
        return address;
    }
    full_of_variable(number, 0)
}

const fn full_of_variable(number: u32, offset: u32) -> u64 {
    (TAG as u64) << 48 | (VARIABLES as u64) << 32 | (number << OFFSET_BITS | offset) as u64
}

/// The address of 64 bits of the same place, for messages, which are the same on every kernel.
pub(crate) const fn full(address: u64) -> u64 {
    match Location::of(address) {
        Location::Own(segment, offset) => segment.full_address(offset),
        Location::Variable(number, offset) => full_of_variable(number, offset),
        Location::Nowhere | Location::Outside => address,
    }
}

/// What an address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// An offset in the machine's own memory, not checked against its size.
    Own(Segment, u32),
    /// A variable, and an offset in it, likewise.
    Variable(u32, u32),
    /// A segment that does not exist.
    Nowhere,
    /// Kernel or user memory.
    Outside,
}

impl Segment {
    /// The address of an offset in the segment, which has `size` bytes.
    pub const fn address(self, offset: u32, size: usize) -> u64 {
        if short::USED
            && let Some(address) = short::of_segment(self, offset, size)
        {
            return address;
        }
        self.full_address(offset)
    }

    const fn full_address(self, offset: u32) -> u64 {
        let segment = match self {
            Self::Strings => 0,
            Self::Scratch => 1,
            Self::Heap => 2,
        };
        (TAG as u64) << 48 | segment << 32 | offset as u64
    }
}

impl Location {
    /// What `address` refers to.
    pub const fn of(address: u64) -> Self {
        if address >> 48 != TAG as u64 {
            return match short::USED {
                true => short::location(address),
                false => Self::Outside,
            };
        }
        match (address >> 32) as u16 {
            0 => Self::Own(Segment::Strings, address as u32),
            1 => Self::Own(Segment::Scratch, address as u32),
            2 => Self::Own(Segment::Heap, address as u32),
            VARIABLES => {
                let low = address as u32;
                Self::Variable(low >> OFFSET_BITS, low & ((1 << OFFSET_BITS) - 1))
            }
            _ => Self::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_where_it_was_made() {
        for segment in [Segment::Strings, Segment::Scratch, Segment::Heap] {
            for offset in [0, 1, u32::MAX] {
                let address = segment.address(offset, 1 << 20);
                assert_eq!(Location::of(address), Location::Own(segment, offset));
            }
        }
        assert_eq!(Segment::Scratch.address(5, 1 << 20), 0x4456_0001_0000_0005);
    }

    #[test]
    fn the_full_form_of_a_full_address_is_itself() {
        let own = [Segment::Strings, Segment::Scratch, Segment::Heap];
        let own = own.map(|segment| segment.address(77, 1 << 20));
        for address in own.into_iter().chain([of_variable(3, VALUE_MAX) + 9, 0, 5]) {
            assert_eq!(full(address), address, "{address:#x}");
        }
    }

    #[test]
    fn a_short_address_leads_where_it_was_made() {
        let sizes = [
            (Segment::Strings, 128 << 10),
            (Segment::Scratch, 256 << 10),
            (Segment::Heap, 256 << 10),
        ];
        for (segment, room) in sizes {
            for offset in [0, 1, room - 1] {
                let size = room as usize - 1;
                let address = short::of_segment(segment, offset, size).expect("it fits");
                assert_eq!(short::location(address), Location::Own(segment, offset));
            }
            assert_eq!(short::of_segment(segment, 0, room as usize), None);
        }
        for number in [0, 1, 191] {
            let address = short::of_variable(number, 4095).expect("it fits");
            assert_eq!(short::location(address), Location::Variable(number, 0));
            let end = Location::Variable(number, 4095);
            assert_eq!(short::location(address + 4095), end);
        }
        assert_eq!(short::of_variable(192, 1), None);
        assert_eq!(short::of_variable(0, 4096), None);
    }

    #[test]
    fn other_short_addresses_are_not_ours() {
        let around: [u64; 5] = [0xffc0_0000, 0xffc8_0000, 0xfff0_0000, 0xfffe_0000, 1 << 32];
        for address in [
            around[0] - 1,
            around[1],
            around[2] - 1,
            around[3],
            around[4],
        ] {
            assert_eq!(short::location(address), Location::Outside, "{address:#x}");
        }
    }

    #[test]
    fn an_address_before_or_behind_a_variable_is_not_in_another() {
        let address = of_variable(5, VALUE_MAX);
        assert_eq!(Location::of(address), Location::Variable(5, 0));
        let end = address + u64::from(VALUE_MAX);
        assert_eq!(Location::of(end), Location::Variable(5, VALUE_MAX));
        let Location::Variable(4, offset) = Location::of(address - 1) else {
            panic!("{address:#x}");
        };
        assert!(offset >= VALUE_MAX);
    }

    #[test]
    fn other_addresses_are_not_ours() {
        for address in [0, 0x7fff_ffff_f000, 0xffff_8000_0000_0000, u64::MAX] {
            assert_eq!(Location::of(address), Location::Outside, "{address:#x}");
        }
        assert_eq!(Location::of(0x4456_0004_0000_0000), Location::Nowhere);
    }
}
