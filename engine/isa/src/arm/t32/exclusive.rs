//! Which Thumb instructions begin, need and end an exclusive access.

use crate::Exclusive;

/// The effect of `word` on the exclusive monitor, if any.
///
/// The acquire and release forms of ARMv8 are undefined before; but on processors that have them
/// they delimit an exclusive access too.
#[must_use]
pub const fn exclusive(word: u32) -> Option<Exclusive> {
    const CLREX: u32 = 0xf3bf_8f2f;
    if word == CLREX {
        return Some(Exclusive::Clear);
    }
    // Bytes, halfwords and double words, and words that ARMv8 acquires and releases.
    let is_sized = matches!(word >> 4 & 0xf, 0b0100 | 0b0101 | 0b0111 | 0b1100..=0b1111);
    match word >> 20 {
        0xe84 => Some(Exclusive::Store),
        0xe85 => Some(Exclusive::Load),
        0xe8c if is_sized => Some(Exclusive::Store),
        0xe8d if is_sized => Some(Exclusive::Load),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::exclusive;
    use crate::Exclusive;

    #[test]
    fn each_size_is_known() {
        for load in [
            0xe850_1f00,
            0xe8d0_1f4f,
            0xe8d0_1f5f,
            0xe8d0_127f,
            0xe8d0_1fef,
        ] {
            assert_eq!(exclusive(load), Some(Exclusive::Load), "{load:08x}");
        }
        for store in [
            0xe840_1200,
            0xe8c0_1f42,
            0xe8c0_1f52,
            0xe8c0_1272,
            0xe8c0_1fe2,
        ] {
            assert_eq!(exclusive(store), Some(Exclusive::Store), "{store:08x}");
        }
        assert_eq!(exclusive(0xf3bf_8f2f), Some(Exclusive::Clear));
    }

    #[test]
    fn others_beside_them_are_none() {
        for word in [
            0xe8d0_f001,
            0xe8d0_f011,
            0xe860_1200,
            0xe890_0003,
            0xe8d0_1faf,
        ] {
            assert_eq!(exclusive(word), None, "{word:08x}");
        }
    }
}
