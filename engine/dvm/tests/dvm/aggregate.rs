//! The words of aggregations, and the bounds of their buckets.

use engine_abi::{AggregateFunction, QUANTIZE_BUCKETS};
use engine_dvm::aggregate::{Aggregate, Llquantize, Lquantize, Quantize};
use proptest::prelude::*;

const LQUANTIZE: [i32; 4] = [-10, 25, 10, 0];
const LLQUANTIZE: [i32; 4] = [10, 1, 3, 20];

fn aggregate(function: AggregateFunction) -> Aggregate {
    let parameters = match function {
        AggregateFunction::Lquantize => LQUANTIZE,
        AggregateFunction::Llquantize => LLQUANTIZE,
        _ => [0; 4],
    };
    Aggregate::new(function, parameters).unwrap()
}

/// The words after some values.
fn kept(aggregate: Aggregate, values: &[i64]) -> Vec<u64> {
    let mut words = vec![aggregate.initial(); aggregate.words() as usize];
    for value in values {
        aggregate.update(&mut words[..], *value as u64, 1);
    }
    words
}

#[test]
fn each_function_keeps_what_it_says() {
    let values = [3, -5, 8];
    let squares = 9 + 25 + 64;
    let cases = [
        (AggregateFunction::Count, vec![3]),
        (AggregateFunction::Sum, vec![6]),
        (AggregateFunction::Min, vec![-5_i64 as u64]),
        (AggregateFunction::Max, vec![8]),
        (AggregateFunction::Avg, vec![3, 6]),
        (AggregateFunction::Stddev, vec![3, 6, squares, 0]),
    ];
    for (function, expected) in cases {
        assert_eq!(kept(aggregate(function), &values), expected, "{function:?}");
    }
}

#[test]
fn squares_take_two_words() {
    let words = kept(Aggregate::Stddev, &[i64::MIN, i64::MIN, 1 << 32, 3]);
    let squares = (1_u128 << 127) + (1 << 64) + 9;
    assert_eq!(words[2..], [squares as u64, (squares >> 64) as u64]);
}

#[test]
fn buckets_count_by_their_increment() {
    let mut words = vec![0; 127];
    Aggregate::Quantize.update(&mut words[..], 5, 1000);
    Aggregate::Quantize.update(&mut words[..], 7, 24);
    assert_eq!(words[66], 1024);
    assert_eq!(words.iter().sum::<u64>(), 1024);
}

#[test]
fn quantize_has_a_bucket_for_each_power_of_two() {
    let cases = [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 2),
        (4, 4),
        (i64::MAX, 1 << 62),
        (-1, -1),
        (-2, -2),
        (-3, -2),
        (-4, -4),
        (i64::MIN + 1, -(1 << 62)),
        (i64::MIN, -(1 << 62)),
    ];
    for (value, expected) in cases {
        let bucket = Quantize::bucket(value);
        assert_eq!(Quantize::value(bucket), expected, "{value}");
    }
    assert_eq!(Quantize::bucket(i64::MIN), 0);
    assert_eq!(Quantize::bucket(i64::MAX), QUANTIZE_BUCKETS - 1);
    for bucket in 0..QUANTIZE_BUCKETS {
        assert_eq!(Quantize::bucket(Quantize::value(bucket)), bucket);
    }
}

#[test]
fn lquantize_has_a_bucket_for_each_step_and_one_at_either_end() {
    let steps = Lquantize::new(LQUANTIZE).unwrap();
    assert_eq!((steps.buckets(), steps.step()), (5, 10));
    let cases = [
        (i64::MIN, 0),
        (-11, 0),
        (-10, 1),
        (-1, 1),
        (0, 2),
        (10, 3),
        (19, 3),
        (20, 4),
        (i64::MAX, 4),
    ];
    for (value, bucket) in cases {
        assert_eq!(steps.bucket(value), bucket, "{value}");
    }
    let values: Vec<i64> = (0..5).map(|bucket| steps.value(bucket)).collect();
    assert_eq!(values, [-10, -10, 0, 10, 20]);
    let whole = Lquantize::new([i32::MIN, i32::MAX, 65537, 0]).unwrap();
    assert_eq!(whole.bucket(i64::MAX), whole.buckets() - 1);
    assert_eq!(whole.bucket(i32::MAX.into()), whole.buckets() - 1);
}

/// The buckets of `llquantize(x, 10, 1, 3, 20)`, by the bounds that are nearest to 0: in each order
/// of magnitude 18 of the 20 steps from 0 to its end.
#[test]
fn llquantize_has_steps_in_each_order_of_magnitude() {
    let steps = Llquantize::new(LLQUANTIZE).unwrap();
    let positive: Vec<i64> = (10..100)
        .step_by(5)
        .chain((100..1000).step_by(50))
        .chain((1000..10000).step_by(500))
        .chain([10000])
        .collect();
    let negative = positive.iter().rev().map(|value| -value);
    let expected: Vec<i64> = negative.chain([0]).chain(positive.clone()).collect();
    let values: Vec<i64> = (0..steps.buckets())
        .map(|bucket| steps.value(bucket))
        .collect();
    assert_eq!(values, expected);
    let (middle, last) = (steps.middle(), steps.buckets() - 1);
    let cases = [
        (i64::MIN, 0),
        (-10000, 0),
        (-9999, 1),
        (-10, middle - 1),
        (-9, middle),
        (9, middle),
        (10, middle + 1),
        (14, middle + 1),
        (15, middle + 2),
        (9999, last - 1),
        (10000, last),
        (i64::MAX, last),
    ];
    for (value, bucket) in cases {
        assert_eq!(steps.bucket(value), bucket, "{value}");
    }
}

