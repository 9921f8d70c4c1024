//! Resolves a guest's packages and downloads them.
//!
//! The names in `images/<guest>.yaml` are resolved to versions once, and the answer is kept in the
//! cache. From then on versions are pinned and no network is needed, until `cargo xtask image
//! <guest> --update`. There is one exception: if a pinned package is neither in the cache nor on
//! the mirror any more, the names are resolved again.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::error::{At, Error, Result};
use crate::files::{self, Lock};
use crate::guest::Guest;
use crate::image::apt::{self, Apt, Package};
use crate::image::archive::Archive;
use crate::progress::Step;

/// A guest's packages, pinned to versions.
#[derive(Serialize, Deserialize)]
pub struct Packages {
    /// The suite and the names that were resolved; if they change, the answer is stale.
    #[serde(default)]
    suite: String,
    request: Vec<String>,
    /// The kernel's release, as `uname -r` prints it.
    pub kernel_release: String,
    image: Package,
    headers: Vec<Package>,
    userland: Vec<Package>,
}

/// The same packages, as files in the cache.
pub struct Debs {
    /// The kernel image.
    pub image: PathBuf,
    /// Headers and build tools for modules.
    pub headers: Vec<PathBuf>,
    /// Programs and libraries.
    pub userland: Vec<PathBuf>,
}

/// Returns a guest's packages, all of them verified in the cache.
pub fn obtain(guest: &Guest, cache: &Cache, update: bool) -> Result<(Packages, Debs)> {
    let _lock = Lock::take(cache.dir())?;
    let pinned = if update { None } else { recall(guest, cache) };
    if let Some(packages) = pinned {
        match fetch(guest, cache, &packages) {
            Ok(debs) => return Ok((packages, debs)),
            Err(error @ (Error::Package(_) | Error::Command { .. })) => {
                eprintln!("{error}\n{}: choosing packages again", guest.name);
            }
            Err(error) => return Err(error),
        }
    }
    require_room(cache)?;
    let packages = resolve(guest, cache)?;
    let debs = fetch(guest, cache, &packages)?;
    let text = serde_json::to_vec_pretty(&packages).expect("names and versions are always JSON");
    files::write(&pinned_at(guest, cache), &text)?;
    Ok((packages, debs))
}

/// The package of the kernel with debug symbols, verified in the cache.
pub fn with_symbols(guest: &Guest, cache: &Cache, release: &str) -> Result<PathBuf> {
    let _lock = Lock::take(cache.dir())?;
    let step = Step::begin(format!("{}: looking for symbols", guest.name));
    let apt = open_apt(guest, cache, &apt::host_architecture()?)?;
    let architecture = &guest.packages.architecture;
    let wanted = [format!("linux-image-{release}-dbg:{architecture}")];
    let found = apt.show(&wanted).or_else(|_| apt.look_up(&step, &wanted))?;
    step.done();
    if cache.get(&found[0].sha256)?.is_none() {
        require_room(cache)?;
        download(guest, cache, &[&found[0]])?;
    }
    Ok(cache.path(&found[0].sha256))
}

/// Bytes that the package lists and a guest's packages take.
const ROOM: u64 = 256 << 20;

/// Checked first, since apt never returns on a full disk.
fn require_room(cache: &Cache) -> Result<()> {
    let dir = cache.dir();
    let free = files::free(dir)
        .map_err(io::Error::from)
        .at("access", dir)?;
    if free >= ROOM {
        return Ok(());
    }
    Err(Error::File {
        doing: "fetch packages into",
        path: dir.into(),
        source: io::ErrorKind::StorageFull.into(),
    })
}

fn pinned_at(guest: &Guest, cache: &Cache) -> PathBuf {
    cache
        .dir()
        .join("chosen")
        .join(format!("{}.json", guest.name))
}

/// The pinned packages, if they are readable and answer the current request.
fn recall(guest: &Guest, cache: &Cache) -> Option<Packages> {
    let text = files::read(&pinned_at(guest, cache)).ok()?;
    let packages: Packages = serde_json::from_slice(&text).ok()?;
    let is_same = packages.suite == guest.packages.suite && packages.request == request(guest);
    is_same.then_some(packages)
}

fn request(guest: &Guest) -> Vec<String> {
    let names = [&guest.packages.kernel]
        .into_iter()
        .chain(&guest.packages.userland);
    names
        .map(|n| format!("{n}:{}", guest.packages.architecture))
        .collect()
}

