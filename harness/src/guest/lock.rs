//! Advisory locks (flock) for folders that several runs share. The kernel drops a lock with its
//! file, however the process ends.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::HostError;
use crate::run::interrupt;

/// Time to wait before printing that there is a wait.
const SILENT: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(50);

/// The mode of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Exclusive: a builder.
    Alone,
    /// Shared: readers.
    Readers,
}

/// Locks `file`, on behalf of `place`, until it is closed. Waits for as long as another run holds
/// the lock, and prints so: what runs under it has limits of its own, of up to an hour, and a
/// process that dies releases it.
pub fn take(file: &File, share: Share, place: &Path) -> Result<(), HostError> {
    let operation = match share {
        Share::Alone => FlockOperation::NonBlockingLockExclusive,
        Share::Readers => FlockOperation::NonBlockingLockShared,
    };
    let mut notice_at = Some(Instant::now() + SILENT);
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) if interrupt::is_pending() => {
                return Err(HostError::Interrupted);
            }
            Err(Errno::WOULDBLOCK) => {
                if notice_at.take_if(|at| *at < Instant::now()).is_some() {
                    eprintln!("waiting for another run that uses {}", place.display());
                }
                thread::sleep(TICK);
            }
            Err(error) => return Err(HostError::file("lock", place)(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_locks_exclude_a_builder() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let open = || File::create(&path).expect("writable");
        let readers = [open(), open()];
        for reader in &readers {
            take(reader, Share::Readers, &path).expect("shared");
        }
        let builder = open();
        let refused = flock(&builder, FlockOperation::NonBlockingLockExclusive);
        assert_eq!(refused, Err(Errno::WOULDBLOCK));
        drop(readers);
        take(&builder, Share::Alone, &path).expect("free by now");
    }
}
