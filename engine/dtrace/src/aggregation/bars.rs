//! The bars of histograms.

use crate::print::Layout;

/// Columns of the longest bar.
const LENGTH: u128 = 40;

/// With `aggzoom` the greatest value has 95% of a bar: 19 parts of 20.
const ZOOM: (u128, u128) = (19, 20);

/// Blocks of none to seven eighths of a column.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// What the bars of one histogram have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bars {
    /// What a full bar stands for, and how much of it is drawn.
    total: u128,
    zooms: bool,
    positives: bool,
    negatives: bool,
    /// Whether bars are drawn in eighths of a column.
    pub fine: bool,
}

impl Bars {
    /// The bars of these values: each is as long as its part of their sum, or, zoomed, of the greatest.
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

    /// What part of the total a value is, in units of which `full` are all of it: how many, and by
    /// what they are divided.
    pub fn part(&self, value: i64, full: u128) -> (u128, u128) {
        let (drawn, of) = if self.zooms { ZOOM } else { (1, 1) };
        let parts = u128::from(value.unsigned_abs()) * full * drawn;
        (parts, (self.total * of).max(1))
    }

    /// The same, rounded.
    pub fn rounded(&self, value: i64, full: u128) -> usize {
        let (parts, whole) = self.part(value, full);
        ((2 * parts + whole) / (2 * whole)) as usize
    }

    /// Puts the bar of `value`, with `count` behind it, and ends the line.
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

    /// Where there are values of both signs, a line divides them.
    fn divided_bar(&self, value: i64) -> String {
        let bar = "@".repeat(self.rounded(value, LENGTH / 2));
        match value {
            1.. => format!("{:20}|{bar:<20}", ""),
            _ => format!("{bar:>20}|{:20}", ""),
        }
    }

    /// Blocks, the last of them of as many eighths as are left.
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
    fn a_bar_is_as_long_as_its_part_of_all() {
        let all = lines(&[0, 1, 3], false, false);
        assert_eq!(all[0], format!("|{:40} 0        \n", ""));
        assert_eq!(all[1], format!("|{:<40} 1        \n", "@".repeat(10)));
        assert_eq!(all[2], format!("|{:<40} 3        \n", "@".repeat(30)));
        assert_eq!(lines(&[0], false, false)[0], all[0]);
    }

    #[test]
    fn negative_values_have_bars_on_the_other_side() {
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
    fn zoomed_bars_reach_nearly_to_the_end() {
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
