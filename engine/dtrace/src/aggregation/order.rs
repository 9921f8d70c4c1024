//! The order in which keys are printed: by value, then by key, unless the `aggsort` options change
//! it.

use std::cmp::Ordering;

use engine_dlang::program::{Field, FieldType};

use super::Schema;
use super::buckets::{Bucket, buckets};
use super::value::Value;
use crate::print::{field, unsigned_of};

/// The `aggsort` options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// `aggsortkey`: by key first.
    pub by_key: bool,
    /// `aggsortrev`: reversed.
    pub reversed: bool,
    /// `aggsortpos`: which of several aggregations is compared first, from 0.
    pub position: usize,
    /// `aggsortkeypos`: which part of a key is compared first, from 0.
    pub key_position: usize,
}

/// A key, and its value in each of some aggregations.
pub type Line<'a> = (&'a [u8], Vec<&'a Value>);

/// What values are compared by: their result, and for histograms of equal weight the count of
/// zeros.
type Rank = (i128, i128);

impl Order {
    /// Sorts lines of these aggregations.
    pub fn sort<'a>(
        &self,
        schema: &[&Schema],
        lines: impl Iterator<Item = Line<'a>>,
    ) -> Vec<Line<'a>> {
        let buckets: Vec<_> = schema.iter().map(|it| buckets(it.function)).collect();
        let ranked = lines.map(|line| {
            let values = schema.iter().zip(&buckets).zip(&line.1);
            let ranks = values.map(|((schema, buckets), value)| rank(schema, buckets, value));
            (ranks.collect::<Vec<_>>(), line)
        });
        let mut ranked: Vec<_> = ranked.collect();
        let keys = schema.first().map_or(&[][..], |it| &it.keys);
        ranked.sort_by(|(a, (one, _)), (b, (other, _))| self.compare(keys, (one, a), (other, b)));
        ranked.into_iter().map(|(_, line)| line).collect()
    }

    fn compare(&self, keys: &[Field], a: (&[u8], &[Rank]), b: (&[u8], &[Rank])) -> Ordering {
        let values = || {
            let mut places = rotated(a.1.len().min(b.1.len()), self.position);
            let differ = places.find(|&place| a.1[place] != b.1[place]);
            differ.map_or(Ordering::Equal, |place| a.1[place].cmp(&b.1[place]))
        };
        let keys = || {
            let parts = rotated(keys.len(), self.key_position);
            let mut orderings = parts.map(|place| compare_parts(&keys[place], a.0, b.0));
            orderings.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
        };
        let ordering = match self.by_key {
            true => keys().then_with(values),
            false => values().then_with(keys),
        };
        match self.reversed {
            true => ordering.reverse(),
            false => ordering,
        }
    }
}

/// The indices from `first` on, then those before it; an invalid `first` is taken for 0.
fn rotated(count: usize, first: usize) -> impl Iterator<Item = usize> {
    let first = if first < count { first } else { 0 };
    (first..count).chain(0..first)
}

/// Compares one part of two keys. Integers compare as unsigned, as in DTrace.
fn compare_parts(part: &Field, a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (field(part, a), field(part, b));
    match part.kind {
        FieldType::Signed | FieldType::Unsigned | FieldType::KernelAddress(_) => {
            unsigned_of(a).cmp(&unsigned_of(b))
        }
        _ => a.cmp(b),
    }
}

/// A value's rank. Normalization does not affect it, only what is printed.
fn rank(schema: &Schema, buckets: &[Bucket], value: &Value) -> Rank {
    if buckets.is_empty() {
        return (i128::from(value.result_over(schema, 1).bits as i64), 0);
    }
    let mut sum = 0i128;
    let mut zeros = 0i128;
    for (bucket, &count) in buckets.iter().zip(value.words()) {
        let count = i128::from(count as i64);
        sum = sum.saturating_add(count.saturating_mul(bucket.weight.into()));
        if bucket.weight == 0 {
            zeros = zeros.saturating_add(count);
        }
    }
    (sum, zeros)
}

#[cfg(test)]
mod tests {
    use engine_dvm::aggregate::Aggregate;

    use super::super::tests::schema;
    use super::*;

    fn key(parts: &[i32]) -> Vec<u8> {
        parts.iter().flat_map(|it| it.to_ne_bytes()).collect()
    }

    /// A sum with two ints as its key.
    fn pair() -> Schema {
        let part = |offset| Field {
            offset,
            size: 4,
            kind: FieldType::Signed,
        };
        Schema {
            keys: vec![part(0), part(4)],
            key_size: 8,
            ..schema(Aggregate::Sum, false)
        }
    }

    /// Compares two lines, each with two ints as its key and a sum.
    fn compare(order: Order, a: ([i32; 2], i64), b: ([i32; 2], i64)) -> Ordering {
        let (one, other) = (key(&a.0), key(&b.0));
        let (a, b) = ([(a.1.into(), 0)], [(b.1.into(), 0)]);
        order.compare(&pair().keys, (&one, &a), (&other, &b))
    }

    #[test]
    fn values_are_compared_before_keys() {
        let order = Order::default();
        assert!(compare(order, ([9, 9], -1), ([1, 1], 1)).is_lt());
        assert!(compare(order, ([1, 2], 5), ([1, 1], 5)).is_gt());
        assert!(compare(order, ([1, 1], 5), ([1, 1], 5)).is_eq());
    }

    #[test]
    fn options_change_the_order() {
        let by_key = Order {
            by_key: true,
            ..Order::default()
        };
        assert!(compare(by_key, ([9, 9], -1), ([1, 1], 1)).is_gt());
        let second = Order {
            key_position: 1,
            ..by_key
        };
        assert!(compare(second, ([9, 1], 0), ([1, 9], 0)).is_lt());
        let nowhere = Order {
            key_position: 2,
            ..by_key
        };
        assert!(compare(nowhere, ([9, 1], 0), ([1, 9], 0)).is_gt());
        let reversed = Order {
            reversed: true,
            ..Order::default()
        };
        assert!(compare(reversed, ([9, 9], -1), ([1, 1], 1)).is_gt());
    }

    #[test]
    fn negative_keys_sort_last_as_in_dtrace() {
        let by_key = Order {
            by_key: true,
            ..Order::default()
        };
        assert!(compare(by_key, ([-1, 0], 0), ([1, 0], 0)).is_gt());
    }

    #[test]
    fn histograms_are_compared_by_weight() {
        let schema = schema(Aggregate::Quantize, false);
        let buckets = buckets(schema.function);
        let weigh = |counts: &[(usize, u64)]| {
            let mut words = vec![0; 127];
            counts.iter().for_each(|&(at, count)| words[at] = count);
            rank(&schema, &buckets, &Value::new(words))
        };
        assert!(weigh(&[(64, 1)]) < weigh(&[(67, 1)]));
        assert!(weigh(&[(64, 9)]) > weigh(&[(67, 1)]));
        assert!(weigh(&[(63, 1)]) < weigh(&[(63, 2)]));
    }

    #[test]
    fn aggsortpos_selects_the_aggregation() {
        let (schema, low, high) = (pair(), Value::new(vec![1]), Value::new(vec![2]));
        let (one, other) = (key(&[1, 1]), key(&[2, 2]));
        let lines = || {
            [
                (&one[..], vec![&high, &low]),
                (&other[..], vec![&low, &high]),
            ]
        };
        for (position, first) in [(0, &other), (1, &one), (2, &other)] {
            let order = Order {
                position,
                ..Order::default()
            };
            let sorted = order.sort(&[&schema, &schema], lines().into_iter());
            assert_eq!(sorted[0].0, first);
        }
    }
}
