//! Which instructions begin, need and end an exclusive access. No probe may fire between the first
//! and the last, since a trap clears the exclusive monitor (B2).

use crate::Exclusive;

/// The effect of `word` on the exclusive monitor, if any.
#[must_use]
pub const fn exclusive(word: u32) -> Option<Exclusive> {
    const CLREX: u32 = 0xd503_305f;
    if word & 0xffff_f0ff == CLREX {
        return Some(Exclusive::Clear);
    }
    let of_two = word & 1 << 21 != 0;
    let has_two = word & 1 << 31 != 0;
    let is_exclusive = word & 0x3f80_0000 == 0x0800_0000 && (!of_two || has_two);
    match word & 1 << 22 {
        _ if !is_exclusive => None,
        0 => Some(Exclusive::Store),
        _ => Some(Exclusive::Load),
    }
}

#[cfg(test)]
mod tests {
    use super::{Exclusive, exclusive};

    #[test]
    fn each_size_is_known() {
        let loads = [
            0x085f_7c41,
            0x485f_7c41,
            0x885f_7c41,
            0xc85f_7c41,
            0x885f_fc41,
            0xc85f_fc41,
            0x887f_0c41,
            0xc87f_8c41,
        ];
        for load in loads {
            assert_eq!(exclusive(load), Some(Exclusive::Load), "{load:08x}");
        }
        for store in [
            0x0803_7c41,
            0x4803_fc41,
            0x8803_7c41,
            0xc803_fc41,
            0xc823_8c41,
        ] {
            assert_eq!(exclusive(store), Some(Exclusive::Store), "{store:08x}");
        }
        for clear in [0xd503_3f5f, 0xd503_305f] {
            assert_eq!(exclusive(clear), Some(Exclusive::Clear), "{clear:08x}");
        }
    }

    /// Ordered and compare-and-swap accesses, pairs, barriers.
    #[test]
    fn what_is_not_exclusive_is_none() {
        let words = [
            0x089f_fc41,
            0xc8df_fc41,
            0x0820_7c41,
            0x4820_7c41,
            0x08a0_7c41,
            0xc8a0_7c41,
            0xa940_0440,
            0xd503_3fdf,
        ];
        for word in words {
            assert_eq!(exclusive(word), None, "{word:08x}");
        }
    }
}
