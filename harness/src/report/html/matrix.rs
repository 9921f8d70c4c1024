//! What became of each scenario in each guest, and of each seeded defect.

use maud::{Markup, html};

use super::{Row, Text, chip, counts, seconds};

/// The scenarios as they are, without defects; none if no job is one.
pub fn scenarios(jobs: &[Row<'_>]) -> Option<Markup> {
    let plain = jobs.iter().filter(|row| row.entry.job.id.mutant.is_none());
    table(&plain.copied().collect::<Vec<_>>())
}

/// The scenarios with each of their defects, and with the defects' module alone.
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

/// One job, or how its copies ended and which of them to look at first.
fn cell(jobs: &[Row<'_>]) -> Markup {
    match jobs {
        [] => html! { span.quiet { "\u{2013}" } },
        [row] => html! {
            a href=(row.link()) title=(Text(&row.entry.job.why)) { (chip(row.entry.job.verdict)) }
            @if row.entry.attempts > 0 { " " span.quiet { (seconds(row.entry.job.total_ms())) } }
        },
        [first, ..] => {
            let row = jobs.iter().find(|row| row.is_told()).unwrap_or(first);
            html! { a href=(row.link()) { (counts(jobs.iter().map(|row| row.entry))) } }
        }
    }
}

fn without_copy(row: Row<'_>) -> String {
    let mut id = row.entry.job.id.clone();
    id.copy = None;
    id.scenario_and_mutant()
}

/// Each word once, where it first stood.
fn in_order(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for word in words {
        if !seen.contains(&word) {
            seen.push(word);
        }
    }
    seen
}
