//! Turns at a place that several runs use. The kernel holds a lock and lets go of it with the
//! process, however that ends.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::HostError;
use crate::run::interrupt;

/// How long nobody is told that there is a wait.
const SILENT: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(50);

/// With whom a place can be used at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// With nobody.
    Alone,
    /// With all who only read.
    Readers,
}

/// Locks `file`, which stands for `place`, until it is closed. Waits for its turn as long as others take, and
/// says so: whatever they do has limits of its own, which are up to an hour, and they let go however they end.
pub fn take(file: &File, share: Share, place: &Path) -> Result<(), HostError> {
    let operation = match share {
        Share::Alone => FlockOperation::NonBlockingLockExclusive,
        Share::Readers => FlockOperation::NonBlockingLockShared,
    };
    let mut told = Some(Instant::now() + SILENT);
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) if interrupt::asked() => return Err(HostError::Interrupted),
            Err(Errno::WOULDBLOCK) => {
                if told.take_if(|at| *at < Instant::now()).is_some() {
                    eprintln!("waits for another run that uses {}", place.display());
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
    fn readers_share_and_a_builder_waits_for_them() {
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
