//! The buckets of histograms: their labels, and their weights for sorting.

use engine_abi::QUANTIZE_BUCKETS;
use engine_dvm::aggregate::{Aggregate, Llquantize, Quantize};

/// A bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Its label.
    pub label: String,
    /// The value that it stands for in sorting.
    pub weight: i64,
}

impl Bucket {
    fn at(weight: i64) -> Self {
        Self {
            label: weight.to_string(),
            weight,
        }
    }

    fn below(value: i64) -> Self {
        Self {
            label: format!("< {value}"),
            weight: value.wrapping_sub(1),
        }
    }

    fn from(value: i64) -> Self {
        Self {
            label: format!(">= {value}"),
            weight: value.wrapping_add(1),
        }
    }
}

/// A function's buckets in the order of its data words; empty for a function without buckets.
pub fn buckets(function: Aggregate) -> Vec<Bucket> {
    match function {
        Aggregate::Quantize => {
            let values = (0..QUANTIZE_BUCKETS).map(Quantize::value);
            values.map(Bucket::at).collect()
        }
        Aggregate::Lquantize(steps) => scale(steps.buckets(), |it| steps.value(it)),
        Aggregate::Llquantize(steps) => magnitudes(steps),
        _ => Vec::new(),
    }
}

/// Buckets on both sides of what is below the lowest order of magnitude.
fn magnitudes(steps: Llquantize) -> Vec<Bucket> {
    let (count, middle) = (steps.buckets(), steps.middle());
    let labelled = |label: String, weight| Bucket { label, weight };
    let bucket = |it| {
        let value = steps.value(it);
        match it {
            0 => labelled(format!("<= {value}"), value),
            _ if it + 1 == count => labelled(format!(">= {value}"), value),
            _ if it != middle => Bucket::at(value),
            _ => match steps.value(middle + 1) {
                1 => Bucket::at(0),
                lowest => labelled(format!("{MAGNITUDE}< {lowest}"), 0),
            },
        }
    };
    (0..count).map(bucket).collect()
}

/// Begins the label of the values below the lowest order of magnitude, on either side of 0; it is
/// left out where no negative value is shown.
pub const MAGNITUDE: &str = "abs() ";

/// Buckets of which the first and last are open-ended.
fn scale(count: u32, value: impl Fn(u32) -> i64) -> Vec<Bucket> {
    let last = count.saturating_sub(1);
    let bucket = |it| match it {
        0 => Bucket::below(value(0)),
        _ if it == last => Bucket::from(value(last)),
        _ => Bucket::at(value(it)),
    };
    (0..count).map(bucket).collect()
}

#[cfg(test)]
mod tests {
    use engine_abi::AggregateFunction;

    use super::*;

    fn labels(function: AggregateFunction, parameters: [i32; 4]) -> Vec<String> {
        let function = Aggregate::new(function, parameters).unwrap();
        buckets(function).into_iter().map(|it| it.label).collect()
    }

    #[test]
    fn powers_of_two_are_symmetric_around_zero() {
        let all = labels(AggregateFunction::Quantize, [0; 4]);
        assert_eq!(all.len(), QUANTIZE_BUCKETS as usize);
        assert_eq!(all[61..=66], ["-2", "-1", "0", "1", "2", "4"]);
        assert_eq!(all[0], (-(1i64 << 62)).to_string());
        assert_eq!(all[126], (1i64 << 62).to_string());
    }

    #[test]
    fn linear_steps_go_from_base_to_limit() {
        assert_eq!(
            labels(AggregateFunction::Lquantize, [-10, 20, 10, 0]),
            ["< -10", "-10", "0", "10", ">= 20"]
        );
    }

    #[test]
    fn magnitudes_are_divided_into_steps() {
        assert_eq!(
            labels(AggregateFunction::Llquantize, [2, 1, 2, 2]),
            ["<= -8", "-4", "-2", "abs() < 2", "2", "4", ">= 8"]
        );
        let all = labels(AggregateFunction::Llquantize, [10, 0, 1, 5]);
        assert_eq!(
            all[all.len() / 2..],
            [
                "0", "1", "2", "4", "6", "8", "10", "20", "40", "60", "80", ">= 100"
            ]
        );
    }
}