/// Follows the meta package to the kernel image it depends on, and from its release to the headers
/// of the same.
fn resolve(guest: &Guest, cache: &Cache) -> Result<Packages> {
    let step = Step::begin(format!("{}: choosing packages", guest.name));
    let host = apt::host_architecture()?;
    let apt = open_apt(guest, cache, &host)?;
    let arch = &guest.packages.architecture;
    let request = request(guest);
    let mut userland = apt.look_up(&step, &request)?;
    let meta = userland.remove(0);
    let (image_name, kernel_release) = kernel_behind(&meta)?;
    let headers_name = format!("linux-headers-{kernel_release}");
    let mut found = apt.show(&[
        format!("{image_name}:{arch}"),
        format!("{headers_name}:{arch}"),
    ])?;
    let image = found.remove(0);
    let parts = header_parts(&found[0], arch, &host);
    found.extend(apt.show(&parts)?);
    step.done();
    Ok(Packages {
        suite: guest.packages.suite.clone(),
        request,
        kernel_release,
        image,
        headers: found,
        userland,
    })
}

fn open_apt(guest: &Guest, cache: &Cache, host: &str) -> Result<Apt> {
    let arch = guest.packages.architecture.as_str();
    let architectures = if arch == host {
        vec![arch]
    } else {
        vec![arch, host]
    };
    let suite = &guest.packages.suite;
    let dir = cache.dir().join("apt").join(suite).join(arch);
    Apt::new(&dir, Archive::require(suite)?, &architectures)
}

fn kernel_behind(meta: &Package) -> Result<(String, String)> {
    let found = meta
        .depends
        .iter()
        .find_map(|d| Some((d, d.strip_prefix("linux-image-")?)));
    let (image, release) = found.ok_or_else(|| {
        Error::Package(format!(
            "{} {} depends on no linux-image package",
            meta.name, meta.version
        ))
    })?;
    Ok((image.clone(), release.to_owned()))
}

/// The further packages that headers depend on: headers common to all flavours, and build tools,
/// which run on the host and are of its architecture.
fn header_parts(headers: &Package, arch: &str, host: &str) -> Vec<String> {
    let part = |name: &String| {
        if name.starts_with("linux-headers-") {
            Some(format!("{name}:{arch}"))
        } else {
            name.starts_with("linux-kbuild-")
                .then(|| format!("{name}:{host}"))
        }
    };
    headers.depends.iter().filter_map(part).collect()
}

fn fetch(guest: &Guest, cache: &Cache, packages: &Packages) -> Result<Debs> {
    let all = || {
        [&packages.image]
            .into_iter()
            .chain(&packages.headers)
            .chain(&packages.userland)
    };
    let mut missing = Vec::new();
    for package in all() {
        if cache.get(&package.sha256)?.is_none() {
            missing.push(package);
        }
    }
    if !missing.is_empty() {
        download(guest, cache, &missing)?;
    }
    let paths = |list: &[Package]| list.iter().map(|p| cache.path(&p.sha256)).collect();
    Ok(Debs {
        image: cache.path(&packages.image.sha256),
        headers: paths(&packages.headers),
        userland: paths(&packages.userland),
    })
}

fn download(guest: &Guest, cache: &Cache, missing: &[&Package]) -> Result<()> {
    let step = Step::begin(format!(
        "{}: fetching packages ({})",
        guest.name,
        missing.len()
    ));
    let apt = open_apt(guest, cache, &apt::host_architecture()?)?;
    let scratch = cache.scratch()?;
    apt.download(&step, missing, scratch.path())?;
    let mut got = Vec::new();
    for file in apt::downloaded(scratch.path())? {
        got.push(cache.put(&file)?);
    }
    if let Some(absent) = missing.iter().find(|p| !got.contains(&p.sha256)) {
        let Package { name, version, .. } = absent;
        return Err(Error::Package(format!(
            "{name} {version} has a different hash than in the index"
        )));
    }
    step.done();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, depends: &[&str]) -> Package {
        Package {
            name: name.into(),
            architecture: "armel".into(),
            version: "1".into(),
            sha256: String::new(),
            depends: depends.iter().map(|d| d.to_string()).collect(),
        }
    }

    #[test]
    fn a_meta_package_resolves_to_kernel_and_release() {
        let meta = package("linux-image-rpi", &["linux-image-6.1.0-50-rpi"]);
        let want = (
            "linux-image-6.1.0-50-rpi".to_string(),
            "6.1.0-50-rpi".to_string(),
        );
        assert_eq!(kernel_behind(&meta).unwrap(), want);
        assert!(kernel_behind(&package("linux-image-rpi", &["base-files"])).is_err());
    }

    #[test]
    fn build_tools_are_the_hosts_and_compilers_are_left_out() {
        let depends = [
            "linux-headers-6.1.0-50-common",
            "linux-kbuild-6.1",
            "linux-compiler-gcc-12-arm",
        ];
        let parts = header_parts(
            &package("linux-headers-6.1.0-50-rpi", &depends),
            "armel",
            "amd64",
        );
        assert_eq!(
            parts,
            [
                "linux-headers-6.1.0-50-common:armel",
                "linux-kbuild-6.1:amd64"
            ]
        );
    }
}
