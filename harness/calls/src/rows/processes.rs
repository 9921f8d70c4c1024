//! Processes: creation, exit and attributes. Children share nothing that they could damage, and
//! exit at once.

use super::{Row, any, no_random, only};

const CHILDREN: &str = "a child with random flags could run on in our memory";
const OTHERS: &str = "it could stop another process or join its namespaces";
const NAME: &str = "it could change the name of this process or the state it runs on";
const STRICT: &str = "each is irreversible, the last above all";
const NAMESPACES: &str = "a network namespace is slow to create and slower to destroy";
const RESTART: &str = "with a random rseq area the next signal would be fatal";
const PORTS: &str = "I/O ports are global";

pub const ROWS: &[Row] = &[
    only(
        "arch_prctl",
        "0x1003 z; 0x1004 z; 0x1001 0; 0x1011 0; 0x1003 kernel; 0x99 0",
        NAME,
    ),
    only(
        "clone",
        "17; 0x4111; 0x611; 0xc020011; 0x1100011 0 z z z; 0x101011 0 z; 0x8011; 0x20000011; 0x10000; 0x800; \
         0x10000211; 0x1011 0 kernel",
        CHILDREN,
    ),
    only(
        "clone3",
        "q:0,0,0,0,17,0,0,0 64; q:0x4100,0,0,0,17,0,0,0 64; q:0x600,0,0,0,17,0,0,0,0,0,0 88; z 64; z 0; kernel 64; \
         null 64; q:0x10000,0,0,0,0,0,0,0 64; q:0,0,0,0,17,0,4096,0 64; f 88; q:0,0,0,0,17,0,0,0 9999",
        CHILDREN,
    ),
    no_random(
        "execve",
        "s:/trapline-calls w:@trapline-calls,@nothing,0 z; s:missing z z",
        NAME,
    ),
    no_random(
        "execveat",
        "cwd s:/trapline-calls w:@trapline-calls,@nothing,0 z 0; cwd s:missing z z 0",
        NAME,
    ),
    any("exit", "0; 7"),
    any("exit_group", "0; 7"),
    only("fork", "", CHILDREN),
    any("get_robust_list", "=0 z z"),
    any("get_tls", ""),
    any("getcpu", "z z null"),
    any("getpgid", "0; 9999"),
    any("getpgrp", ""),
    any("getpid", ""),
    any("getppid", ""),
    any("getrlimit", "7 z"),
    any("getrusage", "0 z; 1 z"),
    any("getsid", "0; 9999"),
    any("gettid", ""),
    only("ioperm", "0 1 0; -1 1 1", PORTS),
    only("iopl", "0; 9; -1", PORTS),
    any("kcmp", "=self =self 0 0 0; =self =self 1 0 0"),
    only(
        "modify_ldt",
        "0 z 64; 2 z 64; 1 z 16; 0x11 z 16; 99 z 16; 0 kernel 64; 1 kernel 16",
        NAME,
    ),
    any("personality", "0xffffffff; 0"),
    no_random("pidfd_getfd", "process 0 0; process 999 0", OTHERS),
    any("pidfd_open", "=self 0; =9999 0; =-1 0"),
    only(
        "prctl",
        "1 10; 2 z; 3; 4 1; 16 z; 15 s:trapline-calls; 15 kernel; 23 0; 21; 29 0; 30; 37 z; 38 1; 39; 8 1; 7; \
         40 z; 42; 999 -1 -1 -1 -1; -1; 35 99 z; 53 0",
        NAME,
    ),
    any("prlimit64", "=0 7 null z; =0 4 z null"),
    only(
        "ptrace",
        "16 9999 0 0; 0x4206 9999 0 0; 24 self 0 0; 999 self z z; 16 -1; 7 0; 0",
        OTHERS,
    ),
    any("restart_syscall", ""),
    no_random("rseq", "z 32 0 0x53053053; z 31 9 0", RESTART),
    only(
        "seccomp",
        "2 0 d:0x7fff0000; 3 0 z; 2 0 kernel; 1 0 z; 1 0 kernel; 99 0 0; 0 1 0; 0 0 z; 0 0 0",
        STRICT,
    ),
    any("set_robust_list", "z 24; z 12; z 0"),
    any("set_tid_address", "z"),
    only("set_tls", "0; 0xfffff000; z", NAME),
    no_random("setns", "process 0x4000000; file-fd 0; process 0", OTHERS),
    any("setpgid", "=0 =0; =9999 =9999; =0 =-1"),
    any("setrlimit", "4 z; 4 f"),
    any("setsid", ""),
    any("times", "z; null"),
    only(
        "unshare",
        "0; 0x600; 0x40000; 0x4000000; 0x8000000; 0x20000; 0x2000000; 0x10000; 0x100; 0x80; 0x7f; -1",
        NAMESPACES,
    ),
    any("ugetrlimit", "7 z"),
    only("vfork", "", CHILDREN),
    any("wait4", "-1 z 0 z; -1 z 1 null"),
    any("waitid", "0 0 z 4 z; 1 1 z 5 null"),
];
