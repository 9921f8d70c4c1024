//! `doctor`: one line for each thing this host has or lacks, with the command that installs it.

use std::path::Path;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest;
use crate::host;
use crate::needs::{self, Need};

/// Bytes that a first full run takes: packages, unpacked headers, builds for host and guests.
const ROOM: u64 = 10 << 30;

/// QEMU versions that guests have run under, those of Debian 12 and 13.
const QEMU_TRIED: &str = "tried: 7.2 with every scenario, 10.0 with armv6's three-chdir";

/// Prints the lines. Returns [`Error::Host`] if anything is missing.
pub fn run() -> Result<()> {
    let mut lacking = Vec::new();
    for need in all_needs()? {
        match need.found()? {
            Some(found) => ok(&need.what(), found.trim()),
            None => lacking.push(lacks(&need.what(), &host::fix(&[need]))),
        }
    }
    for place in [workspace_root(), Cache::locate()?.dir()] {
        lacking.extend(examine_room(place));
    }
    println!("-    QEMU: {QEMU_TRIED}");
    println!("-    KVM: not needed and not used; guests run under QEMU's own translator");
    if !needs::which("gdb-multiarch") {
        println!("-    gdb-multiarch: for `repro --gdb` only; apt-get install gdb-multiarch");
    }
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Error::Host {
        missing: lacking.join(", "),
        fix: "see the lines above".into(),
    })
}

fn all_needs() -> Result<Vec<Need>> {
    let mut needs = needs::of_judges();
    needs.extend(needs::of_tests());
    for guest in guest::select("all")? {
        for need in needs::of_guest(&guest) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
    }
    Ok(needs)
}

fn examine_room(place: &Path) -> Option<String> {
    let what = format!("disk space for {}", place.display());
    match files::free(place) {
        Ok(bytes) if bytes >= ROOM => {
            ok(&what, &format!("{} GiB free", bytes >> 30));
            None
        }
        Ok(bytes) => Some(lacks(
            &what,
            &format!("free {} MiB there", (ROOM - bytes) >> 20),
        )),
        Err(error) => Some(lacks(&what, &format!("make it readable ({error})"))),
    }
}

fn ok(what: &str, found: &str) {
    let gap = if found.is_empty() { "" } else { ": " };
    println!("ok   {what}{gap}{found}");
}

fn lacks(what: &str, fix: &str) -> String {
    println!("LACK {what}: {fix}");
    what.to_owned()
}
