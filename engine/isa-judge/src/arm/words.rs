//! A32 words by chance: of a row with its free bits at random, a few bits away from that, and any.

use engine_isa::Plan;
use engine_isa::arm::{self, ROWS};

use crate::chance::{Rng, percent};

/// A word of the row `row`, its free bits at random. Another row before it may still take it.
pub fn of_row(row: usize, rng: &mut Rng) -> u32 {
    let pattern = ROWS[row].pattern.text();
    let digits = pattern.bytes().filter(|&digit| digit != b' ');
    digits.fold(0, |word, digit| {
        let bit = match digit {
            b'0' => false,
            b'1' => true,
            _ => rng.bool(),
        };
        word << 1 | u32::from(bit)
    })
}

/// Whether a row accepts any of its words, as far as some thousands of them tell.
pub fn accepts(row: usize) -> bool {
    let mut rng = Rng::with_seed(row as u64);
    (0..4096).any(|_| {
        let word = of_row(row, &mut rng);
        arm::row(word) == row && !matches!(arm::plan(word), Plan::Refuse(_))
    })
}

/// A word by chance: mostly of a row, and of those most with the condition `always`, as nearly all
/// code is; some with a bit or two turned over; and some of no row in particular.
pub fn any(rng: &mut Rng) -> u32 {
    if percent(rng, 5) {
        return rng.u32(..);
    }
    let mut word = of_row(rng.usize(0..ROWS.len()), rng);
    if word >> 28 != 15 && percent(rng, 60) {
        word = word & 0x0fff_ffff | 0xe000_0000;
    }
    if percent(rng, 20) {
        word ^= 1 << rng.u32(0..32);
    }
    if percent(rng, 5) {
        word ^= 1 << rng.u32(0..32);
    }
    word
}
