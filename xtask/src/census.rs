//! `census`: counts the plans for every instruction of a guest's kernel. The kernel comes from the
//! debug-symbol package of the release that the guest boots, since only its symbols tell
//! instructions from data in the text.

use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::fuzz;
use crate::guest::Guest;
use crate::host;
use crate::image::deb::{self, Kind};
use crate::image::packages;
use crate::needs;
use crate::run;

/// Fetches the kernel and runs `isa-census` on it.
pub fn run(guest: &str) -> Result<()> {
    let guest = Guest::load(guest)?;
    host::ensure(&needs::of_guest(&guest))?;
    let image = image(&guest)?;
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    run::openly(fuzz::program(&sh, "isa-census").arg("--").arg(image))
}

/// The unpacked vmlinux. Downloads several hundred megabytes, once per release.
fn image(guest: &Guest) -> Result<PathBuf> {
    let cache = Cache::locate()?;
    let (packages, _) = packages::obtain(guest, &cache, false)?;
    let release = &packages.kernel_release;
    let image = guest.dir().join(format!("vmlinux-{release}"));
    if !image.exists() {
        let package = packages::with_symbols(guest, &cache, release)?;
        files::create_dir(&guest.dir())?;
        files::write(
            &image,
            &unpack(&package, &format!("/boot/vmlinux-{release}"))?,
        )?;
    }
    Ok(image)
}

/// The contents of the file in a package whose path ends with `path`.
fn unpack(package: &Path, path: &str) -> Result<Vec<u8>> {
    let members = deb::members(package, |member| member.ends_with(path))?;
    let file = members.into_iter().find_map(|member| match member.kind {
        Kind::File { data, .. } => Some(data),
        Kind::Symlink(_) => None,
    });
    file.ok_or_else(|| Error::Content {
        path: package.into(),
        why: format!("it has no {path}"),
    })
}
