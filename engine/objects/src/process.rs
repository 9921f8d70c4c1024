//! A process by its `/proc` directory: maps, auxiliary vector, mapped files, root.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use crate::error::{Error, Result};
use crate::file::{self, Root};
use crate::maps::{self, Device, Mapping};

/// A process. It is the one that had the PID when this was opened, for good.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    directory: OwnedFd,
}

/// `PF_KTHREAD` in the flags of `/proc/PID/stat`.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl Process {
    /// Opens a process.
    ///
    /// # Errors
    /// [`Error::Gone`] if there is none.
    pub fn open(pid: u32) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(CWD, format!("/proc/{pid}"), flags, Mode::empty());
        let directory = directory.map_err(|why| failed(pid, "opening it", why.into()))?;
        Ok(Self { pid, directory })
    }

    /// Its PID.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Its mappings, by address.
    ///
    /// # Errors
    /// [`Error::Gone`] if it exits meanwhile, or executes another program: then the end of maps
    /// would be missing.
    pub fn mappings(&self) -> Result<Vec<Mapping>> {
        let doing = "reading its maps";
        let failed = |why| failed(self.pid, doing, why);
        let mut maps = self.open_own("maps").map_err(failed)?;
        let mut text = Vec::new();
        maps.read_to_end(&mut text).map_err(failed)?;
        // The file belongs to the memory that it was opened for, and reads as empty once that is
        // gone. If it is there after the last read, it was there at each.
        maps.rewind().map_err(failed)?;
        let is_there = maps.read(&mut [0]).map_err(failed)? > 0;
        if is_there {
            return maps::parse(&text);
        }
        match self.is_kernel_thread() {
            true => Err(Error::NoMemory(self.pid)),
            false => Err(Error::Gone {
                pid: self.pid,
                doing,
            }),
        }
    }

    /// Returns [`Error::Gone`] if the process has ended.
    pub(crate) fn check(&self, doing: &'static str) -> Result<()> {
        match self.stat() {
            Ok((b'Z' | b'X' | b'x', _)) => Err(Error::Gone {
                pid: self.pid,
                doing,
            }),
            Ok(_) => Ok(()),
            Err(why) => Err(failed(self.pid, doing, why)),
        }
    }

    /// The auxiliary vector, as words of 4 or 8 bytes.
    pub(crate) fn auxiliary(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_own("auxv")?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Its root, and this process's own if that is another one.
    pub fn roots(&self) -> Vec<Root> {
        let roots = [
            Root::below(&self.directory, Path::new("root")),
            Root::open(Path::new("/")),
        ];
        let mut roots: Vec<_> = roots.into_iter().flatten().collect();
        if let [one, other] = &*roots
            && one.is_same(other)
        {
            roots.pop();
        }
        roots
    }

    /// Opens the file of mappings that all map the same one.
    ///
    /// # Errors
    /// [`Error::Open`] or [`Error::Replaced`], and [`Error::Gone`] if the process ended.
    pub(crate) fn mapped_file(&self, mappings: &[Mapping], roots: &[Root]) -> Result<File> {
        let mut why = io::Error::from(io::ErrorKind::NotFound);
        // A mapping can be split or gone since maps was read; then another one may do.
        for mapping in mappings {
            match self.map_file(mapping) {
                Ok(file) => return Ok(file),
                Err(error) => why = error,
            }
        }
        self.check("opening a mapped file")?;
        match mappings.first() {
            Some(mapping) => by_path(mapping, roots, why),
            None => Err(failed(self.pid, "opening a mapped file", why)),
        }
    }

    fn map_file(&self, mapping: &Mapping) -> io::Result<File> {
        let name = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        file::regular(&rustix::fs::openat(
            &self.directory,
            name,
            flags,
            Mode::empty(),
        )?)
    }

    fn is_kernel_thread(&self) -> bool {
        self.stat()
            .is_ok_and(|(_, flags)| flags & KERNEL_THREAD != 0)
    }

    /// State and flags of `/proc/PID/stat`. The name before them can contain anything.
    fn stat(&self) -> io::Result<(u8, u64)> {
        let mut text = Vec::new();
        self.open_own("stat")?.read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let fields = text.rsplit_once(") ").map(|(_, behind)| behind.split(' '));
        let fields: Vec<_> = fields.into_iter().flatten().collect();
        let state = fields.first().and_then(|state| state.bytes().next());
        let flags = fields.get(6).and_then(|flags| flags.parse().ok());
        state
            .zip(flags)
            .ok_or_else(|| io::Error::other("malformed stat"))
    }

    fn open_own(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.directory, name, flags, Mode::empty())?.into())
    }
}

fn failed(pid: u32, doing: &'static str, why: io::Error) -> Error {
    match Errno::from_io_error(&why) {
        Some(Errno::SRCH | Errno::NOENT) => Error::Gone { pid, doing },
        _ => Error::Proc { pid, doing, why },
    }
}

/// Opens the file at a mapping's path, if it is still the one that is mapped.
///
/// In each root: the kernel writes the path as this process sees it, which is the other one's view
/// in another mount namespace, but not in a chroot.
fn by_path(mapping: &Mapping, roots: &[Root], map_files: io::Error) -> Result<File> {
    let path = mapping.path.clone();
    let mut why = io::Error::from(io::ErrorKind::NotFound);
    let mut other = None;
    for name in [Some(&mapping.path), mapping.literal.as_ref()]
        .into_iter()
        .flatten()
    {
        for root in roots {
            match root
                .file(name)
                .and_then(|file| Ok((identity(&file)?, file)))
            {
                Ok((found, file)) if found == (mapping.device, mapping.inode) => return Ok(file),
                Ok((found, _)) => other = other.or(Some(found)),
                Err(error) => why = error,
            }
        }
    }
    let Some(found) = other else {
        return Err(Error::Open {
            path,
            map_files,
            root: why,
        });
    };
    Err(Error::Replaced {
        path,
        map_files,
        mapped: shown((mapping.device, mapping.inode)),
        found: shown(found),
    })
}

fn identity(file: &File) -> io::Result<(Device, u64)> {
    let stat = rustix::fs::fstat(file)?;
    let device = Device {
        major: rustix::fs::major(stat.st_dev),
        minor: rustix::fs::minor(stat.st_dev),
    };
    Ok((device, stat.st_ino))
}

fn shown((device, inode): (Device, u64)) -> String {
    format!("{:02x}:{:02x} inode {inode}", device.major, device.minor)
}
