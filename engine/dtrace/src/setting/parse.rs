//! Parses option values: numbers, sizes, rates and flags.

use std::time::Duration;

use engine_dlang::size::number;
pub use engine_dlang::size::size;

/// A plain number.
pub fn plain(text: &str) -> Option<u64> {
    number(text)
        .filter(|(_, rest)| rest.is_empty())
        .map(|it| it.0)
}

/// Words for on and off.
const ON_OFF: &[(&str, &str)] = &[
    ("yes", "no"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("true", "false"),
    ("on", "off"),
    ("set", "unset"),
];

/// A flag: a word for on or off; any number is on, an empty value is off.
pub fn flag(text: &str) -> Option<bool> {
    let is = |word: &str| word.eq_ignore_ascii_case(text);
    if text.is_empty() || ON_OFF.iter().any(|it| is(it.1)) {
        return Some(false);
    }
    let is_on = ON_OFF.iter().any(|it| is(it.0)) || plain(text).is_some();
    is_on.then_some(true)
}

/// Units of time in nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("", 1),
    ("ns", 1),
    ("nsec", 1),
    ("us", 1_000),
    ("usec", 1_000),
    ("ms", 1_000_000),
    ("msec", 1_000_000),
    ("s", 1_000_000_000),
    ("sec", 1_000_000_000),
    ("m", 60_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("hour", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("day", 86_400_000_000_000),
];

/// An interval with its unit, or a frequency in `hz`; 0 Hz is an interval of 0.
pub fn rate(text: &str) -> Option<Duration> {
    let (value, unit) = number(text)?;
    let unit = unit.to_ascii_lowercase();
    if unit == "hz" {
        return Some(Duration::from_nanos(
            1_000_000_000u64.checked_div(value).unwrap_or(0),
        ));
    }
    let (_, nanoseconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    value.checked_mul(*nanoseconds).map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_parsed_as_in_c() {
        for (text, value) in [("0", 0), ("10", 10), ("010", 8), ("0x1F", 31)] {
            assert_eq!(plain(text), Some(value), "{text}");
        }
        for text in ["", "x", "1 ", "-1", "09", "0x", "18446744073709551616"] {
            assert_eq!(plain(text), None, "{text}");
        }
    }

    #[test]
    fn rates_have_units() {
        for (text, nanoseconds) in [
            ("7", 7),
            ("7nsec", 7),
            ("7us", 7_000),
            ("7MS", 7_000_000),
            ("1sec", 1_000_000_000),
            ("2min", 120_000_000_000),
            ("1h", 3_600_000_000_000),
            ("1d", 86_400_000_000_000),
            ("4hz", 250_000_000),
            ("0hz", 0),
        ] {
            assert_eq!(
                rate(text),
                Some(Duration::from_nanos(nanoseconds)),
                "{text}"
            );
        }
        for text in ["", "hz", "1x", "1 s"] {
            assert_eq!(rate(text), None, "{text}");
        }
    }
}
