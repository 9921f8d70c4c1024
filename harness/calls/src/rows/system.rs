//! Calls that affect the whole machine, mostly in forms that the kernel must refuse.

use super::{Row, any, no_random, only};

const POWER: &str = "it would stop the machine";
const MODULES: &str = "it would change the kernel";
const LOG: &str = "the kernel log is evidence";
const ACCOUNTS: &str = "every process exit would be written to the file";
const TEXT: &str = "some of it makes the kernel patch its text, such as a per-process event";

pub const ROWS: &[Row] = &[
    only("acct", "null; s:missing; s:dir; kernel", ACCOUNTS),
    no_random(
        "bpf",
        "=0 d:2,4,4,1 72; =5 z 72; =1 z 32; =0 f 72; =-1 z 72; =99 z 4096",
        TEXT,
    ),
    only(
        "delete_module",
        "s:nosuch 0x800; kernel 0; null -1",
        MODULES,
    ),
    only(
        "finit_module",
        "-1 s: 0; dir-fd s: 0; file-fd kernel 0; file-fd s: -1",
        MODULES,
    ),
    any("getrandom", "z 16 0; z 16 3"),
    only(
        "init_module",
        "z 0 s:; z 64 kernel; kernel 64 s:; null 64 null; z -1 s:",
        MODULES,
    ),
    only(
        "kexec_file_load",
        "-1 -1 0 null 0; -1 -1 0 kernel -1",
        POWER,
    ),
    only(
        "kexec_load",
        "0 -1 null 0; 0 1 kernel 0; 0 99 z -1; 0 1 null 0x99",
        POWER,
    ),
    no_random(
        "perf_event_open",
        "d:1,72 =-1 =0 =-1 0; z =9999 =-1 =-1 0; f =-1 =0 =-1 -1",
        TEXT,
    ),
    only(
        "reboot",
        "1 2 3 0; 0xfee1dead 0 0x1234567 z; 0 672274793 0x4321fedc 0; -1 -1 -1 -1",
        POWER,
    ),
    any("setdomainname", "s:here 4"),
    any("sethostname", "s:here 4"),
    any("sysinfo", "z"),
    only(
        "syslog",
        "10; 9; 0; 1; 3 z 64; 3 kernel 64; 2 null -1; 99; -1",
        LOG,
    ),
    any("uname", "z"),
    any("vhangup", ""),
];
