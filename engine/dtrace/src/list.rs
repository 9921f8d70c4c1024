//! Listings: probes (`-l`), code (`-S`) and clauses (`-v`).

use engine_abi::Description;
use engine_dvm::{Listing, Verified};

use crate::compile::Compilation;
use crate::engine::{Engine, matching};
use crate::error::Error;
use crate::output::{Output, print_stderr, report};
use crate::process_probes::Processes;

/// `-l`: prints the probes matched by the programs' descriptions, or all without a program.
pub fn probes(
    engine: &dyn Engine,
    compilation: &Compilation,
    output: &mut Output,
) -> Result<(), Error> {
    if let Some(missing) = engine.absence() {
        report(format_args!("{missing}: the list is incomplete"));
    }
    output.list_header();
    if compilation.count() == 0 {
        list_matching(engine, Description::default(), output)?;
        return output.flush();
    }
    let mut unmatched = false;
    let mut processes = Processes::default();
    for (_, clause) in compilation.clauses() {
        for (_, description) in &clause.descriptions {
            let mut any = false;
            for description in processes.descriptions(engine, description)? {
                any |= list_matching(engine, description, output)?;
            }
            if !any {
                output.flush()?;
                report(format_args!(
                    "failed to match {description}: No probe matches description"
                ));
                unmatched = true;
            }
        }
    }
    output.flush()?;
    for refusal in processes.refusals() {
        report(format_args!("{refusal}"));
    }
    if unmatched {
        Err(Error::SomeUnmatched)
    } else {
        Ok(())
    }
}

/// Lists the matching probes; returns whether there was any.
fn list_matching(
    engine: &dyn Engine,
    description: Description,
    output: &mut Output,
) -> Result<bool, Error> {
    let mut any = false;
    for probe in matching(engine, description) {
        output.list_probe(&probe?);
        any = true;
    }
    Ok(any)
}

/// `-S`: prints the code of each clause on standard error, as DTrace does.
pub fn code(compilation: &Compilation) -> Result<(), Error> {
    let verified = verified(compilation)?;
    for (number, clause) in compilation.clauses() {
        if let Some(code) = verified.clause(number) {
            let names = names(clause);
            let listing = Listing(code);
            print_stderr(format_args!(
                "\nClause {} for {names}:\n{listing}",
                number + 1
            ));
        }
    }
    Ok(())
}

/// `-v`: prints each clause's descriptions, line, instruction count and record size.
pub fn clauses(compilation: &Compilation, output: &mut Output) -> Result<(), Error> {
    let verified = verified(compilation)?;
    for text in 0..compilation.count() {
        output.line(format_args!("\nClauses of {}:", compilation.name(text)));
        for (number, clause) in compilation.clauses().filter(|it| it.1.text == text) {
            let code = verified.clause(number);
            let instructions = code.map_or(0, |it| it.instructions().count());
            let bytes = code.map_or(0, |it| it.record_size());
            output.line(format_args!(
                "\n\t{}\n\t\tLine:         {}\n\t\tInstructions: {instructions}\n\t\tRecord:       \
                 {bytes} bytes",
                names(clause),
                clause.line
            ));
        }
        output.line(format_args!(""));
    }
    output.flush()
}

fn names(clause: &engine_dlang::program::Clause) -> String {
    let all: Vec<&str> = clause.descriptions.iter().map(|it| it.0.as_str()).collect();
    all.join(", ")
}

fn verified(compilation: &Compilation) -> Result<Verified<&[u64]>, Error> {
    let block = compilation.program.block.as_slice();
    Verified::new(block).map_err(|why| {
        Error::Compile(format!(
            "the compiled program is invalid: {why}: this is a compiler bug"
        ))
    })
}
