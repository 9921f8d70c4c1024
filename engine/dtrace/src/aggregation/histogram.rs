//! Histograms: a line for each bucket, from the one before the first nonzero one to the one after
//! the last.

use engine_dvm::aggregate::Aggregate;

use super::bars::Bars;
use super::buckets::{MAGNITUDE, buckets};
use super::value::Value;
use crate::print::Layout;

/// `encoding`: the characters that bars are drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Not set: ASCII bars, and packed histograms as the terminal allows.
    #[default]
    Unset,
    /// `ascii`
    Ascii,
    /// `utf8`
    Utf8,
}

/// Appends the header; `key` is the width of a key in front of the bars.
pub fn header(out: &mut Vec<u8>, key: i64) {
    let (width, title) = if key > 0 { (key, "key") } else { (16, "value") };
    out.push(b'\n');
    Layout::of_width(width).put(out, title.as_bytes());
    out.extend_from_slice(b"  ------------- Distribution ------------- count    \n");
}

/// Appends a value's histogram.
pub fn histogram(
    out: &mut Vec<u8>,
    function: Aggregate,
    value: &Value,
    zooms: bool,
    encoding: Encoding,
) {
    let range = shown(function, value.words());
    let counts = &value.words()[range.clone()];
    let mut bars = Bars::of(counts.iter().map(|&it| it as i64), zooms);
    bars.fine = encoding == Encoding::Utf8;
    header(out, 0);
    for (place, (bucket, &count)) in buckets(function)[range].iter().zip(counts).enumerate() {
        let label = match place {
            0 => bucket.label.trim_start_matches(MAGNITUDE),
            _ => &bucket.label,
        };
        Layout::of_width(16).put(out, label.as_bytes());
        out.push(b' ');
        bars.line(out, count as i64, value.divided(count as i64));
    }
}

/// The nonzero buckets and one more at each end. For an empty histogram, the buckets that DTrace
/// shows instead.
fn shown(function: Aggregate, counts: &[u64]) -> std::ops::Range<usize> {
    let first = counts.iter().position(|&it| it != 0);
    let last = counts.iter().rposition(|&it| it != 0);
    let range = match (first, last, function) {
        (Some(first), Some(last), _) => first.saturating_sub(1)..last + 2,
        (.., Aggregate::Quantize) => 62..65,
        (.., Aggregate::Lquantize(_)) => 0..3,
        (.., Aggregate::Llquantize(steps)) => {
            let middle = steps.middle() as usize;
            middle..middle + 3
        }
        _ => 0..2,
    };
    range.start.min(counts.len())..range.end.min(counts.len())
}

#[cfg(test)]
mod tests {
    use engine_abi::AggregateFunction;

    use super::*;

    fn printed(
        function: AggregateFunction,
        parameters: [i32; 4],
        counts: &[(usize, i64)],
    ) -> String {
        let function = Aggregate::new(function, parameters).unwrap();
        let mut words = vec![0; function.words() as usize];
        counts
            .iter()
            .for_each(|&(at, count)| words[at] = count as u64);
        let mut out = Vec::new();
        histogram(
            &mut out,
            function,
            &Value::new(words),
            false,
            Encoding::Unset,
        );
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_histogram_has_an_empty_bucket_at_each_end() {
        let output = printed(AggregateFunction::Quantize, [0; 4], &[(73, 1), (74, 3)]);
        assert_eq!(
            output,
            "
           value  ------------- Distribution ------------- count    
             256 |                                         0        
             512 |@@@@@@@@@@                               1        
            1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        
            2048 |                                         0        
"
        );
    }

    #[test]
    fn no_bucket_beyond_the_ends_of_the_scale() {
        let output = printed(
            AggregateFunction::Lquantize,
            [0, 20, 10, 0],
            &[(0, 1), (3, 1)],
        );
        assert_eq!(
            output,
            "
           value  ------------- Distribution ------------- count    
             < 0 |@@@@@@@@@@@@@@@@@@@@                     1        
               0 |                                         0        
              10 |                                         0        
           >= 20 |@@@@@@@@@@@@@@@@@@@@                     1        
"
        );
    }

    #[test]
    fn an_empty_histogram_shows_dtraces_buckets() {
        let output = printed(AggregateFunction::Quantize, [0; 4], &[]);
        assert_eq!(
            output,
            "
           value  ------------- Distribution ------------- count    
              -1 |                                         0        
               0 |                                         0        
               1 |                                         0        
"
        );
        let output = printed(AggregateFunction::Llquantize, [10, 0, 1, 10], &[]);
        assert!(output.contains("\n               0 |"), "{output}");
        assert_eq!(output.lines().count(), 5);
    }
}
