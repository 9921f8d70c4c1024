//! The tracer's tables, line by line: records and the list of probes.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::pattern;

/// Replaces a masked CPU number; as wide as the column.
const ANY_CPU: &str = "<c>";

/// The width of the ID column in the list of probes. A longer ID, as kernels of many functions have, makes its row
/// that much longer.
const ID_WIDTH: usize = 5;

/// A table's layout.
struct Layout {
    /// Its header; the group `to` ends where the probe's column does.
    header: Regex,
    /// A row.
    row: Regex,
}

static LAYOUTS: LazyLock<[Layout; 2]> = LazyLock::new(|| {
    [
        Layout {
            header: pattern(r"^(?P<to>CPU +ID +FUNCTION:NAME)\s*$"),
            row: pattern(
                r"^(?P<cpu> *(?:\d+|<c>))(?P<id> +(?:\d+|<id>))(?P<left>)(?P<gap> +)(?P<probe>\S*:\S*)(?P<rest>.*)$",
            ),
        },
        Layout {
            header: pattern(r"^(?P<to> *ID +PROVIDER +MODULE +FUNCTION) +NAME\s*$"),
            row: pattern(
                r"^(?P<cpu>)(?P<id> *(?:\d+|<id>))(?P<left> +\S+ +\S+)(?P<gap> +)(?P<probe>\S+)(?P<rest> .*)$",
            ),
        },
    ]
});

/// A line, without its terminator.
#[derive(Debug, Clone)]
pub enum Line<'t> {
    /// A row of a table.
    Row(Row<'t>),
    /// Any other line.
    Other(Cow<'t, str>),
}

/// A row, in pieces that concatenate to the line.
#[derive(Debug, Clone)]
pub struct Row<'t> {
    cpu: Cow<'t, str>,
    id: Cow<'t, str>,
    left: &'t str,
    gap: usize,
    probe: Cow<'t, str>,
    rest: Cow<'t, str>,
    /// The right edge of the probe's column.
    right: usize,
}

impl Line<'_> {
    /// The CPU of a record, if it is not masked.
    pub fn cpu(&self) -> Option<u32> {
        match self {
            Self::Row(row) => row.cpu.trim_start().parse().ok(),
            Self::Other(_) => None,
        }
    }
}

impl<'t> Row<'t> {
    fn of(found: &Captures<'t>, right: usize) -> Self {
        let piece = |name| found.name(name).map_or("", |piece| piece.as_str());
        Self {
            cpu: piece("cpu").into(),
            id: piece("id").into(),
            left: piece("left"),
            gap: piece("gap").len(),
            probe: piece("probe").into(),
            rest: piece("rest").into(),
            right,
        }
    }

    /// Masks the ID column, whose width no longer depends on the ID.
    pub fn mask_id(&mut self) {
        let is_list = self.cpu.is_empty();
        let width = if is_list { ID_WIDTH } else { self.id.len() };
        self.id = right_aligned("<id>", width).into();
    }

    /// Masks the CPU column, if there is one.
    pub fn mask_cpu(&mut self) {
        if !self.cpu.is_empty() {
            self.cpu = right_aligned(ANY_CPU, self.cpu.len()).into();
        }
    }

    /// Applies `change` to the probe and what follows; the column keeps its right edge.
    pub fn rename(&mut self, change: impl Fn(&str) -> String) {
        let renamed = change(&self.probe);
        if renamed != self.probe {
            let used = self.cpu.len() + self.id.len() + self.left.len() + renamed.len();
            self.gap = self.right.saturating_sub(used).max(1);
            self.probe = renamed.into();
        }
        self.rest = change(&self.rest).into();
    }
}

fn right_aligned(text: &str, width: usize) -> String {
    format!("{text:>width$}")
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = match self {
            Self::Other(line) => return f.write_str(line),
            Self::Row(row) => row,
        };
        let gap = " ".repeat(row.gap);
        write!(
            f,
            "{}{}{}{gap}{}{}",
            row.cpu, row.id, row.left, row.probe, row.rest
        )
    }
}

/// The lines of `text`; the last header above a line determines its table.
fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut table: Option<(&Regex, usize)> = None;
    text.split('\n').map(move |line| {
        let header = |layout: &'static Layout| {
            let found = layout.header.captures(line)?;
            Some((&layout.row, found["to"].len()))
        };
        if let Some(found) = LAYOUTS.iter().find_map(header) {
            table = Some(found);
            return Line::Other(line.into());
        }
        let row = table.and_then(|(row, right)| Some(Row::of(&row.captures(line)?, right)));
        row.map_or_else(|| Line::Other(line.into()), Line::Row)
    })
}

/// Applies `edit` to the lines, the number of which it cannot change.
pub fn change<'t>(text: &'t str, edit: impl FnOnce(&mut [Line<'t>])) -> String {
    let mut lines: Vec<Line> = lines(text).collect();
    edit(&mut lines);
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Applies `edit` to each line.
pub fn map<'t>(text: &'t str, edit: impl FnMut(&mut Line<'t>)) -> String {
    change(text, |lines| lines.iter_mut().for_each(edit))
}

/// Applies `edit` to each table row.
pub fn map_rows<'t>(text: &'t str, mut edit: impl FnMut(&mut Row<'t>)) -> String {
    map(text, |line| {
        if let Line::Row(row) = line {
            edit(row);
        }
    })
}
