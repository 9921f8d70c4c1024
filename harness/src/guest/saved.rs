//! Guests saved when they were ready, each restored any number of times.
//!
//! A saved guest is its memory in one file, which every restored guest maps privately and none
//! writes, and its device state in another. The first job that needs it makes it, and it is made
//! again when anything that it depends on has changed. It is built in a folder beside the final one
//! and renamed when complete, so an interrupted build is never found.

mod make;

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness_agent::VERSION;
use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::guest::Stop;
use crate::guest::command_line::Launch;
use crate::guest::emulator;
use crate::guest::image::Image;
use crate::guest::lock::{self, Share};
use crate::guest::machine::Machine;
use crate::judge::text;
use crate::scenario::Processor;
use crate::tree::Tree;

const MEMORY: &str = "memory";
const STATE: &str = "devices";
const FACTS: &str = "facts.json";
/// Version of the procedure; part of the key.
const FORMAT: u32 = 1;
/// How long a failure to save is remembered: the cause may have been the host.
const FAILURE_AGE: Duration = Duration::from_secs(600);

/// The state in which a guest is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The agent answers.
    Booted,
    /// The module is loaded as well.
    Loaded,
}

/// What was recorded when a guest was saved; stored as `facts.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Facts {
    /// Everything that it was made from; see [`key`].
    key: String,
    /// CPU time of QEMU from its start to the agent's first answer.
    boot_cpu_ms: u64,
    /// Sizes of the memory and the device file, in bytes.
    lengths: [u64; 2],
    /// The lines of `/proc/kallsyms` and `/proc/iomem` that locate its text.
    pub symbols: String,
}

impl Facts {
    /// CPU time of QEMU from its start to the agent's first answer.
    pub fn booted_in(&self) -> Duration {
        Duration::from_millis(self.boot_cpu_ms)
    }
}

/// A saved guest, locked against replacement until this is dropped.
#[derive(Debug)]
pub struct Saved {
    folder: PathBuf,
    /// What was recorded when it was saved.
    pub facts: Facts,
    _lock: File,
}

impl Saved {
    /// The saved guest for `image` and `level`; makes it if there is none, or if it is out of date.
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
        let emulator = emulator::find(machine.program, machine.remedy)?;
        let key = key(image, machine, &emulator, level)?;
        let lock_path = all.join(format!("{name}.lock"));
        loop {
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
            if current(&folder, &key).is_none() {
                replace(&folder, image, machine, level, &key)?;
            }
            // flock cannot downgrade atomically, so the shared lock is taken anew and all checked
            // again.
        }
    }

    /// Invalidates it for all runs, after it could not be restored.
    pub fn discard(self) -> Result<(), HostError> {
        let facts = self.folder.join(FACTS);
        match fs::remove_file(&facts) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(HostError::file("remove", &facts)(error))
            }
            _ => Ok(()),
        }
    }

    /// The memory file.
    pub fn memory(&self) -> PathBuf {
        self.folder.join(MEMORY)
    }

    /// The device-state file.
    pub fn state(&self) -> PathBuf {
        self.folder.join(STATE)
    }
}

fn name(image: &Image, level: Level) -> String {
    let processor = match image.processor {
        Processor::Usual => "",
        Processor::Full => "-full",
        Processor::Plain => "-plain",
        Processor::Flawed => "-flawed",
    };
    let level = match level {
        Level::Booted => "booted",
        Level::Loaded => "loaded",
    };
    let turns = match image.cross_modifying {
        true => "-turns",
        false => "",
    };
    format!("{level}-{}{processor}{turns}", image.cpus)
}

fn open(path: &Path) -> Result<File, HostError> {
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).open(path);
    file.map_err(HostError::file("open", path))
}

/// The facts, if the saved guest is complete and was made from `key`.
fn current(folder: &Path, key: &str) -> Option<Facts> {
    let text = fs::read_to_string(folder.join(FACTS)).ok()?;
    let facts: Facts = serde_json::from_str(&text).ok()?;
    (facts.key == key && lengths(folder).ok()? == facts.lengths).then_some(facts)
}

fn lengths(folder: &Path) -> io::Result<[u64; 2]> {
    let length = |name| Ok::<_, io::Error>(fs::metadata(folder.join(name))?.len());
    Ok([length(MEMORY)?, length(STATE)?])
}

/// Everything that a saved guest depends on: QEMU, its arguments, and the files that it reads.
fn key(
    image: &Image,
    machine: &'static Machine,
    emulator: &Path,
    level: Level,
) -> Result<String, HostError> {
    let launch = Launch::Saving(Path::new(MEMORY));
    let arguments = machine.arguments(image, launch, Path::new("console"));
    let mut key = format!(
        "{FORMAT} {VERSION} {level:?} {} {arguments:?}",
        image.module
    );
    key.push_str(&text::symbols_command(machine));
    // QEMU is 30 MB, too much to hash each time; it comes from a package, so size and mtime
    // identify it.
    let about = fs::metadata(emulator).map_err(HostError::file("access", emulator))?;
    let changed = about
        .modified()
        .map_err(HostError::file("access", emulator))?;
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    key.push_str(&format!(
        "\n{} {} {}\n{}",
        emulator.display(),
        about.len(),
        since.as_nanos(),
        image.content
    ));
    Ok(key)
}

