//! Makes a saved guest: boots it in a folder of its own, checks it, saves it and stops it.

use std::fs::{self, File};
use std::path::Path;

use crate::error::HostError;
use crate::guest::command_line::Launch;
use crate::guest::image::Image;
use crate::guest::machine::Machine;
use crate::guest::module;
use crate::guest::{Guest, Stop};
use crate::judge::health;
use crate::judge::text::{self, TextJudge};
use crate::report::evidence::Evidence;
use crate::scenario::Module;

use super::{FACTS, Facts, Level, MEMORY, STATE, lengths};

/// Makes a saved guest in `folder`. If that fails, only logs remain there.
pub fn make(
    folder: &Path,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    key: &str,
) -> Result<(), Stop> {
    let evidence = Evidence::cleared(folder.to_owned())?;
    let made = boot(folder, image, machine, level, key, &evidence);
    if made.is_err() {
        // These are large; they may not exist, which is no error.
        fs::remove_file(folder.join(MEMORY)).ok();
        text::discard(&evidence).ok();
    }
    made
}

fn boot(
    folder: &Path,
    image: &Image,
    machine: &'static Machine,
    level: Level,
    key: &str,
    evidence: &Evidence,
) -> Result<(), Stop> {
    let memory = folder.join(MEMORY);
    let mut guest = Guest::start(machine, image, Launch::Saving(&memory), evidence)?;
    guest.wake()?;
    let boot_cpu_ms = guest.watch().host_time()?.as_millis();
    let symbols = text::symbols(&mut guest, machine)?;
    if level == Level::Loaded {
        load(&mut guest, image, machine, &symbols, evidence)?;
    }
    check_health(&mut guest)?;
    guest.save(&folder.join(STATE))?;
    guest.quit();
    for name in [MEMORY, STATE] {
        let path = folder.join(name);
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(HostError::file("save", &path))?;
    }
    let facts = Facts {
        key: key.to_owned(),
        boot_cpu_ms: u64::try_from(boot_cpu_ms).unwrap_or(u64::MAX),
        lengths: lengths(folder).map_err(HostError::file("access", folder))?,
        symbols,
    };
    let text = serde_json::to_string_pretty(&facts).unwrap_or_default();
    Ok(evidence.write(FACTS, &text)?)
}

/// Loads the module and checks that this leaves the kernel's text unchanged: a job that is restored
/// with the module loaded cannot check that any more.
fn load(
    guest: &mut Guest,
    image: &Image,
    machine: &'static Machine,
    symbols: &str,
    evidence: &Evidence,
) -> Result<(), Stop> {
    let text = TextJudge::before(guest, machine, symbols.to_owned(), evidence)?;
    guest.ask(&module::load(image, Module::Plain, None))?;
    let compared = text.compare(guest, "after the module was loaded", evidence)?;
    if let Some(failure) = compared.failure {
        return Err(HostError::Unsaved(failure.what).into());
    }
    Ok(text::discard(evidence)?)
}

/// Refuses a guest whose log has a complaint: every job restored from it would report it.
fn check_health(guest: &mut Guest) -> Result<(), Stop> {
    let log = guest.ask("dmesg")?;
    match health::scan(&log).first() {
        None => Ok(()),
        Some(finding) => Err(HostError::Unsaved(finding.to_string()).into()),
    }
}