#[test]
fn llquantize_has_no_more_buckets_than_an_order_has_numbers() {
    let steps = Llquantize::new([10, 0, 1, 100]).unwrap();
    let values: Vec<i64> = (0..12)
        .map(|distance| steps.value(steps.middle() + distance))
        .collect();
    assert_eq!(values, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn llquantize_may_have_fewer_steps_than_its_factor() {
    let steps = Llquantize::new([10, 0, 1, 2]).unwrap();
    let values: Vec<i64> = (0..steps.buckets())
        .map(|bucket| steps.value(bucket))
        .collect();
    assert_eq!(values, [-100, -50, -10, -5, -1, 0, 1, 5, 10, 50, 100]);
    for (value, bucket) in [(4, 6), (5, 7), (9, 7), (49, 8), (50, 9)] {
        assert_eq!(steps.bucket(value), bucket, "{value}");
        assert_eq!(steps.bucket(-value), 10 - bucket, "-{value}");
    }
}

#[test]
fn parameters_are_checked() {
    for parameters in [
        [1; 4],
        [0, 0, 1, 0],
        [0, 10, -1, 0],
        [0, 10, 11, 0],
        [0, 1 << 16, 1, 0],
    ] {
        assert_eq!(Lquantize::new(parameters), None, "{parameters:?}");
    }
    let cases = [
        [10, 0, 3, 0],
        [0, 0, 3, 10],
        [10, -1, 3, 10],
        [10, 3, 2, 10],
        [10, 0, 3, 25],
        [10, 0, 3, 30],
        [10, 0, 18, 10],
        [10, 0, 3, 3],
        [10, 0, 3, 1000],
        [10, 1, 3, 1000],
        [2, 0, 61, 1 << 15],
        [1 << 16, 0, 1, 1 << 16],
    ];
    for parameters in cases {
        assert_eq!(Llquantize::new(parameters), None, "{parameters:?}");
    }
    for function in &AggregateFunction::ALL[..7] {
        assert_eq!(Aggregate::new(*function, [0, 0, 0, 1]), None);
        assert_ne!(Aggregate::new(*function, [0; 4]), None);
    }
}

/// Mostly valid parameters of `llquantize`.
fn llquantize() -> impl Strategy<Value = Llquantize> {
    let parameters = (2..20_i32, 0..5_i32, 0..5_i32, 1..4_i32, 1..3_u32);
    parameters.prop_filter_map("no llquantize", |(factor, low, more, times, exponent)| {
        Llquantize::new([factor, low, low + more, factor.pow(exponent) * times])
    })
}

proptest! {
    #[test]
    fn quantize_keeps_the_order(one: i64, other: i64) {
        let (least, most) = (one.min(other), one.max(other));
        prop_assert!(Quantize::bucket(least) <= Quantize::bucket(most));
        let value = Quantize::value(Quantize::bucket(one));
        prop_assert!(value.unsigned_abs() <= one.unsigned_abs());
        prop_assert!(one.unsigned_abs() / 2 <= value.unsigned_abs());
        prop_assert_eq!(value.signum(), one.signum());
    }

    #[test]
    fn a_value_of_lquantize_is_in_its_bucket(
        base in -1000..1000_i32,
        span in 1..1000_i32,
        step in 1..100_i32,
        value in -3000..3000_i64,
    ) {
        let steps = Lquantize::new([base, base + span, step, 0]);
        prop_assume!(steps.is_some());
        let steps = steps.unwrap();
        let bucket = steps.bucket(value);
        prop_assert!(bucket < steps.buckets());
        prop_assert!(bucket == 0 || steps.value(bucket) <= value);
        prop_assert!(bucket == steps.buckets() - 1 || value < steps.value(bucket + 1));
    }

    #[test]
    fn a_value_of_llquantize_is_in_its_bucket(steps in llquantize(), value: i64, shift in 0..63) {
        let value = value >> shift;
        let bucket = steps.bucket(value);
        prop_assert!(bucket < steps.buckets());
        prop_assert_eq!(steps.bucket(value.saturating_neg()), 2 * steps.middle() - bucket);
        let (bucket, value) = (steps.bucket(value.saturating_abs()), value.saturating_abs());
        prop_assert!(steps.value(bucket) <= value);
        prop_assert!(bucket == steps.buckets() - 1 || value < steps.value(bucket + 1));
    }

    #[test]
    fn two_cpus_keep_what_one_would(values: Vec<i64>, others: Vec<i64>) {
        for function in AggregateFunction::ALL {
            let aggregate = aggregate(*function);
            let mut merged = kept(aggregate, &values);
            aggregate.merge(&mut merged[..], &kept(aggregate, &others)[..]);
            let all = [&values[..], &others[..]].concat();
            prop_assert_eq!(merged, kept(aggregate, &all), "{:?}", function);
        }
    }
}
