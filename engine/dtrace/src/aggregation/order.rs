//! In which order an aggregation's keys are printed: by their values, and by themselves where those are
//! equal; or as the `aggsort` options say.

use std::cmp::Ordering;

use engine_dlang::program::{Field, FieldType};
use engine_dvm::aggregate::Aggregate;

use super::About;
use super::buckets::{Bucket, buckets};
use super::value::Value;
use crate::print::{field, unsigned_of};

/// The `aggsort` options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// `aggsortkey`: by keys first.
    pub by_key: bool,
    /// `aggsortrev`: the other way round.
    pub reversed: bool,
    /// `aggsortpos`: of several aggregations, which comes first, from 0.
    pub position: usize,
    /// `aggsortkeypos`: which part of a key comes first, from 0.
    pub key_position: usize,
}

/// A key and its value in each of some aggregations.
pub type Keyed<'a> = (&'a [u8], &'a [&'a Value]);

impl Order {
    /// Compares two keys, and their values in these aggregations.
    pub fn compare(&self, about: &[&About], a: Keyed<'_>, b: Keyed<'_>) -> Ordering {
        let keys = || self.keys(about[0], a.0, b.0);
        let values = || self.values(about, a.1, b.1);
        let ordering = match self.by_key {
            true => keys().then_with(values),
            false => values().then_with(keys),
        };
        match self.reversed {
            true => ordering.reverse(),
            false => ordering,
        }
    }

    fn values(&self, about: &[&About], a: &[&Value], b: &[&Value]) -> Ordering {
        rotated(about.len(), self.position)
            .map(|place| compare_values(about[place], a[place], b[place]))
            .find(|it| it.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn keys(&self, about: &About, a: &[u8], b: &[u8]) -> Ordering {
        rotated(about.keys.len(), self.key_position)
            .map(|place| compare_parts(&about.keys[place], a, b))
            .find(|it| it.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// The places from `first` on, and then those before it; a place that is not there is the first.
fn rotated(count: usize, first: usize) -> impl Iterator<Item = usize> {
    let first = if first < count { first } else { 0 };
    (first..count).chain(0..first)
}

/// As DTrace does, which knows no sign of keys.
fn compare_parts(part: &Field, a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (field(part, a), field(part, b));
    match part.kind {
        FieldType::Signed | FieldType::Unsigned => unsigned_of(a).cmp(&unsigned_of(b)),
        _ => a.cmp(b),
    }
}

fn compare_values(about: &About, a: &Value, b: &Value) -> Ordering {
    match about.function {
        Aggregate::Quantize | Aggregate::Lquantize(_) | Aggregate::Llquantize(_) => {
            let buckets = buckets(about.function);
            weight(&buckets, a).cmp(&weight(&buckets, b))
        }
        _ => undivided(about, a).cmp(&undivided(about, b)),
    }
}

/// Normalisation changes what is printed, not where.
fn undivided(about: &About, value: &Value) -> i64 {
    Value::new(value.words().to_vec()).result(about).bits as i64
}

/// What a histogram comes to: the sum of its values, and where that is equal, how many zeros.
fn weight(buckets: &[Bucket], value: &Value) -> (i128, i128) {
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
    use super::super::tests::about;
    use super::*;

    fn key(parts: &[i32]) -> Vec<u8> {
        parts.iter().flat_map(|it| it.to_ne_bytes()).collect()
    }

    /// A sum under a key of two ints.
    fn pair() -> About {
        let part = |offset| Field {
            offset,
            size: 4,
            kind: FieldType::Signed,
        };
        About {
            keys: vec![part(0), part(4)],
            key_size: 8,
            ..about(Aggregate::Sum, false)
        }
    }

    fn compare(order: Order, a: ([i32; 2], i64), b: ([i32; 2], i64)) -> Ordering {
        let about = pair();
        let value = |it: i64| Value::new(vec![it as u64]);
        let (one, other) = (value(a.1), value(b.1));
        order.compare(&[&about], (&key(&a.0), &[&one]), (&key(&b.0), &[&other]))
    }

    #[test]
    fn values_come_first_and_keys_decide_between_equals() {
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
    fn negative_keys_come_last_as_dtrace_has_them() {
        let by_key = Order {
            by_key: true,
            ..Order::default()
        };
        assert!(compare(by_key, ([-1, 0], 0), ([1, 0], 0)).is_gt());
    }

    #[test]
    fn histograms_weigh_what_is_in_them() {
        let about = about(Aggregate::Quantize, false);
        let with = |counts: &[(usize, u64)]| {
            let mut words = vec![0; 127];
            counts.iter().for_each(|&(at, count)| words[at] = count);
            Value::new(words)
        };
        let (one, eight) = (with(&[(64, 1)]), with(&[(67, 1)]));
        assert!(compare_values(&about, &one, &eight).is_lt());
        assert!(compare_values(&about, &with(&[(64, 9)]), &eight).is_gt());
        assert!(compare_values(&about, &with(&[(63, 1)]), &with(&[(63, 2)])).is_lt());
    }

    #[test]
    fn the_position_says_which_aggregation_counts() {
        let about = pair();
        let value = |it: u64| Value::new(vec![it]);
        let (low, high) = (value(1), value(2));
        let order = Order {
            position: 1,
            ..Order::default()
        };
        let ordering = order.compare(
            &[&about, &about],
            (&key(&[1, 1]), &[&high, &low]),
            (&key(&[1, 1]), &[&low, &high]),
        );
        assert!(ordering.is_lt());
    }
}
