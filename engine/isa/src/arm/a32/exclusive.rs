//! Which instructions begin, need and end an exclusive access. No probe may fire between the first
//! and the last, since a trap clears the exclusive monitor (A3.4).

use crate::Exclusive;

/// The effect of `word` on the exclusive monitor, if any.
///
/// Bit 8 distinguishes the acquire and release forms of ARMv8 (`ldaex`, `stlex`). They are refused,
/// since ARMv7 leaves them undefined; but on processors that have them they delimit an exclusive
/// access too.
#[must_use]
pub const fn exclusive(word: u32) -> Option<Exclusive> {
    const CLREX: u32 = 0xf57f_f01f;
    if word == CLREX {
        return Some(Exclusive::Clear);
    }
    let conditional = word >> 28 != 0b1111;
    match word & 0x0f90_0ef0 {
        0x0190_0e90 if conditional => Some(Exclusive::Load),
        0x0180_0e90 if conditional => Some(Exclusive::Store),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Exclusive, exclusive};

    #[test]
    fn each_size_is_known() {
        for load in [0xe190_1f9f, 0xe1b0_2f9f, 0xe1d0_1f9f, 0x01f0_1f9f] {
            assert_eq!(exclusive(load), Some(Exclusive::Load), "{load:08x}");
        }
        for store in [0xe180_1f92, 0xe1a0_1f92, 0xe1c0_1f92, 0x11e0_1f92] {
            assert_eq!(exclusive(store), Some(Exclusive::Store), "{store:08x}");
        }
        assert_eq!(exclusive(0xf57f_f01f), Some(Exclusive::Clear));
    }

    #[test]
    fn those_that_acquire_and_release_are_known() {
        for load in [0xe190_1e9f, 0xe1b0_2e9f, 0xe1d0_1e9f, 0x01f0_1e9f] {
            assert_eq!(exclusive(load), Some(Exclusive::Load), "{load:08x}");
        }
        for store in [0xe180_1e92, 0xe1a0_1e92, 0xe1c0_1e92, 0x11e0_1e92] {
            assert_eq!(exclusive(store), Some(Exclusive::Store), "{store:08x}");
        }
        for plain in [0xe190_1c9f, 0xe180_fc92] {
            assert_eq!(exclusive(plain), None, "{plain:08x}");
        }
    }

    #[test]
    fn a_swap_is_none() {
        for word in [0xe100_1092, 0xe140_1092, 0xe590_1000, 0xf190_1f9f] {
            assert_eq!(exclusive(word), None, "{word:08x}");
        }
    }
}
