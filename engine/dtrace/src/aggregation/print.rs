//! Printing aggregations: with a format or without, one or several side by side.

use std::collections::BTreeSet;

use engine_dlang::format::{Format, Specifier};
use engine_dvm::aggregate::Aggregate;

use super::bars::Bars;
use super::histogram::{Encoding, header, histogram};
use super::order::{Line, Order};
use super::packed::{Packed, is_packable};
use super::value::Value;
use super::{About, Aggregations, Row};
use crate::print::{self, Aggregated, Layout, Style};

/// The options that say how aggregations are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Looks {
    /// `aggsortkey` and the like.
    pub order: Order,
    /// `agghist`: counts and sums as bars.
    pub as_bars: bool,
    /// `aggpack`: histograms on one line each.
    pub packed: bool,
    /// `aggzoom`: the greatest bar is nearly a full one.
    pub zooms: bool,
    /// `encoding`
    pub encoding: Encoding,
}

impl Aggregations {
    /// `printa`: these aggregations, whose keys are alike, key by key.
    pub fn print(
        &mut self,
        out: &mut Vec<u8>,
        style: &Style,
        looks: &Looks,
        format: Option<&Format>,
        which: &[usize],
    ) {
        if format.is_none() {
            out.push(b'\n');
        }
        let rows: Vec<&Row> = which.iter().filter_map(|&at| self.0.get(at)).collect();
        Printer::new(out, style, looks, format, &rows).print(&rows);
        for &at in which {
            if let Some(row) = self.0.get_mut(at) {
                row.is_printed |= !row.values.is_empty();
            }
        }
    }

    /// At the end: every aggregation that `printa` has not printed.
    pub fn print_rest(&self, out: &mut Vec<u8>, style: &Style, looks: &Looks) {
        let mut rows: Vec<&Row> = self.0.iter().filter(|it| !it.is_printed).collect();
        if looks.order.reversed {
            rows.reverse();
        }
        for row in rows {
            Printer::new(out, style, looks, None, &[row]).print(&[row]);
        }
    }
}

/// Prints rows that share their keys.
struct Printer<'a> {
    out: &'a mut Vec<u8>,
    style: &'a Style,
    looks: &'a Looks,
    format: Option<&'a Format>,
    /// How the values of a line are shown, where that takes all lines to know.
    shape: Shape,
}

/// How a value is shown.
enum Shape {
    Plain,
    Bars(Bars),
    Packed(Packed),
}

impl<'a> Printer<'a> {
    fn new(
        out: &'a mut Vec<u8>,
        style: &'a Style,
        looks: &'a Looks,
        format: Option<&'a Format>,
        rows: &[&Row],
    ) -> Self {
        let shape = match rows {
            [row] if format.is_none() => row.shape(looks),
            _ => Shape::Plain,
        };
        Self {
            out,
            style,
            looks,
            format,
            shape,
        }
    }

    fn print(mut self, rows: &[&Row]) {
        let about: Vec<&About> = rows.iter().map(|it| &it.about).collect();
        let zeros: Vec<Value> = about.iter().map(|it| Value::zero(it)).collect();
        let keys: BTreeSet<&Vec<u8>> = rows.iter().flat_map(|it| it.values.keys()).collect();
        let lines = keys.into_iter();
        let lines = lines.map(|key| (key.as_slice(), values(rows, &zeros, key)));
        let lines = self.looks.order.sort(&about, lines);
        if let (Some(first), false) = (about.first(), lines.is_empty()) {
            self.header(first);
        }
        for line in &lines {
            match self.format {
                None => self.line(&about, line),
                Some(format) => self.formatted(format, &about, line),
            }
        }
    }

    fn header(&mut self, about: &About) {
        let widths = about.keys.iter().map(|it| print::key_width(it.size) + 1);
        match &self.shape {
            Shape::Plain => {}
            Shape::Bars(_) => header(self.out, widths.sum()),
            Shape::Packed(packed) => packed.header(self.out, about.function, widths.sum()),
        }
    }

    fn line(&mut self, about: &[&About], (key, values): &Line<'_>) {
        let is_plain = matches!(self.shape, Shape::Plain);
        for part in about.first().map_or(&[][..], |it| &it.keys) {
            let data = print::field(part, key);
            print::key(self.out, self.style, part.kind, data, !is_plain);
        }
        for (about, value) in about.iter().zip(values) {
            self.value(about, value);
        }
        if is_plain {
            self.out.push(b'\n');
        }
    }

    fn formatted(&mut self, format: &Format, about: &[&About], (key, values): &Line<'_>) {
        let looks = self.looks;
        let printed = about.iter().zip(values);
        let printed: Vec<_> = printed
            .map(|(about, value)| Printed {
                about,
                value,
                looks,
            })
            .collect();
        let values: Vec<_> = printed.iter().map(|it| it as &dyn Aggregated).collect();
        let keys = about.first().map_or(&[][..], |it| &it.keys);
        print::format(self.out, self.style, format, (keys, key), &values);
    }

