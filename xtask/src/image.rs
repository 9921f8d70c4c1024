//! Builds a guest from its `images/<name>.yaml`: packages, kernel, root and our own parts.
//!
//! The steps, in order:
//! - `packages` (with `apt`, `archive`, `deb`, `download`) pins the names of Debian packages to
//!   versions once, and keeps the answer and the packages in the cache. It needs no root.
//! - `types` (with `symbols`) converts the debug information of a kernel that has no BTF, and keeps
//!   the result in the cache.
//! - `keys` generates the SSH keys for login and host.
//! - `boot` (with `kernel`, `dtb`, `elf`) extracts kernel, device tree and kernel modules.
//! - `base` (with `rootfs`, `initramfs`) makes `base.cpio`, the part of the root that does not
//!   depend on the engine.
//! - `bundles` makes an archive each of what only some scenarios need.
//! - `overlay` builds `trapline.ko` with and without mutants (`headers`, `tools`, `engine`, `module`,
//!   `kbuild`), our programs (`program`) and the scenarios' modules (`test_module`), and appends
//!   them to the base as `initrd.cpio`.
//!
//! `guest.json`, written last, makes the guest usable.
//!
//! Invariants:
//! - A step is skipped if its stamp matches: the sum of its inputs and of its own source, and its
//!   outputs (`inputs`, `stamp`).
//! - Before a step changes anything it withdraws the guest (`users`): it takes the lock that the
//!   guest's users share, which waits for them, and removes `guest.json`, so that an interrupted
//!   build leaves no manifest of a half-built guest. If no step runs, nobody waits.
//! - A module is installed only after checks of the finished object: no panics and no
//!   instrumentation (`module`), no frame too large for a kernel stack (`frames`), no instruction
//!   that the kernel's mitigations forbid (`hardening`).

pub mod apt;
pub mod archive;
pub mod base;
pub mod boot;
pub mod bundles;
pub mod deb;
pub mod download;
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
pub mod symbols;
pub mod test_module;
pub mod tools;
pub mod types;
pub mod users;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::files::Lock;
use crate::guest::Guest;
use crate::host;
use crate::image::keys::Keys;
use crate::manifest;
use crate::needs::{self, Need};
use crate::progress::{say, seconds};

/// How many guests are built at once: for a good part of each, one core works.
const AT_ONCE: usize = 2;

/// Builds every guest, even if one fails. `update` resolves the packages anew.
pub fn build_all(guests: &[Guest], update: bool) -> Result<()> {
    // Two builds cannot install at the same time. What fails here fails again in each guest's.
    let mut needs: Vec<Need> = Vec::new();
    for need in guests.iter().flat_map(needs::of_guest) {
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    let _ = host::ensure(&needs);
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let build_the_next = || {
        while let Some(guest) = guests.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = build(guest, update)
                && let Ok(mut failed) = failed.lock()
            {
                failed.push((&guest.name, error));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..AT_ONCE {
            scope.spawn(build_the_next);
        }
        build_the_next();
    });
    let mut failed = failed.into_inner().unwrap_or_default();
    match failed.len() {
        0 => Ok(()),
        1 => Err(failed.remove(0).1),
        _ => {
            for (guest, error) in &failed {
                say!("{guest}: {error}");
            }
            let names: Vec<_> = failed.iter().map(|(guest, _)| guest.as_str()).collect();
            Err(Error::Stages(format!("no image of {}", names.join(", "))))
        }
    }
}

/// Builds everything up to `guest.json`. `update` resolves the packages anew.
pub fn build(guest: &Guest, update: bool) -> Result<()> {
    let started = Instant::now();
    host::ensure(&needs::of_guest(guest))?;
    let dir = guest.dir();
    let _lock = Lock::to_build(&dir)?;
    let cache = Cache::locate()?;
    let (packages, debs) = packages::obtain(guest, &cache, update)?;
    let keys = Keys::load_or_generate(&dir)?;
    let boot = boot::make(guest, &debs.image)?;
    let base = base::make(guest, &debs.userland, &boot, &keys)?;
    bundles::make(guest, &debs.userland)?;
    let release = &packages.kernel_release;
    let types = debs.types.as_deref();
    let initrd = overlay::make(guest, &debs.headers, types, release, &base)?;
    manifest::write(guest, &boot, &initrd, &keys, release)?;
    let took = seconds(started.elapsed());
    say!(
        "{}: image of kernel {release} is current ({took})",
        guest.name
    );
    Ok(())
}
