//! Sockets, in a network namespace without interfaces.

use super::{Row, any, no_random, only};

const FAMILIES: &str = "an unknown family makes the kernel request a module";
const OPTIONS: &str = "some options make the kernel patch its text";

pub const ROWS: &[Row] = &[
    any("accept", "listener null null; listener z d:128"),
    any("accept4", "listener null null 0; listener z d:128 0x800"),
    any("bind", "udp h:2,0,0,0,0,0,0,0 16; unix h:1 2"),
    any(
        "connect",
        "udp h:2,0x900,0x7f,0x100 16; unix h:1 2; tcp h:2,0x900,0x7f,0x100 16",
    ),
    any("getpeername", "udp z d:128; unix z d:128"),
    any("getsockname", "udp z d:128"),
    any("getsockopt", "tcp 1 3 z d:4; tcp 6 1 z d:4"),
    any("listen", "tcp 1; unix 1"),
    any("recv", "udp z 64 0; udp z 64 0x40"),
    any("recvfrom", "udp z 64 0 null null; udp z 64 0x40 z d:128"),
    any("recvmmsg", "udp z 1 0x40 null; udp z 1 0 z"),
    any("recvmmsg_time64", "udp z 1 0x40 null; udp z 1 0 z"),
    any("recvmsg", "udp z 0; udp z 0x40"),
    any("send", "udp z 16 0; unix z 16 0x4000"),
    any("sendmmsg", "udp z 1 0"),
    any("sendmsg", "udp z 0"),
    any(
        "sendto",
        "udp z 16 0 h:2,0x900,0x7f,0x100 16; udp z 16 0 null 0",
    ),
    no_random(
        "setsockopt",
        "tcp =1 =2 d:1 4; tcp =6 =1 d:1 4; tcp =99 =99 z 4",
        OPTIONS,
    ),
    any("shutdown", "tcp 2; unix 0"),
    only(
        "socket",
        "1 1 0; 2 1 0; 2 2 17; 16 3 0; 99 1 0; 2 99 0; -1 -1 -1; 1 1 99",
        FAMILIES,
    ),
    only(
        "socketpair",
        "1 1 0 z; 1 2 0 z; 2 1 0 z; 1 1 0 kernel; 99 1 0 z; 1 -1 0 null",
        FAMILIES,
    ),
];