    fn value(&mut self, about: &About, value: &Value) {
        match &self.shape {
            Shape::Plain => plain(self.out, about, value, self.looks),
            Shape::Packed(packed) => packed.line(self.out, about.function, value),
            Shape::Bars(bars) => {
                let undivided = value.words().first().map_or(0, |&it| it as i64);
                self.out.push(b' ');
                bars.line(self.out, undivided, value.divided(undivided));
            }
        }
    }
}

/// What each row has under a key.
fn values<'a>(rows: &[&'a Row], zeros: &'a [Value], key: &[u8]) -> Vec<&'a Value> {
    let of = |(row, zero): (&&'a Row, &'a Value)| row.values.get(key).unwrap_or(zero);
    rows.iter().zip(zeros).map(of).collect()
}

impl Row {
    fn shape(&self, looks: &Looks) -> Shape {
        let function = self.about.function;
        let is_bar = matches!(function, Aggregate::Count | Aggregate::Sum);
        if looks.as_bars && is_bar {
            let values = self.values.values().filter_map(|it| it.words().first());
            let mut bars = Bars::of(values.map(|&it| it as i64), looks.zooms);
            bars.fine = looks.encoding == Encoding::Utf8;
            Shape::Bars(bars)
        } else if looks.packed && is_packable(function) {
            let values = self.values.values();
            Shape::Packed(Packed::of(function, values, looks.zooms, looks.encoding))
        } else {
            Shape::Plain
        }
    }
}

/// Puts a value in its column, or as a histogram on lines of its own.
fn plain(out: &mut Vec<u8>, about: &About, value: &Value, looks: &Looks) {
    if is_histogram(about) {
        return histogram(out, about.function, value, looks.zooms, looks.encoding);
    }
    out.push(b' ');
    value.put(out, about, &Layout::of_width(16), Specifier::Decimal);
}

fn is_histogram(about: &About) -> bool {
    matches!(
        about.function,
        Aggregate::Quantize | Aggregate::Lquantize(_) | Aggregate::Llquantize(_)
    )
}

/// A value that a format prints.
struct Printed<'a> {
    about: &'a About,
    value: &'a Value,
    looks: &'a Looks,
}

