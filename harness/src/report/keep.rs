//! Bounds on what a report takes from a job: a guest's output has any length, and a run hundreds of
//! jobs. The evidence has everything.

use super::Entry;
use crate::judge::verdict::Failure;

/// Bytes of a job's reason, or a failure's line.
const LINE: usize = 1024;
/// Bytes of a detail, or of a console's end.
const TEXT: usize = 8 * 1024;
const LINES: usize = 80;
/// Failures per attempt.
const FAILURES: usize = 8;
/// Bytes of details and consoles per run.
const RUN: usize = 4 * 1024 * 1024;

/// Cuts a reason or a failure's line.
pub fn line(text: &str) -> String {
    match &text[..boundary_before(text, LINE)] {
        start if start.len() < text.len() => format!("{start}..."),
        _ => text.to_owned(),
    }
}

/// The last character boundary at or before `at`.
fn boundary_before(text: &str, at: usize) -> usize {
    let mut places = (0..=at.min(text.len())).rev();
    places.find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The first failures, with their details cut.
pub fn failures(all: &[Failure]) -> Vec<Failure> {
    let kept = all.iter().take(FAILURES).map(|failure| Failure {
        kind: failure.kind,
        what: line(&failure.what),
        detail: beginning(&failure.detail),
    });
    kept.collect()
}

/// The first lines, with a note if there are more.
fn beginning(text: &str) -> String {
    let kept = text.split_inclusive('\n').take(LINES).map(str::len).sum();
    let end = boundary_before(text, TEXT.min(kept));
    match text.len() - end {
        0 => text.to_owned(),
        more => {
            let kept = text[..end].trim_end_matches('\n');
            format!("{kept}\n... and {more} bytes more in the evidence\n")
        }
    }
}

/// The last lines.
pub fn end(text: &str) -> String {
    let mut places = text.len().saturating_sub(TEXT)..text.len();
    let last = places.find(|at| text.is_char_boundary(*at));
    let lines = text[last.unwrap_or_default()..]
        .split_inclusive('\n')
        .rev()
        .take(LINES);
    let kept: usize = lines.map(str::len).sum();
    text[text.len() - kept..].to_owned()
}

/// Bytes left for the jobs still to come.
#[derive(Debug)]
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(RUN)
    }
}

impl Budget {
    /// Deducts an entry, or strips its details if they exceed what is left.
    pub fn spend(&mut self, entry: &mut Entry) {
        let details = entry.failures.iter().map(|failure| failure.detail.len());
        let size = details.sum::<usize>() + entry.console.len();
        match self.0.checked_sub(size) {
            Some(left) => self.0 = left,
            None => strip(entry),
        }
        for earlier in &mut entry.earlier {
            self.spend(earlier);
        }
    }
}

fn strip(entry: &mut Entry) {
    for failure in &mut entry.failures {
        failure.detail = "omitted here: see the evidence".to_owned();
    }
    entry.console.clear();
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{entry, failing};
    use super::*;
    use crate::judge::verdict::{Kind, Verdict};

    #[test]
    fn short_text_is_not_cut() {
        let failure = Failure::new(Kind::WrongEvents, "2, not 3").with_detail("a\nb\n");
        assert_eq!(failures(std::slice::from_ref(&failure)), [failure]);
        assert_eq!(end("a\nb"), "a\nb");
        assert_eq!(end(""), "");
    }

    #[test]
    fn details_keep_the_start_and_consoles_the_end() {
        let lines: String = (0..1000).map(|n| format!("line {n}\n")).collect();
        let failure = Failure::new(Kind::WrongEvents, "é".repeat(LINE)).with_detail(&lines);
        let kept = failures(&vec![failure; 50]);
        assert_eq!(kept.len(), FAILURES);
        assert!(kept[0].what.len() <= LINE + 3 && kept[0].what.ends_with("é..."));
        assert!(kept[0].detail.starts_with("line 0\n"));
        assert!(
            kept[0]
                .detail
                .ends_with("line 79\n... and 8260 bytes more in the evidence\n")
        );
        assert!(end(&lines).starts_with("line 920\n") && end(&lines).ends_with("line 999\n"));
    }

    #[test]
    fn long_lines_are_cut_at_char_boundaries() {
        let text = "é".repeat(TEXT);
        assert!(beginning(&text).len() < TEXT + 80);
        assert!(end(&text).len() <= TEXT && end(&text).chars().all(|c| c == 'é'));
    }

    #[test]
    fn budget_strips_details_beyond_its_limit() {
        let mut budget = Budget(100);
        let mut first = failing("fbt/a", Verdict::Fail, &"x".repeat(60));
        let mut second = failing("fbt/b", Verdict::Fail, &"y".repeat(60));
        let mut small = entry("fbt/c", None, Verdict::Pass, "");
        for entry in [&mut first, &mut second, &mut small] {
            budget.spend(entry);
        }
        assert!(first.failures[0].detail.starts_with("xxx"));
        assert!(second.failures[0].detail.starts_with("omitted here"));
        assert!(second.console.is_empty());
    }
}
