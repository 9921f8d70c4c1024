//! Prints aggregations: with or without a format, one alone or several side by side.

use std::collections::BTreeSet;

use engine_dlang::format::{Format, Specifier};
use engine_dvm::aggregate::Aggregate;

use super::bars::Bars;
use super::histogram::{Encoding, header, histogram};
use super::order::{Line, Order};
use super::packed::{Packed, is_packable};
use super::value::Value;
use super::{Aggregations, Row, Schema};
use crate::print::{self, Aggregated, Layout, Style};

/// The options for printing aggregations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AggregationOptions {
    /// The `aggsort` options.
    pub order: Order,
    /// `agghist`: counts and sums as bars.
    pub as_bars: bool,
    /// `aggpack`: histograms on one line each.
    pub packed: bool,
    /// `aggzoom`: bars relative to the largest value.
    pub zooms: bool,
    /// `encoding`
    pub encoding: Encoding,
}

impl Aggregations {
    /// `printa`: prints these aggregations, which have keys of one type, side by side.
    pub fn print(
        &mut self,
        out: &mut Vec<u8>,
        style: &Style,
        options: &AggregationOptions,
        format: Option<&Format>,
        which: &[usize],
    ) {
        if format.is_none() {
            out.push(b'\n');
        }
        let rows: Vec<&Row> = which.iter().filter_map(|&at| self.0.get(at)).collect();
        Printer::new(out, style, options, format, &rows).print(&rows);
        for &at in which {
            if let Some(row) = self.0.get_mut(at) {
                row.is_printed |= !row.values.is_empty();
            }
        }
    }

    /// Prints each aggregation that `printa` has not printed.
    pub fn print_rest(&self, out: &mut Vec<u8>, style: &Style, options: &AggregationOptions) {
        let mut rows: Vec<&Row> = self.0.iter().filter(|it| !it.is_printed).collect();
        if options.order.reversed {
            rows.reverse();
        }
        for row in rows {
            Printer::new(out, style, options, None, &[row]).print(&[row]);
        }
    }
}

/// Prints aggregations that have keys of one type.
struct Printer<'a> {
    out: &'a mut Vec<u8>,
    style: &'a Style,
    options: &'a AggregationOptions,
    format: Option<&'a Format>,
    /// How values are shown, where that depends on all lines.
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
        options: &'a AggregationOptions,
        format: Option<&'a Format>,
        rows: &[&Row],
    ) -> Self {
        let shape = match rows {
            [row] if format.is_none() => row.shape(options),
            _ => Shape::Plain,
        };
        Self {
            out,
            style,
            options,
            format,
            shape,
        }
    }

    fn print(mut self, rows: &[&Row]) {
        let schema: Vec<&Schema> = rows.iter().map(|it| &it.schema).collect();
        let zeros: Vec<Value> = schema.iter().map(|it| Value::zero(it)).collect();
        let keys: BTreeSet<&Vec<u8>> = rows.iter().flat_map(|it| it.values.keys()).collect();
        let lines = keys.into_iter();
        let lines = lines.map(|key| (key.as_slice(), values(rows, &zeros, key)));
        let lines = self.options.order.sort(&schema, lines);
        if let (Some(first), false) = (schema.first(), lines.is_empty()) {
            self.header(first);
        }
        for line in &lines {
            match self.format {
                None => self.line(&schema, line),
                Some(format) => self.formatted(format, &schema, line),
            }
        }
    }

    fn header(&mut self, schema: &Schema) {
        let widths = schema.keys.iter().map(|it| print::key_width(it.size) + 1);
        match &self.shape {
            Shape::Plain => {}
            Shape::Bars(_) => header(self.out, widths.sum()),
            Shape::Packed(packed) => packed.header(self.out, schema.function, widths.sum()),
        }
    }

    fn line(&mut self, schema: &[&Schema], (key, values): &Line<'_>) {
        let is_plain = matches!(self.shape, Shape::Plain);
        for part in schema.first().map_or(&[][..], |it| &it.keys) {
            let data = print::field(part, key);
            print::key(self.out, self.style, part.kind, data, !is_plain);
        }
        for (schema, value) in schema.iter().zip(values) {
            self.value(schema, value);
        }
        if is_plain {
            self.out.push(b'\n');
        }
    }

    fn formatted(&mut self, format: &Format, schema: &[&Schema], (key, values): &Line<'_>) {
        let options = self.options;
        let printed = schema.iter().zip(values);
        let printed: Vec<_> = printed
            .map(|(schema, value)| Printed {
                schema,
                value,
                options,
            })
            .collect();
        let values: Vec<_> = printed.iter().map(|it| it as &dyn Aggregated).collect();
        let keys = schema.first().map_or(&[][..], |it| &it.keys);
        print::format(self.out, self.style, format, (keys, key), &values);
    }

    fn value(&mut self, schema: &Schema, value: &Value) {
        match &self.shape {
            Shape::Plain => plain(self.out, schema, value, self.options),
            Shape::Packed(packed) => packed.line(self.out, schema.function, value),
            Shape::Bars(bars) => {
                let undivided = value.words().first().map_or(0, |&it| it as i64);
                self.out.push(b' ');
                bars.line(self.out, undivided, value.divided(undivided));
            }
        }
    }
}

