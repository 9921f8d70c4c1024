//! `test`: everything that needs no guest.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// The harness's test binaries that boot guests.
const NEED_GUESTS: [&str; 3] = ["conformance", "debugger", "guests"];

/// Runs the tests of all crates but the harness, then those of the harness that boot nothing. Both
/// run, whatever the first says.
pub fn run() -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    let others = ["--workspace", "--exclude", "harness"]
        .map(str::to_owned)
        .to_vec();
    all([cargo_test(&others), cargo_test(&harness_selection()?)])
}

/// An error that has what each of these failed with, if any did.
pub fn all<const N: usize>(results: [Result<()>; N]) -> Result<()> {
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

/// What `cargo metadata` tells, as far as the harness's tests go.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// The harness's library, and each of its test binaries but those that boot guests.
fn harness_selection() -> Result<Vec<String>> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let asked = run::cargo(&sh).args(["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Metadata = serde_json::from_str(&run::read(asked)?)
        .map_err(|why| Error::Stages(format!("cargo metadata: {why}")))?;
    let harness = metadata.packages.iter().filter(|p| p.name == "harness");
    let tests = harness
        .flat_map(|p| &p.targets)
        .filter(|t| t.kind.iter().any(|kind| kind == "test"))
        .filter(|t| !NEED_GUESTS.contains(&t.name.as_str()));
    let named = tests.flat_map(|t| ["--test".to_owned(), t.name.clone()]);
    let library = ["--package", "harness", "--lib"].map(str::to_owned);
    Ok(library.into_iter().chain(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_is_tested_without_what_boots_guests() {
        let selection = harness_selection().unwrap();
        assert!(selection.contains(&"--lib".to_owned()));
        assert!(selection.contains(&"snapshots".to_owned()));
        assert!(!selection.iter().any(|s| NEED_GUESTS.contains(&s.as_str())));
    }
}
