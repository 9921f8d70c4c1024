//! `clean`: removes what runs have left, and nothing that was built.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files::{self, Lock, workspace_root};
use crate::guest;

/// Folder of the saved guests; the harness saves new ones as it needs them.
const SAVED: &str = "saved";
/// The job file, which every job leaves in its folder, whatever its verdict.
const JOB: &str = "job.json";

/// Removes a guest's saved states and the evidence of its jobs. Waits for the guest's users first.
pub fn run(guest: &str) -> Result<()> {
    for guest in guest::select(guest)? {
        let dir = workspace_root().join("target/trapline").join(&guest.name);
        if !dir.exists() {
            continue;
        }
        let _lock = Lock::from_users(&dir)?;
        for folder in leavings(&dir)? {
            println!("removes {}", folder.display());
            files::remove_dir(&folder)?;
        }
    }
    Ok(())
}

/// The folders of a guest to remove: saved states, and whatever holds the evidence of a job.
fn leavings(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in files::folders(dir)? {
        if folder.ends_with(SAVED) || has_evidence(&folder)? {
            found.push(folder);
        }
    }
    Ok(found)
}

fn has_evidence(folder: &Path) -> Result<bool> {
    let claims = files::folders(folder)?;
    Ok(claims.iter().any(|claim| claim.join(JOB).exists()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn built_files_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        for folder in [
            "build/trapline",
            "saved/loaded-1",
            "fbt/a",
            "old/b",
            "kernel",
        ] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for file in ["trapline.ko", "fbt/a/job.json", "old/b/job.json"] {
            fs::write(dir.path().join(file), "").unwrap();
        }
        let found = leavings(dir.path()).unwrap();
        let expected = ["fbt", "old", "saved"].map(|name| dir.path().join(name));
        assert_eq!(found, expected);
    }
}
