//! The evidence folder of a job: everything that is needed to analyse it later.
//!
//! It is locked while the job runs, so that harnesses in one workspace take turns. The lock is a
//! flock on the folder itself, dropped by the kernel however the process ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::HostError;
use crate::guest::lock::{self, Share};
use crate::run::plan::JobId;
use crate::tree::Tree;

const ATTEMPT: &str = "attempt-";

/// A job's folder.
#[derive(Debug, Clone)]
pub struct Evidence {
    folder: PathBuf,
    /// Holds the flock.
    _lock: Arc<File>,
}

impl Evidence {
    /// Locks the folder and empties it.
    pub fn cleared(folder: PathBuf) -> Result<Self, HostError> {
        Self::locked(folder)?.for_attempt(1)
    }

    /// Locks the folder as it is, exclusively, until this and all clones are dropped.
    pub fn locked(folder: PathBuf) -> Result<Self, HostError> {
        fs::create_dir_all(&folder).map_err(HostError::file("create", &folder))?;
        let lock = File::open(&folder).map_err(HostError::file("open", &folder))?;
        lock::take(&lock, Share::Alone, &folder)?;
        let _lock = Arc::new(lock);
        Ok(Self { folder, _lock })
    }

    /// Prepares the folder for an attempt, from 1: the first empties it, a later one moves the
    /// previous attempt's files to `attempt-<n>`.
    pub fn for_attempt(&self, attempt: u32) -> Result<Self, HostError> {
        let folder = &self.folder;
        match attempt.saturating_sub(1) {
            0 => empty(folder).map_err(HostError::file("clear", folder))?,
            before => set_aside(folder, before).map_err(HostError::file("set aside", folder))?,
        }
        Ok(self.clone())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The guest's console.
    pub fn console(&self) -> PathBuf {
        self.folder.join("console.log")
    }

    /// QEMU's own output.
    pub fn qemu_log(&self) -> PathBuf {
        self.folder.join("qemu.log")
    }

    /// QEMU's record of the instructions that were executed.
    pub fn execution_log(&self) -> PathBuf {
        self.folder.join("execution.log")
    }

    /// The path of a copy of the kernel's text.
    pub fn text(&self, when: &str) -> PathBuf {
        self.folder.join(format!("text-{when}.bin"))
    }

    /// Writes a whole file.
    pub fn write(&self, name: &str, text: &str) -> Result<(), HostError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(HostError::file("write", &path))
    }

    /// Removes a file, if it exists.
    pub fn remove(&self, path: &Path) -> Result<(), HostError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(HostError::file("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    /// Appends to `commands.txt`, the log of commands run in the guest.
    pub fn note_command(&self, entry: &str) -> Result<(), HostError> {
        let path = self.folder.join("commands.txt");
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file: File| writeln!(file, "{entry}"))
            .map_err(HostError::file("write", &path))
    }
}

/// The evidence folder of a job.
pub fn folder(tree: &Tree, id: &JobId) -> PathBuf {
    tree.guest_dir(&id.guest).join(id.scenario_and_mutant())
}

/// The subfolder of an attempt that was not the last.
pub fn attempt_folder(attempt: u32) -> String {
    format!("{ATTEMPT}{attempt}")
}

/// Moves everything but earlier attempts aside.
fn set_aside(folder: &Path, attempt: u32) -> io::Result<()> {
    let aside = folder.join(attempt_folder(attempt));
    fs::create_dir_all(&aside)?;
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !name.to_string_lossy().starts_with(ATTEMPT) {
            fs::rename(folder.join(&name), aside.join(&name))?;
        }
    }
    Ok(())
}

/// Empties the folder but keeps it, since the lock is on it.
fn empty(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn earlier_attempts_are_moved_aside() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("fbt/claim");
        for attempt in [1, 2, 3] {
            let held = Evidence::locked(folder.clone()).expect("free");
            let evidence = held.for_attempt(attempt).expect("writable");
            assert!(!folder.join("got.txt").exists());
            let said = format!("{attempt}");
            evidence.write("got.txt", &said).expect("writable");
        }
        let got = |at: &str| fs::read_to_string(folder.join(at).join("got.txt")).expect("kept");
        assert_eq!(
            [got("attempt-1"), got("attempt-2"), got("")],
            ["1", "2", "3"]
        );
        drop(Evidence::cleared(folder.clone()).expect("free"));
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    }

    #[test]
    fn folder_lock_is_exclusive_until_all_clones_drop() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("fbt/claim");
        let first = Evidence::cleared(folder.clone()).expect("free");
        first.write("result.json", "{}").expect("writable");
        let other = thread::spawn({
            let folder = folder.clone();
            move || Evidence::cleared(folder).map(drop)
        });
        thread::sleep(Duration::from_millis(150));
        assert!(!other.is_finished() && folder.join("result.json").exists());
        let held = first.clone();
        drop(first);
        thread::sleep(Duration::from_millis(150));
        assert!(!other.is_finished() && folder.join("result.json").exists());
        drop(held);
        other.join().expect("no panic").expect("free by now");
        assert!(!folder.join("result.json").exists());
    }
}
