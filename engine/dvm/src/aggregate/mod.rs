//! Aggregating functions: how many words they keep for a key, how a value updates them, and how the
//! words of two CPUs are merged.

mod bucket;

use engine_abi::{AggregateFunction, QUANTIZE_BUCKETS};

pub use bucket::{Llquantize, Lquantize, Quantize};

/// The words that an aggregation keeps for one key.
pub trait Words {
    /// A word; 0 if out of range.
    fn word(&self, index: u32) -> u64;

    /// Sets a word; ignored if out of range.
    fn set_word(&mut self, index: u32, word: u64);
}

impl Words for [u64] {
    fn word(&self, index: u32) -> u64 {
        self.get(index as usize).copied().unwrap_or(0)
    }

    fn set_word(&mut self, index: u32, word: u64) {
        if let Some(place) = self.get_mut(index as usize) {
            *place = word;
        }
    }
}

/// An aggregating function with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The number of values: one word.
    Count,
    /// Their sum: one word.
    Sum,
    /// The minimum: one word, signed.
    Min,
    /// The maximum: one word, signed.
    Max,
    /// The number and the sum.
    Avg,
    /// The number, the sum, and the sum of squares in two words, low word first.
    Stddev,
    /// A count for each power of two.
    Quantize,
    /// A count for each step.
    Lquantize(Lquantize),
    /// A count for each step of each order of magnitude.
    Llquantize(Llquantize),
}

impl Aggregate {
    /// A function with the parameters of its row; `None` if they are invalid.
    pub fn new(function: AggregateFunction, parameters: [i32; 4]) -> Option<Self> {
        let plain = match function {
            AggregateFunction::Count => Self::Count,
            AggregateFunction::Sum => Self::Sum,
            AggregateFunction::Min => Self::Min,
            AggregateFunction::Max => Self::Max,
            AggregateFunction::Avg => Self::Avg,
            AggregateFunction::Stddev => Self::Stddev,
            AggregateFunction::Quantize => Self::Quantize,
            AggregateFunction::Lquantize => {
                return Lquantize::new(parameters).map(Self::Lquantize);
            }
            AggregateFunction::Llquantize => {
                return Llquantize::new(parameters).map(Self::Llquantize);
            }
        };
        (parameters == [0; 4]).then_some(plain)
    }

    /// The number of words for a key.
    pub fn words(self) -> u32 {
        match self {
            Self::Count | Self::Sum | Self::Min | Self::Max => 1,
            Self::Avg => 2,
            Self::Stddev => 4,
            Self::Quantize => QUANTIZE_BUCKETS,
            Self::Lquantize(steps) => steps.buckets(),
            Self::Llquantize(steps) => steps.buckets(),
        }
    }

    /// The value of each word before the first update.
    pub const fn initial(self) -> u64 {
        match self {
            Self::Min => i64::MAX as u64,
            Self::Max => i64::MIN as u64,
            _ => 0,
        }
    }

    /// Adds a value. `increment` is what a quantizing function adds to the value's bucket. `count`,
    /// the most common, is checked for first.
    #[inline]
    pub fn update<W: Words + ?Sized>(self, words: &mut W, value: u64, increment: u64) {
        if matches!(self, Self::Count) {
            return add(words, 0, 1);
        }
        self.add_value(words, value, increment);
    }

    #[inline(never)]
    fn add_value<W: Words + ?Sized>(self, words: &mut W, value: u64, increment: u64) {
        match self {
            Self::Count => add(words, 0, 1),
            Self::Avg => {
                add(words, 0, 1);
                add(words, 1, value);
            }
            Self::Stddev => {
                add(words, 0, 1);
                add(words, 1, value);
                let magnitude = u128::from((value as i64).unsigned_abs());
                add_wide(words, 2, magnitude.wrapping_mul(magnitude));
            }
            Self::Quantize => add(words, Quantize::bucket(value as i64), increment),
            Self::Lquantize(steps) => add(words, steps.bucket(value as i64), increment),
            Self::Llquantize(steps) => add(words, steps.bucket(value as i64), increment),
            Self::Sum | Self::Min | Self::Max => self.join(words, 0, value),
        }
    }

    /// Merges the words of another CPU for the same key.
    pub fn merge<W: Words + ?Sized>(self, words: &mut W, others: &(impl Words + ?Sized)) {
        if self == Self::Stddev {
            add(words, 0, others.word(0));
            add(words, 1, others.word(1));
            add_wide(words, 2, wide(others, 2));
            return;
        }
        for index in 0..self.words() {
            self.join(words, index, others.word(index));
        }
    }

    /// Merges one word.
    fn join<W: Words + ?Sized>(self, words: &mut W, index: u32, other: u64) {
        let word = words.word(index);
        let (signed, other_signed) = (word as i64, other as i64);
        let joined = match self {
            Self::Min => signed.min(other_signed) as u64,
            Self::Max => signed.max(other_signed) as u64,
            _ => word.wrapping_add(other),
        };
        words.set_word(index, joined);
    }
}

fn add<W: Words + ?Sized>(words: &mut W, index: u32, more: u64) {
    words.set_word(index, words.word(index).wrapping_add(more));
}

/// The 128-bit number in two words, low word first.
fn wide<W: Words + ?Sized>(words: &W, index: u32) -> u128 {
    let high = words.word(index.wrapping_add(1));
    u128::from(high) << 64 | u128::from(words.word(index))
}

fn add_wide<W: Words + ?Sized>(words: &mut W, index: u32, more: u128) {
    let sum = wide(words, index).wrapping_add(more);
    words.set_word(index, sum as u64);
    words.set_word(index.wrapping_add(1), (sum >> 64) as u64);
}
