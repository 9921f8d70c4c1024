//! Messages, semaphores, shared memory and keys. All but keys are confined to our IPC namespace.

use super::{Row, any, only};

const KEYS: &str =
    "some keyrings outlive the process, and a random request could upcall to user space";

pub const ROWS: &[Row] = &[
    any("add_key", "s:user s:trapline z 4 =-2; s:user null z 4 =-2"),
    only(
        "keyctl",
        "0 -2 0; 0 -2 1; 6 -2 z 64; 99 0 0; -1 kernel 0; 11 1 kernel 64",
        KEYS,
    ),
    any("mq_getsetattr", "queue null z"),
    any("mq_notify", "queue null; queue z"),
    any("mq_open", "s:new 0x42 0o600 null; s:missing 0 0 null"),
    any(
        "mq_timedreceive",
        "queue z 8192 null null; queue z 8192 z z",
    ),
    any(
        "mq_timedreceive_time64",
        "queue z 8192 null null; queue z 8192 z z",
    ),
    any("mq_timedsend", "queue z 4 0 null"),
    any("mq_timedsend_time64", "queue z 4 0 null"),
    any("mq_unlink", "s:new; s:missing"),
    any("msgctl", "messages 2 z"),
    any("msgget", "0 0o1777; 1 0"),
    any("msgrcv", "messages z 64 0 0; messages z 64 0 0x800"),
    any("msgsnd", "messages w:1 4 0"),
    any("request_key", "s:user s:trapline =null =-2"),
    any("semctl", "semaphore 0 12 0; semaphore 0 2 z"),
    any("semget", "0 1 0o1777; 1 0 0"),
    any("semop", "semaphore z 1; semaphore d:0xffff0000 1"),
    any(
        "semtimedop",
        "semaphore z 1 null; semaphore d:0xffff0000 1 z",
    ),
    any(
        "semtimedop_time64",
        "semaphore z 1 null; semaphore d:0xffff0000 1 z",
    ),
    any("shmat", "shared =null 0; shared =null 0x1000"),
    any("shmctl", "shared 2 z"),
    any("shmdt", "=z; =null"),
    any("shmget", "0 4096 0o1777; 1 0 0"),
];
