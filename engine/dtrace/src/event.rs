//! What ends a trace from outside: signals, and the ends of processes.

use std::fs;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::Error;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Somebody wants the trace to end.
    Interrupt,
    /// The process of this number has ended.
    End(usize),
}

/// All that have happened.
pub struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// How often it was an interrupt.
    pub interrupts: Interrupts,
}

/// How often somebody has wanted the trace to end, which is known before it is an event's turn.
#[derive(Debug, Clone, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Once more.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether even what there is to print at the end is not wanted: the first ends the trace, the second
    /// its printing.
    pub fn are_impatient(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}

impl Events {
    /// From now on, the signals by which people end a trace are events; but those are left alone that
    /// whoever started it had it ignore, as nohup(1) and shells do for what runs in the background.
    pub fn new() -> Result<Self, Error> {
        let (sender, receiver) = channel();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let wanted = [SIGINT, SIGTERM].into_iter();
        let wanted = wanted.filter(|&it| !is_ignored(&status, it));
        let mut signals = Signals::new(wanted).map_err(Error::Signal)?;
        let to = sender.clone();
        let interrupts = Interrupts::default();
        let count = interrupts.clone();
        thread::spawn(move || {
            signals.forever().try_for_each(|_| {
                count.add();
                to.send(Event::Interrupt)
            })
        });
        Ok(Self {
            sender,
            receiver,
            interrupts,
        })
    }

    /// From now on, so is the end of the process behind `pidfd`.
    pub fn watch(&self, number: usize, pidfd: OwnedFd) {
        let to = self.sender.clone();
        thread::spawn(move || {
            let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
            while let Err(Errno::INTR) = poll(&mut fds, None) {}
            to.send(Event::End(number))
        });
    }

    /// Waits for one.
    pub fn wait(&self, longest: Duration) -> Option<Event> {
        self.receiver.recv_timeout(longest).ok()
    }
}

/// Whether a process ignores a signal; `status` is its file of that name in `/proc`.
fn is_ignored(status: &str, signal: i32) -> bool {
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_some_and(|it| it >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::Mutex;

    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use signal_hook::low_level::raise;

    use super::*;

    /// A signal reaches the events of every test of the process that has any then.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn a_second_interrupt_counts_whatever_came_before_it() {
        let _alone = ALONE.lock();
        let events = Events::new().unwrap();
        let next = || events.wait(Duration::from_secs(20));
        raise(SIGTERM).unwrap();
        assert_eq!(next(), Some(Event::Interrupt));
        assert!(!events.interrupts.are_impatient());
        events.sender.send(Event::End(0)).unwrap();
        raise(SIGTERM).unwrap();
        assert_eq!(
            [next(), next()],
            [Event::End(0), Event::Interrupt].map(Some)
        );
        assert!(events.interrupts.are_impatient());
    }

    #[test]
    fn what_is_ignored_is_told_by_the_system() {
        let status = "Name:\tdtrace\nSigIgn:\t0000000000001002\nSigCgt:\t0000000000004000\n";
        assert!(is_ignored(status, SIGINT));
        assert!(!is_ignored(status, SIGTERM));
        assert!(!is_ignored("", SIGINT));
    }

    #[test]
    fn the_end_of_a_process_is_an_event() {
        let _alone = ALONE.lock();
        let events = Events::new().unwrap();
        let mut child = Command::new("sleep").arg("0.01").spawn().unwrap();
        let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
        events.watch(3, pidfd);
        let event = events.wait(Duration::from_secs(20));
        child.wait().unwrap();
        assert_eq!(event, Some(Event::End(3)));
        assert_eq!(events.wait(Duration::ZERO), None);
    }
}
