//! The vectors, for every instruction set: each instruction's plan prints as its line says,
//! capstone prints the instruction as its line says, and every row of the table has a vector.

use capstone::prelude::*;
use engine_isa::arm::{Block, t32};
use engine_isa::{Plan, arm, arm64, x86};

use super::vector::{self, Vector};

/// An instruction set for its vectors.
struct Set {
    /// The folder below `vectors/`.
    name: &'static str,
    /// Parses a vector's first column.
    text: fn(&str) -> Option<Vec<u8>>,
    /// Creates the disassembler.
    disassembler: fn() -> CsResult<Capstone>,
    /// The plan, as text.
    plan: fn(&[u8]) -> String,
    /// The row that answers.
    row: fn(&[u8]) -> Option<usize>,
    /// Each row's description, if the row belongs to this set.
    rows: fn() -> Vec<Option<String>>,
}

const SETS: &[Set] = &[
    Set {
        name: "arm",
        text: word,
        disassembler: || {
            let arm = Capstone::new().arm();
            arm.mode(arch::arm::ArchMode::Arm).build()
        },
        plan: |text| said(arm::plan(as_word(text))),
        row: |text| {
            let word = as_word(text);
            arm::ROWS.iter().position(|row| row.pattern.matches(word))
        },
        rows: || described(arm::ROWS),
    },
    Set {
        name: "t32",
        text: halves,
        disassembler: || {
            let arm = Capstone::new().arm();
            arm.mode(arch::arm::ArchMode::Thumb).build()
        },
        plan: |text| said(t32::plan(as_halves(text), Block::NONE)),
        row: |text| {
            let word = as_halves(text);
            t32::ROWS.iter().position(|row| row.pattern.matches(word))
        },
        rows: || described(t32::ROWS),
    },
    Set {
        name: "arm64",
        text: word,
        disassembler: || {
            let arm64 = Capstone::new().arm64();
            arm64.mode(arch::arm64::ArchMode::Arm).build()
        },
        plan: |text| said(arm64::plan(as_word(text))),
        row: |text| {
            let word = as_word(text);
            arm64::ROWS.iter().position(|row| row.pattern.matches(word))
        },
        rows: || described(arm64::ROWS),
    },
    Set {
        name: "x86",
        text: bytes,
        disassembler: || {
            let x86 = Capstone::new().x86();
            x86.mode(arch::x86::ArchMode::Mode64).build()
        },
        plan: |text| said(x86::plan(&followed(text))),
        row: |text| Some(x86::row(&followed(text))),
        rows: || x86_rows(|encoding| !encoding.starts_with("i64 ")),
    },
    Set {
        name: "ia32",
        text: bytes,
        disassembler: || {
            let x86 = Capstone::new().x86();
            x86.mode(arch::x86::ArchMode::Mode32).build()
        },
        plan: |text| said(x86::plan_ia32(&followed(text))),
        row: |text| Some(x86::row_ia32(&followed(text))),
        rows: || x86_rows(|encoding| encoding.starts_with("i64 ")),
    },
];

/// The set with this name.
fn named(name: &str) -> &'static Set {
    SETS.iter().find(|set| set.name == name).expect(name)
}

/// Parses pairs of hexadecimal digits, in memory order.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    digits
        .split(' ')
        .map(|pair| u8::from_str_radix(pair, 16).ok())
        .collect()
}

/// An instruction followed by zeros.
fn followed(bytes: &[u8]) -> [u8; x86::LONGEST] {
    let mut text = [0; x86::LONGEST];
    text[..bytes.len()].copy_from_slice(bytes);
    text
}

/// Parses eight hexadecimal digits as a word, little-endian in memory.
fn word(digits: &str) -> Option<Vec<u8>> {
    let word = u32::from_str_radix(digits, 16).ok()?;
    (digits.len() == 8).then(|| word.to_le_bytes().to_vec())
}

/// Parses four or eight hexadecimal digits as one halfword or two, each little-endian in memory.
fn halves(digits: &str) -> Option<Vec<u8>> {
    let word = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        4 => Some((word as u16).to_le_bytes().to_vec()),
        8 => Some(word.rotate_left(16).to_le_bytes().to_vec()),
        _ => None,
    }
}

fn as_halves(text: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..text.len()].copy_from_slice(text);
    t32::word(word)
}

fn as_word(text: &[u8]) -> u32 {
    u32::from_le_bytes(text.try_into().unwrap())
}

fn said<E: std::fmt::Display, R: std::fmt::Display>(plan: Plan<E, R>) -> String {
    plan.to_string()
}

fn described(rows: &[engine_isa::Row]) -> Vec<Option<String>> {
    let say = |row: &engine_isa::Row| {
        let (section, name, text) = (row.section, row.name, row.pattern.text());
        Some(format!("`{name}` ({section}): {text}"))
    };
    rows.iter().map(say).collect()
}

