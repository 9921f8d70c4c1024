//! Resolves a guest's packages and downloads them.
//!
//! The names in `images/<guest>.yaml` are resolved to versions once, and the answer is kept in the
//! cache. From then on versions are pinned and no network is needed, until `cargo xtask image
//! <guest> --update`. There is one exception: if a pinned package is neither in the cache nor on
//! the mirror any more, the names are resolved again.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::files::{self, Lock};
use crate::guest::Guest;
use crate::image::apt::{self, Package};
use crate::image::download;
use crate::image::types;
use crate::progress::{Step, say};

/// Bytes that the package lists and a guest's packages take.
const ROOM: u64 = 256 << 20;

/// A guest's packages, pinned to versions.
#[derive(Serialize, Deserialize)]
pub struct Packages {
    /// The suite and the names that were resolved; if they change, the answer is stale.
    #[serde(default)]
    suite: String,
    request: Vec<String>,
    /// The kernel's release, as `uname -r` prints it.
    pub kernel_release: String,
    /// The kernel image, and what it is split into.
    image: Vec<Package>,
    /// The same kernel with debug symbols.
    pub symbols: Package,
    /// Headers, build tools, and libraries that these run with.
    headers: Vec<Package>,
    userland: Vec<Package>,
}

/// The same packages, as files in the cache.
pub struct Debs {
    /// The kernel and its modules.
    pub image: Vec<PathBuf>,
    /// The kernel's types, converted, for a guest whose kernel has none.
    pub types: Option<PathBuf>,
    /// Headers and build tools for modules.
    pub headers: Vec<PathBuf>,
    /// Programs and libraries, also of the bundles.
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
                say!("{error}\n{}: choosing packages again", guest.name);
            }
            Err(error) => return Err(error),
        }
    }
    download::require_room(cache, ROOM)?;
    let packages = resolve(guest, cache)?;
    let debs = fetch(guest, cache, &packages)?;
    let text = serde_json::to_vec_pretty(&packages).expect("names and versions are always JSON");
    files::write(&pinned_at(guest, cache), &text)?;
    Ok((packages, debs))
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
    let host = apt::host_architecture().ok()?;
    let asked = [request(guest), libraries(guest, &host)].concat();
    let is_same = packages.suite == guest.packages.suite && packages.request == asked;
    is_same.then_some(packages)
}

/// The kernel's meta package, and those for the root. Of a suite that has newer versions only apt
/// takes nothing by itself, so the kernel's is named with it.
fn request(guest: &Guest) -> Vec<String> {
    let packages = &guest.packages;
    let of_suite = packages.kernel_suite.as_ref();
    let of_suite = of_suite.map_or(String::new(), |suite| format!("/{suite}"));
    let named = |name: &String| format!("{name}:{}", packages.architecture);
    let kernel = named(&packages.kernel) + &of_suite;
    [kernel]
        .into_iter()
        .chain(packages.userland.iter().map(named))
        .chain(
            guest
                .bundles
                .values()
                .flat_map(|bundle| bundle.packages.iter().map(named)),
        )
        .collect()
}

/// Follows the meta package to the kernel image it depends on, and from its release to the headers
/// of the same.
fn resolve(guest: &Guest, cache: &Cache) -> Result<Packages> {
    let step = Step::begin(format!("{}: choosing packages", guest.name));
    let host = apt::host_architecture()?;
    let apt = download::open_apt(guest, cache, &host)?;
    let arch = &guest.packages.architecture;
    let request = request(guest);
    let mut userland = apt.look_up(&step, &request)?;
    let meta = userland.remove(0);
    let (image_name, kernel_release) = kernel_behind(&meta)?;
    let headers_name = format!("linux-headers-{kernel_release}");
    let mut found = apt.show(&[
        format!("{image_name}:{arch}"),
        format!("{image_name}-dbg:{arch}"),
        format!("{headers_name}:{arch}"),
    ])?;
    let (image, symbols) = (found.remove(0), found.remove(0));
    let libraries = libraries(guest, &host);
    let parts = [header_parts(&found[0], arch, &host), libraries.clone()].concat();
    found.extend(apt.show(&parts)?);
    let parts = image_parts(&image, &kernel_release, arch);
    let mut image = vec![image];
    image.extend(apt.show(&parts)?);
    step.done();
    Ok(Packages {
        suite: guest.packages.suite.clone(),
        request: [request, libraries].concat(),
        kernel_release,
        image,
        symbols,
        headers: found,
        userland,
    })
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

/// What an image is split into since Linux 6.19: lists, the kernel itself, and its modules.
fn image_parts(image: &Package, release: &str, arch: &str) -> Vec<String> {
    let parts =
        ["linux-base-", "linux-binary-", "linux-modules-"].map(|part| format!("{part}{release}"));
    let parts = parts.iter().filter(|part| image.depends.contains(part));
    parts.map(|part| format!("{part}:{arch}")).collect()
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

/// What the build tools run with, if not with the host's libraries.
fn libraries(guest: &Guest, host: &str) -> Vec<String> {
    let tools = guest.packages.tools.iter();
    let all = tools.flat_map(|tools| tools.libraries.iter().map(move |name| (name, &tools.suite)));
    all.map(|(name, suite)| format!("{name}:{host}/{suite}"))
        .collect()
}

fn fetch(guest: &Guest, cache: &Cache, packages: &Packages) -> Result<Debs> {
    let all = || {
        let image = packages.image.iter();
        image.chain(&packages.headers).chain(&packages.userland)
    };
    let mut missing = Vec::new();
    for package in all() {
        if cache.get(&package.sha256)?.is_none() {
            missing.push(package);
        }
    }
    if !missing.is_empty() {
        download::into_cache(guest, cache, &missing)?;
    }
    let types = guest.kernel.convert_types.then(|| {
        let Packages {
            kernel_release,
            symbols,
            ..
        } = packages;
        types::make(guest, cache, kernel_release, symbols)
    });
    let paths = |list: &[Package]| list.iter().map(|p| cache.path(&p.sha256)).collect();
    Ok(Debs {
        image: paths(&packages.image),
        types: types.transpose()?,
        headers: paths(&packages.headers),
        userland: paths(&packages.userland),
    })
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
    fn an_image_without_files_of_its_own_has_them_in_others() {
        let release = "7.3.4+deb13-amd64";
        let depends = [
            "dracut",
            "linux-base-7.3.4+deb13-amd64",
            "linux-binary-7.3.4+deb13-amd64",
            "linux-modules-7.3.4+deb13-amd64",
        ];
        let image = package("linux-image-7.3.4+deb13-amd64", &depends);
        let parts = [
            "linux-base-7.3.4+deb13-amd64:amd64",
            "linux-binary-7.3.4+deb13-amd64:amd64",
            "linux-modules-7.3.4+deb13-amd64:amd64",
        ];
        assert_eq!(image_parts(&image, release, "amd64"), parts);
        let whole = package("linux-image-6.1.0-50-amd64", &["initramfs-tools"]);
        assert!(image_parts(&whole, "6.1.0-50-amd64", "amd64").is_empty());
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
