//! Atomic writes, scratch directories that a later run clears, and locks that end with their
//! process.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use rustix::fs::statvfs;
use rustix::io::Errno;

use crate::error::{At, Result};
use crate::progress::say;

/// Name prefix of every unfinished file and directory.
const PARTIAL: &str = ".partial-";

/// The directory that holds the workspace's Cargo.toml.
pub fn workspace_root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).at("read", path)
}

/// Creates a directory and its parents.
pub fn create_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).at("make the directory", path)
}

/// Atomically replaces a file, mode 0644.
pub fn write(path: &Path, contents: &[u8]) -> Result<()> {
    write_with_mode(path, contents, 0o644)
}

/// As [`write`], with this mode from the first byte on: a key is never readable by others.
pub fn write_with_mode(path: &Path, contents: &[u8], mode: u32) -> Result<()> {
    let dir = parent(path);
    create_dir(dir)?;
    let mut file = tempfile::Builder::new()
        .prefix(PARTIAL)
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(dir)
        .at("write in", dir)?;
    file.write_all(contents).at("write", path)?;
    file.persist(path).map_err(|e| e.error).at("write", path)?;
    Ok(())
}

/// A scratch directory in `inside`, whose contents can be renamed into place; removed on drop.
pub fn scratch_dir(inside: &Path) -> Result<TempDir> {
    create_dir(inside)?;
    tempfile::Builder::new()
        .prefix(PARTIAL)
        .tempdir_in(inside)
        .at("make a directory in", inside)
}

/// Renames a file or directory, replacing the target.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).at("move into place", to)
}

/// Removes a directory tree, if it exists.
pub fn remove_dir(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e).at("remove", path),
        _ => Ok(()),
    }
}

/// The SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path) -> Result<String> {
    let mut file = File::open(path).at("read", path)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        let n = file.read(&mut block).at("read", path)?;
        if n == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&block[..n]);
    }
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Every regular file below a directory, sorted, without files and directories named in `skip`.
pub fn walk(dir: &Path, skip: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).at("list", &dir)? {
            let entry = entry.at("list", &dir)?;
            let kind = entry.file_type().at("access", &entry.path())?;
            if skip.iter().any(|s| entry.file_name() == *s) {
                continue;
            } else if kind.is_dir() {
                dirs.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The immediate subdirectories, sorted.
pub fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).at("list", dir)? {
        let path = entry.at("list", dir)?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// An exclusive flock on a directory. Held until dropped or until this process ends in any way.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks out other runs of xtask, then clears what an interrupted run left.
    pub fn take(dir: &Path) -> Result<Self> {
        let lock = Self::of(dir, "lock", "another build that uses")?;
        clear_leftovers(dir)?;
        Ok(lock)
    }

    /// As [`Self::take`] for a directory whose products the harness uses: those users hold another
    /// lock and need not wait while nothing changes.
    pub fn to_build(dir: &Path) -> Result<Self> {
        let lock = Self::of(dir, "build.lock", "another run of xtask that builds")?;
        clear_leftovers(dir)?;
        Ok(lock)
    }

    /// Locks out the users of what was built. The harness holds the same lock shared.
    pub fn from_users(dir: &Path) -> Result<Self> {
        let users = "a run of the harness (scenarios, a shell, tests) that uses";
        Self::of(dir, "lock", users)
    }

    /// Blocks until the lock is free, and says so if it is not.
    fn of(dir: &Path, name: &str, holder: &str) -> Result<Self> {
        create_dir(dir)?;
        let path = dir.join(name);
        let file = File::create(&path).at("open", &path)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            say!("waiting for {holder} {}", dir.display());
            flock(&file, FlockOperation::LockExclusive)
                .map_err(io::Error::from)
                .at("lock", &path)?;
        }
        Ok(Self { _file: file })
    }
}

/// Removes unfinished files in a locked directory and one level below.
fn clear_leftovers(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir).at("list", dir)? {
        let path = entry.at("list", dir)?.path();
        let is_dir = path.symlink_metadata().is_ok_and(|m| m.is_dir());
        match (is_partial(&path), is_dir) {
            (true, true) => remove_dir(&path)?,
            (true, false) => fs::remove_file(&path).at("remove", &path)?,
            (false, true) => clear_partial_children(&path)?,
            (false, false) => {}
        }
    }
    Ok(())
}

fn clear_partial_children(dir: &Path) -> Result<()> {
    for entry in fs::read_dir(dir).at("list", dir)? {
        let path = entry.at("list", dir)?.path();
        if !is_partial(&path) {
            continue;
        } else if path.is_dir() {
            remove_dir(&path)?;
        } else {
            fs::remove_file(&path).at("remove", &path)?;
        }
    }
    Ok(())
}

fn is_partial(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|n| n.as_encoded_bytes().starts_with(PARTIAL.as_bytes()))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Bytes available to an unprivileged user on the file system of `place`.
pub fn free(place: &Path) -> std::result::Result<u64, Errno> {
    let about = statvfs(place)?;
    Ok(about.f_bavail * about.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_the_file_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write(&path, b"one").unwrap();
        write_with_mode(&path, b"two", 0o600).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_lock_clears_what_an_interrupted_run_left() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("packages")).unwrap();
        let left = dir.path().join("packages/.partial-x");
        let kept = dir.path().join("packages/y");
        fs::write(&left, "").unwrap();
        fs::write(&kept, "").unwrap();
        fs::create_dir(dir.path().join(".partial-dir")).unwrap();
        let _lock = Lock::take(dir.path()).unwrap();
        assert!(!left.exists() && kept.exists() && !dir.path().join(".partial-dir").exists());
    }

    #[test]
    fn a_walk_is_sorted_and_skips() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b/2", "a/1", "target/3"] {
            write(&dir.path().join(name), b"").unwrap();
        }
        let found = walk(dir.path(), &["target"]).unwrap();
        assert_eq!(found, [dir.path().join("a/1"), dir.path().join("b/2")]);
    }
}