/// The rows of x86 that belong to a set, by their encodings.
fn x86_rows(of_set: fn(&str) -> bool) -> Vec<Option<String>> {
    let say = |row: &x86::Row| {
        let (section, name, text) = (row.section, row.name, row.encoding.text());
        of_set(text).then(|| format!("`{name}` ({section}): {text}"))
    };
    x86::ROWS.iter().map(say).collect()
}

impl Set {
    /// All its vectors, with the instructions' bytes.
    fn vectors(&self) -> Vec<(Vector, Vec<u8>)> {
        let with_bytes = |vector: Vector| {
            let (place, digits) = (&vector.place, &vector.digits);
            let bytes = (self.text)(digits);
            let bytes = bytes.unwrap_or_else(|| {
                panic!("{place}: `{digits}` is no instruction of {}", self.name)
            });
            (vector, bytes)
        };
        vector::of(self.name).into_iter().map(with_bytes).collect()
    }

    /// Fails with one paragraph for each vector whose column `wanted` differs from `seen` of its
    /// instruction.
    fn compare(
        &self,
        column: &str,
        wanted: fn(&Vector) -> &str,
        seen: impl Fn(&[u8]) -> String,
    ) -> String {
        let vectors = self.vectors();
        let seen = vectors.iter().map(|(vector, bytes)| (vector, seen(bytes)));
        seen.filter(|(vector, seen)| wanted(vector) != seen)
            .map(|(vector, seen)| {
                let (place, wanted) = (&vector.place, wanted(vector));
                format!("{place}: {column}\n  file says  {wanted}\n  seen       {seen}\n")
            })
            .collect()
    }
}

/// The disassembler's text; `-` if the instruction is undefined.
fn disassembled(capstone: &Capstone, bytes: &[u8]) -> String {
    let found = capstone.disasm_count(bytes, 0, 1).unwrap();
    found.iter().next().map_or_else(
        || "-".to_owned(),
        |insn| {
            let mnemonic = insn.mnemonic().unwrap();
            let operands = insn.op_str().unwrap();
            format!("{mnemonic} {operands}").trim().to_owned()
        },
    )
}

#[test]
fn every_plan_reads_as_its_vector_says() {
    for set in SETS {
        let wrong = set.compare("plan", |vector| &vector.plan, set.plan);
        assert!(wrong.is_empty(), "\n{wrong}");
    }
}

#[test]
fn capstone_reads_every_instruction_as_its_vector_says() {
    for set in SETS {
        let capstone = (set.disassembler)().unwrap();
        let seen = |bytes: &[u8]| disassembled(&capstone, bytes);
        let wrong = set.compare("text", |vector| &vector.text, seen);
        assert!(wrong.is_empty(), "\n{wrong}");
    }
}

/// Also for refused instructions: whoever decodes linearly needs their length.
#[test]
fn an_instruction_of_x86_is_as_long_as_capstone_has_it() {
    for (set, length) in [
        (named("x86"), x86::length as fn(&_) -> _),
        (named("ia32"), x86::length_ia32),
    ] {
        let capstone = (set.disassembler)().unwrap();
        for (vector, bytes) in set.vectors() {
            let found = capstone.disasm_count(&bytes, 0, 1).unwrap();
            let read = found
                .iter()
                .next()
                .map_or(bytes.len(), |insn| insn.bytes().len());
            let length = length(&followed(&bytes)).unwrap_or(read);
            // capstone decodes ud0 and ud1 without operands.
            let is_ud = vector.text.starts_with("ud");
            assert!(length == read || is_ud, "{}: {length}", vector.place);
        }
    }
}

#[test]
fn every_row_has_a_vector() {
    for set in SETS {
        let rows = (set.rows)();
        let mut hit = vec![false; rows.len()];
        for (vector, bytes) in set.vectors() {
            let row = (set.row)(&bytes);
            hit[row.unwrap_or_else(|| panic!("{}: no row matches", vector.place))] = true;
        }
        let missed = rows.iter().zip(hit).filter(|(_, hit)| !hit);
        let missed: Vec<&String> = missed.filter_map(|(row, _)| row.as_ref()).collect();
        assert!(
            missed.is_empty(),
            "{}: no vector reaches {missed:#?}",
            set.name
        );
    }
}

#[test]
fn no_instruction_has_two_vectors() {
    for set in SETS {
        let mut vectors = set.vectors();
        vectors.sort_by(|(_, one), (_, other)| one.cmp(other));
        for pair in vectors.windows(2) {
            let [(one, bytes), (other, others)] = pair else {
                continue;
            };
            assert_ne!(bytes, others, "{} and {}", one.place, other.place);
        }
    }
}
