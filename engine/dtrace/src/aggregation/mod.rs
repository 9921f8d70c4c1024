//! Aggregations: what the CPUs have reported of them, put together under each key, and printed.

mod bars;
mod buckets;
mod histogram;
mod order;
mod packed;
mod print;
mod value;

pub use histogram::Encoding;
pub use order::Order;
pub use print::Looks;

use std::collections::BTreeMap;

use engine_dlang::program::{Aggregation, Field};
use engine_dvm::aggregate::Aggregate;

use value::Value;

use crate::error::Error;
use crate::print::unsigned_of;

/// All aggregations of a program.
pub struct Aggregations(Vec<Row>);

/// One of them.
struct Row {
    about: About,
    values: BTreeMap<Vec<u8>, Value>,
    /// Whether `printa` has printed it: then it is not printed at the end.
    is_printed: bool,
}

/// What is to be known of an aggregation.
pub struct About {
    function: Aggregate,
    keys: Vec<Field>,
    key_size: u32,
    is_signed: bool,
}

impl Aggregations {
    /// Those of a program, as nothing was aggregated yet.
    pub fn new(compiled: &[Aggregation]) -> Result<Self, Error> {
        let about = compiled.iter().map(|it| {
            let function = Aggregate::new(it.function, it.parameters);
            Ok(About {
                function: function.ok_or_else(|| Error::Aggregation(it.name.clone()))?,
                keys: it.keys.clone(),
                key_size: it.key_size,
                is_signed: it.is_signed,
            })
        });
        about.collect::<Result<Vec<_>, _>>().map(Self::of)
    }

    fn of(about: impl IntoIterator<Item = About>) -> Self {
        let row = |about| Row {
            about,
            values: BTreeMap::new(),
            is_printed: false,
        };
        Self(about.into_iter().map(row).collect())
    }

    /// Adds what a CPU has aggregated: the row, and the key with its words behind it. False where that
    /// is none of this program's.
    pub fn add(&mut self, row: u32, data: &[u8]) -> bool {
        let Some(row) = self.0.get_mut(row as usize) else {
            return false;
        };
        let Some((key, words)) = data.split_at_checked(row.about.key_size as usize) else {
            return false;
        };
        let words: Vec<u64> = words.chunks_exact(8).map(unsigned_of).collect();
        if words.len() != row.about.function.words() as usize {
            return false;
        }
        match row.values.get_mut(key) {
            Some(value) => value.merge(&row.about, &words),
            None => {
                row.values.insert(key.to_vec(), Value::new(words));
            }
        }
        true
    }

    /// `clear`: the keys stay, the values begin anew.
    pub fn clear(&mut self, row: usize) {
        self.each(row, Value::clear);
    }

    /// `normalize`: values are divided by `factor` when they are printed.
    pub fn normalize(&mut self, row: usize, factor: u64) {
        self.each(row, |value| value.normalize(factor));
    }

    /// `denormalize`: they are not any more.
    pub fn denormalize(&mut self, row: usize) {
        self.each(row, |value| value.normalize(1));
    }

    /// `trunc`: as many keys stay as `most` says: those with the greatest values, or, where it is
    /// negative, with the least.
    pub fn truncate(&mut self, row: usize, most: i64) {
        let Some(row) = self.0.get_mut(row) else {
            return;
        };
        let mut keys = row.sorted_keys();
        if most > 0 {
            keys.reverse();
        }
        let stay = usize::try_from(most.unsigned_abs()).unwrap_or(usize::MAX);
        for key in keys.into_iter().skip(stay) {
            row.values.remove(&key);
        }
    }

    fn each(&mut self, row: usize, work: impl FnMut(&mut Value)) {
        if let Some(row) = self.0.get_mut(row) {
            row.values.values_mut().for_each(work);
        }
    }
}

impl Row {
    /// Its keys, the one with the least value first.
    fn sorted_keys(&self) -> Vec<Vec<u8>> {
        let lines = self.values.iter();
        let lines = lines.map(|(key, value)| (key.as_slice(), vec![value]));
        let sorted = Order::default().sort(&[&self.about], lines);
        sorted.into_iter().map(|(key, _)| key.to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use engine_dlang::program::FieldType;

    use super::*;

    /// An aggregation under one key of 8 bytes, or of none.
    pub(super) fn about(function: Aggregate, keyed: bool) -> About {
        let key = Field {
            offset: 0,
            size: 8,
            kind: FieldType::Signed,
        };
        About {
            function,
            keys: if keyed { vec![key] } else { Vec::new() },
            key_size: if keyed { 8 } else { 0 },
            is_signed: function != Aggregate::Count,
        }
    }

    /// What a CPU reports of a key and words.
    pub(super) fn reported(key: u64, words: &[u64]) -> Vec<u8> {
        let all = std::iter::once(&key).chain(words);
        all.flat_map(|it| it.to_ne_bytes()).collect()
    }

    fn sums(values: &[(u64, u64)]) -> Aggregations {
        let mut all = Aggregations::of([about(Aggregate::Sum, true)]);
        for &(key, value) in values {
            assert!(all.add(0, &reported(key, &[value])));
        }
        all
    }

    fn keys(all: &Aggregations) -> Vec<u64> {
        let sorted = all.0[0].sorted_keys();
        sorted.iter().map(|it| unsigned_of(it)).collect()
    }

    #[test]
    fn what_two_cpus_report_of_a_key_is_one_value() {
        let all = sums(&[(1, 5), (2, 1), (1, 7)]);
        assert_eq!(all.0[0].values.len(), 2);
        assert_eq!(keys(&all), [2, 1]);
    }

    #[test]
    fn what_is_none_of_the_programs_is_refused() {
        let mut all = sums(&[]);
        assert!(!all.add(1, &reported(1, &[1])));
        assert!(!all.add(0, &reported(1, &[])));
        assert!(!all.add(0, &reported(1, &[1, 2])));
        assert!(!all.add(0, &[0; 4]));
    }

    #[test]
    fn truncation_keeps_the_greatest_or_the_least() {
        let values = [(1, 10), (2, 20), (3, 30), (4, 40)];
        for (most, left) in [
            (2, vec![3, 4]),
            (-1, vec![1]),
            (0, vec![]),
            (9, vec![1, 2, 3, 4]),
        ] {
            let mut all = sums(&values);
            all.truncate(0, most);
            assert_eq!(keys(&all), left, "trunc to {most}");
        }
    }
}
