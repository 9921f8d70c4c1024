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

/// How long the others are, as a debugger may hold them for as long as it likes.
const HELD: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(1);

/// More than a thread needs to run from a trap to its handler, and than lies between two of the kernel's ticks: what a running
/// thread has run is added up there. On CPUs without ticks (`nohz_full`) it is not enough.
const DELIVERY: Duration = Duration::from_millis(20);

/// A thread of the process.
struct Thread {
    number: u32,
    /// How long it had run, in nanoseconds.
    ran: u64,
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
    let threads = threads.map(|number| Thread {
        number,
        ran: ran(number).unwrap_or(0),
    });
    let mut threads: Vec<Thread> = threads.collect();
    let begun = clock::now(ClockId::Monotonic);
    loop {
        let waited = clock::now(ClockId::Monotonic).wrapping_sub(begun);
        let waited = Duration::from_nanos(waited);
        threads.retain(|thread| thread.is_waited_for(waited));
        if threads.is_empty() {
            return;
        }
        sys::sleep(PAUSE);
    }
}

impl Thread {
    /// Whether it may be there, and has not been waited for too long: the signal is pending, or it has not run on so far that
    /// it must have come by. One that waits for anything is not there, but for its debugger: that is told of the signal before
    /// it is delivered.
    fn is_waited_for(&self, waited: Duration) -> bool {
        // Before the signal is looked for.
        let needed = self.ran.saturating_add(DELIVERY.as_nanos() as u64);
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
        (is_pending || is_on_its_way) && waited < if is_in(&['R']) { BUSY } else { HELD }
    }
}

/// How long a thread has run, in nanoseconds; none if it is gone, or the kernel does not tell.
fn ran(thread: u32) -> Option<u64> {
    let text = read(thread, "schedstat")?;
    let first = text.split(|byte| *byte == b' ').next()?;
    from_utf8(first).ok()?.parse().ok()
}

/// Reads a file of a thread.
fn read(thread: u32, name: &str) -> Option<Vec<u8>> {
    let own = machine::own_pid();
    let path = Name::of(format_args!("/proc/{own}/task/{thread}/{name}"));
    files::read(path?.get()).ok()
}
