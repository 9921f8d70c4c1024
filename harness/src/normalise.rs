//! What may differ between two good runs is replaced here, by a few named passes.
//!
//! No pass touches the CPU column, a function's name or, except for [`Pass::Fold`] which keeps the
//! count, the number of lines: those are what scenarios make claims about. This is the one place
//! with regular expressions.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde::Deserialize;

/// What the passes need to know of the guest.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// `uname -r`.
    pub kernel_release: String,
}

/// One thing that may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pass {
    /// CR LF becomes LF. Always applied.
    LineEnds,
    /// The number in a table's ID column becomes `<id>`, right-aligned as it was. Always applied.
    ProbeIds,
    /// Blanks at the end of a line go away. Always applied.
    TrailingSpace,
    /// A number after `pid` or between square brackets becomes `<pid>`.
    Pids,
    /// The guest's kernel release becomes `<release>`.
    KernelRelease,
    /// Equal lines in a row become one line that says how many there were.
    Fold,
}

const ALWAYS: [Pass; 3] = [Pass::LineEnds, Pass::ProbeIds, Pass::TrailingSpace];

/// The passes for a scenario that asks for `asked`, in the order in which they are applied.
pub fn passes(asked: &[Pass]) -> Vec<Pass> {
    let mut passes: Vec<Pass> = ALWAYS.iter().chain(asked).copied().collect();
    passes.sort_unstable();
    passes.dedup();
    passes
}

/// `text` after all of `passes`.
pub fn apply(passes: &[Pass], text: &str, facts: &Facts) -> String {
    passes
        .iter()
        .fold(text.to_owned(), |text, pass| pass.apply(&text, facts))
}

impl Pass {
    /// Its name, as scenarios write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LineEnds => "line-ends",
            Self::ProbeIds => "probe-ids",
            Self::TrailingSpace => "trailing-space",
            Self::Pids => "pids",
            Self::KernelRelease => "kernel-release",
            Self::Fold => "fold",
        }
    }

    /// `text` after this pass.
    pub fn apply(self, text: &str, facts: &Facts) -> String {
        match self {
            Self::LineEnds => LINE_END.replace_all(text, "\n").into_owned(),
            Self::ProbeIds => probe_ids(text),
            Self::TrailingSpace => TRAILING.replace_all(text, "").into_owned(),
            Self::Pids => PIDS
                .replace_all(text, "${word}${open}<pid>${close}")
                .into_owned(),
            Self::KernelRelease => kernel_release(text, &facts.kernel_release),
            Self::Fold => fold(text),
        }
    }
}

static LINE_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"\r+\n"));
static TRAILING: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)[ \t]+$"));
static PIDS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?P<word>\bpid[ =:]+)\d+\b|(?P<open>\[)\d+(?P<close>\])"));
static RECORD_HEADER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^CPU +ID +FUNCTION:NAME\s*$"));
static LIST_HEADER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^ *ID +PROVIDER +MODULE +FUNCTION +NAME\s*$"));
static RECORD_ID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?P<cpu> *\d+)(?P<id> +\d+)(?P<rest> +\S*:\S*.*)$"));
static LIST_ID: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?P<cpu>)(?P<id> *\d+)(?P<rest> +\S+ .*)$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are constants that its tests compile")
}

/// Which table the lines belong to decides which column is the ID.
fn probe_ids(text: &str) -> String {
    let mut column: Option<&Regex> = None;
    map_lines(text, |line| {
        if RECORD_HEADER.is_match(line) {
            column = Some(&RECORD_ID);
        } else if LIST_HEADER.is_match(line) {
            column = Some(&LIST_ID);
        } else if let Some(regex) = column {
            return regex.replace(line, mask_id);
        }
        Cow::Borrowed(line)
    })
}

fn mask_id(found: &Captures<'_>) -> String {
    let width = found["id"].len();
    format!("{}{:>width$}{}", &found["cpu"], "<id>", &found["rest"])
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

fn map_lines<'t>(text: &'t str, mut change: impl FnMut(&'t str) -> Cow<'t, str>) -> String {
    text.split_inclusive('\n')
        .flat_map(|line| match line.strip_suffix('\n') {
            Some(body) => [change(body), Cow::Borrowed("\n")],
            None => [change(line), Cow::Borrowed("")],
        })
        .collect()
}

#[cfg(test)]
mod tests;
