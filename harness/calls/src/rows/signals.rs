//! Signals, sent only to the calling process, and none that would stop it.

use super::{Row, any, no_random, only};

const OTHERS: &str = "it could reach other processes, or stop or kill this one";
const FRAME: &str = "its input is the stack, not arguments";
const FOREVER: &str = "with all signals blocked it waits until killed";
const STACK: &str = "with a random alternate stack the next signal would be fatal";

pub const ROWS: &[Row] = &[
    any("breakpoint", ""),
    only(
        "kill",
        "self 0; self 10; self 65; self -1; 9999 0; 9999 9; 0x80000000 0",
        OTHERS,
    ),
    any("pause", ""),
    only(
        "pidfd_send_signal",
        "process 0 null 0; process 10 null 0; process 10 kernel 0; -1 0 null 0; process 65 null 0",
        OTHERS,
    ),
    any(
        "rt_sigaction",
        "=10 null z 8; =10 z null 8; =99 z z 8; =9 z z 8",
    ),
    any("rt_sigpending", "z 8"),
    any("rt_sigprocmask", "0 z z 8; 2 null z 8"),
    only(
        "rt_sigqueueinfo",
        "self 0 z; self 10 z; self 65 z; 9999 0 z; self 0 kernel",
        OTHERS,
    ),
    only("rt_sigreturn", "", FRAME),
    only("rt_sigsuspend", "z 8; z 7; kernel 8; null 8", FOREVER),
    any("rt_sigtimedwait", "z null z 8; z null null 8; f z z 8"),
    any(
        "rt_sigtimedwait_time64",
        "z null z 8; z null null 8; f z z 8",
    ),
    only(
        "rt_tgsigqueueinfo",
        "self self 0 z; self self 10 z; 9999 self 0 z; self self 0 kernel",
        OTHERS,
    ),
    any("sigaction", "=10 null z; =10 z null; =99 z z"),
    no_random("sigaltstack", "null z; z null; f z", STACK),
    any("signalfd", "-1 z 8"),
    any("signalfd4", "-1 z 8 0; -1 z 8 0x80800"),
    any("sigpending", "z"),
    any("sigprocmask", "0 z z; 2 null z"),
    only("sigreturn", "", FRAME),
    only("sigsuspend", "0 0 0", FOREVER),
    only(
        "tgkill",
        "self self 0; self self 10; self self 65; self 9999 0; -1 -1 0",
        OTHERS,
    ),
    only("tkill", "self 0; self 10; self 65; 9999 0; -1 0", OTHERS),
    any("usr26", ""),
    any("usr32", ""),
];