/// Each aggregation's value under a key, or a zero.
fn values<'a>(rows: &[&'a Row], zeros: &'a [Value], key: &[u8]) -> Vec<&'a Value> {
    let of = |(row, zero): (&&'a Row, &'a Value)| row.values.get(key).unwrap_or(zero);
    rows.iter().zip(zeros).map(of).collect()
}

impl Row {
    fn shape(&self, options: &AggregationOptions) -> Shape {
        let function = self.schema.function;
        let is_bar = matches!(function, Aggregate::Count | Aggregate::Sum);
        if options.as_bars && is_bar {
            let values = self.values.values().filter_map(|it| it.words().first());
            let mut bars = Bars::of(values.map(|&it| it as i64), options.zooms);
            bars.fine = options.encoding == Encoding::Utf8;
            Shape::Bars(bars)
        } else if options.packed && is_packable(function) {
            let values = self.values.values();
            Shape::Packed(Packed::of(
                function,
                values,
                options.zooms,
                options.encoding,
            ))
        } else {
            Shape::Plain
        }
    }
}

/// Appends a value in its column, or as a histogram on lines of its own.
fn plain(out: &mut Vec<u8>, schema: &Schema, value: &Value, options: &AggregationOptions) {
    if is_histogram(schema) {
        return histogram(out, schema.function, value, options.zooms, options.encoding);
    }
    out.push(b' ');
    value.put(out, schema, &Layout::of_width(16), Specifier::Decimal);
}

fn is_histogram(schema: &Schema) -> bool {
    matches!(
        schema.function,
        Aggregate::Quantize | Aggregate::Lquantize(_) | Aggregate::Llquantize(_)
    )
}

/// A value printed by a format's conversion.
struct Printed<'a> {
    schema: &'a Schema,
    value: &'a Value,
    options: &'a AggregationOptions,
}

impl Aggregated for Printed<'_> {
    fn put(&self, out: &mut Vec<u8>, layout: &Layout, specifier: Specifier) {
        if is_histogram(self.schema) {
            plain(out, self.schema, self.value, self.options);
        } else {
            self.value.put(out, self.schema, layout, specifier);
        }
    }
}

#[cfg(test)]
mod tests {
    use engine_abi::AggregateFunction;
    use engine_dlang::format::{Conversion, Flags, Piece};
    use proptest::prelude::*;

    use super::super::tests::{reported, schema};
    use super::*;
    use crate::symbols::Symbols;
    use crate::user_symbols::UserSymbols;

    fn style() -> Style {
        Style {
            quiet: true,
            raw_bytes: false,
            stack_indent: 14,
            symbols: Symbols::default(),
            users: UserSymbols::default(),
        }
    }

    /// A count and a sum with the same keys.
    fn two() -> Aggregations {
        use Aggregate::{Count, Sum};
        let mut all = Aggregations::of([schema(Count, true), schema(Sum, true)]);
        assert!(all.add(0, &reported(1, &[7])));
        assert!(all.add(0, &reported(2, &[3])));
        assert!(all.add(1, &reported(1, &[-5i64 as u64])));
        all
    }

    fn printed(
        all: &mut Aggregations,
        options: &AggregationOptions,
        format: Option<&Format>,
        which: &[usize],
    ) -> String {
        let mut out = Vec::new();
        all.print(&mut out, &style(), options, format, which);
        String::from_utf8(out).unwrap()
    }

