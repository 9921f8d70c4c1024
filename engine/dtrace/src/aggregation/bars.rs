//! The bars of histograms.

use crate::print::Layout;

/// Columns of the longest bar.
const LENGTH: u128 = 40;

/// With `aggzoom`, the largest value has 95% of a full bar, that is 19/20.
const ZOOM: (u128, u128) = (19, 20);

/// Blocks of zero to seven eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The scale shared by all bars of a histogram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bars {
    /// The value of a full bar: the sum of all values, or with `aggzoom` the largest.
    total: u128,
    zooms: bool,
    positives: bool,
    negatives: bool,
    /// Whether bars are drawn in eighths of a column.
    pub fine: bool,
}

impl Bars {
    /// The scale for these values.
    pub fn of(values: impl Iterator<Item = i64>, zooms: bool) -> Self {
        let mut bars = Self {
            zooms,
            ..Self::default()
        };
        for value in values {
            let size = u128::from(value.unsigned_abs());
            bars.total = if zooms {
                bars.total.max(size)
            } else {
                bars.total + size
            };
            bars.positives |= value > 0;
            bars.negatives |= value < 0;
        }
        bars
    }

    /// A value's fraction of a full bar in units of which `full` are a full bar, as dividend and
    /// divisor.
    pub fn part(&self, value: i64, full: u128) -> (u128, u128) {
        let (drawn, of) = if self.zooms { ZOOM } else { (1, 1) };
        let parts = u128::from(value.unsigned_abs()) * full * drawn;
        (parts, (self.total * of).max(1))
    }

    /// The fraction rounded to whole units.
    pub fn rounded(&self, value: i64, full: u128) -> usize {
        let (parts, whole) = self.part(value, full);
        ((2 * parts + whole) / (2 * whole)) as usize
    }

    /// Appends a line: the bar of `value`, and `count`.
    pub fn line(&self, out: &mut Vec<u8>, value: i64, count: i64) {
        let bar = match (self.positives, self.negatives) {
            (true, false) if self.fine => self.fine_bar(value),
            (_, false) => {
                let depth = self.rounded(value, LENGTH);
                format!("|{:<40}", "@".repeat(depth))
            }
            (false, true) => {
                let depth = self.rounded(value, LENGTH);
                format!("{:>40}|", "@".repeat(depth))
            }
            (true, true) => self.divided_bar(value),
        };
        out.extend_from_slice(bar.as_bytes());
        out.push(b' ');
        Layout::of_width(-9).put(out, count.to_string().as_bytes());
        out.push(b'\n');
    }

    /// A bar on one side of a line in the middle, for histograms with values of both signs.
    fn divided_bar(&self, value: i64) -> String {
        let bar = "@".repeat(self.rounded(value, LENGTH / 2));
        match value {
            1.. => format!("{:20}|{bar:<20}", ""),
            _ => format!("{bar:>20}|{:20}", ""),
        }
    }

    /// A bar of blocks, the last one in eighths.
    fn fine_bar(&self, value: i64) -> String {
        let (parts, whole) = self.part(value, LENGTH * 8);
        let eighths = (parts / whole) as usize;
        let mut bar = "█".repeat(eighths / EIGHTHS.len());
        bar += EIGHTHS[eighths % EIGHTHS.len()];
        format!("|{bar:<40}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(values: &[i64], zooms: bool, fine: bool) -> Vec<String> {
        let mut bars = Bars::of(values.iter().copied(), zooms);
        bars.fine = fine;
        let line = |&value: &i64| {
            let mut out = Vec::new();
            bars.line(&mut out, value, value);
            String::from_utf8(out).unwrap()
        };
        values.iter().map(line).collect()
    }

    #[test]
    fn bar_length_is_the_share_of_the_sum() {
        let all = lines(&[0, 1, 3], false, false);
        assert_eq!(all[0], format!("|{:40} 0        \n", ""));
        assert_eq!(all[1], format!("|{:<40} 1        \n", "@".repeat(10)));
        assert_eq!(all[2], format!("|{:<40} 3        \n", "@".repeat(30)));
        assert_eq!(lines(&[0], false, false)[0], all[0]);
    }

    #[test]
    fn negative_values_have_bars_to_the_left() {
        let all = lines(&[-1, -3], false, false);
        assert_eq!(all[0], format!("{:>40}| -1       \n", "@".repeat(10)));
        let all = lines(&[-1, 1, 0], false, false);
        assert_eq!(
            all[0],
            format!("{:>20}|{:20} -1       \n", "@".repeat(10), "")
        );
        assert_eq!(
            all[1],
            format!("{:20}|{:<20} 1        \n", "", "@".repeat(10))
        );
        assert_eq!(all[2], format!("{:20}|{:20} 0        \n", "", ""));
    }

    #[test]
    fn zoomed_bars_are_relative_to_the_largest() {
        let all = lines(&[10, 5], true, false);
        assert_eq!(all[0], format!("|{:<40} 10       \n", "@".repeat(38)));
        assert_eq!(all[1], format!("|{:<40} 5        \n", "@".repeat(19)));
    }

    #[test]
    fn fine_bars_end_in_eighths() {
        let all = lines(&[1, 63], false, true);
        assert_eq!(all[0], format!("|{:<40} 1        \n", "▋"));
        assert_eq!(all[1], format!("|{:<40} 63       \n", "█".repeat(39) + "▍"));
    }
}
