//! Random words, for instruction sets with 32-bit instructions: of a row with random free bits, a
//! few bits away from that, or uniform.

use engine_isa::Row;

use crate::prng::{Rng, percent};

/// A word of a row with random free bits; sometimes all bits of one field are 0 or 1, for the zero
/// register or a zero distance. An earlier row may still match it.
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

/// The mask of the bits for which a row has this digit: of a row with 16 bits, of the upper half.
fn bits(row: &Row, wanted: u8) -> u32 {
    let digits = row.pattern.text().bytes().filter(|&digit| digit != b' ');
    let places = (0..32).rev().zip(digits);
    places.fold(0, |bits, (place, digit)| {
        bits | u32::from(digit == wanted) << place
    })
}

/// Rows that accept some of a few thousand random words.
pub fn accepting(rows: &[Row], accepted: impl Fn(usize, u32) -> bool) -> Vec<Row> {
    let accepting = (0..rows.len()).filter(|&row| accepts(rows, row, |word| accepted(row, word)));
    accepting.map(|row| rows[row]).collect()
}

/// Whether a row accepts some of a few thousand random words.
fn accepts(rows: &[Row], row: usize, accepted: impl Fn(u32) -> bool) -> bool {
    let mut rng = Rng::with_seed(row as u64);
    (0..4096).any(|_| accepted(of_row(&rows[row], &mut rng)))
}

/// A random word: mostly of a row and passed through `usual`, some with a bit or two flipped, and
/// some uniform.
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

/// Words of the same row with one bit cleared.
pub fn simpler(word: u32, row: fn(u32) -> usize) -> Vec<u32> {
    let cleared = (0..32).map(|bit| word & !(1 << bit));
    let smaller = cleared.filter(|&smaller| smaller != word && row(smaller) == row(word));
    smaller.collect()
}

/// Parses eight hexadecimal digits.
pub fn read(text: &str) -> Option<u32> {
    u32::from_str_radix(text, 16).ok()
}

/// The word at the beginning of these bytes.
pub fn word(code: &[u8; 15]) -> u32 {
    u32::from_le_bytes([code[0], code[1], code[2], code[3]])
}
