//! The matrices of scenarios and guests, and of mutants and guests.

use maud::{Markup, html};

use super::{Row, Text, chip, counts, seconds};

/// The plain scenarios; `None` if there are none.
pub fn scenarios(jobs: &[Row<'_>]) -> Option<Markup> {
    let plain = jobs.iter().filter(|row| row.entry.job.id.mutant.is_none());
    table(&plain.copied().collect::<Vec<_>>())
}

/// The mutants' jobs and their controls; `None` if there are none.
pub fn mutants(jobs: &[Row<'_>]) -> Option<Markup> {
    let seeded = jobs.iter().filter(|row| row.entry.job.id.mutant.is_some());
    table(&seeded.copied().collect::<Vec<_>>())
}

fn table(jobs: &[Row<'_>]) -> Option<Markup> {
    let guests = in_order(jobs.iter().map(|row| row.entry.job.id.guest.clone()));
    let names = in_order(jobs.iter().map(|row| without_copy(*row)));
    let table = html! {
        div.wide { table.matrix {
            thead { tr { th {} @for guest in &guests { th { (Text(guest)) } } } }
            tbody { @for name in &names {
                tr {
                    th { (Text(name)) }
                    @for guest in &guests { td { (cell(&of(jobs, name, guest))) } }
                }
            } }
        } }
    };
    (!jobs.is_empty()).then_some(table)
}

fn of<'a>(jobs: &[Row<'a>], name: &str, guest: &str) -> Vec<Row<'a>> {
    let is_meant = |row: &&Row<'_>| row.entry.job.id.guest == guest && without_copy(**row) == name;
    jobs.iter().filter(is_meant).copied().collect()
}

/// A single job, or the counts of its copies with a link to the first that failed.
fn cell(jobs: &[Row<'_>]) -> Markup {
    match jobs {
        [] => html! { span.quiet { "\u{2013}" } },
        [row] => html! {
            a href=(row.link()) title=(Text(&row.entry.job.why)) { (chip(row.entry.job.verdict)) }
            @if row.entry.attempts > 0 { " " span.quiet { (seconds(row.entry.job.total_ms())) } }
        },
        [first, ..] => {
            let row = jobs.iter().find(|row| row.is_listed()).unwrap_or(first);
            html! { a href=(row.link()) { (counts(jobs.iter().map(|row| row.entry))) } }
        }
    }
}

fn without_copy(row: Row<'_>) -> String {
    let mut id = row.entry.job.id.clone();
    id.copy = None;
    id.scenario_and_mutant()
}

/// Removes duplicates, in order of first occurrence.
fn in_order(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}
