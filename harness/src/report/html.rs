//! The HTML report: one self-contained page without scripts, other files or network access.
//!
//! All text in it is untrusted: it comes from guests, files or the command line. maud escapes HTML
//! and [`printable`] escapes what a browser would interpret; a content security policy forbids the
//! page to load or run anything besides.

mod failures;
mod gantt;
mod matrix;
mod tables;

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::printable::printable;
use super::{Entry, Report};
use crate::judge::verdict::Verdict;

const STYLE: &str = include_str!("html/style.css");
/// Allows inline styles and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
/// Characters that are not percent-encoded in links to files.
const IN_LINKS: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.');

/// Renders the page.
pub fn page(report: &Report) -> String {
    let jobs: Vec<Row<'_>> = report.jobs.iter().enumerate().map(Row::of).collect();
    let sections = [
        ("matrix", "Scenarios and guests", matrix::scenarios(&jobs)),
        ("mutants", "Mutants", matrix::mutants(&jobs)),
        ("failures", "Failures", failures::list(&jobs)),
        (
            "times",
            "Jobs over time",
            gantt::picture(&report.span, &jobs),
        ),
        ("ready", "From start to ready", tables::ready(report)),
        ("skips", "Skipped", tables::skips(&jobs)),
        ("jobs", "All jobs", tables::jobs(&jobs)),
    ];
    let there = || {
        sections
            .iter()
            .filter_map(|(id, name, part)| Some((id, name, part.as_ref()?)))
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Trapline: " (report.totals) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(report, &jobs))
                nav { @for (id, name, _) in there() { a href={ "#" (id) } { (name) } " " } }
                main {
                    @for (id, name, part) in there() {
                        section id=(id) { h2 { (name) } (part) }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn header(report: &Report, jobs: &[Row<'_>]) -> Markup {
    let span = &report.span;
    let workers = match span.workers {
        1 => "one at a time".to_owned(),
        many => format!("up to {many} at once"),
    };
    let jobs_done = match (jobs.len(), span.planned) {
        (done, planned) if done < planned => format!("interrupted after {done} of {planned} jobs"),
        (done, _) => format!("{done} jobs"),
    };
    html! {
        header {
            h1 { "Trapline" }
            p.sum { (counts(jobs.iter().map(|row| row.entry))) }
            p.quiet {
                (span.started.format("%Y-%m-%d %H:%M:%S UTC"))
                ", " (seconds(span.wall_ms)) ", " (jobs_done) ", " (workers)
            }
        }
    }
}

/// A job and its number in the page.
#[derive(Clone, Copy)]
struct Row<'a> {
    number: usize,
    entry: &'a Entry,
}

impl<'a> Row<'a> {
    fn of((number, entry): (usize, &'a Entry)) -> Self {
        Self { number, entry }
    }

    /// Whether it is listed among those that did not succeed.
    fn is_listed(self) -> bool {
        let verdict = self.entry.job.verdict;
        !verdict.is_good() || verdict == Verdict::Flaky
    }

    /// The anchor of its most detailed part.
    fn link(self) -> String {
        let part = if self.is_listed() { "failure" } else { "job" };
        format!("#{part}-{}", self.number)
    }

    fn name(self) -> Text<String> {
        Text(self.entry.job.id.scenario_and_mutant())
    }
}

/// Untrusted text, escaped when rendered.
struct Text<T>(T);

impl<T: AsRef<str>> Render for Text<T> {
    fn render_to(&self, buffer: &mut String) {
        printable(self.0.as_ref()).as_ref().render_to(buffer);
    }
}

/// A verdict as a coloured label.
fn chip(verdict: Verdict) -> Markup {
    html! { span class={ "chip " (verdict) } { (verdict) } }
}

/// A coloured label for each verdict, with its count.
fn counts<'a>(entries: impl Iterator<Item = &'a Entry>) -> Markup {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.job.verdict).or_default() += 1;
    }
    html! {
        @for (verdict, count) in counts {
            span class={ "chip " (verdict) } { (count) " " (verdict) } " "
        }
    }
}

/// Formats as `3.1 s` or `2 min 5 s`.
fn seconds(ms: u64) -> String {
    match ms / 1000 {
        0..60 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        whole => format!("{} min {} s", whole / 60, whole % 60),
    }
}

/// A link to a job's folder, relative to the page.
fn evidence(entry: &Entry, name: impl Render) -> Markup {
    let link = utf8_percent_encode(&entry.evidence, IN_LINKS);
    html! { a href={ (link.to_string()) "/" } { (name) } }
}

#[cfg(test)]
mod tests;
