//! Dates in the time zone that the command runs in.

use chrono::{DateTime, TimeZone, Utc};

/// Nanoseconds since 1970 as `%Y` prints them, `2013 Apr  9 17:20:00` for example.
pub fn year_first<Z: TimeZone<Offset: std::fmt::Display>>(time: u64, zone: &Z) -> String {
    at(time, zone).format("%Y %b %e %H:%M:%S").to_string()
}

/// As `%T` prints them, as mail has it: `Tue, 09 Apr 2013 17:20:00 UTC`.
pub fn of_mail<Z: TimeZone<Offset: std::fmt::Display>>(time: u64, zone: &Z) -> String {
    at(time, zone).format("%a, %d %b %G %H:%M:%S %Z").to_string()
}

fn at<Z: TimeZone>(time: u64, zone: &Z) -> DateTime<Z> {
    let seconds = i64::try_from(time / 1_000_000_000).unwrap_or(i64::MAX);
    let time = DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default();
    time.with_timezone(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_as_documented() {
        let time = 1_365_528_000_999_999_999;
        assert_eq!(year_first(time, &Utc), "2013 Apr  9 17:20:00");
        assert_eq!(of_mail(time, &Utc), "Tue, 09 Apr 2013 17:20:00 UTC");
        assert_eq!(year_first(0, &Utc), "1970 Jan  1 00:00:00");
        assert_eq!(year_first(u64::MAX, &Utc), "2554 Jul 21 23:34:33");
    }
}
