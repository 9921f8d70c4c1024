//! Listings: probes (`-l`), code (`-S`) and clauses (`-v`).

use engine_abi::Description;
use engine_dlang::signature::{Arguments, Signatures};
use engine_dlang::stability::{self, Attributes, DEFAULT};
use engine_dvm::{Listing, Verified};

use crate::compile::Compilation;
use crate::engine::{Engine, matching};
use crate::error::Error;
use crate::output::{Output, print_stderr, report};
use crate::process_probes::Processes;

/// `-l`: prints the probes matched by the programs' descriptions; without a program, those that the
/// targets' programs name, or all. With `signatures` (`-v`), also their attributes and arguments.
pub fn probes(
    engine: &dyn Engine,
    compilation: &Compilation,
    targets: &[u32],
    mut signatures: Option<Signatures>,
    output: &mut Output,
) -> Result<(), Error> {
    let missing = engine.absence();
    if let Some(missing) = missing.filter(|_| !engine.traces_processes()) {
        report(format_args!("{missing}: the list is incomplete"));
    }
    output.list_header();
    if compilation.count() == 0 && !targets.is_empty() {
        return of_targets(engine, targets, &mut signatures, output);
    }
    if compilation.count() == 0 {
        list_matching(engine, Description::default(), &mut signatures, output)?;
        return output.flush();
    }
    let mut unmatched = false;
    let mut processes = Processes::default();
    for (_, clause) in compilation.clauses() {
        for (_, description) in &clause.descriptions {
            let mut any = false;
            for description in processes.descriptions(engine, description)? {
                any |= list_matching(engine, description, &mut signatures, output)?;
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

fn of_targets(
    engine: &dyn Engine,
    targets: &[u32],
    signatures: &mut Option<Signatures>,
    output: &mut Output,
) -> Result<(), Error> {
    let mut processes = Processes::default();
    for pid in targets {
        let descriptions = processes.sites_of(engine, *pid)?;
        if descriptions.is_empty() {
            report(format_args!("process {pid} has no USDT probes"));
        }
        for description in descriptions {
            list_matching(engine, description, signatures, output)?;
        }
    }
    output.flush()
}

/// Lists the matching probes; returns whether there was any.
fn list_matching(
    engine: &dyn Engine,
    description: Description,
    signatures: &mut Option<Signatures>,
    output: &mut Output,
) -> Result<bool, Error> {
    let mut any = false;
    for probe in matching(engine, description) {
        let probe = probe?;
        output.list_probe(&probe);
        if let Some(signatures) = signatures {
            describe(&probe.description, signatures, output);
        }
        any = true;
    }
    Ok(any)
}

/// `-lv`: what is below a probe's line.
fn describe(probe: &Description, signatures: &mut Signatures, output: &mut Output) {
    let (description, arguments) = stability::of(probe);
    let [description, arguments] = [description, arguments].map(lines);
    output.line(format_args!(
        "\n\tProbe Description Attributes\n{description}\n\n\tArgument Attributes\n{arguments}\n\n\t\
         Argument Types"
    ));
    match signatures.arguments(probe) {
        Arguments::Typed(types) if types.is_empty() => output.line(format_args!("\t\tNone")),
        Arguments::Typed(types) => {
            for (number, type_) in types.iter().enumerate() {
                output.line(format_args!("\t\targs[{number}]: {type_}"));
            }
        }
        Arguments::Unknown(why) => output.line(format_args!("\t\tUnknown: {why}")),
    }
    if let Some(declaration) = signatures.declaration(probe) {
        output.line(format_args!("\n\tPrototype\n\t\t{declaration}"));
    }
    output.line(format_args!(""));
}

/// Attributes in three lines.
fn lines(attributes: Attributes) -> String {
    let Attributes { name, data, class } = attributes;
    format!(
        "\t\tIdentifier Names: {}\n\t\tData Semantics:   {}\n\t\tDependency Class: {}",
        name.word(),
        data.word(),
        class.word()
    )
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

/// `-v`: prints the stability of each program, and each clause's descriptions, line, instruction count
/// and record size.
pub fn clauses(compilation: &Compilation, output: &mut Output) -> Result<(), Error> {
    let verified = verified(compilation)?;
    for text in 0..compilation.count() {
        let own = compilation.clauses().filter(|it| it.1.text == text);
        let least = own
            .map(|it| it.1.attributes)
            .reduce(|one, other| [one[0].least(other[0]), one[1].least(other[1])]);
        let [descriptions, statements] = least.unwrap_or([DEFAULT; 2]).map(lines);
        let name = compilation.name(text);
        output.line(format_args!(
            "\nStability attributes for {name}:\n\n\tMinimum Probe Description Attributes\n\
             {descriptions}\n\n\tMinimum Statement Attributes\n{statements}\n\nClauses of {name}:"
        ));
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