impl Aggregated for Printed<'_> {
    fn put(&self, out: &mut Vec<u8>, layout: &Layout, specifier: Specifier) {
        if is_histogram(self.about) {
            plain(out, self.about, self.value, self.looks);
        } else {
            self.value.put(out, self.about, layout, specifier);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::AggregateFunction;
    use engine_dlang::format::{Conversion, Flags, Piece};
    use proptest::prelude::*;

    use super::super::tests::{about, reported};
    use super::*;
    use crate::symbols::Symbols;

    fn style() -> Style {
        Style {
            quiet: true,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::default(),
        }
    }

    /// A count and a sum under the same keys.
    fn two() -> Aggregations {
        use Aggregate::{Count, Sum};
        let mut all = Aggregations::of([about(Count, true), about(Sum, true)]);
        assert!(all.add(0, &reported(1, &[7])));
        assert!(all.add(0, &reported(2, &[3])));
        assert!(all.add(1, &reported(1, &[-5i64 as u64])));
        all
    }

    fn printed(
        all: &mut Aggregations,
        looks: &Looks,
        format: Option<&Format>,
        which: &[usize],
    ) -> String {
        let mut out = Vec::new();
        all.print(&mut out, &style(), looks, format, which);
        String::from_utf8(out).unwrap()
    }

    fn rest(all: &Aggregations, looks: &Looks) -> String {
        let mut out = Vec::new();
        all.print_rest(&mut out, &style(), looks);
        String::from_utf8(out).unwrap()
    }

    /// A line of a key and numbers, each in its column.
    fn line(numbers: &[i64]) -> String {
        let columns: String = numbers.iter().map(|it| format!(" {it:>16}")).collect();
        columns + "\n"
    }

    #[test]
    fn what_printa_has_not_printed_is_printed_at_the_end() {
        let mut all = two();
        let looks = Looks::default();
        assert_eq!(
            rest(&all, &looks),
            [line(&[2, 3]), line(&[1, 7]), line(&[1, -5])].concat()
        );
        let told = printed(&mut all, &looks, None, &[0]);
        assert_eq!(told, ["\n".into(), line(&[2, 3]), line(&[1, 7])].concat());
        assert_eq!(rest(&all, &looks), line(&[1, -5]));
    }

    #[test]
    fn several_aggregations_stand_side_by_side() {
        let mut all = two();
        let mut looks = Looks::default();
        let told = printed(&mut all, &looks, None, &[0, 1]);
        assert_eq!(
            told,
            ["\n".into(), line(&[2, 3, 0]), line(&[1, 7, -5])].concat()
        );
        looks.order.position = 1;
        let told = printed(&mut all, &looks, None, &[0, 1]);
        assert_eq!(
            told,
            ["\n".into(), line(&[1, 7, -5]), line(&[2, 3, 0])].concat()
        );
    }

    #[test]
    fn a_format_says_where_keys_and_values_go() {
        let conversion = |aggregation, specifier| {
            Piece::Conversion(Conversion {
                flags: Flags {
                    aggregation,
                    ..Flags::default()
                },
                width: None,
                precision: None,
                specifier,
            })
        };
        let format = Format(vec![
            conversion(true, Specifier::Decimal),
            Piece::Text(" for ".into()),
            conversion(false, Specifier::Decimal),
            Piece::Text(", ".into()),
            conversion(true, Specifier::LowerHex),
            Piece::Text("\n".into()),
        ]);
        let mut all = two();
        let told = printed(&mut all, &Looks::default(), Some(&format), &[0, 1]);
        assert_eq!(told, "3 for 2, 0\n7 for 1, fffffffffffffffb\n");
    }

    #[test]
    fn values_are_divided_and_cleared() {
        let mut all = two();
        let looks = Looks::default();
        all.normalize(0, 2);
        assert!(rest(&all, &looks).starts_with(&[line(&[2, 1]), line(&[1, 3])].concat()));
        all.denormalize(0);
        all.clear(1);
        assert_eq!(
            rest(&all, &looks),
            [line(&[2, 3]), line(&[1, 7]), line(&[1, 0])].concat()
        );
    }

    #[test]
    fn counts_can_be_bars() {
        let all = two();
        let looks = Looks {
            as_bars: true,
            ..Looks::default()
        };
        let told = rest(&all, &looks);
        let bar = |key, depth, value| format!(" {key:>16} |{:<40} {value:<9}\n", "@".repeat(depth));
        let header = format!(
            "\n{:>17}  ------------- Distribution ------------- count    \n",
            "key"
        );
        let negative = format!(" {:>16} {:>40}| {:<9}\n", 1, "@".repeat(40), -5);
        assert_eq!(
            told,
            [&header, &bar(2, 12, 3), &bar(1, 28, 7), &header, &negative]
                .map(String::as_str)
                .concat()
        );
    }

    proptest! {
        #[test]
        fn whatever_was_aggregated_can_be_printed(
            function in prop::sample::select(FUNCTIONS),
            entries in prop::collection::vec((0u64..3, any::<u64>(), any::<u64>(), 0usize..200), 0..6),
            normal in prop::sample::select(&[0, 1, 7, u64::MAX][..]),
            (as_bars, packed, zooms, fine) in any::<(bool, bool, bool, bool)>(),
        ) {
            let (function, parameters) = function;
            let function = Aggregate::new(function, parameters).unwrap();
            let mut all = Aggregations::of([about(function, true), about(function, true)]);
            for (key, one, other, at) in entries {
                let mut words = vec![0; function.words() as usize];
                let last = words.len() - 1;
                words[at.min(last)] = one >> (one & 63);
                words[last] = other;
                prop_assert!(all.add(0, &reported(key, &words)));
            }
            all.normalize(0, normal);
            let encoding = if fine { Encoding::Utf8 } else { Encoding::Ascii };
            let order = Order::default();
            let looks = Looks { order, as_bars, packed, zooms, encoding };
            let alone = rest(&all, &looks);
            prop_assert_eq!(alone.is_empty(), all.0[0].values.is_empty());
            let together = printed(&mut all, &looks, None, &[0, 1]);
            prop_assert!(together.ends_with('\n'));
        }
    }

    const FUNCTIONS: &[(AggregateFunction, [i32; 4])] = &[
        (AggregateFunction::Count, [0; 4]),
        (AggregateFunction::Sum, [0; 4]),
        (AggregateFunction::Min, [0; 4]),
        (AggregateFunction::Max, [0; 4]),
        (AggregateFunction::Avg, [0; 4]),
        (AggregateFunction::Stddev, [0; 4]),
        (AggregateFunction::Quantize, [0; 4]),
        (AggregateFunction::Lquantize, [-5, 300, 2, 0]),
        (
            AggregateFunction::Lquantize,
            [i32::MIN, i32::MAX, i32::MAX, 0],
        ),
        (AggregateFunction::Llquantize, [10, 0, 17, 10]),
        (AggregateFunction::Llquantize, [2, 3, 61, 4]),
    ];

    #[test]
    fn a_histogram_is_followed_by_an_empty_line() {
        let mut all = Aggregations::of([about(Aggregate::Quantize, true)]);
        let mut words = vec![0; 127];
        words[64] = 2;
        assert!(all.add(0, &reported(5, &words)));
        let told = rest(&all, &Looks::default());
        assert!(
            told.starts_with(&format!(" {:>16}\n{:>16}  ---", 5, "value")),
            "{told}"
        );
        assert!(told.ends_with(" 0        \n\n"), "{told}");
    }
}
