//! The buckets of `quantize`, `lquantize` and `llquantize`: the bucket of a value, and the value
//! that a bucket begins at.

use engine_abi::QUANTIZE_BUCKETS;

use crate::limits::LEVELS_MAX;

/// The buckets of `quantize`: one for zero, and one for each power of two on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantize;

impl Quantize {
    /// The bucket of 0.
    pub const ZERO: u32 = QUANTIZE_BUCKETS / 2;

    /// The bucket of a value: that of the nearest power of two toward 0.
    pub const fn bucket(value: i64) -> u32 {
        let magnitude = match value.unsigned_abs().checked_ilog2() {
            None => return Self::ZERO,
            // i64::MIN shares the bucket of numbers half as large.
            Some(62..) => 62,
            Some(magnitude) => magnitude,
        };
        if value < 0 {
            Self::ZERO.wrapping_sub(1).wrapping_sub(magnitude)
        } else {
            Self::ZERO.wrapping_add(1).wrapping_add(magnitude)
        }
    }

    /// The value of a bucket that is nearest to 0.
    pub const fn value(bucket: u32) -> i64 {
        let distance = bucket.abs_diff(Self::ZERO);
        if distance == 0 {
            return 0;
        }
        let magnitude = 1_i64.wrapping_shl(distance.wrapping_sub(1));
        if bucket < Self::ZERO {
            magnitude.wrapping_neg()
        } else {
            magnitude
        }
    }
}

/// The buckets of `lquantize`: below the base, one for each step, and from the limit up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lquantize {
    base: i32,
    step: u32,
    levels: u32,
}

impl Lquantize {
    /// The buckets from a base to a limit: a whole number of steps, at least one and at most
    /// [`LEVELS_MAX`].
    pub const fn new([base, limit, step, unused]: [i32; 4]) -> Option<Self> {
        if unused != 0 || step <= 0 || limit <= base {
            return None;
        }
        let step = step as u32;
        match limit.abs_diff(base).checked_div(step) {
            Some(levels @ 1..=LEVELS_MAX) => Some(Self { base, step, levels }),
            _ => None,
        }
    }

    /// The number of buckets.
    pub const fn buckets(self) -> u32 {
        self.levels.wrapping_add(2)
    }

    /// The width of a bucket.
    pub const fn step(self) -> u32 {
        self.step
    }

    /// The bucket of a value.
    pub const fn bucket(self, value: i64) -> u32 {
        let base = self.base as i64;
        if value < base {
            return 0;
        }
        match value.abs_diff(base).checked_div(self.step as u64) {
            Some(level) if level < self.levels as u64 => (level as u32).wrapping_add(1),
            _ => self.levels.wrapping_add(1),
        }
    }

    /// The least value of a bucket; for the first, which has none, its upper bound.
    pub const fn value(self, bucket: u32) -> i64 {
        let level = bucket.saturating_sub(1) as i64;
        (self.base as i64).wrapping_add(level.wrapping_mul(self.step as i64))
    }
}

/// The buckets of `llquantize`: those of each order of magnitude, and one above the highest, for
/// positive and for negative values alike; and between them one for what is below the lowest.
///
/// Order of magnitude `n` covers the values from the factor's `n`th power up to the next. Its
/// buckets are as wide as if `steps` of them reached from 0 to that next power, at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Llquantize {
    factor: u16,
    low: u16,
    high: u16,
    steps: u16,
}

/// An order of magnitude.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// The least value.
    begin: i64,
    /// The end, exclusive.
    end: i64,
    /// Values per bucket; the first may have fewer.
    width: i64,
    /// How many buckets of this width fit below it.
    below: i64,
    /// Its first bucket; those of positive values are counted from 1.
    bucket: u32,
    /// The number of its buckets.
    buckets: u32,
}

