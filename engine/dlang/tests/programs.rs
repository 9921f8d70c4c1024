//! The programs in `programs/`, each with its expectation beside it.
//!
//! `name.d` is a script, `name.n` an argument of `-n`. With `name.err`, it does not compile, and
//! the command prints that; otherwise it compiles in either data model. `name.args` are its macro
//! arguments, one a line. `TRAPLINE_BLESS=1` updates the expectations.

mod coverage;
#[cfg(trapline_mutants)]
mod mutants;
mod program;

use libtest_mimic::{Arguments, Failed, Trial};
use program::{Program, all};
use similar::TextDiff;

fn main() {
    let programs = all();
    let mut trials: Vec<Trial> = programs
        .iter()
        .cloned()
        .map(|program| Trial::test(program.name.clone(), move || check(&program)))
        .collect();
    trials.extend(coverage::trials(programs));
    #[cfg(trapline_mutants)]
    trials.extend(mutants::trials(&MUTANTS));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Seeded defects, with the effect of each and the programs that detect it.
#[cfg(trapline_mutants)]
const MUTANTS: [mutants::Row; 1] = [(
    "limit-below-base",
    "lquantize takes a limit below its base",
    "lquantize/",
)];

fn check(program: &Program) -> Result<(), Failed> {
    for pointer in [4, 8] {
        match (program.compile(pointer), program.message()) {
            (Ok(_), None) => {}
            (Ok(_), Some(_)) => return Err("it compiles".into()),
            (Err(error), None) if !program.may_fail() => return Err(error.to_string().into()),
            (Err(error), message) => {
                compare(
                    program,
                    &message.unwrap_or_default(),
                    &format!("dtrace: {error}\n"),
                )?;
            }
        }
    }
    Ok(())
}

fn compare(program: &Program, expected: &str, found: &str) -> Result<(), Failed> {
    if expected == found {
        return Ok(());
    }
    if std::env::var_os("TRAPLINE_BLESS").is_some() {
        return program.bless(found).map_err(Failed::from);
    }
    let diff = TextDiff::from_lines(expected, found);
    let command = "TRAPLINE_BLESS=1 cargo test -p engine-dlang --test programs";
    Err(format!("{}if that is right: {command}", diff.unified_diff()).into())
}
