//! The file system, as far as the search needs it; tests have their own.

use std::io;
use std::path::{Path, PathBuf};

/// The largest file that is read: debug information of kernels has a few hundred megabytes.
const LARGEST: u64 = 2 << 30;

/// Reads and writes files.
pub trait Files {
    /// The content of a file.
    ///
    /// # Errors
    /// The file's; [`io::ErrorKind::NotFound`] if there is none.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Makes a file with this content, or replaces it as a whole.
    ///
    /// # Errors
    /// The file's.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// The entries of a folder.
    ///
    /// # Errors
    /// The folder's.
    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>>;
}

/// The host's files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Host;

impl Files for Host {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Devices and pipes may have no end, or wait for one.
        let data = std::fs::metadata(path)?;
        if !data.is_file() || data.len() > LARGEST {
            let kind = io::ErrorKind::InvalidInput;
            return Err(io::Error::new(kind, "not a regular file of at most 2 GiB"));
        }
        std::fs::read(path)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let new = path.with_extension(format!("new.{}", std::process::id()));
        std::fs::write(&new, bytes)?;
        let renamed = std::fs::rename(&new, path);
        if renamed.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        renamed
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(path)?;
        entries.map(|entry| Ok(entry?.path())).collect()
    }
}
