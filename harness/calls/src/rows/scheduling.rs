//! Scheduling. Only the calling process is affected.

use super::{Row, any};

pub const ROWS: &[Row] = &[
    any("getpriority", "0 0"),
    any("ioprio_get", "1 0"),
    any("ioprio_set", "=1 =0 0x6007; =1 =0 0"),
    any("membarrier", "0 0; 16 0; 8 0"),
    any("nice", "1; 0"),
    any("sched_get_priority_max", "1; 99"),
    any("sched_get_priority_min", "1; 99"),
    any("sched_getaffinity", "=0 8 z; =0 0 z"),
    any("sched_getattr", "=0 z 48 0"),
    any("sched_getparam", "=0 z"),
    any("sched_getscheduler", "=0; =9999; =-1"),
    any("sched_rr_get_interval", "=0 z"),
    any("sched_rr_get_interval_time64", "=0 z"),
    any("sched_setaffinity", "=0 8 f; =0 8 z"),
    any("sched_setattr", "=0 d:48 0; =0 d:48,3 0"),
    any("sched_setparam", "=0 z"),
    any("sched_setscheduler", "=0 0 z; =0 3 z"),
    any("sched_yield", ""),
    any("setpriority", "=0 =0 5; =99 =0 5"),
];
