//! `clean`: removes what runs have left, and nothing that was built.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files::{self, Lock, workspace_root};
use crate::guest;

/// Guests that were saved as they were ready; the harness makes them anew when it needs them.
const SAVED: &str = "saved";
/// What the harness leaves of every job, whatever became of it.
const JOB: &str = "job.json";

/// Removes a guest's saved states and the evidence of its jobs, once no run uses them.
pub fn run(guest: &str) -> Result<()> {
    for guest in guest::select(guest)? {
        let dir = workspace_root().join("target/trapline").join(&guest.name);
        if !dir.exists() {
            continue;
        }
        let _lock = Lock::from_users(&dir)?;
        for left in leavings(&dir)? {
            println!("removes {}", left.display());
            files::remove_dir(&left)?;
        }
    }
    Ok(())
}

/// The folders of a guest that runs have left: what was saved, and each that has a job's evidence in it.
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
    fn what_was_built_stays() {
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
