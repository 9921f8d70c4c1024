//! A periodic timer: a thread that sleeps.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// A timer that runs until it is dropped. Dropping it waits for a callback in flight.
pub struct Timer {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    /// Calls `tick` after each `interval`, on a thread of its own. Missed periods are skipped.
    pub fn start(interval: Duration, tick: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = Builder::new().spawn(move || {
            let mut next = Instant::now() + interval;
            loop {
                let wait = next.saturating_duration_since(Instant::now());
                match stopped.recv_timeout(wait) {
                    Err(RecvTimeoutError::Timeout) => tick(),
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
                next = (next + interval).max(Instant::now());
            }
        })?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // Cannot fail: the callback does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_timer_fires_until_it_is_dropped() {
        let ticks = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&ticks);
        let timer = Timer::start(Duration::from_millis(1), move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let timer = timer.unwrap();
        while ticks.load(Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        drop(timer);
        let last = ticks.load(Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(ticks.load(Ordering::SeqCst), last);
    }
}
