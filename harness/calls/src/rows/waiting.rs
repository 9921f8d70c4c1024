//! Calls that block on files, futexes or nothing. The sandbox's SIGALRM interrupts them.

use super::{Row, any};

pub const ROWS: &[Row] = &[
    any("_newselect", "0 null null null z; 0 null null null null"),
    any("epoll_create", "1; 0"),
    any("epoll_create1", "0; 0x80000"),
    any(
        "epoll_ctl",
        "epoll 1 fifo-fd d:1,0,0; epoll 3 fifo-fd z; epoll 1 epoll z",
    ),
    any("epoll_pwait", "epoll z 1 0 null 8; epoll z 1 -1 z 8"),
    any("epoll_pwait2", "epoll z 1 z null 8; epoll z 1 null z 8"),
    any("epoll_wait", "epoll z 1 0; epoll z 1 -1"),
    any("eventfd", "0"),
    any("eventfd2", "0 0; 1 0x80801"),
    any("futex", "z 0 0 null; z 1 1 null; z 0 0 z; z 0x81 1 null"),
    any(
        "futex_time64",
        "z 0 0 null; z 1 1 null; z 0 0 z; z 0x81 1 null",
    ),
    any("futex_waitv", "z 1 0 z 1; d:0,0,0,0,2,0 1 0 z 1"),
    any("poll", "null 0 0; d:0,1 1 10; null 0 -1"),
    any("ppoll", "null 0 z null 8; null 0 null z 8"),
    any("ppoll_time64", "null 0 z null 8; null 0 null z 8"),
    any(
        "pselect6",
        "0 null null null z null; 0 null null null null null",
    ),
    any(
        "pselect6_time64",
        "0 null null null z null; 0 null null null null null",
    ),
    any("select", "0 null null null z; 0 null null null null"),
];
