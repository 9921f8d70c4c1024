//! Events from outside: signals, the exit of target processes, and objects that traced processes
//! have opened.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use engine_abi::Opened;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use zerocopy::IntoBytes;

use crate::error::Error;

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// SIGINT or SIGTERM.
    Interrupt,
    /// The target process of this index has exited.
    End(usize),
    /// A thread has opened or closed objects, and waits.
    Opened(Opened),
}

/// The queue of events.
pub struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    /// How many interrupts have arrived.
    pub interrupts: Interrupts,
}

/// A count of interrupts, updated as they arrive, that is before they are taken from the queue.
#[derive(Debug, Clone, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Counts one.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether there was more than one: the first ends tracing, the second also ends its output.
    pub fn are_repeated(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}

impl Events {
    /// Subscribes to SIGINT and SIGTERM, except those that the process was started to ignore, as
    /// nohup(1) and shells do for background jobs.
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

    /// Subscribes to the exit of the process behind `pidfd`, reported with this index.
    pub fn watch(&self, number: usize, pidfd: OwnedFd) {
        let to = self.sender.clone();
        thread::spawn(move || {
            let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
            while let Err(Errno::INTR) = poll(&mut fds, None) {}
            to.send(Event::End(number))
        });
    }

    /// Subscribes to what processes open, which is read from the device.
    pub fn watch_opened(&self, mut device: File) {
        let to = self.sender.clone();
        thread::spawn(move || {
            let mut opened = Opened::default();
            while device.read_exact(opened.as_mut_bytes()).is_ok()
                && to.send(Event::Opened(opened)).is_ok()
            {}
        });
    }

    /// Waits at most `longest` for an event.
    pub fn wait(&self, longest: Duration) -> Option<Event> {
        self.receiver.recv_timeout(longest).ok()
    }
}

/// Whether a process ignores a signal, by its `/proc/PID/status`.
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

    /// A signal reaches the events of every test that runs at the time, so such tests run one at a
    /// time.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn a_second_interrupt_is_counted_before_its_event() {
        let _alone = ALONE.lock();
        let events = Events::new().unwrap();
        let next = || events.wait(Duration::from_secs(20));
        raise(SIGTERM).unwrap();
        assert_eq!(next(), Some(Event::Interrupt));
        assert!(!events.interrupts.are_repeated());
        events.sender.send(Event::End(0)).unwrap();
        raise(SIGTERM).unwrap();
        assert_eq!(
            [next(), next()],
            [Event::End(0), Event::Interrupt].map(Some)
        );
        assert!(events.interrupts.are_repeated());
    }

    #[test]
    fn ignored_signals_are_read_from_proc() {
        let status = "Name:\tdtrace\nSigIgn:\t0000000000001002\nSigCgt:\t0000000000004000\n";
        assert!(is_ignored(status, SIGINT));
        assert!(!is_ignored(status, SIGTERM));
        assert!(!is_ignored("", SIGINT));
    }

    #[test]
    fn what_is_opened_is_read_record_by_record() {
        let _alone = ALONE.lock();
        let records = [(7, 1), (8, 2)].map(|(pid, ticket)| Opened {
            pid,
            ticket,
            ..Opened::default()
        });
        let path = std::env::temp_dir().join(format!("opened-{}", std::process::id()));
        fs::write(&path, records.as_bytes()).unwrap();
        let events = Events::new().unwrap();
        events.watch_opened(File::open(&path).unwrap());
        fs::remove_file(&path).unwrap();
        for record in records {
            let event = events.wait(Duration::from_secs(20));
            assert_eq!(event, Some(Event::Opened(record)));
        }
        assert_eq!(events.wait(Duration::ZERO), None);
    }

    #[test]
    fn a_process_exit_is_an_event() {
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
