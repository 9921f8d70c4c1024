//! The objects of this machine: how much of them is described, and how large their tables are.

use std::path::Path;
use std::process::Command;

use engine_abi::{FrameRule, UnwindRow};
use engine_objects::{Machine, UnwindTable};
use engine_tracer::unwind::Table;

/// Objects with their least share of described functions, in percent. Those of other machines are
/// there if a cross compiler is.
const OBJECTS: [(&str, usize); 5] = [
    ("/lib/x86_64-linux-gnu/libc.so.6", 98),
    ("/bin/bash", 98),
    ("/usr/bin/gcc", 98),
    ("/usr/aarch64-linux-gnu/lib/libc.so.6", 98),
    ("/usr/arm-linux-gnueabi/lib/libc.so.6", 98),
];

fn table(path: &Path) -> Option<(Machine, UnwindTable)> {
    let bytes = std::fs::read(path).ok()?;
    let (elf, table) = UnwindTable::of_bytes(&bytes).unwrap();
    assert_eq!(table.faults(), [], "{}", path.display());
    Some((elf.machine, table))
}

fn print(path: &Path, machine: Machine, table: &UnwindTable) {
    let (rows, coverage) = (table.rows(), table.coverage());
    let of = |rule: FrameRule| rows.iter().filter(|row| row.rule == rule.code()).count();
    let rules: Vec<_> = FrameRule::ALL
        .iter()
        .map(|rule| format!("{} {}", rule.text(), of(*rule)))
        .collect();
    println!(
        "{} ({machine}): {} of {} functions, {} rows, {} bytes, {} steps; {}",
        path.display(),
        coverage.described,
        coverage.functions,
        rows.len(),
        table.bytes().len(),
        rows.len().checked_ilog2().map_or(0, |log| log + 1),
        rules.join(", ")
    );
}

#[test]
fn nearly_all_functions_are_described() {
    let own = std::env::current_exe().unwrap();
    let objects = OBJECTS.map(|(path, least)| (Path::new(path), least));
    for (path, least) in objects.into_iter().chain([(own.as_path(), 98)]) {
        let Some((machine, table)) = table(path) else {
            continue;
        };
        print(path, machine, &table);
        let coverage = table.coverage();
        assert!(coverage.functions > 0, "{}", path.display());
        let share = coverage.described * 100 / coverage.functions;
        assert!(share >= least, "{}: {share} %", path.display());
        let is_sorted = table.rows().is_sorted_by(|a, b| a.start < b.start);
        assert!(is_sorted, "{}", path.display());
    }
}

/// The rows agree with `readelf`, which interprets the same instructions on its own.
#[test]
fn rows_agree_with_readelf() {
    let libc = Path::new("/lib/x86_64-linux-gnu/libc.so.6");
    let Some((_, table)) = table(libc) else {
        return;
    };
    let output = Command::new("readelf")
        .arg("-wF")
        .arg(libc)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let table = Table::new(table.bytes());
    let (mut columns, mut compared) = (Vec::new(), 0);
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["LOC", ..] => columns = words.iter().map(|word| (*word).to_owned()).collect(),
            [place, cfa, ..] if place.len() == 16 && columns.len() == words.len() => {
                let Ok(start) = u32::from_str_radix(place, 16) else {
                    continue;
                };
                // That of a common entry stands at address 0.
                let column = |name: &str| columns.iter().position(|column| column == name);
                let saved = |name: &str| column(name).map_or("u", |at| words[at]);
                if start != 0 {
                    compared += compare(&table, start, cfa, saved("ra"), saved("rbp"));
                }
            }
            _ => {}
        }
    }
    println!("{compared} rows were compared");
    assert!(compared > 10_000);
}

/// Compares one row; whether it could be.
fn compare(table: &Table<'_>, start: u32, cfa: &str, ra: &str, fp: &str) -> usize {
    let Some(row) = table.row(start) else {
        panic!("{start:#x} has no row");
    };
    let of = |text: &str, prefix: &str| {
        let bytes = text.strip_prefix(prefix)?.parse::<i64>().ok()?;
        i16::try_from(bytes / UnwindRow::UNIT).ok()
    };
    let base = [("rsp", FrameRule::Sp), ("rbp", FrameRule::Fp)];
    let base = base.map(|(prefix, rule)| of(cfa, prefix).map(|cfa| (rule.code(), cfa)));
    let (Some((rule, cfa)), Some(ra)) = (base[0].or(base[1]), of(ra, "c")) else {
        return 0;
    };
    let fp = match fp {
        "u" | "s" => UnwindRow::KEPT,
        saved => match of(saved, "c") {
            Some(at) => at,
            None => return 0,
        },
    };
    let expected = UnwindRow {
        start: row.start,
        rule,
        extra: 0,
        cfa,
        ra,
        fp,
    };
    assert_eq!(row, expected, "{start:#x}");
    1
}
