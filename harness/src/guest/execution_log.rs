//! QEMU's record of the instructions that processes execute, made by a plugin of ours.
//!
//! The plugin is compiled when a job needs it, for the QEMU that is installed. It calls back for
//! each instruction in a range of addresses, before that is executed, and for no other.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::HostError;
use crate::guest::emulator::Version;

/// The plugin's source.
const SOURCE: &str = include_str!("execution_log/plugin.c");
/// The first version of QEMU that refuses plugins for the first version of its interface.
const SECOND_INTERFACE: Version = Version(9, 0);
/// The first version of QEMU whose interface copies an instruction's bytes.
const COPIES_DATA: Version = Version(9, 1);
/// Two numbers of 64 bits: whether the record is on, and its length.
const HEADER: u64 = 16;
/// How many instructions it can have. The file is sparse.
const SPACE: u64 = 1 << 30;

/// The record of one job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionLog {
    /// The plugin.
    pub plugin: PathBuf,
    /// The record.
    pub file: PathBuf,
    /// The addresses.
    pub range: Range<u64>,
}

/// What was executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Executed {
    /// The lowest address that is recorded.
    pub start: u64,
    /// How far behind it each instruction is, in order.
    pub offsets: Vec<u32>,
    /// The IT blocks of Thumb code that were executed, or what an exception left of one.
    pub blocks: BTreeSet<Vec<(u32, Arm)>>,
    /// The exclusive stores that were executed, each by its offset. Any of them may fail.
    pub exclusives: BTreeSet<u32>,
}

/// When an instruction in an IT block has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// If the block's condition holds.
    Then,
    /// If it does not.
    Else,
}

/// What an entry says of its instruction, in its two upper bits; the plugin writes them.
enum Mark {
    None,
    Conditional(Arm),
    ExclusiveStore,
}

impl Mark {
    const BITS: u32 = 3 << 30;

    /// An entry's offset and mark.
    fn split(entry: u32) -> (u32, Self) {
        let mark = match entry >> 30 {
            0 => Self::None,
            1 => Self::Conditional(Arm::Then),
            2 => Self::Conditional(Arm::Else),
            _ => Self::ExclusiveStore,
        };
        (entry & !Self::BITS, mark)
    }
}

impl Executed {
    /// What these entries of a record say.
    pub fn of(start: u64, entries: impl IntoIterator<Item = u32>) -> Self {
        let mut executed = Self {
            start,
            ..Self::default()
        };
        let mut block = Vec::new();
        for entry in entries {
            let (offset, mark) = Mark::split(entry);
            executed.offsets.push(offset);
            if let Mark::Conditional(arm) = mark {
                block.push((offset, arm));
                continue;
            }
            if !block.is_empty() {
                executed.blocks.insert(std::mem::take(&mut block));
            }
            if let Mark::ExclusiveStore = mark {
                executed.exclusives.insert(offset);
            }
        }
        executed
    }
}

impl ExecutionLog {
    /// Compiles the plugin, and creates the record, which is off.
    pub fn create(file: PathBuf, range: Range<u64>, emulator: Version) -> Result<Self, HostError> {
        let source = file.with_extension("c");
        let plugin = file.with_extension("so");
        std::fs::write(&source, SOURCE).map_err(HostError::file("write", &source))?;
        compile(&source, &plugin, emulator)?;
        let record = File::create(&file).map_err(HostError::file("create", &file))?;
        let sized = record.set_len(HEADER + SPACE * 4);
        sized.map_err(HostError::file("enlarge", &file))?;
        Ok(Self {
            plugin,
            file,
            range,
        })
    }

    /// Switches it on or off.
    pub fn switch(&self, is_on: bool) -> Result<(), HostError> {
        let file = OpenOptions::new().write(true).open(&self.file);
        let file = file.map_err(HostError::file("open", &self.file))?;
        let written = file.write_all_at(&u64::from(is_on).to_ne_bytes(), 0);
        written.map_err(HostError::file("write", &self.file))
    }

    /// The record; the inner error says why it is not whole.
    pub fn read(&self) -> Result<Result<Executed, String>, HostError> {
        let read = self.entries();
        let entries = read.map_err(HostError::file("read", &self.file))?;
        Ok(entries.map(|entries| Executed::of(self.range.start, entries)))
    }

    fn entries(&self) -> std::io::Result<Result<Vec<u32>, String>> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(&self.file)?);
        let mut header = [0; HEADER as usize];
        file.read_exact(&mut header)?;
        let count = u64::from_ne_bytes(header[8..].try_into().unwrap_or_default());
        if count > SPACE {
            let why =
                format!("QEMU executed {count} instructions, and its record has space for {SPACE}");
            return Ok(Err(why));
        }
        let mut entries = Vec::new();
        let mut word = [0; 4];
        for _ in 0..count {
            file.read_exact(&mut word)?;
            entries.push(u32::from_ne_bytes(word));
        }
        Ok(Ok(entries))
    }
}

/// Frees the space that a record does not use; QEMU must have ended, which would write there.
pub fn trim(file: &Path) -> Result<(), HostError> {
    let trimmed = OpenOptions::new().read(true).write(true).open(file);
    let trimmed = match trimmed {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.and_then(|record| {
            let mut count = [0; 8];
            record.read_exact_at(&mut count, 8)?;
            let count = u64::from_ne_bytes(count).min(SPACE);
            record.set_len(HEADER + count * 4)
        }),
    };
    trimmed.map_err(HostError::file("shorten", file))
}

fn compile(source: &Path, plugin: &Path, emulator: Version) -> Result<(), HostError> {
    let interface = match emulator < SECOND_INTERFACE {
        true => 1,
        false => 2,
    };
    let made = Command::new("gcc")
        .args([
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
        ])
        .arg(format!("-DPLUGIN_VERSION={interface}"))
        .arg(format!(
            "-DCOPIES_DATA={}",
            u8::from(emulator >= COPIES_DATA)
        ))
        .arg("-o")
        .args([plugin, source])
        .output();
    let failed = |why: String| HostError::Qemu(format!("its plugin cannot be compiled: {why}"));
    let made = made.map_err(|error| failed(format!("gcc: {error}")))?;
    match made.status.success() {
        true => Ok(()),
        false => Err(failed(String::from_utf8_lossy(&made.stderr).into_owned())),
    }
}
