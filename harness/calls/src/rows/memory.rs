//! Memory. Where a call unmaps or protects memory, address and length are not randomized: they
//! could hit what the process runs in.

use super::{Row, any, only};

const POISONS: &str = "some advice poisons physical pages";
const UNMAPS: &str = "it could unmap what the process runs in";

pub const ROWS: &[Row] = &[
    any("brk", "=0; =1; =-1"),
    any("cacheflush", "=z kernel 0; z z 0; z null 0"),
    any("get_mempolicy", "null null 0 null 0; z z 64 null 0"),
    only(
        "madvise",
        "z 4096 0; z 4096 4; z 4096 8; z 4096 999; null 4096 4; w:1 -1 4; kernel 4096 0",
        POISONS,
    ),
    any("mbind", "=z =4096 0 null 0 0"),
    any("memfd_create", "s:m 0; s:m 2"),
    any("memfd_secret", "0"),
    any("migrate_pages", "=0 64 z z"),
    any("mincore", "z 4096 z; z 0 z"),
    any("mlock", "z 4096"),
    any("mlock2", "z 4096 1"),
    any("mlockall", "1; 0; 5"),
    any(
        "mmap",
        "=null 4096 3 =0x22 -1 0; =null 4096 1 =1 file-fd 0; =null 0 3 =0x22 -1 0",
    ),
    any(
        "mmap2",
        "=null 4096 3 =0x22 -1 0; =null 4096 1 =1 file-fd 0; =null 0 3 =0x22 -1 0",
    ),
    any("move_pages", "=0 1 w:@ null z 0"),
    any(
        "mprotect",
        "=z =4096 1; =z =4096 0; =kernel =4096 1; =z =-1 1",
    ),
    only(
        "mremap",
        "z 4096 4096 0; z 4096 8192 1; z 4096 4096 3 kernel; kernel 4096 4096 0; z 0 0 0; z 4096 -1 1",
        UNMAPS,
    ),
    any("msync", "z 4096 4"),
    any("munlock", "z 4096"),
    any("munlockall", ""),
    only("munmap", "z 4096; z 0; w:1 -1; kernel 4096; 1 4096", UNMAPS),
    any("pkey_alloc", "0 0"),
    any("pkey_free", "15; -1"),
    any("pkey_mprotect", "=z =4096 1 -1; =z =4096 1 99"),
    any(
        "process_madvise",
        "process w:@,64 1 =20 0; process z 0 =4 0",
    ),
    any("process_mrelease", "process 0"),
    any("process_vm_readv", "=self w:@,64 1 w:@,64 1 0"),
    any("process_vm_writev", "=self w:@,64 1 w:@,64 1 0"),
    any("remap_file_pages", "=z =4096 0 0 0"),
    any("set_mempolicy", "0 null 0; 99 z 64"),
    any("set_mempolicy_home_node", "=z =4096 0 0"),
    any("userfaultfd", "1; 0x80801"),
];
