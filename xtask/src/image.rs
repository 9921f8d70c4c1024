//! From a guest's file to a guest that boots: each step runs only if what it is made from has
//! changed. Where none has, who uses the guest is not disturbed and not waited for.

pub mod apt;
pub mod archive;
pub mod base;
pub mod boot;
pub mod deb;
pub mod dtb;
pub mod elf;
pub mod engine;
pub mod frames;
pub mod hardening;
pub mod headers;
pub mod initramfs;
pub mod inputs;
pub mod kbuild;
pub mod kernel;
pub mod keys;
pub mod module;
pub mod overlay;
pub mod packages;
pub mod program;
pub mod rootfs;
pub mod stamp;
pub mod test_module;
pub mod users;

use std::time::Instant;

use crate::cache::Cache;
use crate::error::Result;
use crate::files::Lock;
use crate::guest::Guest;
use crate::host;
use crate::image::keys::Keys;
use crate::manifest;
use crate::needs;
use crate::progress::seconds;

/// Builds everything up to `guest.json`. With `update`, newer packages are looked for.
pub fn build(guest: &Guest, update: bool) -> Result<()> {
    let started = Instant::now();
    host::ensure(&needs::of_guest(guest))?;
    let dir = guest.dir();
    let _lock = Lock::to_build(&dir)?;
    let cache = Cache::locate()?;
    let (packages, debs) = packages::obtain(guest, &cache, update)?;
    let keys = Keys::keep_in(&dir)?;
    let boot = boot::make(guest, &debs.image)?;
    let base = base::make(guest, &debs.userland, &boot, &keys)?;
    let initrd = overlay::make(guest, &debs.headers, &packages.kernel_release, &base)?;
    manifest::write(guest, &boot, &initrd, &keys, &packages.kernel_release)?;
    let took = seconds(started.elapsed());
    eprintln!(
        "{}: image of kernel {} is current ({took})",
        guest.name, packages.kernel_release
    );
    Ok(())
}
