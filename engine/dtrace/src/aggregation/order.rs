//! In which order an aggregation's keys are printed: by their values, and by themselves where those are
//! equal; or as the `aggsort` options say.

use std::cmp::Ordering;

use engine_dlang::program::{Field, FieldType};

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

/// A key, and its value in each of some aggregations.
pub type Line<'a> = (&'a [u8], Vec<&'a Value>);

/// What decides between two values: what they come to, and between histograms that come to the same, how
/// many zeros they have.
type Rank = (i128, i128);

impl Order {
    /// Puts lines of these aggregations in order.
    pub fn sort<'a>(
        &self,
        about: &[&About],
        lines: impl Iterator<Item = Line<'a>>,
    ) -> Vec<Line<'a>> {
        let buckets: Vec<_> = about.iter().map(|it| buckets(it.function)).collect();
        let ranked = lines.map(|line| {
            let values = about.iter().zip(&buckets).zip(&line.1);
            let ranks = values.map(|((about, buckets), value)| rank(about, buckets, value));
            (ranks.collect::<Vec<_>>(), line)
        });
        let mut ranked: Vec<_> = ranked.collect();
        let keys = about.first().map_or(&[][..], |it| &it.keys);
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

/// Normalisation changes what is printed, not where.
fn rank(about: &About, buckets: &[Bucket], value: &Value) -> Rank {
    if buckets.is_empty() {
        return (i128::from(value.result_over(about, 1).bits as i64), 0);
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

    /// How two lines of a key of two ints and a sum lie to each other.
    fn compare(order: Order, a: ([i32; 2], i64), b: ([i32; 2], i64)) -> Ordering {
        let (one, other) = (key(&a.0), key(&b.0));
        let (a, b) = ([(a.1.into(), 0)], [(b.1.into(), 0)]);
        order.compare(&pair().keys, (&one, &a), (&other, &b))
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
        let buckets = buckets(about.function);
        let weigh = |counts: &[(usize, u64)]| {
            let mut words = vec![0; 127];
            counts.iter().for_each(|&(at, count)| words[at] = count);
            rank(&about, &buckets, &Value::new(words))
        };
        assert!(weigh(&[(64, 1)]) < weigh(&[(67, 1)]));
        assert!(weigh(&[(64, 9)]) > weigh(&[(67, 1)]));
        assert!(weigh(&[(63, 1)]) < weigh(&[(63, 2)]));
    }

    #[test]
    fn the_position_says_which_aggregation_counts() {
        let (about, low, high) = (pair(), Value::new(vec![1]), Value::new(vec![2]));
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
            let sorted = order.sort(&[&about, &about], lines().into_iter());
            assert_eq!(sorted[0].0, first);
        }
    }
}
