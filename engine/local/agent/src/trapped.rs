//! Threads between a trap and its handler.
//!
//! The kernel looks up what a process does on a signal when it delivers that. A thread that has executed
//! a trap can be preempted before: if the handler is gone when it runs again, the signal ends the
//! process.

use alloc::vec::Vec;
use core::str::from_utf8;
use core::time::Duration;

use crate::clock::{self, ClockId};
use crate::files::{self, Name};
use crate::own_action::BIT;
use crate::{code, machine, sys};

/// How long those are waited for that are ready to run: on a busy machine a thread gets its turn late.
const BUSY: Duration = Duration::from_secs(20);

/// How long those are that a debugger may hold for as long as it likes.
const HELD: Duration = Duration::from_secs(2);
/// Between two looks: the more, the longer it takes.
const PAUSE: Duration = Duration::from_millis(1);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// More than a thread needs to run from a trap to its handler, in clock ticks of 10 ms, and than the times in user and kernel
/// mode together may seem more than they are: each is rounded. What a running thread has run is added up at the kernel's ticks,
/// of which no more than 10 ms are between two. On CPUs without ticks (`nohz_full`) it is not enough.
const DELIVERY: u64 = 4;

/// A thread of the process.
struct Thread {
    number: u32,
    /// How long it had run, in clock ticks.
    ran: u64,
    /// Since when it is waited for, in nanoseconds: that it was stopped does not count.
    since: u64,
}

/// Waits until no thread is there. None executes a trap any more.
pub fn wait() {
    if !code::had_traps() {
        return;
    }
    let folder = Name::of(format_args!("/proc/{}/task", machine::own_pid()));
    let numbers = folder.and_then(|folder| files::numbers(folder.get()).ok());
    let numbers = numbers.unwrap_or_default();
    let threads = numbers.into_iter();
    let begun = clock::now(ClockId::Monotonic);
    let threads = threads.map(|number| Thread {
        number,
        ran: ran(number).unwrap_or(0),
        since: begun,
    });
    let mut threads: Vec<Thread> = threads.collect();
    loop {
        let now = clock::now(ClockId::Monotonic);
        threads.retain_mut(|thread| thread.is_waited_for(now));
        if threads.is_empty() {
            return;
        }
        let waited = Duration::from_nanos(now.wrapping_sub(begun));
        sys::sleep((waited / 100).clamp(PAUSE, PAUSE_MAX));
    }
}

impl Thread {
    /// Whether it may be there, and has not been waited for too long: the signal is pending, or it has not run on so far that
    /// it must have come by. One that waits for anything is not there, but for its debugger: that is told of the signal before
    /// it is delivered. One that was stopped by a signal is known by what is pending, and is waited for until it runs again.
    fn is_waited_for(&mut self, now: u64) -> bool {
        // Before the signal is looked for.
        let needed = self.ran.saturating_add(DELIVERY);
        let has_run = ran(self.number).is_none_or(|ran| ran >= needed);
        let Some(status) = read(self.number, "status") else {
            return false;
        };
        let field = |name: &str| {
            let mut lines = status.split(|byte| *byte == b'\n');
            let value = lines.find_map(|line| line.strip_prefix(name.as_bytes()))?;
            Some(from_utf8(value).ok()?.trim_start())
        };
        let pending = field("SigPnd:").and_then(|mask| u64::from_str_radix(mask, 16).ok());
        let is_in = |states: &[char]| field("State:").is_some_and(|it| it.starts_with(states));
        let is_on_its_way = is_in(&['R', 't']) && !has_run;
        let is_pending = pending.is_some_and(|mask| mask & BIT != 0);
        if is_in(&['T']) {
            self.since = now;
        }
        let waited = Duration::from_nanos(now.wrapping_sub(self.since));
        let longest = if is_in(&['R']) { BUSY } else { HELD };
        (is_pending || is_on_its_way) && waited < longest
    }
}

/// How long a thread has run, in clock ticks, as proc_pid_stat(5) has it; none if it is gone.
fn ran(thread: u32) -> Option<u64> {
    let text = read(thread, "stat")?;
    // The name may have spaces and parentheses.
    let behind_name = text.rsplit(|byte| *byte == b')').next()?;
    // The state follows the name and a space; the times in user and kernel mode are the 11th and 12th field behind it.
    let fields = behind_name.split(|byte| *byte == b' ').skip(12).take(2);
    fields
        .map(|field| from_utf8(field).ok()?.parse::<u64>().ok())
        .sum()
}

/// Reads a file of a thread.
fn read(thread: u32, name: &str) -> Option<Vec<u8>> {
    let own = machine::own_pid();
    let path = Name::of(format_args!("/proc/{own}/task/{thread}/{name}"));
    files::read(path?.get()).ok()
}
