//! Excludes the users of a built guest while it changes.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{At, Result};
use crate::files::Lock;

pub const MANIFEST: &str = "guest.json";

/// Waits for the guest's current users and keeps out new ones: removes the manifest, and returns
/// the lock that users share. The manifest is written again when the guest is complete.
pub fn withdraw(dir: &Path) -> Result<Lock> {
    let lock = Lock::from_users(dir)?;
    let path = dir.join(MANIFEST);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).at("remove", &path),
        _ => Ok(lock),
    }
}
