//! Numbers reserved for calls that were removed or never implemented.

use super::{Row, any, only};

const BUS: &str = "PCI configuration space is global";
const LIBRARY: &str = "an unknown format makes the kernel request a module";

pub const ROWS: &[Row] = &[
    any("_sysctl", "z"),
    any("afs_syscall", "0 z z"),
    any("bdflush", "0 0"),
    any("create_module", "s:new 4096"),
    any("epoll_ctl_old", "0 z z"),
    any("epoll_wait_old", "0 z z"),
    any("get_kernel_syms", "z"),
    any("get_thread_area", "z"),
    any("getpmsg", "0 z z"),
    any("lookup_dcookie", "0 z 64; 0 0 z 64"),
    any("nfsservctl", "0 z z"),
    only("pciconfig_iobase", "0 0 0; 9 9 9", BUS),
    only("pciconfig_read", "0 0 0 4 z; 0 0 0 3 kernel", BUS),
    only("pciconfig_write", "-1 -1 0 3 kernel", BUS),
    any("putpmsg", "0 z z"),
    any("query_module", "s:new 0 z 64 z"),
    any("security", "0 z z"),
    any("set_thread_area", "z"),
    any("sysfs", "1 s:tmpfs; 2 0 z; 3"),
    any("tuxcall", "0 z z"),
    only("uselib", "s:missing; null; kernel", LIBRARY),
    any("vserver", "0 z z"),
];
