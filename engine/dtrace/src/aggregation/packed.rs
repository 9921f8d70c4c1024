//! `aggpack`: a histogram on one line, with a character for each bucket.

use engine_abi::QUANTIZE_BUCKETS;
use engine_dvm::aggregate::Aggregate;

use super::bars::Bars;
use super::buckets::buckets;
use super::histogram::Encoding;
use super::value::Value;
use crate::print::Layout;

/// The layout shared by all packed histograms of an aggregation: its range of buckets and
/// characters.
pub struct Packed {
    first: usize,
    last: usize,
    zooms: bool,
    blocks: bool,
}

/// Whether `aggpack` applies to this function.
pub fn is_packable(function: Aggregate) -> bool {
    matches!(function, Aggregate::Quantize | Aggregate::Lquantize(_))
}

/// Whether to draw with block characters: as `encoding` says, or else unless the terminal is known
/// to lack them.
fn shows_blocks(encoding: Encoding) -> bool {
    let terminal = || std::env::var("TERM").unwrap_or_default();
    match encoding {
        Encoding::Ascii => false,
        Encoding::Utf8 => true,
        Encoding::Unset => !["sun", "sun-color", "dumb"].contains(&terminal().as_str()),
    }
}

impl Packed {
    /// The layout for these values: for `quantize` the nonzero buckets and one more at each end,
    /// for `lquantize` all buckets.
    pub fn of<'a>(
        function: Aggregate,
        values: impl Iterator<Item = &'a Value>,
        zooms: bool,
        encoding: Encoding,
    ) -> Self {
        let most = QUANTIZE_BUCKETS as usize - 1;
        let (mut first, mut last) = (most, 0);
        for value in values {
            let used = |it: &u64| *it != 0;
            first = value
                .words()
                .iter()
                .position(used)
                .unwrap_or(first)
                .min(first);
            last = value
                .words()
                .iter()
                .rposition(used)
                .unwrap_or(last)
                .max(last);
        }
        let (first, last) = match function {
            Aggregate::Quantize if first == most / 2 => (first, last + 1),
            Aggregate::Quantize => (first.saturating_sub(1), (last + 1).min(most)),
            _ => (0, function.words() as usize - 1),
        };
        Self {
            first,
            last: last.max(first),
            zooms,
            blocks: shows_blocks(encoding),
        }
    }

    /// Appends the header; `key` is the width of a key in front.
    pub fn header(&self, out: &mut Vec<u8>, function: Aggregate, key: i64) {
        let (from, to) = self.widths(function);
        let is_steps = matches!(function, Aggregate::Lquantize(_));
        let title = if key > 0 { "key" } else { "" };
        out.push(b'\n');
        Layout::of_width(key).put(out, title.as_bytes());
        out.push(b' ');
        Layout::of_width(from - i64::from(is_steps)).put(out, b"min");
        out.extend_from_slice(b" .");
        out.resize(out.len() + self.last + 1 - self.first, b'-');
        out.extend_from_slice(b". ");
        Layout::of_width(-to).put(out, b"max");
        out.extend_from_slice(b" | count\n");
    }

    /// Appends a value's line.
    pub fn line(&self, out: &mut Vec<u8>, function: Aggregate, value: &Value) {
        let all = buckets(function);
        let (from, to) = self.widths(function);
        let counts = value
            .words()
            .get(self.first..=self.last)
            .unwrap_or_default();
        let bars = Bars::of(counts.iter().map(|&it| it as i64), self.zooms);
        let label = |at: usize| all.get(at).map_or("", |it| it.label.as_str()).as_bytes();
        if function == Aggregate::Quantize {
            out.push(b' ');
        }
        Layout::of_width(from).put(out, label(self.first));
        out.extend_from_slice(b" :");
        let drawn: String = counts
            .iter()
            .map(|&it| self.sign(&bars, it as i64))
            .collect();
        out.extend_from_slice(drawn.as_bytes());
        out.extend_from_slice(b": ");
        Layout::of_width(-to).put(out, label(self.last));
        let total: i64 = counts
            .iter()
            .fold(0, |sum, &it| sum.wrapping_add(it as i64));
        out.extend_from_slice(format!(" | {total}\n").as_bytes());
    }

    /// Columns of the labels at either end.
    fn widths(&self, function: Aggregate) -> (i64, i64) {
        if matches!(function, Aggregate::Lquantize(_)) {
            return (8, 8);
        }
        let all = buckets(function);
        let width = |at: usize| all.get(at).map_or(4, |it| it.label.len().max(4)) as i64;
        (width(self.first), width(self.last))
    }

    fn sign(&self, bars: &Bars, count: i64) -> char {
        let signs = match count {
            0 => " ",
            ..0 => "vvvvVV",
            _ if self.blocks => "▁▂▃▄▅▆▇█",
            _ => "__xxxxXX",
        };
        let most = signs.chars().count() - 1;
        let at = bars.rounded(count, most as u128).min(most);
        signs.chars().nth(at).unwrap_or(' ')
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::AggregateFunction;

    use super::*;

    fn printed(function: Aggregate, counts: &[(usize, u64)], encoding: Encoding) -> String {
        let mut words = vec![0; function.words() as usize];
        counts.iter().for_each(|&(at, count)| words[at] = count);
        let value = Value::new(words);
        let packed = Packed::of(function, [&value].into_iter(), false, encoding);
        let mut out = Vec::new();
        packed.header(&mut out, function, 17);
        packed.line(&mut out, function, &value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn quantize_packs_the_nonzero_range() {
        let counts = [(73, 1), (74, 2), (75, 5)];
        assert_eq!(
            printed(Aggregate::Quantize, &counts, Encoding::Ascii),
            "\n              key  min .-----. max  | count\n  256 : _xx : 4096 | 8\n"
        );
        let blocks = printed(Aggregate::Quantize, &counts, Encoding::Utf8);
        assert!(blocks.contains(": ▂▃▅ :"), "{blocks}");
    }

    #[test]
    fn lquantize_packs_all_buckets() {
        let parameters = [0, 20, 10, 0];
        let function = Aggregate::new(AggregateFunction::Lquantize, parameters).unwrap();
        assert_eq!(
            printed(function, &[(1, 7)], Encoding::Ascii),
            "\n              key     min .----. max      | count\n     < 0 : X  : >= 20    | 7\n"
        );
    }
}
