//! Addresses of the machine's own memory. They share a register's 64 bits with kernel and user
//! addresses: the top 16 bits are [`TAG`], which no such address has, the next 16 are the segment,
//! and the low half is the offset in it.

/// The top 16 bits of an address of the machine's own memory.
pub const TAG: u16 = 0x4456;

/// A segment of the machine's own memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// The program's strings, read-only.
    Strings,
    /// Scratch memory, valid for one run of a clause.
    Scratch,
}

/// What an address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// An offset in the machine's own memory, not checked against its size.
    Own(Segment, u32),
    /// A segment that does not exist.
    Nowhere,
    /// Kernel or user memory.
    Outside,
}

impl Segment {
    /// The address of an offset in the segment.
    pub const fn address(self, offset: u32) -> u64 {
        let segment = match self {
            Self::Strings => 0,
            Self::Scratch => 1,
        };
        (TAG as u64) << 48 | segment << 32 | offset as u64
    }
}

impl Location {
    /// What `address` refers to.
    pub const fn of(address: u64) -> Self {
        if address >> 48 != TAG as u64 {
            return Self::Outside;
        }
        match (address >> 32) as u16 {
            0 => Self::Own(Segment::Strings, address as u32),
            1 => Self::Own(Segment::Scratch, address as u32),
            _ => Self::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_where_it_was_made() {
        for segment in [Segment::Strings, Segment::Scratch] {
            for offset in [0, 1, u32::MAX] {
                let address = segment.address(offset);
                assert_eq!(Location::of(address), Location::Own(segment, offset));
            }
        }
        assert_eq!(Segment::Scratch.address(5), 0x4456_0001_0000_0005);
    }

    #[test]
    fn other_addresses_are_not_ours() {
        for address in [0, 0x7fff_ffff_f000, 0xffff_8000_0000_0000, u64::MAX] {
            assert_eq!(Location::of(address), Location::Outside, "{address:#x}");
        }
        assert_eq!(Location::of(0x4456_0002_0000_0000), Location::Nowhere);
    }
}
