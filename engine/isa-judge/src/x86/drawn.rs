//! Random x86 instructions of a row: as its text says, with everything else random. The table
//! explains the notation.

use std::sync::LazyLock;

use engine_isa::Plan;
use engine_isa::x86::{self, ROWS};

use super::prefixes;
use super::shape::{Bytes, let_it_reach};
use crate::prng::{Rng, percent};

/// How many candidates are generated before giving up on a row.
const TRIES: usize = 64;

/// Rows of which some instructions are emulated. They are few, and entirely our code.
static EMULATED: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let mut rng = Rng::with_seed(1);
    let mut is_emulated = |row: usize| {
        let drawn = (0..TRIES).map(|_| of_row::<true>(row, &mut rng));
        let mut plans = drawn
            .filter(|bytes| x86::row(bytes) == row)
            .map(|bytes| x86::plan(&bytes));
        plans.any(|plan| matches!(plan, Plan::Emulate(_)))
    };
    (0..ROWS.len()).filter(|row| is_emulated(*row)).collect()
});

/// A random instruction of a row, or something close to it if the row has few or none.
pub fn of_any_row<const WIDE: bool>(rng: &mut Rng) -> Bytes {
    let row = if percent(rng, 25) {
        EMULATED[rng.usize(0..EMULATED.len())]
    } else {
        rng.usize(0..ROWS.len() - 1)
    };
    let row_of = if WIDE { x86::row } else { x86::row_ia32 };
    let mut last = [0; 15];
    for _ in 0..TRIES {
        last = of_row::<WIDE>(row, rng);
        if row_of(&last) == row {
            break;
        }
    }
    let_it_reach(&mut last, rng);
    last
}

/// An instruction as a row's text says; other constraints are not checked.
pub fn of_row<const WIDE: bool>(row: usize, rng: &mut Rng) -> Bytes {
    let mut drawing = Drawing::new(WIDE, rng);
    let text = ROWS[row].encoding.text();
    text.split(' ').for_each(|word| drawing.word(word));
    drawing.bytes
}

/// The maximum number of random prefixes before what the text says.
const MOST: usize = 3;

/// An instruction under construction.
struct Drawing<'a> {
    rng: &'a mut Rng,
    wide: bool,
    bytes: Bytes,
    /// The number of bytes that are fixed.
    at: usize,
    /// Whether the opcode is among them.
    has_opcode: bool,
    /// The bits of a REX that is still to be emitted.
    rex: Option<u8>,
}

impl<'a> Drawing<'a> {
    /// The bytes that are not fixed are random.
    fn new(wide: bool, rng: &'a mut Rng) -> Self {
        let mut bytes = [0; 15];
        rng.fill(&mut bytes);
        let rex = (wide && percent(rng, 40)).then(|| rng.u8(..) & 15);
        let mut drawing = Self {
            rng,
            wide,
            bytes,
            at: 0,
            has_opcode: false,
            rex,
        };
        for _ in 0..MOST {
            if percent(drawing.rng, 10) {
                let prefix = prefixes::prefix(drawing.rng);
                drawing.put(prefix);
            }
        }
        drawing
    }

