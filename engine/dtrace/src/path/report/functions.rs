//! Calls and instructions of each function.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::counts::Counts;
use super::symbols::Function;
use crate::output::Output;
use crate::path::replay::Replay;

struct Row {
    function: Function,
    calls: u64,
    instructions: u64,
}

/// Prints them, those with the most instructions first.
pub fn print(replay: &Replay, counts: &Counts, output: &mut Output) {
    let mut rows: BTreeMap<(String, u64), Row> = BTreeMap::new();
    counts.each(&replay.blocks, |block, index, count, function| {
        let key = (function.module.to_string(), function.start);
        let row = rows.entry(key).or_insert_with(|| Row {
            function: function.clone(),
            calls: 0,
            instructions: 0,
        });
        let is_first = block.address_of(index) == function.start && function.name.is_some();
        row.calls += if is_first { count } else { 0 };
        row.instructions += count;
    });
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(|row| Reverse(row.instructions));
    let columns = |calls: &str, instructions: &str, module: &str, function: &str| {
        format!("{calls:>12} {instructions:>14} {module:>17} {function}")
    };
    let header = columns("CALLS", "INSTRUCTIONS", "MODULE", "FUNCTION");
    output.line(format_args!("{header}"));
    for row in rows {
        let [calls, instructions] = [row.calls, row.instructions].map(|it| it.to_string());
        let line = counts.symbols.line(row.function.start);
        let function = match (&row.function.name, line) {
            (Some(name), Some(line)) => format!("{name} ({line})"),
            (Some(name), None) => name.to_string(),
            (None, _) => "-".to_owned(),
        };
        let text = columns(&calls, &instructions, &row.function.module, &function);
        output.line(format_args!("{text}"));
    }
}
