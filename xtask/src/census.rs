//! `census`: counts the plans for every instruction of a guest's kernel. The kernel comes from the
//! debug-symbol package of the release that the guest boots, since only its symbols tell
//! instructions from data in the text.

use std::path::PathBuf;

use crate::cache::Cache;
use crate::error::Result;
use crate::files::{self, Lock, workspace_root};
use crate::fuzz;
use crate::guest::Guest;
use crate::host;
use crate::image::packages;
use crate::image::symbols;
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
        let _lock = Lock::take(cache.dir())?;
        let vmlinux = symbols::vmlinux(guest, &cache, release, &packages.symbols)?;
        files::write(&image, &vmlinux)?;
    }
    Ok(image)
}