    fn put(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.at) {
            *place = byte;
            self.at += 1;
        }
    }

    /// Emits the REX immediately before the opcode and its escape.
    fn put_rex(&mut self) {
        if let Some(bits) = self.rex.take() {
            self.put(0x40 | bits);
        }
    }

    fn word(&mut self, word: &str) {
        match word {
            "[LOCK]" if percent(self.rng, 30) => self.put(0xf0),
            "66" | "F2" | "F3" if !self.has_opcode => self.put(byte(word).unwrap_or_default()),
            "REX.W" => self.rex = Some(self.rex.unwrap_or_default() | 8),
            "0F" | "38" | "3A" if !self.has_opcode => {
                self.put_rex();
                self.put(byte(word).unwrap_or_default());
            }
            "mem" => self.change_modrm(|modrm| modrm & 0x3f | if modrm > 0xdf { 0x40 } else { 0 }),
            "reg" => self.change_modrm(|modrm| modrm | 0xc0),
            "vsib" => self.change_modrm(|modrm| modrm & 0x38 | 0x44),
            "{k!}" => self.bytes[self.at - 2] |= 1,
            _ => self.other(word),
        }
    }

    fn other(&mut self, word: &str) {
        if let Some((form, parts)) = word.split_once('.')
            && ["VEX", "EVEX", "XOP"].contains(&form)
        {
            self.rex = None;
            self.vector(form, parts);
        } else if let Some(digits) = word.strip_prefix('/').filter(|digits| *digits != "r") {
            let digit = self.one_of(digits);
            self.change_modrm(|modrm| modrm & 0xc7 | digit << 3);
        } else if let Some(byte) = self.one_byte(word) {
            self.put_rex();
            if self.has_opcode {
                self.bytes[self.at] = byte;
            } else {
                self.put(byte);
            }
            self.has_opcode = true;
        }
    }

    fn change_modrm(&mut self, change: impl Fn(u8) -> u8) {
        self.bytes[self.at] = change(self.bytes[self.at]);
    }

    /// A digit of a list such as `0-3,7`.
    fn one_of(&mut self, list: &str) -> u8 {
        let digit = |text: &str| text.parse().unwrap_or(0_u8);
        let items = list.split(',').flat_map(|item| {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            digit(first)..=digit(last)
        });
        let digits: Vec<u8> = items.collect();
        digits[self.rng.usize(0..digits.len())]
    }

    /// A byte, or one of a range: `90`, `70-7F`, `50+r`.
    fn one_byte(&mut self, word: &str) -> Option<u8> {
        let first = byte(word.get(..2)?)?;
        let last = match word.get(2..)? {
            "" => first,
            "+r" => first | 7,
            rest => byte(rest.strip_prefix('-')?)?,
        };
        Some(self.rng.u8(first..=last))
    }

    /// A VEX, an EVEX or an XOP.
    fn vector(&mut self, form: &str, parts: &str) {
        let open = self.rng.u8(..);
        let mut vector = Vector {
            second: !(open & 0x1f),
            length: [0, 1, 2][usize::from(open) % 3],
            wide: open & 0x80 != 0,
            ..Vector::default()
        };
        let mut lengths = Vec::new();
        for part in parts.split('.') {
            match part {
                "128" | "256" | "512" => lengths.push(["128", "256", "512"].map(|l| l == part)),
                _ => vector.part(part),
            }
        }
        if !parts.contains("NDS") {
            vector.second = 0x1f;
        }
        if !lengths.is_empty() {
            let length = lengths[self.rng.usize(0..lengths.len())];
            vector.length = length.iter().position(|is| *is).unwrap_or_default() as u8;
        }
        self.put_vector(form, &vector);
    }

    fn put_vector(&mut self, form: &str, vector: &Vector) {
        // The register bits are inverted, and mostly select a low register. In 32-bit mode the
        // first two must be set, or it would be LDS, LES or BOUND.
        let ones = if self.wide { 0 } else { 0xc0 };
        let registers = if percent(self.rng, 40) {
            0xf0
        } else {
            self.rng.u8(..) | ones
        };
        let low = (vector.wide as u8) << 7 | (vector.second & 15) << 3 | vector.prefix;
        if form == "EVEX" {
            let decoration = if percent(self.rng, 50) {
                self.rng.u8(..) & 0x97
            } else {
                self.rng.u8(..) & 7
            };
            self.put(0x62);
            self.put(registers & 0xf0 | vector.map);
            self.put(low | 4);
            self.put(decoration | vector.length << 5 | vector.second >> 1 & 8);
            return;
        }
        self.put(if form == "VEX" { 0xc4 } else { 0x8f });
        self.put(registers & 0xe0 | vector.map);
        self.put(low | vector.length << 2 & 4);
    }
}

/// The fields of a vector prefix.
#[derive(Default)]
struct Vector {
    map: u8,
    prefix: u8,
    wide: bool,
    length: u8,
    /// V'vvvv, as encoded.
    second: u8,
}

impl Vector {
    fn part(&mut self, part: &str) {
        match part {
            "NP" => self.prefix = 0,
            "66" => self.prefix = 1,
            "F3" => self.prefix = 2,
            "F2" => self.prefix = 3,
            "W0" => self.wide = false,
            "W1" => self.wide = true,
            "0F" => self.map = 1,
            "0F38" => self.map = 2,
            "0F3A" => self.map = 3,
            "MAP5" => self.map = 5,
            "MAP6" => self.map = 6,
            "08" | "09" | "0A" => self.map = byte(part).unwrap_or_default(),
            _ => {}
        }
    }
}

/// Two digits with capital letters: `cb` and `cd` are immediates.
fn byte(digits: &str) -> Option<u8> {
    let is_digit = |digit: char| digit.is_ascii_digit() || ('A'..='F').contains(&digit);
    let is_byte = digits.len() == 2 && digits.chars().all(is_digit);
    is_byte.then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row but the last has instructions that its text generates, in both modes or in the one
    /// that it names.
    #[test]
    fn what_is_drawn_is_of_its_row() {
        each_is_of_its_row::<true>(x86::row, "i64 ");
        each_is_of_its_row::<false>(x86::row_ia32, "o64 ");
    }

    fn each_is_of_its_row<const WIDE: bool>(row_of: fn(&Bytes) -> usize, not_there: &str) {
        let mut rng = Rng::with_seed(1);
        for (place, row) in ROWS.iter().enumerate().take(ROWS.len() - 1) {
            let mut is_of_row = |_| row_of(&of_row::<WIDE>(place, &mut rng)) == place;
            let drawn = (0..512).filter(|_| is_of_row(())).count();
            let there = !row.encoding.text().starts_with(not_there);
            assert_eq!(drawn > 8, there, "{drawn}: {}", row.encoding.text());
        }
    }
}
