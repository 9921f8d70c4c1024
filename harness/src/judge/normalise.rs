//! Masks what may differ between two correct runs, by a few named passes.
//!
//! Scenarios make claims about CPU, function and number of records, so no pass touches those, with
//! these exceptions: a function's name on this guest becomes the name that scenarios use
//! ([`Pass::Names`]), and a scenario may give up the CPU ([`Pass::Cpus`]), the order between CPUs
//! ([`Pass::Sort`]), or repeated lines for their count ([`Pass::Fold`]). All regular
//! expressions are here.

mod instructions;
mod table;

use std::sync::LazyLock;

use crate::scenario::{Names, Pass};
use regex::{Captures, Regex};
use table::{Line, Row};

pub use instructions::Disassembler;

/// What the passes need from the guest.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// `uname -r`.
    pub kernel_release: String,
    /// The guest's values for `${name}`.
    pub names: Names,
    /// The disassembler, for machines that have one.
    pub disassembler: Option<Disassembler>,
}

const ALWAYS: [Pass; 4] = [
    Pass::LineEnds,
    Pass::ProbeIds,
    Pass::Names,
    Pass::TrailingSpace,
];

/// The passes for a scenario that requests `asked`, in order of application.
pub fn passes(asked: &[Pass]) -> Vec<Pass> {
    let mut passes: Vec<Pass> = ALWAYS.iter().chain(asked).copied().collect();
    passes.sort_unstable();
    passes.dedup();
    passes
}

/// `text` after all of `passes`, in order.
pub fn apply(passes: &[Pass], text: &str, facts: &Facts) -> String {
    passes
        .iter()
        .fold(text.to_owned(), |text, pass| pass.apply(&text, facts))
}

impl Pass {
    /// `text` after this pass.
    pub fn apply(self, text: &str, facts: &Facts) -> String {
        match self {
            Self::LineEnds => LINE_END.replace_all(text, "\n").into_owned(),
            Self::ProbeIds => table::map_rows(text, Row::mask_id),
            Self::Names => names(text, &facts.names),
            Self::TrailingSpace => TRAILING.replace_all(text, "").into_owned(),
            Self::Pids => PIDS
                .replace_all(text, "${word}${open}<pid>${close}")
                .into_owned(),
            Self::Probes => PROBES
                .replace_all(text, "${before}<n> probes${after}")
                .into_owned(),
            Self::KernelRelease => kernel_release(text, &facts.kernel_release),
            Self::Sort => table::change(text, sort),
            Self::Cpus => table::map_rows(text, Row::mask_cpu),
            Self::Instructions => instructions::disassemble(text, facts.disassembler),
            Self::Fold => fold(text),
        }
    }
}

static LINE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"\r+\n"));
static TRAILING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)[ \t]+$"));
static PIDS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<word>\bpid[ =:]+)\d+\b|(?P<open>\[)\d+(?P<close>\])"));
static PROBES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?P<before> matched |: )\d+ probes?(?m:(?P<after>$| of processes cannot be placed))")
});
static IDENTIFIER: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9_.]+"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are constants that its tests compile")
}

/// Replaces whole identifiers; in a table, the column keeps its right edge.
fn names(text: &str, names: &Names) -> String {
    let word = |found: &Captures<'_>| match names.name_of(&found[0]) {
        Some(name) => format!("${{{name}}}"),
        None => found[0].to_owned(),
    };
    let named = |text: &str| IDENTIFIER.replace_all(text, word).into_owned();
    table::map(text, |line| match line {
        Line::Other(line) => *line = named(line).into(),
        Line::Row(row) => row.rename(named),
    })
}

/// Sorts only runs of adjacent records.
fn sort(lines: &mut [Line<'_>]) {
    for records in lines.chunk_by_mut(|a, b| a.cpu().is_some() && b.cpu().is_some()) {
        records.sort_by_key(Line::cpu);
    }
}

fn kernel_release(text: &str, release: &str) -> String {
    if release.is_empty() {
        text.to_owned()
    } else {
        text.replace(release, "<release>")
    }
}

fn fold(text: &str) -> String {
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    let folded = lines.chunk_by(|a, b| a == b).map(|same| match same {
        [line] => format!("{line}\n"),
        _ => format!("{} ... x{}\n", same[0], same.len()),
    });
    folded.collect()
}

#[cfg(test)]
mod tests;
