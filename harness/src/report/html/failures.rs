//! The jobs that did not succeed, with their failures and the commands to run them again.

use maud::{Markup, html};

use super::{Row, Text, chip, evidence, seconds};
use crate::judge::verdict::{Failure, Verdict};
use crate::report::Entry;

/// How many are expanded initially.
const OPEN: usize = 5;

/// Failures first, flaky jobs after them; `None` if there are neither.
pub fn list(jobs: &[Row<'_>]) -> Option<Markup> {
    let mut rows: Vec<_> = jobs.iter().filter(|row| row.is_listed()).collect();
    rows.sort_by_key(|row| row.entry.job.verdict == Verdict::Flaky);
    let list = html! {
        @for (place, row) in rows.iter().enumerate() { (one(**row, place < OPEN)) }
        (again(&rows))
    };
    (!rows.is_empty()).then_some(list)
}

fn one(row: Row<'_>, is_open: bool) -> Markup {
    let entry = row.entry;
    html! {
        details.failure id={ "failure-" (row.number) } open[is_open] {
            summary {
                (chip(entry.job.verdict)) " " b { (Text(&entry.job.id.guest)) " " (row.name()) } " "
                span.why { (Text(&entry.job.why)) }
            }
            pre.command { (Text(&entry.rerun)) }
            @if entry.earlier.is_empty() { (attempt(entry)) } @else {
                @for one in entry.tries() {
                    h4 {
                        "Attempt " (one.attempts) ": " (outcome(entry, one)) " "
                        span.quiet { (seconds(one.job.total_ms())) }
                    }
                    (attempt(one))
                }
            }
        }
    }
}

/// A flaky job's last attempt has the verdict of the whole job, not its own.
fn outcome(whole: &Entry, one: &Entry) -> Markup {
    match one.job.verdict {
        Verdict::Flaky => html! { "passed" },
        _ if std::ptr::eq(whole, one) => html! { (chip(one.job.verdict)) },
        verdict => html! { (chip(verdict)) " " (Text(&one.job.why)) },
    }
}

fn attempt(entry: &Entry) -> Markup {
    html! {
        @for failure in &entry.failures { (cause(failure)) }
        @if !entry.console.is_empty() {
            details {
                summary { "The console\u{2019}s last lines" }
                pre { (Text(&entry.console)) }
            }
        }
        p.quiet { "Evidence: " (evidence(entry, Text(&entry.evidence))) }
    }
}

fn cause(failure: &Failure) -> Markup {
    html! {
        p { code { (failure.kind) } " " (Text(&failure.what)) }
        @if !failure.detail.is_empty() {
            pre { @for line in failure.detail.lines() { (diff_line(line)) "\n" } }
        }
    }
}

/// Highlights added and removed lines of a diff; other details rarely start lines so.
fn diff_line(line: &str) -> Markup {
    match line.as_bytes().first() {
        Some(b'+') => html! { ins { (Text(line)) } },
        Some(b'-') => html! { del { (Text(line)) } },
        _ => html! { (Text(line)) },
    }
}

/// All commands, without duplicates.
fn again(rows: &[&Row<'_>]) -> Markup {
    let mut commands: Vec<&str> = rows.iter().map(|row| row.entry.rerun.as_str()).collect();
    commands.sort_unstable();
    commands.dedup();
    html! {
        h3 { "Run again" }
        pre.command { @for command in commands { (Text(command)) "\n" } }
    }
}
