//! Histograms: a line a bucket, from the one before the first that has anything to the one behind the
//! last.

use engine_dvm::aggregate::Aggregate;

use super::bars::Bars;
use super::buckets::buckets;
use super::value::Value;
use crate::print::Layout;

/// `encoding`: which characters bars are drawn in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Nobody has said: bars in ASCII, packed histograms as the terminal can show them.
    #[default]
    Unset,
    /// `ascii`
    Ascii,
    /// `utf8`
    Utf8,
}

/// Puts the line over bars; `key` is the width of a key in front of them.
pub fn header(out: &mut Vec<u8>, key: i64) {
    let (width, title) = if key > 0 { (key, "key") } else { (16, "value") };
    out.push(b'\n');
    Layout::of_width(width).put(out, title.as_bytes());
    out.extend_from_slice(b"  ------------- Distribution ------------- count    \n");
}

/// Puts a value's histogram.
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
    for (bucket, &count) in buckets(function)[range].iter().zip(counts) {
        Layout::of_width(16).put(out, bucket.label.as_bytes());
        out.push(b' ');
        bars.line(out, count as i64, value.divided(count as i64));
    }
}

/// The buckets that have anything, and one more at each end; of an empty histogram, those that DTrace
/// shows to have something to show.
fn shown(function: Aggregate, counts: &[u64]) -> std::ops::Range<usize> {
    let first = counts.iter().position(|&it| it != 0);
    let last = counts.iter().rposition(|&it| it != 0);
    let range = match (first, last, function) {
        (Some(first), Some(last), _) => first.saturating_sub(1)..last + 2,
        (.., Aggregate::Quantize) => 62..65,
        (.., Aggregate::Lquantize(_)) => 0..3,
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
    fn a_histogram_has_an_empty_line_at_each_end() {
        let told = printed(AggregateFunction::Quantize, [0; 4], &[(73, 1), (74, 3)]);
        assert_eq!(
            told,
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
    fn an_end_of_the_scale_has_nothing_beyond() {
        let told = printed(
            AggregateFunction::Lquantize,
            [0, 20, 10, 0],
            &[(0, 1), (3, 1)],
        );
        assert_eq!(
            told,
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
    fn an_empty_histogram_shows_where_values_would_be() {
        let told = printed(AggregateFunction::Quantize, [0; 4], &[]);
        assert_eq!(
            told,
            "
           value  ------------- Distribution ------------- count    
              -1 |                                         0        
               0 |                                         0        
               1 |                                         0        
"
        );
        let told = printed(AggregateFunction::Llquantize, [10, 0, 1, 10], &[]);
        assert!(told.contains("             < 1 |"), "{told}");
        assert_eq!(told.lines().count(), 4);
    }
}
