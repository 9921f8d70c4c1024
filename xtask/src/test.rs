//! `test`: everything that needs no guest.

use std::fs;

use crate::error::{At, Error, Result};
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// The harness's test binaries that boot guests.
const NEED_GUESTS: [&str; 2] = ["conformance", "guests"];

/// Runs the tests of all crates but the harness, then those of the harness that boot nothing. Both
/// run, whatever the first says.
pub fn run() -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    let others = ["--workspace", "--exclude", "harness"]
        .map(str::to_owned)
        .to_vec();
    let results = [cargo_test(&others), cargo_test(&harness_selection()?)];
    let failed: Vec<String> = results
        .into_iter()
        .filter_map(|r| r.err().map(|e| e.to_string()))
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Error::Stages(failed.join("; ")))
    }
}

fn cargo_test(selection: &[String]) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    run::openly(run::cargo(&sh).arg("test").args(selection))
}

/// The harness's library, and each file in its `tests` but those that boot guests.
fn harness_selection() -> Result<Vec<String>> {
    let mut args = ["--package", "harness", "--lib"]
        .map(str::to_owned)
        .to_vec();
    let dir = workspace_root().join("harness/tests");
    if !dir.exists() {
        return Ok(args);
    }
    for entry in fs::read_dir(&dir).at("list", &dir)? {
        let path = entry.at("list", &dir)?.path();
        let is_test = path.extension().is_some_and(|e| e == "rs");
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if is_test && !NEED_GUESTS.contains(&name.as_ref()) {
            args.extend(["--test".to_owned(), name.into_owned()]);
        }
    }
    Ok(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_tested_without_what_boots_guests() {
        let selection = harness_selection().unwrap();
        assert!(selection.contains(&"--lib".to_owned()));
        assert!(!selection.iter().any(|s| NEED_GUESTS.contains(&s.as_str())));
    }
}
