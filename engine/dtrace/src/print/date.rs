//! Dates in the local time zone.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Nanoseconds since the epoch as `%Y` formats them, such as `2013 Apr  9 17:20:00`.
pub fn year_first(time: u64, zone: &TimeZone) -> String {
    at(time, zone).strftime("%Y %b %e %H:%M:%S").to_string()
}

/// As `%T` formats them, in the style of mail: `Tue, 09 Apr 2013 17:20:00 UTC`.
pub fn of_mail(time: u64, zone: &TimeZone) -> String {
    at(time, zone).strftime("%a, %d %b %G %T %Z").to_string()
}

/// Never saturates: any 64-bit number of nanoseconds is before the year 2555.
fn at(time: u64, zone: &TimeZone) -> Zoned {
    let time = Timestamp::from_nanosecond(time.into()).unwrap_or(Timestamp::MAX);
    time.to_zoned(zone.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_documented_formats() {
        let (time, zone) = (1_365_528_000_999_999_999, TimeZone::UTC);
        assert_eq!(year_first(time, &zone), "2013 Apr  9 17:20:00");
        assert_eq!(of_mail(time, &zone), "Tue, 09 Apr 2013 17:20:00 UTC");
        assert_eq!(year_first(0, &zone), "1970 Jan  1 00:00:00");
        assert_eq!(year_first(u64::MAX, &zone), "2554 Jul 21 23:34:33");
    }

    #[test]
    fn zones_are_abbreviated() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        assert_eq!(
            of_mail(1_365_528_000_000_000_000, &zone),
            "Tue, 09 Apr 2013 19:20:00 CEST"
        );
    }
}