    fn rest(all: &Aggregations, options: &AggregationOptions) -> String {
        let mut out = Vec::new();
        all.print_rest(&mut out, &style(), options);
        String::from_utf8(out).unwrap()
    }

    /// A line with a key and numbers, each in its column.
    fn line(numbers: &[i64]) -> String {
        let columns: String = numbers.iter().map(|it| format!(" {it:>16}")).collect();
        columns + "\n"
    }

    #[test]
    fn aggregations_not_printed_by_printa_are_printed_at_the_end() {
        let mut all = two();
        let options = AggregationOptions::default();
        assert_eq!(
            rest(&all, &options),
            [line(&[2, 3]), line(&[1, 7]), line(&[1, -5])].concat()
        );
        let output = printed(&mut all, &options, None, &[0]);
        assert_eq!(output, ["\n".into(), line(&[2, 3]), line(&[1, 7])].concat());
        assert_eq!(rest(&all, &options), line(&[1, -5]));
    }

    #[test]
    fn several_aggregations_are_printed_side_by_side() {
        let mut all = two();
        let mut options = AggregationOptions::default();
        let output = printed(&mut all, &options, None, &[0, 1]);
        assert_eq!(
            output,
            ["\n".into(), line(&[2, 3, 0]), line(&[1, 7, -5])].concat()
        );
        options.order.position = 1;
        let output = printed(&mut all, &options, None, &[0, 1]);
        assert_eq!(
            output,
            ["\n".into(), line(&[1, 7, -5]), line(&[2, 3, 0])].concat()
        );
    }

    #[test]
    fn a_format_places_keys_and_values() {
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
        let output = printed(
            &mut all,
            &AggregationOptions::default(),
            Some(&format),
            &[0, 1],
        );
        assert_eq!(output, "3 for 2, 0\n7 for 1, fffffffffffffffb\n");
    }

    #[test]
    fn values_are_normalized_and_cleared() {
        let mut all = two();
        let options = AggregationOptions::default();
        all.normalize(0, 2);
        assert!(rest(&all, &options).starts_with(&[line(&[2, 1]), line(&[1, 3])].concat()));
        all.denormalize(0);
        all.clear(1);
        assert_eq!(
            rest(&all, &options),
            [line(&[2, 3]), line(&[1, 7]), line(&[1, 0])].concat()
        );
    }

    #[test]
    fn counts_can_be_bars() {
        let all = two();
        let options = AggregationOptions {
            as_bars: true,
            ..AggregationOptions::default()
        };
        let output = rest(&all, &options);
        let bar = |key, depth, value| format!(" {key:>16} |{:<40} {value:<9}\n", "@".repeat(depth));
        let header = format!(
            "\n{:>17}  ------------- Distribution ------------- count    \n",
            "key"
        );
        let negative = format!(" {:>16} {:>40}| {:<9}\n", 1, "@".repeat(40), -5);
        assert_eq!(
            output,
            [&header, &bar(2, 12, 3), &bar(1, 28, 7), &header, &negative]
                .map(String::as_str)
                .concat()
        );
    }

    proptest! {
        #[test]
        fn any_aggregation_can_be_printed(
            function in prop::sample::select(FUNCTIONS),
            entries in prop::collection::vec((0u64..3, any::<u64>(), any::<u64>(), 0usize..200), 0..6),
            normal in prop::sample::select(&[0, 1, 7, u64::MAX][..]),
            (as_bars, packed, zooms, fine) in any::<(bool, bool, bool, bool)>(),
        ) {
            let (function, parameters) = function;
            let function = Aggregate::new(function, parameters).unwrap();
            let mut all = Aggregations::of([schema(function, true), schema(function, true)]);
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
            let options = AggregationOptions { order, as_bars, packed, zooms, encoding };
            let alone = rest(&all, &options);
            prop_assert_eq!(alone.is_empty(), all.0[0].values.is_empty());
            let together = printed(&mut all, &options, None, &[0, 1]);
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
        let mut all = Aggregations::of([schema(Aggregate::Quantize, true)]);
        let mut words = vec![0; 127];
        words[64] = 2;
        assert!(all.add(0, &reported(5, &words)));
        let output = rest(&all, &AggregationOptions::default());
        assert!(
            output.starts_with(&format!(" {:>16}\n{:>16}  ---", 5, "value")),
            "{output}"
        );
        assert!(output.ends_with(" 0        \n\n"), "{output}");
    }
}
