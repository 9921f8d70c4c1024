//! Measures how many instructions a second are decoded and planned for, and how many an independent
//! disassembler decodes in the same run. The instructions are those of an x86-64 program: this one,
//! unless another is named.

use std::env;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use capstone::prelude::*;
use engine_isa::x86::{self, LONGEST};
use engine_isa::{Plan, Why};

/// Each measurement lasts at least this long.
const LONG_ENOUGH: Duration = Duration::from_secs(3);

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args()
        .nth(1)
        .map_or_else(env::current_exe, |path| Ok(path.into()))?;
    let file = fs::read(path)?;
    let code = executable(&file).ok_or("no program for x86-64")?;
    let instructions = instructions(code);
    let ours = measure(|| plan_all(&instructions), instructions.len());
    let capstone = Capstone::new().x86();
    let capstone = capstone.mode(arch::x86::ArchMode::Mode64).build()?;
    let some = &instructions[..instructions.len().min(100_000)];
    let theirs = measure(|| disassemble_all(&capstone, some), some.len());
    println!(
        "{} instructions of {} bytes",
        instructions.len(),
        code.len()
    );
    println!("planned:      {ours:>12.0} a second");
    println!("disassembled: {theirs:>12.0} a second by capstone");
    Ok(())
}

/// The first executable segment of a 64-bit ELF.
fn executable(file: &[u8]) -> Option<&[u8]> {
    let number = |at: usize, size: usize| {
        let bytes = file.get(at..at + size)?;
        let fold = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(bytes.iter().rev().fold(0, fold))
    };
    let is_x86_64 = file.starts_with(b"\x7fELF\x02\x01") && number(18, 2)? == 62;
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let mut headers = (0..count).map(|header| table + header * size);
    let is_code = |&header: &usize| {
        number(header, 4) == Some(1) && number(header + 4, 4).is_some_and(|flags| flags & 1 == 1)
    };
    let header = headers.find(is_code)?;
    let (start, length) = (number(header + 8, 8)?, number(header + 32, 8)?);
    is_x86_64.then(|| file.get(start..start + length))?
}

/// Consecutive instructions; a byte that begins none is skipped.
fn instructions(code: &[u8]) -> Vec<[u8; LONGEST]> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(text) = code[at..].first_chunk::<LONGEST>() {
        let length = x86::length(text);
        found.extend(length.map(|_| *text));
        at += length.unwrap_or(1);
    }
    found
}

fn plan_all(instructions: &[[u8; LONGEST]]) {
    let refused = |text: &&[u8; LONGEST]| x86::plan(text) == Plan::Refuse(Why::Unported);
    black_box(black_box(instructions).iter().filter(refused).count());
}

fn disassemble_all(capstone: &Capstone, instructions: &[[u8; LONGEST]]) {
    for text in instructions {
        black_box(capstone.disasm_count(text, 0, 1).is_ok());
    }
}

/// Things a second, of `count` in a round, in the fastest of many rounds: the one least disturbed
/// by other processes.
fn measure(mut all: impl FnMut(), count: usize) -> f64 {
    let begun = Instant::now();
    let mut best = Duration::MAX;
    while begun.elapsed() < LONG_ENOUGH {
        let round = Instant::now();
        all();
        best = best.min(round.elapsed());
    }
    count as f64 / best.as_secs_f64()
}
