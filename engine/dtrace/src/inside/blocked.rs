//! Whether a thread blocks the signal of traps, which would end its process at its first one, or waits for a child to whom the
//! same would happen.

use std::collections::BTreeSet;
use std::ffi::c_long;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use signal_hook::consts::SIGTRAP;

use super::call;
use crate::error::Error;

/// Its bit in a mask.
const TRAP: u64 = 1 << (SIGTRAP - 1);

/// Waits until each thread has been seen not to block it: C libraries block all signals for moments.
pub fn check(pid: u32) -> Result<(), Error> {
    const TRIES: usize = 100;
    const PAUSE: Duration = Duration::from_millis(5);
    let mut seen = BTreeSet::new();
    for _ in 0..TRIES {
        let threads = fs::read_dir(format!("/proc/{pid}/task"));
        let threads = threads.into_iter().flatten().flatten();
        let mut is_blocked = false;
        for thread in threads.filter_map(|it| it.file_name().into_string().ok()) {
            if seen.contains(&thread) {
                continue;
            }
            match may_block(pid, &thread) {
                true => is_blocked = true,
                false => drop(seen.insert(thread)),
            }
        }
        if !is_blocked {
            return Ok(());
        }
        sleep(PAUSE);
    }
    Err(Error::BlocksTraps(pid))
}

/// Whether a thread blocks the signal, may when it returns from a system call, or is in vfork(2). Of the first thread, which
/// has been stopped, and its mask set, only what it blocks now counts.
fn may_block(pid: u32, thread: &str) -> bool {
    let path = format!("/proc/{pid}/task/{thread}");
    let path = Path::new(&path);
    match blocks(path) {
        // Between the two looks it can have returned, and blocks it again.
        Some(false) if *thread != pid.to_string() => {
            waits(pid, path) == Some(true) || blocks(path) == Some(true)
        }
        blocks => blocks == Some(true),
    }
}

/// Whether it blocks it now. The kernel's workers for a process block all, and execute nothing of it.
fn blocks(thread: &Path) -> Option<bool> {
    /// `PF_IO_WORKER` and `PF_USER_WORKER` of `linux/sched.h`.
    const WORKER: u64 = 0x10 | 0x4000;
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let blocked = status
        .lines()
        .find_map(|line| line.strip_prefix("SigBlk:"))?;
    let blocked = u64::from_str_radix(blocked.trim(), 16).ok()?;
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let flags: u64 = behind_name.split_whitespace().nth(6)?.parse().ok()?;
    Some(blocked & TRAP != 0 && flags & WORKER == 0)
}

/// Whether it is in a system call that has a mask of its own, so that what it blocks afterwards is not known; or waits for a
/// child that shares the memory, and has the actions on signals that were set when it was made.
/// Without `/proc/PID/task/TID/syscall` nothing is known.
fn waits(pid: u32, thread: &Path) -> Option<bool> {
    /// `IORING_ENTER_EXT_ARG` of `linux/io_uring.h`: the argument is a struct that begins with the mask's address.
    const EXTENDED: u64 = 1 << 3;
    const VFORK: u64 = libc::CLONE_VFORK as u64;
    let call = fs::read_to_string(thread.join("syscall")).ok()?;
    let mut words = call.split_whitespace();
    let number: c_long = words.next()?.parse().ok()?;
    let arguments = words.map(|it| u64::from_str_radix(it.trim_start_matches("0x"), 16));
    let arguments: Vec<u64> = arguments.collect::<Result<_, _>>().ok()?;
    let [first, _, _, fourth, fifth, sixth, ..] = arguments[..] else {
        return None;
    };
    let word = |address: u64| {
        let mut word = [0; 8];
        let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
        memory.read_exact_at(&mut word, address).ok()?;
        Some(u64::from_ne_bytes(word))
    };
    // Of what a struct at this address begins with.
    let begins = |address: u64| address != 0 && word(address) != Some(0);
    Some(match number {
        _ if call::vfork() == Some(number) => true,
        libc::SYS_clone => first & VFORK != 0,
        libc::SYS_clone3 => word(first)? & VFORK != 0,
        libc::SYS_rt_sigsuspend => true,
        libc::SYS_ppoll => fourth != 0,
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => fifth != 0,
        libc::SYS_pselect6 => begins(sixth),
        libc::SYS_io_uring_enter if fourth & EXTENDED != 0 => begins(fifth),
        libc::SYS_io_uring_enter => fifth != 0,
        // What it waits for is not blocked meanwhile.
        libc::SYS_rt_sigtimedwait => word(first)? & TRAP != 0,
        _ => false,
    })
}
