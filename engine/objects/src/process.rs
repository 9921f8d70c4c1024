//! A process by its `/proc` directory: maps, auxiliary vector, mapped files, root.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::auxiliary::Auxiliary;
use crate::error::{Error, Result};
use crate::file::{self, Root};
use crate::maps::{self, Device, Mapping};

/// A process. It is the one that had the PID when this was opened, for good.
#[derive(Debug)]
pub struct Process {
    pid: u32,
    directory: OwnedFd,
}

/// More than any vDSO has, in bytes.
const VDSO_MAX: u64 = 1 << 20;

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

    /// Checks that this process may trace it, as ptrace(2) decides. Linux 7.3 shows the maps to more
    /// processes than that, but no kernel shows them what it executes.
    ///
    /// # Errors
    /// [`Error::Proc`] if it may not.
    pub fn check_traceable(&self) -> Result<()> {
        match rustix::fs::readlinkat(&self.directory, "exe", Vec::new()) {
            Err(why @ (Errno::ACCESS | Errno::PERM)) => Err(Error::Proc {
                pid: self.pid,
                doing: "reading what it executes",
                why: why.into(),
            }),
            // Kernel threads execute nothing, and have no functions either.
            _ => Ok(()),
        }
    }

    /// Its mappings, by address.
    ///
    /// # Errors
    /// [`Error::Gone`] if it exits meanwhile, or executes another program: then the end of maps
    /// would be missing.
    pub fn mappings(&self) -> Result<Vec<Mapping>> {
        self.image().map(|(mappings, _)| mappings)
    }

    /// Its mappings and its auxiliary vector, of the same program. A process need not have a vector.
    pub(crate) fn image(&self) -> Result<(Vec<Mapping>, Auxiliary)> {
        let doing = "reading its maps";
        let failed = |why| failed(self.pid, doing, why);
        let mut maps = self.open_own("maps").map_err(failed)?;
        let mut text = Vec::new();
        maps.read_to_end(&mut text).map_err(failed)?;
        let mut vector = Vec::new();
        let read = self
            .open_own("auxv")
            .and_then(|mut auxv| auxv.read_to_end(&mut vector));
        // The file belongs to the memory that it was opened for, and reads as empty once that is
        // gone. If it is there after the last read, it was there at each.
        maps.rewind().map_err(failed)?;
        let is_there = maps.read(&mut [0]).map_err(failed)? > 0;
        if is_there {
            vector.truncate(read.unwrap_or(0));
            return Ok((maps::parse(&text)?, Auxiliary::parse(&vector)));
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

    /// Its memory there, as much as the vDSO has at most.
    pub(crate) fn memory(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let size = range.end.saturating_sub(range.start).min(VDSO_MAX);
        let mut bytes = vec![0; size as usize];
        self.open_own("mem")?
            .read_exact_at(&mut bytes, range.start)?;
        Ok(bytes)
    }

    /// Its root, and this process's own if that is another one.
    pub fn roots(&self) -> Vec<Root> {
        let own = Root::open(Path::new("/")).ok();
        let root = Root::below(&self.directory, Path::new("root")).ok();
        let is_same = match (&own, &root) {
            (Some(own), Some(root)) => own.is_same(root) && self.shares_mounts(),
            _ => false,
        };
        root.into_iter().chain(own.filter(|_| !is_same)).collect()
    }

    /// Whether its mounts are this process's: other namespaces can mount other file systems
    /// below the same root directory.
    fn shares_mounts(&self) -> bool {
        let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
        let theirs = rustix::fs::statat(&self.directory, "ns/mnt", AtFlags::empty());
        let own = rustix::fs::stat("/proc/self/ns/mnt");
        theirs.is_ok_and(|theirs| own.is_ok_and(|own| identity(own) == identity(theirs)))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The mapping of this test's program, and why map_files did not serve.
    fn own() -> (Mapping, Vec<Root>, io::Error) {
        let process = Process::open(std::process::id()).unwrap();
        let program = std::env::current_exe().unwrap();
        let mut mappings = process.mappings().unwrap().into_iter();
        let mapping = mappings.find(|mapping| mapping.path == program).unwrap();
        (mapping, process.roots(), Errno::PERM.into())
    }

    #[test]
    fn the_file_at_the_path_is_taken_if_it_is_the_mapped_one() {
        let (mapping, roots, why) = own();
        // Device numbers of stat(2) and maps differ on file systems with several devices.
        match by_path(&mapping, &roots, why) {
            Ok(file) => assert_eq!(identity(&file).unwrap(), (mapping.device, mapping.inode)),
            Err(error) => assert!(matches!(error, Error::Replaced { .. }), "{error}"),
        }
    }

    #[test]
    fn a_path_that_contains_an_escape_is_taken_literally_too() {
        let (mut mapping, roots, why) = own();
        mapping.literal = Some(std::mem::replace(&mut mapping.path, "/no/such/file".into()));
        let found = by_path(&mapping, &roots, why);
        assert!(matches!(found, Ok(_) | Err(Error::Replaced { .. })));
    }

    #[test]
    fn another_file_is_refused() {
        let (mut mapping, roots, why) = own();
        mapping.inode += 1;
        mapping.path = "/proc/version".into();
        let error = by_path(&mapping, &roots, why).unwrap_err().to_string();
        let begin = "/proc/version: map_files: Operation not permitted (os error 1); the file of this \
                     name is device ";
        assert!(error.starts_with(begin), "{error}");
    }

    #[test]
    fn a_missing_file_is_reported_for_both_ways() {
        let (mut mapping, roots, why) = own();
        mapping.path = "/no/such/file".into();
        let error = by_path(&mapping, &roots, why).unwrap_err().to_string();
        assert_eq!(
            error,
            "/no/such/file: map_files: Operation not permitted (os error 1); \
             by its path: No such file or directory (os error 2)"
        );
    }

    #[test]
    fn a_kernel_thread_has_no_memory() {
        let Ok(process) = Process::open(2) else {
            return;
        };
        if process.is_kernel_thread() {
            let error = process.mappings().unwrap_err();
            // Without privileges its maps cannot be opened.
            assert!(
                matches!(error, Error::NoMemory(2) | Error::Proc { .. }),
                "{error}"
            );
        }
    }
}
