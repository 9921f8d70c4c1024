//! What the programs compute is theirs alone to determine: not a compiler's, and not the last run's.

use std::process::Command;

/// How many levels each source is compiled at.
const LEVELS: usize = 5;
const GENERATED: usize = 100;

/// The lines of a run, as numbers and checksums.
fn run(first: usize, count: usize) -> Vec<(usize, String)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trapline-random"));
    let output = command
        .args([first.to_string(), count.to_string()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.is_empty(),
        "{}: {said}",
        output.status
    );
    let printed = String::from_utf8(output.stdout).unwrap();
    let words = printed.lines().map(|line| line.split_once(' ').unwrap());
    words
        .map(|(number, sum)| (number.parse().unwrap(), sum.into()))
        .collect()
}

#[test]
fn a_source_computes_the_same_at_each_level() {
    let lines = run(0, GENERATED);
    assert_eq!(lines.len(), GENERATED);
    let differing: Vec<_> = lines
        .chunks(LEVELS)
        .filter(|levels| levels.iter().any(|(_, sum)| *sum != levels[0].1))
        .collect();
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn each_source_computes_something_else() {
    let mut sums: Vec<_> = run(0, GENERATED).into_iter().map(|(_, sum)| sum).collect();
    sums.sort();
    sums.dedup();
    assert_eq!(sums.len(), GENERATED / LEVELS);
}

#[test]
fn a_program_does_not_depend_on_those_before_it() {
    let all = run(0, 1000);
    assert_eq!(run(50, 1000), all[50..]);
    assert!(all.len() > GENERATED);
}
