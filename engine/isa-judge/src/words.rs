//! Words by chance, for instruction sets whose instructions are words: of a row with its free bits at
//! random, a few bits away from that, and any.

use engine_isa::Row;

use crate::chance::{Rng, percent};

/// A word of a row, its free bits at random, now and then all of one field 0 or 1: the register that is
/// none, no distance. Another row before it may still take it.
pub fn of_row(row: &Row, rng: &mut Rng) -> u32 {
    let bits = |wanted| bits(row, wanted);
    let ones = bits(b'1');
    let word = rng.u32(..) & !(ones | bits(b'0')) | ones;
    let fields = (b'a'..=b'z').filter(|&field| field != b'x').map(bits);
    fields.fold(word, |word, field| match rng.u32(0..16) {
        0 => word & !field,
        1 => word | field,
        _ => word,
    })
}

/// The bits of a word for which a row has this digit.
fn bits(row: &Row, wanted: u8) -> u32 {
    let digits = row.pattern.text().bytes().filter(|&digit| digit != b' ');
    digits.fold(0, |bits, digit| bits << 1 | u32::from(digit == wanted))
}

/// Rows of which some words of some thousands are `accepted`.
pub fn accepting(rows: &[Row], accepted: impl Fn(usize, u32) -> bool) -> Vec<Row> {
    let accepting = (0..rows.len()).filter(|&row| accepts(rows, row, |word| accepted(row, word)));
    accepting.map(|row| rows[row]).collect()
}

/// Whether some of some thousands of words of a row are `accepted`.
fn accepts(rows: &[Row], row: usize, accepted: impl Fn(u32) -> bool) -> bool {
    let mut rng = Rng::with_seed(row as u64);
    (0..4096).any(|_| accepted(of_row(&rows[row], &mut rng)))
}

/// A word by chance: mostly of a row, made `usual`; some with a bit or two turned over; and some of no
/// row in particular.
pub fn any(rows: &[Row], usual: impl Fn(u32, &mut Rng) -> u32, rng: &mut Rng) -> u32 {
    if percent(rng, 5) {
        return rng.u32(..);
    }
    let word = of_row(&rows[rng.usize(0..rows.len())], rng);
    let mut word = usual(word, rng);
    if percent(rng, 20) {
        word ^= 1 << rng.u32(0..32);
    }
    if percent(rng, 5) {
        word ^= 1 << rng.u32(0..32);
    }
    word
}

/// Words of the same row with one bit less.
pub fn simpler(word: u32, row: fn(u32) -> usize) -> Vec<u32> {
    let cleared = (0..32).map(|bit| word & !(1 << bit));
    let smaller = cleared.filter(|&smaller| smaller != word && row(smaller) == row(word));
    smaller.collect()
}

/// The word that eight digits are.
pub fn read(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

/// The word that begins these bytes.
pub fn word(code: &[u8; 15]) -> u32 {
    u32::from_le_bytes([code[0], code[1], code[2], code[3]])
}
