//! The buckets of histograms: what is printed beside each, and what it weighs in a comparison.

use engine_abi::AggregateFunction;
use engine_dlang::program::Aggregation;

/// A bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// What is printed beside it.
    pub label: String,
    /// The value that it stands for.
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

/// The buckets of an aggregation, in the order of its words; none of what is no histogram.
pub fn buckets(about: &Aggregation) -> Vec<Bucket> {
    let [a, b, c, d] = about.parameters.map(i64::from);
    match about.function {
        AggregateFunction::Quantize => powers(),
        AggregateFunction::Lquantize => steps(a, b, c),
        AggregateFunction::Llquantize => magnitudes(a, b, c, d),
        _ => Vec::new(),
    }
}

/// The powers of two below zero, zero, and those above.
fn powers() -> Vec<Bucket> {
    let positive = (0..63).map(|bit| 1i64 << bit);
    let negative = positive.clone().rev().map(|it| -it);
    negative.chain([0]).chain(positive).map(Bucket::at).collect()
}

fn steps(base: i64, limit: i64, step: i64) -> Vec<Bucket> {
    let levels = limit.saturating_sub(base).checked_div(step).unwrap_or(0);
    let mut all = vec![Bucket::below(base)];
    all.extend((0..levels).map(|level| Bucket::at(base + level * step)));
    all.push(Bucket::from(base + levels * step));
    all
}

/// From `factor` to the power of `low` on, up to it to the power of `high` and one more: each order of
/// magnitude in as many steps, or in fewer where they would be less than 1.
fn magnitudes(factor: i64, low: i64, high: i64, steps: i64) -> Vec<Bucket> {
    let exponent = u32::try_from(low).unwrap_or(0);
    let mut value = factor.saturating_pow(exponent);
    let mut all = vec![Bucket::below(value)];
    for _ in low..=high {
        let next = value.saturating_mul(factor);
        let step = next.checked_div(steps).unwrap_or(1).max(1);
        while value < next {
            all.push(Bucket::at(value));
            value = value.saturating_add(step);
        }
    }
    all.push(Bucket::from(value));
    all
}

#[cfg(test)]
mod tests {
    use super::super::tests::about;
    use super::*;

    fn labels(function: AggregateFunction, parameters: [i32; 4]) -> Vec<String> {
        let about = Aggregation {
            parameters,
            ..about(function, false)
        };
        buckets(&about).into_iter().map(|it| it.label).collect()
    }

    #[test]
    fn powers_of_two_lie_around_zero() {
        let all = labels(AggregateFunction::Quantize, [0; 4]);
        assert_eq!(all.len(), engine_abi::QUANTIZE_BUCKETS as usize);
        assert_eq!(all[61..=66], ["-2", "-1", "0", "1", "2", "4"]);
        assert_eq!(all[0], (-(1i64 << 62)).to_string());
        assert_eq!(all[126], (1i64 << 62).to_string());
    }

    #[test]
    fn steps_go_from_the_base_to_the_limit() {
        assert_eq!(
            labels(AggregateFunction::Lquantize, [-10, 20, 10, 0]),
            ["< -10", "-10", "0", "10", ">= 20"]
        );
    }

    #[test]
    fn magnitudes_are_cut_into_steps() {
        assert_eq!(
            labels(AggregateFunction::Llquantize, [10, 0, 1, 10]),
            [
                "< 1", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "20", "30", "40", "50",
                "60", "70", "80", "90", ">= 100"
            ]
        );
        assert_eq!(
            labels(AggregateFunction::Llquantize, [2, 1, 2, 2]),
            ["< 2", "2", "4", ">= 8"]
        );
    }
}
