//! Tables: times until guests were ready, reasons for skips, and all jobs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{Row, Text, chip, evidence, seconds};
use crate::report::{Entry, Report, Start};

/// Time until ready by guest, restored and booted; `None` if no guest was.
pub fn ready(report: &Report) -> Option<Markup> {
    let guests: Vec<_> = report
        .of_guests()
        .flat_map(|guest| [false, true].map(|is_cold| (guest, is_cold)))
        .filter_map(|((guest, jobs), is_cold)| Some((guest, is_cold, Spread::of(jobs, is_cold)?)))
        .collect();
    let most = guests.iter().map(|(_, _, spread)| spread.most).max()?;
    Some(html! {
        div.wide { table {
            thead { tr { th { "guest" } th { "start" } th.number { "median" } th.number { "least" } th.number { "most" } th.number { "starts" } th { "each" } } }
            tbody { @for (guest, is_cold, spread) in &guests {
                tr {
                    th { (Text(guest)) }
                    td { (word(*is_cold)) }
                    td.number { b { (spread.median) " ms" } }
                    td.number { (spread.least) " ms" }
                    td.number { (spread.most) " ms" }
                    td.number { (spread.all.len()) }
                    td { (spread.picture(most)) }
                }
            } }
        } }
    })
}

/// The distribution of times.
#[derive(Debug, PartialEq, Eq)]
struct Spread {
    all: Vec<u64>,
    least: u64,
    median: u64,
    most: u64,
}

impl Spread {
    /// Over all attempts with this kind of start that became ready.
    fn of(jobs: &[Entry], is_cold: bool) -> Option<Self> {
        let started_so = |one: &&Entry| one.job.start.map(Start::is_cold) == Some(is_cold);
        let tries = jobs.iter().flat_map(Entry::tries).filter(started_so);
        let times = tries.map(|one| one.job.ready_ms);
        Self::over(times.filter(|ms| *ms > 0).collect())
    }

    fn over(mut all: Vec<u64>) -> Option<Self> {
        all.sort_unstable();
        let (least, most) = (*all.first()?, *all.last()?);
        let (below, above) = (*all.get((all.len() - 1) / 2)?, *all.get(all.len() / 2)?);
        Some(Self {
            least,
            median: below.midpoint(above),
            most,
            all,
        })
    }

    /// A dot for each time, and a line at the median.
    fn picture(&self, most: u64) -> Markup {
        let x = |ms: u64| 5 + ms * 190 / most.max(1);
        html! {
            svg width="200" height="18" role="img" aria-label="each start" {
                @for ms in &self.all { circle cx=(x(*ms)) cy="9" r="3.5" {} }
                line.median x1=(x(self.median)) x2=(x(self.median)) y1="0" y2="18" {}
            }
        }
    }
}

/// The reasons, each with the jobs that it applies to.
pub fn skips(jobs: &[Row<'_>]) -> Option<Markup> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in jobs.iter().filter(|row| row.entry.attempts == 0) {
        let reason = reasons.entry(&row.entry.job.why).or_default();
        reason.push(row.entry.job.id.to_string());
    }
    let list = html! {
        dl { @for (why, names) in &reasons {
            dt { (Text(why)) }
            dd { (Text(names.join(", "))) }
        } }
    };
    (!reasons.is_empty()).then_some(list)
}

/// All jobs with their numbers.
pub fn jobs(jobs: &[Row<'_>]) -> Option<Markup> {
    let table = html! {
        div.wide { table.jobs {
            thead { tr {
                th {} th { "guest" } th { "job" }
                th.number { "began" } th { "start" } th.number { "ready" } th.number { "run" }
                th.number { "records" } th.number { "attempts" } th.number { "worker" }
                th { "why" }
            } }
            tbody { @for row in jobs { (job(*row)) } }
        } }
    };
    (!jobs.is_empty()).then_some(table)
}

fn job(row: Row<'_>) -> Markup {
    let entry = row.entry;
    let job = &entry.job;
    html! {
        tr id={ "job-" (row.number) } {
            td { @if row.is_listed() { a href=(row.link()) { (chip(job.verdict)) } } @else { (chip(job.verdict)) } }
            td { (Text(&job.id.guest)) }
            td { @if entry.attempts == 0 { (row.name()) } @else { (evidence(entry, row.name())) } }
            @if entry.attempts == 0 { td colspan="7" {} } @else {
                td.number { (seconds(entry.started_ms)) }
                td { @if let Some(how) = job.start { (start(how, job.cold.as_deref())) } }
                td.number { (job.ready_ms) " ms" }
                td.number { (seconds(job.run_ms)) }
                td.number { (job.events) }
                td.number { (entry.attempts) }
                td.number { (entry.worker) }
            }
            td { (Text(&job.why)) }
        }
    }
}

fn start(how: Start, cold: Option<&str>) -> Markup {
    let word = word(how.is_cold());
    html! {
        @match cold {
            None => { (word) }
            Some(why) => { abbr title=(Text(why)) { (word) } }
        }
    }
}

fn word(is_cold: bool) -> &'static str {
    if is_cold { "cold" } else { "restored" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        let median = |times: &[u64]| Spread::over(times.to_vec()).map(|spread| spread.median);
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7));
        assert_eq!(median(&[9, 1, 5]), Some(5));
        assert_eq!(median(&[8, 1, 5, 100]), Some(6));
    }
}
