//! The vectors hold: each word's plan reads as its line says, a disassembler
//! of other making reads the word as its line says, and no row of the table
//! goes without a vector.

use std::fs;
use std::path::{Path, PathBuf};

use capstone::prelude::*;
use engine_isa::arm;

/// One line of a vector file.
struct Vector {
    place: String,
    word: u32,
    text: String,
    plan: String,
}

/// All vectors of the instruction set `isa`, in the order of their files.
fn vectors(isa: &str) -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("vectors")
        .join(isa);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| vectors_in(isa, file))
        .collect()
}

fn vectors_in(isa: &str, file: &Path) -> Vec<Vector> {
    let name = file.file_name().unwrap().to_string_lossy();
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(index, line)| vector(format!("vectors/{isa}/{name}:{}", index + 1), line))
        .collect()
}

fn vector(place: String, line: &str) -> Vector {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let &[bytes, text, plan] = columns.as_slice() else {
        panic!("{place}: want `bytes | text | plan`, got `{line}`");
    };
    let word = u32::from_str_radix(bytes, 16)
        .ok()
        .filter(|_| bytes.len() == 8)
        .unwrap_or_else(|| panic!("{place}: want eight hexadecimal digits, got `{bytes}`"));
    Vector {
        place,
        word,
        text: text.to_owned(),
        plan: plan.to_owned(),
    }
}

/// What the disassembler makes of `word`; `-` if it knows no such instruction.
fn disassembled(capstone: &Capstone, word: u32) -> String {
    let found = capstone.disasm_count(&word.to_le_bytes(), 0, 1).unwrap();
    found.iter().next().map_or_else(
        || "-".to_owned(),
        |insn| {
            let mnemonic = insn.mnemonic().unwrap();
            let operands = insn.op_str().unwrap();
            format!("{mnemonic} {operands}").trim().to_owned()
        },
    )
}

/// Fails with one paragraph for each vector whose column `wanted` differs from
/// what `seen` makes of its word.
fn compare(column: &str, wanted: fn(&Vector) -> &str, seen: impl Fn(u32) -> String) {
    let vectors = vectors("arm");
    assert!(!vectors.is_empty(), "there are no vectors");
    let wrong: Vec<String> = vectors
        .iter()
        .map(|vector| (vector, seen(vector.word)))
        .filter(|(vector, seen)| wanted(vector) != seen)
        .map(|(vector, seen)| {
            format!(
                "{}: {:08x}: {column}\n  file says  {}\n  seen       {seen}\n",
                vector.place,
                vector.word,
                wanted(vector),
            )
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.concat());
}

#[test]
fn every_plan_reads_as_its_vector_says() {
    compare(
        "plan",
        |vector| &vector.plan,
        |word| arm::plan(word).to_string(),
    );
}

#[test]
fn capstone_reads_every_word_as_its_vector_says() {
    let capstone = Capstone::new()
        .arm()
        .mode(arch::arm::ArchMode::Arm)
        .build()
        .unwrap();
    compare(
        "text",
        |vector| &vector.text,
        |word| disassembled(&capstone, word),
    );
}

#[test]
fn every_row_has_a_vector() {
    let mut hit = vec![false; arm::ROWS.len()];
    for vector in vectors("arm") {
        let row = arm::ROWS
            .iter()
            .position(|row| row.pattern.matches(vector.word))
            .unwrap_or_else(|| panic!("{}: no row matches", vector.place));
        hit[row] = true;
    }
    for (row, hit) in arm::ROWS.iter().zip(hit) {
        let (section, name, text) = (row.section, row.name, row.pattern.text());
        assert!(hit, "no vector reaches `{name}` ({section}): {text}");
    }
}

#[test]
fn no_word_has_two_vectors() {
    let mut vectors = vectors("arm");
    vectors.sort_by_key(|vector| vector.word);
    for pair in vectors.windows(2) {
        let (one, other) = (&pair[0].place, &pair[1].place);
        assert_ne!(pair[0].word, pair[1].word, "{one} and {other}");
    }
}
