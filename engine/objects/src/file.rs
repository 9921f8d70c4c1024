//! Files: opened below a root, and read where asked.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::Path;

use object::read::{ReadCache, ReadCacheOps, ReadRef};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};

/// A directory that paths are resolved in as if it were `/`, symbolic links too.
#[derive(Debug)]
pub struct Root(OwnedFd);

impl Root {
    /// Opens a directory.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::below(CWD, path)
    }

    /// Opens a directory below another one.
    pub(crate) fn below(directory: impl AsFd, path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::openat(
            directory,
            path,
            flags,
            Mode::empty(),
        )?))
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// The system's; anything but a regular file is not opened.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = rustix::fs::openat2(&self.0, path, flags, Mode::empty(), resolve)?;
        regular(&found)
    }

    /// Whether both are the same directory.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let identity = |root: &Self| {
            let stat = rustix::fs::fstat(&root.0).ok()?;
            Some((stat.st_dev, stat.st_ino))
        };
        identity(self).is_some_and(|own| identity(other) == Some(own))
    }
}

/// Opens for reading what was opened as a place only.
///
/// In two steps, because opening a device or a FIFO that a hostile process has put in the place of a
/// library can have effects or block.
pub(crate) fn regular(place: &OwnedFd) -> io::Result<File> {
    let stat = rustix::fs::fstat(place)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("not a regular file"));
    }
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// The largest part of a file that is read at once. The file's own size is no limit to the memory
/// for it, since a file of a few blocks can be a terabyte long. The largest tables of symbols, those
/// of browsers, have some hundred megabytes.
const LARGEST: u64 = 512 << 20;

/// The parts of a file that have been read, each once.
#[derive(Debug)]
pub(crate) struct Parts<'f>(ReadCache<Positioned<'f>>);

impl<'f> Parts<'f> {
    pub fn of(file: &'f File) -> Self {
        Self(ReadCache::new(Positioned { file, position: 0 }))
    }
}

impl<'d> ReadRef<'d> for &'d Parts<'_> {
    fn len(self) -> Result<u64, ()> {
        (&self.0).len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'d [u8], ()> {
        match size {
            ..=LARGEST => (&self.0).read_bytes_at(offset, size),
            _ => Err(()),
        }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'d [u8], ()> {
        (&self.0).read_bytes_at_until(range, delimiter)
    }
}

/// A position of its own in a file that others read too.
#[derive(Debug)]
pub(crate) struct Positioned<'f> {
    file: &'f File,
    position: u64,
}

impl ReadCacheOps for Positioned<'_> {
    fn len(&mut self) -> Result<u64, ()> {
        self.file.metadata().map(|data| data.len()).map_err(drop)
    }

    fn seek(&mut self, position: u64) -> Result<u64, ()> {
        self.position = position;
        Ok(position)
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ()> {
        let read = self.file.read_at(bytes, self.position).map_err(drop)?;
        self.position = self.position.saturating_add(read as u64);
        Ok(read)
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), ()> {
        self.file
            .read_exact_at(bytes, self.position)
            .map_err(drop)?;
        self.position = self.position.saturating_add(bytes.len() as u64);
        Ok(())
    }
}
