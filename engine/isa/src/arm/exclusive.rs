//! Which instructions open, need and close an exclusive access: no probe may
//! fire between the first and the last, since a trap closes it (A3.4).

/// What an instruction does to the monitor of exclusive accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusive {
    /// `ldrex`, `ldrexb`, `ldrexh`, `ldrexd`: opens an access.
    Load,
    /// `strex`, `strexb`, `strexh`, `strexd`: stores if it is still open, and
    /// closes it.
    Store,
    /// `clrex`: closes it.
    Clear,
}

/// What `word` does to the monitor, if anything.
///
/// Bit 8 tells those that also acquire and release (`ldaex`, `stlex`), which came with ARMv8. Here they are
/// refused, as ARMv7 leaves them open; but the window that they make is one on the processors that have them.
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
