//! Time and timers. No row sets the clock.

use super::{Row, any, only};

const CLOCK: &str = "it would set the clock";

pub const ROWS: &[Row] = &[
    only("adjtimex", "z; kernel; null", CLOCK),
    any("alarm", "0; 1"),
    only("clock_adjtime", "0 z; 99 z; -1 z; 0 kernel; 1 z", CLOCK),
    only("clock_adjtime64", "0 z; 99 z; -1 z; 0 kernel; 1 z", CLOCK),
    any("clock_getres", "0 z; 1 z"),
    any("clock_getres_time64", "0 z; 1 z"),
    any("clock_gettime", "0 z; 1 z; 2 z; 3 z; 7 z; -6 z"),
    any("clock_gettime64", "0 z; 1 z; 2 z; 3 z; 7 z; -6 z"),
    any("clock_nanosleep", "1 0 z null; 0 1 z z"),
    any("clock_nanosleep_time64", "1 0 z null; 0 1 z z"),
    only(
        "clock_settime",
        "0 kernel; 0 null; 99 z; -1 z; 1 z; 0 f",
        CLOCK,
    ),
    only(
        "clock_settime64",
        "0 kernel; 0 null; 99 z; -1 z; 1 z; 0 f",
        CLOCK,
    ),
    any("getitimer", "0 z; 1 z"),
    any("gettimeofday", "z z; z null"),
    any("nanosleep", "z null; w:0,1000 z; w:9 z"),
    any("setitimer", "0 z null; 1 w:0,0,0,1000 z"),
    only("settimeofday", "kernel null; kernel kernel; f null", CLOCK),
    any("time", "z; null"),
    any("timer_create", "1 null z; 0 z z"),
    any("timer_delete", "timer"),
    any("timer_getoverrun", "timer"),
    any("timer_gettime", "timer z"),
    any("timer_gettime64", "timer z"),
    any("timer_settime", "timer 0 z null; timer 0 w:0,0,0,1000 z"),
    any("timer_settime64", "timer 0 z null; timer 0 q:0,0,0,1000 z"),
    any("timerfd_create", "1 0; 0 0x80800"),
    any("timerfd_gettime", "timer-fd z"),
    any("timerfd_gettime64", "timer-fd z"),
    any(
        "timerfd_settime",
        "timer-fd 0 z null; timer-fd 0 w:0,0,0,1000 z",
    ),
    any(
        "timerfd_settime64",
        "timer-fd 0 z null; timer-fd 0 q:0,0,0,1000 z",
    ),
];
