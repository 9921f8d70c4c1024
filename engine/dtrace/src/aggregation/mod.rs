//! Aggregations: merges what each CPU reports under each key, and prints the result.
//!
//! [`Aggregations::add`] merges snapshots as they are drained; `clear`, `trunc`, `normalize` and
//! `denormalize` act on the merged values when their record is printed, in user space as in DTrace.
//! [`value`] has the values, [`order`] sorts them, [`print`] lays them out, with [`histogram`] over
//! [`buckets`] and [`bars`], or [`packed`] (`aggpack`), for those with buckets.

mod bars;
mod buckets;
mod histogram;
mod order;
mod packed;
mod print;
mod value;

pub use histogram::Encoding;
pub use order::Order;
pub use print::AggregationOptions;

use std::collections::BTreeMap;

use engine_dlang::program::{Aggregation, Field};
use engine_dvm::aggregate::Aggregate;

use value::Value;

use crate::error::Error;
use crate::print::unsigned_of;

/// All aggregations of a program, by number.
pub struct Aggregations(Vec<Row>);

/// An aggregation and its values by key.
struct Row {
    schema: Schema,
    values: BTreeMap<Vec<u8>, Value>,
    /// Whether `printa` has printed it; then it is not printed at the end.
    is_printed: bool,
}

/// The static properties of an aggregation.
pub struct Schema {
    function: Aggregate,
    keys: Vec<Field>,
    key_size: u32,
    is_signed: bool,
}

impl Aggregations {
    /// A program's aggregations, without values.
    pub fn new(compiled: &[Aggregation]) -> Result<Self, Error> {
        let schema = compiled.iter().map(|it| {
            let function = Aggregate::new(it.function, it.parameters);
            Ok(Schema {
                function: function.ok_or_else(|| Error::Aggregation(it.name.clone()))?,
                keys: it.keys.clone(),
                key_size: it.key_size,
                is_signed: it.is_signed,
            })
        });
        schema.collect::<Result<Vec<_>, _>>().map(Self::of)
    }

    fn of(schema: impl IntoIterator<Item = Schema>) -> Self {
        let row = |schema| Row {
            schema,
            values: BTreeMap::new(),
            is_printed: false,
        };
        Self(schema.into_iter().map(row).collect())
    }

    /// Merges one entry of a CPU: the aggregation's number, and its key followed by its data words.
    /// False if it fits no aggregation of the program.
    pub fn add(&mut self, row: u32, data: &[u8]) -> bool {
        let Some(row) = self.0.get_mut(row as usize) else {
            return false;
        };
        let Some((key, words)) = data.split_at_checked(row.schema.key_size as usize) else {
            return false;
        };
        let words: Vec<u64> = words.chunks_exact(8).map(unsigned_of).collect();
        if words.len() != row.schema.function.words() as usize {
            return false;
        }
        match row.values.get_mut(key) {
            Some(value) => value.merge(&row.schema, &words),
            None => {
                row.values.insert(key.to_vec(), Value::new(words));
            }
        }
        true
    }

    /// `clear`: resets all values but retains the keys.
    pub fn clear(&mut self, row: usize) {
        self.each(row, Value::clear);
    }

    /// `normalize`: divides values by `factor` when they are printed.
    pub fn normalize(&mut self, row: usize, factor: u64) {
        self.each(row, |value| value.normalize(factor));
    }

    /// `denormalize`: ends that.
    pub fn denormalize(&mut self, row: usize) {
        self.each(row, |value| value.normalize(1));
    }

    /// `trunc`: retains `most` keys, those with the largest values, or if negative those with the
    /// smallest.
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
    /// Its keys in ascending order of values.
    fn sorted_keys(&self) -> Vec<Vec<u8>> {
        let lines = self.values.iter();
        let lines = lines.map(|(key, value)| (key.as_slice(), vec![value]));
        let sorted = Order::default().sort(&[&self.schema], lines);
        sorted.into_iter().map(|(key, _)| key.to_vec()).collect()
    }
}

#[cfg(test)]
mod tests {
    use engine_dlang::program::FieldType;

    use super::*;

    /// An aggregation with one 8-byte key, or without a key.
    pub(super) fn schema(function: Aggregate, keyed: bool) -> Schema {
        let key = Field {
            offset: 0,
            size: 8,
            kind: FieldType::Signed,
        };
        Schema {
            function,
            keys: if keyed { vec![key] } else { Vec::new() },
            key_size: if keyed { 8 } else { 0 },
            is_signed: function != Aggregate::Count,
        }
    }

    /// An entry as a CPU reports it.
    pub(super) fn reported(key: u64, words: &[u64]) -> Vec<u8> {
        let all = std::iter::once(&key).chain(words);
        all.flat_map(|it| it.to_ne_bytes()).collect()
    }

    fn sums(values: &[(u64, u64)]) -> Aggregations {
        let mut all = Aggregations::of([schema(Aggregate::Sum, true)]);
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
    fn reports_for_one_key_are_merged() {
        let all = sums(&[(1, 5), (2, 1), (1, 7)]);
        assert_eq!(all.0[0].values.len(), 2);
        assert_eq!(keys(&all), [2, 1]);
    }

    #[test]
    fn entries_that_fit_no_aggregation_are_refused() {
        let mut all = sums(&[]);
        assert!(!all.add(1, &reported(1, &[1])));
        assert!(!all.add(0, &reported(1, &[])));
        assert!(!all.add(0, &reported(1, &[1, 2])));
        assert!(!all.add(0, &[0; 4]));
    }

    #[test]
    fn trunc_retains_the_largest_or_the_smallest() {
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
