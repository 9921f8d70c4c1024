//! Rows, made of what is known of ranges of code.

use engine_abi::{FrameRule, UnwindRow};

use crate::error::Fault;

/// The most rows of one table. The largest programs, browsers, have some three million.
const MOST_ROWS: usize = 4 << 20;
/// Shorter gaps between functions are padding, which no thread executes.
const PADDING: u64 = 16;

/// A range of code and its rule: a row whose `start` means nothing.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub start: u64,
    pub end: u64,
    pub rule: UnwindRow,
}

/// A rule without offsets.
pub fn plain(rule: FrameRule) -> UnwindRow {
    UnwindRow {
        rule: rule.code(),
        ..UnwindRow::default()
    }
}

/// An offset in units; none if a row cannot express it.
pub fn units(bytes: i64) -> Option<i16> {
    if bytes % UnwindRow::UNIT != 0 {
        return None;
    }
    let units = i16::try_from(bytes / UnwindRow::UNIT).ok()?;
    (units != UnwindRow::KEPT).then_some(units)
}

/// Where a register was saved, in units; without an offset it was not.
pub fn saved(bytes: Option<i64>) -> Option<i16> {
    bytes.map_or(Some(UnwindRow::KEPT), units)
}

/// The rows of spans in any order. Where spans overlap, the one that begins later counts; of those
/// that begin together, the first one.
pub fn rows(mut spans: Vec<Span>, faults: &mut Vec<Fault>) -> Vec<UnwindRow> {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| span.start);
    spans.dedup_by_key(|span| span.start);
    let before = spans.len();
    spans.retain(|span| u32::try_from(span.end).is_ok());
    if spans.len() < before {
        faults.push(Fault::UnwindRange(before - spans.len()));
    }
    let mut rows = Rows(Vec::new());
    let mut end = None;
    for span in spans {
        match end {
            Some(end) if span.start.saturating_sub(end) >= PADDING => {
                rows.push(end, plain(FrameRule::None));
            }
            _ => {}
        }
        rows.push(span.start, span.rule);
        end = Some(span.end);
    }
    if let Some(end) = end {
        rows.push(end, plain(FrameRule::None));
    }
    let mut rows = rows.0;
    if rows.len() > MOST_ROWS {
        faults.push(Fault::UnwindRows(rows.len()));
        // What follows the last row that is kept must not be taken for its continuation.
        rows.truncate(MOST_ROWS);
        if let Some(last) = rows.last_mut() {
            *last = row(last.start, plain(FrameRule::None));
        }
    }
    rows
}

struct Rows(Vec<UnwindRow>);

impl Rows {
    /// Adds a row, unless the last one already says the same.
    fn push(&mut self, start: u64, rule: UnwindRow) {
        let Ok(start) = u32::try_from(start) else {
            return;
        };
        let next = row(start, rule);
        match self.0.last_mut() {
            Some(last) if row(start, *last) == next => {}
            Some(last) if last.start >= start => *last = row(last.start, rule),
            _ => self.0.push(next),
        }
    }
}

fn row(start: u32, rule: UnwindRow) -> UnwindRow {
    UnwindRow { start, ..rule }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sp(cfa: i16) -> UnwindRow {
        UnwindRow {
            cfa,
            ..plain(FrameRule::Sp)
        }
    }

    fn made(spans: &[(u64, u64, i16)]) -> Vec<(u32, Option<i16>)> {
        let spans = spans.iter().map(|(start, end, cfa)| Span {
            start: *start,
            end: *end,
            rule: sp(*cfa),
        });
        let mut faults = Vec::new();
        let rows = rows(spans.collect(), &mut faults);
        let is_sp = |row: &UnwindRow| row.rule == FrameRule::Sp.code();
        let cfa = |row: &UnwindRow| is_sp(row).then_some(row.cfa);
        rows.iter().map(|row| (row.start, cfa(row))).collect()
    }

    #[test]
    fn neighbours_with_the_same_rule_are_one_row() {
        let rows = made(&[(16, 20, 2), (0, 4, 2), (4, 16, 2), (20, 32, 4)]);
        assert_eq!(rows, [(0, Some(2)), (20, Some(4)), (32, None)]);
    }

    #[test]
    fn padding_is_no_gap() {
        assert_eq!(
            made(&[(0, 5, 2), (16, 20, 2), (64, 70, 2)]),
            [(0, Some(2)), (20, None), (64, Some(2)), (70, None)]
        );
    }

    #[test]
    fn the_later_of_two_that_overlap_counts() {
        assert_eq!(
            made(&[(0, 64, 2), (32, 48, 4), (32, 64, 6)]),
            [(0, Some(2)), (32, Some(4)), (48, None)]
        );
    }

    #[test]
    fn addresses_beyond_four_gigabytes_are_reported() {
        let span = Span {
            start: u64::MAX - 1,
            end: u64::MAX,
            rule: sp(2),
        };
        let mut faults = Vec::new();
        assert_eq!(rows(vec![span], &mut faults), []);
        assert_eq!(faults, [Fault::UnwindRange(1)]);
    }

    #[test]
    fn offsets_are_whole_units_that_fit() {
        assert_eq!(units(-8), Some(-2));
        assert_eq!(units(6), None);
        assert_eq!(units(0x7fff * 4), Some(0x7fff));
        assert_eq!(units(0x8000 * 4), None);
        assert_eq!(
            units(-0x8000 * 4),
            None,
            "the offset that means `kept` is no offset"
        );
        assert_eq!(saved(None), Some(UnwindRow::KEPT));
    }
}
