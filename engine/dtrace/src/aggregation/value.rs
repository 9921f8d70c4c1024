//! The value of an aggregation under one key.

use engine_dlang::format::Specifier;
use engine_dvm::aggregate::Aggregate;

use super::Schema;
use crate::print::{Layout, Number, number};

/// The data words, as the engine keeps them, and the divisor of `normalize`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    words: Vec<u64>,
    normal: u64,
    /// Cleared, with nothing merged since: the zeros must not count as minimum or maximum.
    is_cleared: bool,
}

impl Value {
    /// A value with these words.
    pub fn new(words: Vec<u64>) -> Self {
        Self {
            words,
            normal: 1,
            is_cleared: false,
        }
    }

    /// The value of a key under which nothing was aggregated.
    pub fn zero(schema: &Schema) -> Self {
        Self::new(vec![0; schema.function.words() as usize])
    }

    /// Clears the words; the divisor stays.
    pub fn clear(&mut self) {
        self.words.fill(0);
        self.is_cleared = true;
    }

    /// Merges another report, of any CPU.
    pub fn merge(&mut self, schema: &Schema, words: &[u64]) {
        if std::mem::take(&mut self.is_cleared) {
            self.words.fill(schema.function.initial());
        }
        schema.function.merge(&mut self.words[..], words);
    }

    /// Sets the divisor; 0 counts as 1.
    pub fn normalize(&mut self, factor: u64) {
        self.normal = factor.max(1);
    }

    /// The data words.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A bucket's count after normalization.
    pub fn divided(&self, value: i64) -> i64 {
        value.wrapping_div(self.normal as i64)
    }

    /// The normalized result as one number; meaningless for a histogram.
    pub fn result(&self, schema: &Schema) -> Number {
        self.result_over(schema, self.normal)
    }

    /// The result with another divisor, which must not be 0.
    pub fn result_over(&self, schema: &Schema, normal: u64) -> Number {
        let divided = |value: i64| value.wrapping_div(normal as i64);
        let word = |place: usize| self.words.get(place).copied().unwrap_or(0);
        let (bits, is_signed) = match schema.function {
            Aggregate::Avg => {
                let mean = divided(word(1) as i64).checked_div(word(0) as i64);
                (mean.unwrap_or(0) as u64, true)
            }
            Aggregate::Stddev => (self.deviation(normal), false),
            _ if schema.is_signed => (divided(word(0) as i64) as u64, true),
            _ => (word(0) / normal, false),
        };
        Number {
            bits,
            is_signed,
            size: 8,
        }
    }

    /// The standard deviation: root of the mean of squares minus the square of the mean.
    fn deviation(&self, normal: u64) -> u64 {
        let &[count, sum, low, high] = &self.words[..] else {
            return 0;
        };
        if count == 0 {
            return 0;
        }
        let mean = (sum as i64)
            .wrapping_div(normal as i64)
            .wrapping_div(count as i64);
        let normal = u128::from(normal);
        let squares = u128::from(high) << 64 | u128::from(low);
        let mean_of_squares = squares / normal / normal / u128::from(count);
        let square_of_mean = u128::from(mean.unsigned_abs()).pow(2);
        mean_of_squares.wrapping_sub(square_of_mean).isqrt() as u64
    }

    /// Appends the result as a conversion of `printa` formats it; not for histograms.
    pub fn put(&self, out: &mut Vec<u8>, schema: &Schema, layout: &Layout, how: Specifier) {
        number(out, layout, how, self.result(schema));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::schema;
    use super::*;

    #[test]
    fn a_cleared_value_is_no_minimum() {
        let schema = schema(Aggregate::Min, false);
        let mut value = Value::new(vec![5]);
        value.merge(&schema, &[3]);
        value.merge(&schema, &[4]);
        assert_eq!(value.words(), [3]);
        value.clear();
        assert_eq!(value.words(), [0]);
        value.merge(&schema, &[7]);
        assert_eq!(value.words(), [7]);
    }

    fn result(function: Aggregate, words: &[u64], normal: u64) -> i64 {
        let mut value = Value::new(words.to_vec());
        value.normalize(normal);
        value.result(&schema(function, false)).bits as i64
    }

    #[test]
    fn an_average_is_divided_by_the_count() {
        use Aggregate::Avg;
        assert_eq!(result(Avg, &[4, 10], 1), 2);
        assert_eq!(result(Avg, &[4, -10i64 as u64], 1), -2);
        assert_eq!(result(Avg, &[4, 100], 5), 5);
        assert_eq!(result(Avg, &[0, 0], 1), 0);
    }

    #[test]
    fn a_deviation_is_the_root_of_the_variance() {
        use Aggregate::Stddev;
        // 2, 4, 4, 4, 5, 5, 7, 9: the mean is 5, the deviation 2.
        assert_eq!(result(Stddev, &[8, 40, 232, 0], 1), 2);
        assert_eq!(result(Stddev, &[8, -40i64 as u64, 232, 0], 1), 2);
        assert_eq!(result(Stddev, &[1, 1 << 63, 0, 1 << 62], 1), 0);
        assert_eq!(result(Stddev, &[0, 0, 0, 0], 1), 0);
        // 20, 40, ... normalized by 10 is 2, 4, ...
        assert_eq!(result(Stddev, &[8, 400, 23200, 0], 10), 2);
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        use Aggregate::{Count, Sum};
        assert_eq!(result(Sum, &[-7i64 as u64], 0), -7);
        assert_eq!(result(Count, &[7], 0), 7);
        assert_eq!(result(Sum, &[-7i64 as u64], 2), -3);
    }
}