fn replace(
    folder: &Path,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    key: &str,
) -> Result<(), Stop> {
    let failed = folder.with_extension("failed");
    if let Some(why) = recent_failure(&failed, key) {
        return Err(HostError::Unsaved(why).into());
    }
    let new = folder.with_extension("new");
    if let Err(stop) = make::make(&new, image, machine, level, key) {
        if let Some(why) = reason_to_keep(&stop) {
            fs::write(&failed, format!("{key}\n{why}"))
                .map_err(HostError::file("write", &failed))?;
        }
        return Err(stop);
    }
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(HostError::file("remove", folder))?;
    }
    fs::rename(&new, folder).map_err(HostError::file("rename", &new))?;
    Ok(())
}

/// The reason to remember, if the guest is the cause: another attempt would fail alike.
fn reason_to_keep(stop: &Stop) -> Option<String> {
    match stop {
        Stop::Guest(finding) => Some(finding.to_string()),
        Stop::Host(HostError::Unsaved(why)) => Some(why.clone()),
        Stop::Host(_) | Stop::Interrupted => None,
    }
}

/// Why saving from the same key failed a short time ago, if it did.
fn recent_failure(failed: &Path, key: &str) -> Option<String> {
    let changed = fs::metadata(failed).ok()?.modified().ok()?;
    let age = SystemTime::now()
        .duration_since(changed)
        .unwrap_or_default();
    let text = fs::read_to_string(failed).ok()?;
    let why = text.strip_prefix(key)?.trim().to_owned();
    (age < FAILURE_AGE).then_some(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(folder: &Path) -> Image {
        for file in ["k", "i"] {
            fs::write(folder.join(file), file).expect("writable");
        }
        let kernel = folder.join("k").display().to_string();
        let initrd = folder.join("i").display().to_string();
        let text = serde_json::json!({
            "schema": 4, "content": "ab", "guest": "g", "machine": "virt", "memory": "512M", "cpus": 2,
            "kernel": kernel, "initrd": initrd, "dtb": null, "append": "quiet",
            "kernel_release": "6.1.0", "module": "/m", "mutants_module": "/n",
            "ssh": {"user": "root", "private_key": "/p", "public_key": "/q", "host_key": "k"},
            "names": {}, "capabilities": [], "mutants": []
        });
        serde_json::from_value(text).expect("an image")
    }

    #[test]
    fn every_dependency_changes_the_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let image = image(folder.path());
        let machine = crate::guest::machine::find("virt").expect("a row");
        let emulator = folder.path().join("emulator");
        fs::write(&emulator, "7.2").expect("writable");
        let key = |image: &Image, level| key(image, machine, &emulator, level).expect("files");
        let first = key(&image, Level::Loaded);
        assert_eq!(key(&image, Level::Loaded), first);
        assert_ne!(key(&image, Level::Booted), first);
        let other = |change: fn(&mut Image)| {
            let mut image = image.clone();
            change(&mut image);
            key(&image, Level::Loaded)
        };
        assert_ne!(other(|image| image.append.push('!')), first);
        assert_ne!(other(|image| image.cpus = 4), first);
        assert_ne!(other(|image| image.processor = Processor::Full), first);
        assert_ne!(other(|image| image.content.push('c')), first);
        fs::write(&image.initrd, "written again").expect("writable");
        assert_eq!(key(&image, Level::Loaded), first);
        fs::write(&emulator, "another").expect("writable");
        assert_ne!(key(&image, Level::Loaded), first);
    }

    #[test]
    fn incomplete_or_outdated_guests_are_not_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let facts = Facts {
            key: "now".to_owned(),
            boot_cpu_ms: 1500,
            lengths: [3, 2],
            symbols: String::new(),
        };
        let text = serde_json::to_string(&facts).expect("plain data");
        let write = |name, text: &str| fs::write(folder.join(name), text).expect("writable");
        let is_found = |key| current(folder, key).is_some();
        write(FACTS, &text);
        assert!(!is_found("now"));
        write(MEMORY, "abc");
        write(STATE, "d");
        assert!(!is_found("now"), "the devices are cut");
        write(STATE, "de");
        assert!(is_found("now") && !is_found("then"));
        write(FACTS, &text[..text.len() / 2]);
        assert!(!is_found("now"));
        write(FACTS, &text);
        let found = current(folder, "now").expect("whole");
        assert_eq!(found.booted_in(), Duration::from_millis(1500));
    }

    #[test]
    fn recent_failure_is_not_retried() {
        let folder = tempfile::tempdir().expect("a folder");
        let failed = folder.path().join("loaded-1.failed");
        assert_eq!(recent_failure(&failed, "key"), None);
        fs::write(&failed, "key\nthe module does not load\n").expect("writable");
        let why = recent_failure(&failed, "key");
        assert_eq!(why.as_deref(), Some("the module does not load"));
        assert_eq!(recent_failure(&failed, "another"), None);
        let long_ago = SystemTime::now() - FAILURE_AGE;
        let file = File::options().append(true).open(&failed).expect("there");
        file.set_modified(long_ago).expect("ours");
        assert_eq!(recent_failure(&failed, "key"), None);
    }
}
