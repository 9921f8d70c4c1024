//! One object of a process: its file, its place, its names, its functions.

use std::borrow::Cow;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::debug;
use crate::elf::Elf;
use crate::file::{Parts, Root};
use crate::functions::{Collector, Functions};
use crate::maps::Device;
use crate::names::{self, Role};
use crate::process::Process;
use crate::unwind::UnwindTable;
use crate::usdt::Sites;

/// A mapping of an object that can be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRange {
    /// Its first address in the process.
    pub start: u64,
    /// The address after its last.
    pub end: u64,
    /// Its offset in the file.
    pub offset: u64,
}

/// An ELF object that a process has mapped. It keeps its file open. If a file is mapped twice at different addresses, which
/// `dlmopen` does, it is two objects.
#[derive(Debug, Clone)]
pub struct Object {
    pub(crate) path: PathBuf,
    pub(crate) is_deleted: bool,
    pub(crate) device: Device,
    pub(crate) inode: u64,
    pub(crate) bias: u64,
    pub(crate) ranges: Vec<CodeRange>,
    pub(crate) role: Role,
    /// The file with its headers; none for the vDSO.
    pub(crate) file: Option<(Arc<File>, Arc<Elf>)>,
}

/// The prefix of the base link map, which an object's name can have in a description. The numbers of
/// other link maps are the dynamic linker's, and not in maps.
const BASE_LINK_MAP: &str = "LM0`";

impl Object {
    /// Its path, as the kernel states it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its file has been deleted or replaced since.
    pub fn is_deleted(&self) -> bool {
        self.is_deleted
    }

    /// The last component of its path: the module's name in probes.
    pub fn base_name(&self) -> Cow<'_, str> {
        let name = self.path.file_name();
        name.unwrap_or(self.path.as_os_str()).to_string_lossy()
    }

    /// Device and inode of its file.
    pub fn identity(&self) -> (Device, u64) {
        (self.device, self.inode)
    }

    /// The size of its file, and when that was last written to and last changed in any way, each in
    /// seconds and nanoseconds: they differ for another file with the same [`identity`](Self::identity).
    pub fn version(&self) -> Option<(u64, [i64; 4])> {
        let (file, _) = self.file.as_ref()?;
        let is = file.metadata().ok()?;
        let times = [is.mtime(), is.mtime_nsec(), is.ctime(), is.ctime_nsec()];
        Some((is.size(), times))
    }

    /// What is added, modulo 2^64, to an address of its file to get the process's.
    pub fn bias(&self) -> u64 {
        self.bias
    }

    /// Its executable mappings, by address.
    pub fn ranges(&self) -> &[CodeRange] {
        &self.ranges
    }

    /// What it is to its process.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Its headers; none for the vDSO.
    pub fn elf(&self) -> Option<&Elf> {
        self.file.as_ref().map(|(_, elf)| &**elf)
    }

    /// Whether an address of the process is in its code.
    pub fn contains(&self, address: u64) -> bool {
        self.ranges
            .iter()
            .any(|range| (range.start..range.end).contains(&address))
    }

    /// All names that it has in probe descriptions, each without the prefix of a link map.
    pub fn names(&self) -> Vec<String> {
        let soname = self.elf().and_then(|elf| elf.soname.as_deref());
        let soname = soname.map(String::from_utf8_lossy);
        names::names(&self.base_name(), soname.as_deref(), self.role)
    }

    /// Whether `matches` accepts one of its names, with or without the prefix of the base link map.
    pub fn answers_to(&self, mut matches: impl FnMut(&str) -> bool) -> bool {
        let names = self.names();
        let mut names = names.iter();
        names.any(|name| matches(name) || matches(&format!("{BASE_LINK_MAP}{name}")))
    }

    /// Reads its functions, from its separate debug file too if it has no full table of symbols:
    /// that is looked for below the roots ([`crate::Process::roots`]), in their order.
    pub fn functions(&self, roots: &[Root]) -> Functions {
        let Some((file, elf)) = &self.file else {
            return Functions::default();
        };
        let add = |collector: &mut Collector<'_>| debug::add(collector, elf, &self.path, roots);
        Functions::read(elf, &Parts::of(file), add)
    }

    /// Whether it may have USDT probes.
    pub fn has_sites(&self) -> bool {
        self.elf().is_some_and(|elf| elf.notes_of_probes.is_some())
    }

    /// Reads its USDT probes; `functions` are its own ([`Self::functions`]), in which they lie.
    pub fn sites(&self, functions: &Functions) -> Sites {
        let Some((file, elf)) = &self.file else {
            return Sites::default();
        };
        Sites::read(elf, &Parts::of(file), functions)
    }

    /// Makes its unwind table, with addresses without the bias. The vDSO is read in the process's
    /// memory; it has no rows if that cannot be read.
    pub fn unwind_table(&self, process: &Process) -> UnwindTable {
        match (&self.file, self.ranges.first()) {
            (Some((file, elf)), _) => UnwindTable::read(elf, &Parts::of(file)),
            (None, Some(range)) => {
                let image = process.memory(range.start..range.end).unwrap_or_default();
                UnwindTable::of_bytes(&image).map_or_else(|_| UnwindTable::default(), |(_, it)| it)
            }
            (None, None) => UnwindTable::default(),
        }
    }
}
