//! The kernel with debug symbols, `vmlinux`, from its package.
//!
//! It is the first file of the package and a fifth of it: 67 of 360 MB on armel. The package is
//! downloaded whole all the same, since the signed index has only the hash of the whole. It is not
//! kept.

use crate::cache::Cache;
use crate::error::Result;
use crate::guest::Guest;
use crate::image::apt::Package;
use crate::image::deb;
use crate::image::download;

/// Bytes that such a package takes; the largest, that of amd64, has 855 MB.
const ROOM: u64 = 1 << 30;

/// Downloads the package and returns its `vmlinux`. The cache must be locked.
pub fn vmlinux(guest: &Guest, cache: &Cache, release: &str, package: &Package) -> Result<Vec<u8>> {
    download::require_room(cache, ROOM)?;
    let name = format!("/boot/vmlinux-{release}");
    download::in_passing(guest, cache, package, |deb| deb::file(deb, &name))
}
