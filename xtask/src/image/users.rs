//! Who uses a guest that is built.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{At, Result};
use crate::files::Lock;

pub const MANIFEST: &str = "guest.json";

/// Takes the guest that is there away from all who would use it, until its manifest says that it is whole
/// again. Waits for those who use it now.
pub fn withdraw(dir: &Path) -> Result<Lock> {
    let lock = Lock::from_users(dir)?;
    let path = dir.join(MANIFEST);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).at("remove", &path),
        _ => Ok(lock),
    }
}
