//! Downloads packages that were chosen, with apt, which checks them against the signed index.

use std::io;
use std::path::Path;

use crate::cache::Cache;
use crate::error::{At, Error, Result};
use crate::files;
use crate::guest::Guest;
use crate::image::apt::{self, Apt, Package};
use crate::image::archive::Archive;
use crate::progress::Step;

/// The private apt root for a guest's packages and for the host's build tools.
pub fn open_apt(guest: &Guest, cache: &Cache, host: &str) -> Result<Apt> {
    let arch = guest.packages.architecture.as_str();
    let architectures = if arch == host {
        vec![arch]
    } else {
        vec![arch, host]
    };
    let suite = &guest.packages.suite;
    let further = guest.packages.further_suites();
    let root = further.first().unwrap_or(&suite.as_str()).to_owned();
    let dir = cache.dir().join("apt").join(root).join(arch);
    let archive = Archive::require(suite)?.with_suites(&further);
    Apt::new(&dir, archive, &architectures)
}

/// Checked before downloads, since apt never returns on a full disk.
pub fn require_room(cache: &Cache, room: u64) -> Result<()> {
    let dir = cache.dir();
    let free = files::free(dir)
        .map_err(io::Error::from)
        .at("access", dir)?;
    if free >= room {
        return Ok(());
    }
    Err(Error::File {
        doing: "fetch packages into",
        path: dir.into(),
        source: io::ErrorKind::StorageFull.into(),
    })
}

/// Downloads packages that the cache lacks.
pub fn into_cache(guest: &Guest, cache: &Cache, missing: &[&Package]) -> Result<()> {
    let step = Step::begin(format!(
        "{}: fetching packages ({})",
        guest.name,
        missing.len()
    ));
    let scratch = cache.scratch()?;
    download(&step, guest, cache, missing, scratch.path())?;
    let mut got = Vec::new();
    for file in apt::downloaded(scratch.path())? {
        got.push(cache.put(&file)?);
    }
    if let Some(absent) = missing.iter().find(|p| !got.contains(&p.sha256)) {
        return Err(differs(absent));
    }
    step.done();
    Ok(())
}

/// Downloads a package that is too large to be kept, and passes its file to `use_it`.
pub fn in_passing<T>(
    guest: &Guest,
    cache: &Cache,
    package: &Package,
    use_it: impl FnOnce(&Path) -> Result<T>,
) -> Result<T> {
    let step = Step::begin(format!("{}: fetching {}", guest.name, package.name));
    let scratch = cache.scratch()?;
    download(&step, guest, cache, &[package], scratch.path())?;
    for file in apt::downloaded(scratch.path())? {
        if files::sha256(&file)? == package.sha256 {
            let used = use_it(&file)?;
            step.done();
            return Ok(used);
        }
    }
    Err(differs(package))
}

fn download(
    step: &Step,
    guest: &Guest,
    cache: &Cache,
    packages: &[&Package],
    into: &Path,
) -> Result<()> {
    let apt = open_apt(guest, cache, &apt::host_architecture()?)?;
    apt.download(step, packages, into)
}

fn differs(Package { name, version, .. }: &Package) -> Error {
    Error::Package(format!(
        "{name} {version} has a different hash than in the index"
    ))
}
