//! The buckets of the three functions that count values by their magnitude: which bucket a value falls
//! into, and from which value on a bucket counts.

use engine_abi::QUANTIZE_BUCKETS;

use crate::limits::LEVELS_MAX;

/// The buckets of `quantize`: one for zero, and on either side one for each power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantize;

impl Quantize {
    /// The bucket of 0.
    pub const ZERO: u32 = QUANTIZE_BUCKETS / 2;

    /// The bucket of a value: that of the power of two nearest to it on the side of 0.
    pub const fn bucket(value: i64) -> u32 {
        let magnitude = match value.unsigned_abs().checked_ilog2() {
            None => return Self::ZERO,
            // The least number has its bucket with those half as large.
            Some(62..) => 62,
            Some(magnitude) => magnitude,
        };
        if value < 0 {
            Self::ZERO.wrapping_sub(1).wrapping_sub(magnitude)
        } else {
            Self::ZERO.wrapping_add(1).wrapping_add(magnitude)
        }
    }

    /// The value of a bucket: of those in it the one nearest to 0.
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

/// The buckets of `lquantize`: below the base, one for each step, and behind the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lquantize {
    base: i32,
    step: u32,
    levels: u32,
}

impl Lquantize {
    /// Those from a base to a limit by a step: between them are whole steps, at least one and at most
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

    /// How many there are.
    pub const fn buckets(self) -> u32 {
        self.levels.wrapping_add(2)
    }

    /// How far it is from a bucket to the next.
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

    /// The least value of a bucket; of the first, which has none, where it ends.
    pub const fn value(self, bucket: u32) -> i64 {
        let level = bucket.saturating_sub(1) as i64;
        (self.base as i64).wrapping_add(level.wrapping_mul(self.step as i64))
    }
}

/// The buckets of `llquantize`: below the lowest order of magnitude, those of each order, and above the
/// highest.
///
/// The order of magnitude `n` goes from the factor's `n`th power up to the next, and is cut into as many
/// buckets as there are steps from 0 to that next power, or as there are numbers, where those are fewer.
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
    /// The value at which it begins.
    begin: i64,
    /// The value at which it ends.
    end: i64,
    /// How many values a bucket has.
    width: i64,
    /// Its first bucket.
    bucket: u32,
    /// How many it has.
    buckets: u32,
}

impl Llquantize {
    /// Those of a factor from a low order of magnitude to a high one by so many steps. The factor
    /// divides the steps, the steps divide a power of the factor, and the end of the highest order is
    /// a number. Between their ends they are at most [`LEVELS_MAX`].
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
            && steps.checked_rem(factor) == Some(0)
            && quantize.steps_divide_a_power()
            && power(factor, u32::from(high).wrapping_add(1)).is_some();
        (is_sound && quantize.buckets() <= LEVELS_MAX.wrapping_add(2)).then_some(quantize)
    }

    fn steps_divide_a_power(self) -> bool {
        let steps = i64::from(self.steps);
        let powers = (1..=u16::BITS).filter_map(|exponent| power(self.factor, exponent));
        let mut enough = powers.filter(|power| *power >= steps);
        enough.next().and_then(|power| power.checked_rem(steps)) == Some(0)
    }

    /// How many there are.
    pub fn buckets(self) -> u32 {
        let last = self.orders().last();
        last.map_or(0, |order| {
            order.bucket.wrapping_add(order.buckets).wrapping_add(1)
        })
    }

    /// The bucket of a value.
    pub fn bucket(self, value: i64) -> u32 {
        let mut behind = 0;
        for order in self.orders() {
            if value < order.begin {
                return behind;
            }
            behind = order.bucket.wrapping_add(order.buckets);
            if value < order.end {
                let offset = value.wrapping_sub(order.begin);
                let step = offset.checked_div(order.width).unwrap_or(0);
                return order.bucket.wrapping_add(step as u32);
            }
        }
        behind
    }

    /// The least value of a bucket; of the first, which has none, where it ends.
    pub fn value(self, bucket: u32) -> i64 {
        let mut end = 0;
        for order in self.orders() {
            end = order.end;
            let step = bucket.saturating_sub(order.bucket);
            if step < order.buckets {
                return order
                    .begin
                    .wrapping_add(order.width.wrapping_mul(step.into()));
            }
        }
        end
    }

    /// Its orders of magnitude, from the low one on.
    fn orders(self) -> impl Iterator<Item = Order> {
        let mut bucket: u32 = 1;
        (self.low..=self.high).map_while(move |exponent| {
            let begin = power(self.factor, exponent.into())?;
            let end = begin.checked_mul(self.factor.into())?;
            let steps = end.min(self.steps.into());
            let buckets = steps.wrapping_sub(steps.checked_div(self.factor.into())?) as u32;
            let order = Order {
                begin,
                end,
                width: end.checked_div(steps)?,
                bucket,
                buckets,
            };
            bucket = bucket.wrapping_add(buckets);
            Some(order)
        })
    }
}

/// A power of the factor, if it is a number.
fn power(factor: u16, exponent: u32) -> Option<i64> {
    i64::from(factor).checked_pow(exponent)
}
