//! Skips a build step whose inputs and outputs are unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{At, Result};
use crate::files;
use crate::image::inputs::{Inputs, stamp_of};
use crate::image::users;

/// Runs `make` unless the stamp `name` in `dir` matches: the same inputs, and outputs with the
/// contents they had then. Waits for the guest's users before it runs. Returns whether it ran.
pub fn unless_current(
    dir: &Path,
    name: &str,
    inputs: Inputs,
    outputs: &[PathBuf],
    make: impl FnOnce() -> Result<()>,
) -> Result<bool> {
    let stamp = stamp_of(dir, name);
    let sum = inputs.sum();
    let recorded = fs::read_to_string(&stamp).unwrap_or_default();
    if describe(&sum, outputs).is_some_and(|now| now == recorded) {
        return Ok(false);
    }
    let _lock = users::withdraw(dir)?;
    if stamp.exists() {
        fs::remove_file(&stamp).at("remove", &stamp)?;
    }
    make()?;
    let made = describe(&sum, outputs).unwrap_or_default();
    files::write(&stamp, made.as_bytes())?;
    Ok(true)
}

fn describe(sum: &str, outputs: &[PathBuf]) -> Option<String> {
    let mut text = format!("{sum}\n");
    for path in outputs {
        let found = files::hex(&Sha256::digest(fs::read(path).ok()?));
        text.push_str(&format!("{found} {}\n", path.display()));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use rustix::fs::{FlockOperation, flock};

    use super::*;

    fn run(dir: &Path, input: &str) -> bool {
        let out = dir.join("out");
        let mut inputs = Inputs::of_step("files");
        inputs.add(input);
        unless_current(dir, "x", inputs, std::slice::from_ref(&out), || {
            files::write(&out, b"made")
        })
        .unwrap()
    }

    #[test]
    fn it_runs_once_per_input_and_again_when_the_output_is_gone_or_cut() {
        let dir = tempfile::tempdir().unwrap();
        assert!(run(dir.path(), "a"));
        assert!(!run(dir.path(), "a"));
        assert!(run(dir.path(), "b"));
        fs::remove_file(dir.path().join("out")).unwrap();
        assert!(run(dir.path(), "b"));
        for damage in ["ma", "mude"] {
            fs::write(dir.path().join("out"), damage).unwrap();
            assert!(run(dir.path(), "b"));
        }
    }

    #[test]
    fn users_are_waited_for_only_if_a_step_runs() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        assert!(run(dir, "a"));
        let manifest = dir.join("guest.json");
        fs::write(&manifest, "{}").unwrap();
        let user = fs::File::open(dir.join("lock")).unwrap();
        flock(&user, FlockOperation::LockShared).unwrap();
        assert!(!run(dir, "a"));
        thread::scope(|scope| {
            let maker = scope.spawn(|| run(dir, "b"));
            thread::sleep(Duration::from_millis(100));
            assert!(!maker.is_finished() && manifest.exists());
            drop(user);
            assert!(maker.join().unwrap());
        });
        assert!(!manifest.exists());
    }

    #[test]
    fn a_failure_leaves_no_stamp() {
        let dir = tempfile::tempdir().unwrap();
        assert!(run(dir.path(), "a"));
        let out = [dir.path().join("out")];
        let fail = || Err(crate::error::Error::Package("no".into()));
        assert!(unless_current(dir.path(), "x", Inputs::of_step("files"), &out, fail).is_err());
        assert!(run(dir.path(), "a"));
    }
}
