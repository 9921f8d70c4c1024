//! `trapline-random FIRST COUNT` runs so many programs, and prints the number of each and a checksum
//! of all that it computed. A tracer must not change one, whatever it does to the programs'
//! functions, which are named `random_*`.
//!
//! The first hundred are generated: C, by `generate` from constant seeds, each source at five levels
//! of optimization, all of which compute the same. Those behind them are made by hand, in `arch`.

mod arch;
mod hand_made;
mod pages;

#[cfg(test)]
mod generate;

use std::io::{self, Write};
use std::process::ExitCode;

use hand_made::HAND_MADE;
use lexopt::{Parser, ValueExt};

/// Why it failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("{0}; usage: trapline-random FIRST COUNT")]
    Usage(#[from] lexopt::Error),
    #[error(transparent)]
    System(#[from] io::Error),
}

fn main() -> ExitCode {
    match parse().and_then(|(first, count)| run(first, count)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("trapline-random: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<(usize, usize), Error> {
    let mut parser = Parser::from_env();
    let first = parser.value()?.parse()?;
    let count = parser.value()?.parse()?;
    match parser.next()? {
        Some(more) => Err(more.unexpected().into()),
        None => Ok((first, count)),
    }
}

/// Runs those programs that there are. Each line is written before the next program runs, so that
/// the last line tells which one never ended.
fn run(first: usize, count: usize) -> Result<(), Error> {
    let generated = arch::generated();
    let mut output = io::stdout();
    for number in (first..).take(count) {
        let sum = match number.checked_sub(generated.len()) {
            None => generated[number](),
            Some(at) => match HAND_MADE.get(at) {
                Some(program) => program()?,
                None => break,
            },
        };
        writeln!(output, "{number} {sum:016x}")?;
    }
    Ok(())
}
