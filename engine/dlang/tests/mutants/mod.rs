//! Seeded defects of the compiler: with each, the trials of this binary that its row names must
//! fail.

use std::env;
use std::process::Command;

use engine_dvm::mutant::VARIABLE;
use libtest_mimic::{Failed, Trial};

/// A defect, its effect, and a prefix of the names of the trials that detect it.
pub type Row = (&'static str, &'static str, &'static str);

/// A trial for each defect; none if one is active already.
pub fn trials(rows: &'static [Row]) -> Vec<Trial> {
    if env::var_os(VARIABLE).is_some() {
        return Vec::new();
    }
    let trial = |row: &'static Row| Trial::test(format!("mutant: {}", row.0), || is_caught(row));
    rows.iter().map(trial).collect()
}

fn is_caught((mutant, defect, trials): &Row) -> Result<(), Failed> {
    let output = Command::new(env::current_exe()?)
        .arg(trials)
        .env(VARIABLE, mutant)
        .output()?;
    // The exit code of failed trials; a crash detects nothing.
    match output.status.code() {
        Some(101) => Ok(()),
        Some(0) => Err(format!("not caught by {trials}: {defect}").into()),
        other => Err(format!("the run ended with {other:?}").into()),
    }
}
