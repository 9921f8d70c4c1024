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
#[must_use]
pub const fn exclusive(word: u32) -> Option<Exclusive> {
    const CLREX: u32 = 0xf57f_f01f;
    if word == CLREX {
        return Some(Exclusive::Clear);
    }
    let conditional = word >> 28 != 0b1111;
    match word & 0x0f90_0ff0 {
        0x0190_0f90 if conditional => Some(Exclusive::Load),
        0x0180_0f90 if conditional => Some(Exclusive::Store),
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
    fn a_swap_is_none() {
        for word in [0xe100_1092, 0xe140_1092, 0xe590_1000, 0xf190_1f9f] {
            assert_eq!(exclusive(word), None, "{word:08x}");
        }
    }
}
