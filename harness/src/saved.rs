//! Guests saved at the moment when they were ready, to be gone on with any number of times.
//!
//! A saved guest is its memory in one file, which every restored guest maps privately and none writes,
//! and the state of its devices in another. It is made once from everything that went into it, by
//! whoever needs it first, and made anew when any of that has changed. It is made in a folder beside
//! its own and moved there when it is complete, so one that was interrupted is never found.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::evidence::Evidence;
use crate::guest::{Guest, Stop};
use crate::image::Image;
use crate::lock::{self, Share};
use crate::machine::{Launch, Machine};
use crate::module;
use crate::qemu;
use crate::scenario::Processor;
use crate::text::{self, TextJudge};
use crate::tree::Tree;

const MEMORY: &str = "memory";
const STATE: &str = "devices";
const FACTS: &str = "facts.json";

/// How far a guest had come when it was saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// It answers.
    Booted,
    /// The module is loaded, too.
    Loaded,
}

/// What was found out about a guest while it was saved.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Facts {
    /// Everything that it was made from.
    key: String,
    /// How long it took from its start to its first answer.
    boot_ms: u64,
    /// Where its kernel's text is, in the kernel's own words.
    pub symbols: String,
}

impl Facts {
    /// How long it took from its start to its first answer.
    pub fn booted_in(&self) -> Duration {
        Duration::from_millis(self.boot_ms)
    }
}

/// A saved guest, which stays what it is until this is dropped.
#[derive(Debug)]
pub struct Saved {
    folder: PathBuf,
    /// What is known of it.
    pub facts: Facts,
    _lock: File,
}

impl Saved {
    /// The saved guest that belongs to `image` as it is now; it is made first if there is none.
    pub fn of(
        tree: &Tree,
        image: &Image,
        machine: &'static Machine,
        level: Level,
    ) -> Result<Self, Stop> {
        let all = tree.guest_dir(&image.guest).join("saved");
        fs::create_dir_all(&all).map_err(HostError::file("create", &all))?;
        let name = name(image, level);
        let folder = all.join(&name);
        let key = key(image, machine, level)?;
        let lock_path = all.join(format!("{name}.lock"));
        let lock = open(&lock_path)?;
        lock::take(&lock, Share::Readers, &folder)?;
        if let Some(facts) = current(&folder, &key) {
            return Ok(Self {
                folder,
                facts,
                _lock: lock,
            });
        }
        drop(lock);
        let lock = open(&lock_path)?;
        lock::take(&lock, Share::Alone, &folder)?;
        let facts = match current(&folder, &key) {
            Some(facts) => facts,
            None => replace(&folder, image, machine, level, key)?,
        };
        lock::take(&lock, Share::Readers, &folder)?;
        Ok(Self {
            folder,
            facts,
            _lock: lock,
        })
    }

    /// Its memory.
    pub fn memory(&self) -> PathBuf {
        self.folder.join(MEMORY)
    }

    /// Its devices.
    pub fn state(&self) -> PathBuf {
        self.folder.join(STATE)
    }
}

fn name(image: &Image, level: Level) -> String {
    let processor = match image.processor {
        Processor::Usual => "",
        Processor::Full => "-full",
    };
    let level = match level {
        Level::Booted => "booted",
        Level::Loaded => "loaded",
    };
    format!("{level}-{}{processor}", image.cpus)
}

fn open(path: &Path) -> Result<File, HostError> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).open(path);
    file.map_err(HostError::file("open", path))
}

/// The facts, if they are of a saved guest that was made from the same.
fn current(folder: &Path, key: &str) -> Option<Facts> {
    let text = fs::read_to_string(folder.join(FACTS)).ok()?;
    let facts: Facts = serde_json::from_str(&text).ok()?;
    let is_whole = [MEMORY, STATE]
        .iter()
        .all(|name| folder.join(name).exists());
    (facts.key == key && is_whole).then_some(facts)
}

/// Everything that a saved guest depends on: QEMU, what it is told, and the files that it reads.
fn key(image: &Image, machine: &'static Machine, level: Level) -> Result<String, HostError> {
    let launch = Launch::Saving(Path::new(MEMORY));
    let arguments = machine.arguments(image, launch, Path::new("console"));
    let mut key = format!("{level:?} {} {arguments:?}", image.module);
    let program = qemu::find(machine.program, machine.remedy)?;
    let files = [&program, &image.kernel, &image.initrd];
    for path in files.into_iter().chain(&image.dtb) {
        let about = fs::metadata(path).map_err(HostError::file("look at", path))?;
        let changed = about.modified().map_err(HostError::file("look at", path))?;
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
        key.push_str(&format!(
            "\n{} {} {}",
            path.display(),
            about.len(),
            since.as_nanos()
        ));
    }
    Ok(key)
}

fn replace(
    folder: &Path,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    key: String,
) -> Result<Facts, Stop> {
    let new = folder.with_extension("new");
    let facts = make(&new, image, machine, level, key).inspect_err(|_| {
        // Why it was not saved is what matters, and is told; half a guest is of no use to anybody.
        fs::remove_dir_all(&new).ok();
    })?;
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(HostError::file("remove", folder))?;
    }
    fs::rename(&new, folder).map_err(HostError::file("rename", &new))?;
    Ok(facts)
}

fn make(
    folder: &Path,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    key: String,
) -> Result<Facts, Stop> {
    let evidence = Evidence::cleared(folder.to_owned())?;
    let memory = folder.join(MEMORY);
    let mut guest = Guest::start(machine, image, Launch::Saving(&memory), &evidence)?;
    guest.wake()?;
    let boot_ms = guest.age().as_millis();
    let symbols = text::symbols(&mut guest, machine)?;
    if level == Level::Loaded {
        load(&mut guest, image, machine, &symbols, &evidence)?;
    }
    guest.save(&folder.join(STATE))?;
    guest.quit();
    let facts = Facts {
        key,
        boot_ms: u64::try_from(boot_ms).unwrap_or(u64::MAX),
        symbols,
    };
    let told = serde_json::to_string_pretty(&facts).unwrap_or_default();
    evidence.write(FACTS, &told)?;
    Ok(facts)
}

/// Loads the module, which must leave the kernel's text as it is: a job that begins with it loaded can't
/// see that any more.
fn load(
    guest: &mut Guest,
    image: &Image,
    machine: &'static Machine,
    symbols: &str,
    evidence: &Evidence,
) -> Result<(), Stop> {
    let text = TextJudge::before(guest, machine, symbols.to_owned(), evidence)?;
    guest.ask(&module::load(image, None))?;
    let compared = text.compare(guest, "after the module was loaded", evidence)?;
    if let Some(failure) = compared.failure {
        return Err(HostError::Unsaved(failure.what).into());
    }
    Ok(text::discard(evidence)?)
}