impl Llquantize {
    /// The buckets from a low to a high order of magnitude. The steps must divide the factor, or be
    /// a multiple of it that divides the end of the lowest order, or of the order after it if that
    /// is the 0th. The end of the highest order must fit an i64. There are at most [`LEVELS_MAX`]
    /// buckets and two.
    pub fn new(parameters: [i32; 4]) -> Option<Self> {
        let [factor, low, high, steps] = parameters.map(|value| u16::try_from(value).ok());
        let (factor, low, high, steps) = (factor?, low?, high?, steps?);
        let quantize = Self {
            factor,
            low,
            high,
            steps,
        };
        let is_sound = factor >= 2
            && low <= high
            && quantize.is_even()
            && power(factor, u32::from(high).wrapping_add(1)).is_some();
        (is_sound && quantize.buckets() <= LEVELS_MAX.wrapping_add(2)).then_some(quantize)
    }

    /// Whether every bucket has a whole number of values.
    fn is_even(self) -> bool {
        if self.steps <= self.factor {
            return self.factor.checked_rem(self.steps) == Some(0);
        }
        let end = power(self.factor, u32::from(self.low.max(1)).wrapping_add(1));
        self.steps.checked_rem(self.factor) == Some(0)
            && end.and_then(|end| end.checked_rem(self.steps.into())) == Some(0)
    }

    /// The number of buckets.
    pub fn buckets(self) -> u32 {
        self.outermost().wrapping_mul(2).wrapping_add(1)
    }

    /// The bucket of 0.
    pub fn middle(self) -> u32 {
        self.outermost()
    }

    /// The bucket of positive values above the highest order, counted from 1.
    fn outermost(self) -> u32 {
        let last = self.orders().last();
        last.map_or(1, |order| order.bucket.wrapping_add(order.buckets))
    }

    /// The bucket of a value.
    pub fn bucket(self, value: i64) -> u32 {
        let middle = self.middle();
        let distance = self.distance(value.unsigned_abs());
        if value < 0 {
            middle.wrapping_sub(distance)
        } else {
            middle.wrapping_add(distance)
        }
    }

    /// How far the bucket of a magnitude is from that of 0.
    fn distance(self, magnitude: u64) -> u32 {
        let mut behind = 0;
        for order in self.orders() {
            if magnitude < order.begin as u64 {
                return behind;
            }
            behind = order.bucket.wrapping_add(order.buckets);
            if magnitude < order.end as u64 {
                let step = magnitude.checked_div(order.width as u64).unwrap_or(0);
                let step = step.wrapping_sub(order.below as u64);
                return order.bucket.wrapping_add(step as u32);
            }
        }
        behind
    }

    /// The value of a bucket that is nearest to 0.
    pub fn value(self, bucket: u32) -> i64 {
        let middle = self.middle();
        let value = self.magnitude(bucket.abs_diff(middle));
        if bucket < middle {
            value.wrapping_neg()
        } else {
            value
        }
    }

    /// The least magnitude of the buckets that are so far from that of 0.
    fn magnitude(self, distance: u32) -> i64 {
        let mut end = 0;
        if distance == 0 {
            return end;
        }
        for order in self.orders() {
            end = order.end;
            let step = distance.saturating_sub(order.bucket);
            if step < order.buckets {
                let step = order.below.wrapping_add(step.into());
                return order.width.wrapping_mul(step).max(order.begin);
            }
        }
        end
    }

    /// Its orders of magnitude, from the lowest up.
    fn orders(self) -> impl Iterator<Item = Order> {
        let mut bucket: u32 = 1;
        (self.low..=self.high).map_while(move |exponent| {
            let begin = power(self.factor, exponent.into())?;
            let end = begin.checked_mul(self.factor.into())?;
            let steps = end.min(self.steps.into());
            let below = steps.checked_div(self.factor.into())?;
            let buckets = steps.wrapping_sub(below) as u32;
            let order = Order {
                begin,
                end,
                width: end.checked_div(steps)?,
                below,
                bucket,
                buckets,
            };
            bucket = bucket.wrapping_add(buckets);
            Some(order)
        })
    }
}

/// A power of the factor, if it does not overflow.
fn power(factor: u16, exponent: u32) -> Option<i64> {
    i64::from(factor).checked_pow(exponent)
}
