//! `test`: every test that needs no guest.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// The harness's test binaries that boot guests.
const NEED_GUESTS: [&str; 3] = ["conformance", "debugger", "guests"];

/// Runs the tests of all crates except those that boot guests, then the doc tests even if the first
/// failed.
pub fn run() -> Result<()> {
    let mut needs = needs::of_workspace();
    needs.extend(needs::of_tests());
    host::ensure(&needs)?;
    let programs = ["--lib", "--bins", "--examples"].map(str::to_owned);
    let tests = [programs.to_vec(), test_binaries()?].concat();
    all([cargo_test(&tests), cargo_test(&["--doc".to_owned()])])
}

/// Combines the errors of all results into one.
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

/// Always the whole workspace: another set of packages unifies features differently and rebuilds
/// the dependencies.
fn cargo_test(selection: &[String]) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let test = run::cargo(&sh).args(["test", "--workspace"]);
    run::openly(test.args(selection))
}

/// The part of `cargo metadata`'s output that lists test targets.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    #[serde(default, rename = "required-features")]
    required_features: Vec<String>,
}

/// Every test binary except those that boot guests and those that require a feature.
fn test_binaries() -> Result<Vec<String>> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let metadata = run::cargo(&sh).args(["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Metadata = serde_json::from_str(&run::read(metadata)?)
        .map_err(|why| Error::Stages(format!("cargo metadata: {why}")))?;
    let tests = metadata
        .packages
        .into_iter()
        .flat_map(|package| package.targets)
        .filter(|t| t.kind.iter().any(|kind| kind == "test") && t.required_features.is_empty())
        .filter(|t| !NEED_GUESTS.contains(&t.name.as_str()));
    Ok(tests.flat_map(|t| ["--test".to_owned(), t.name]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_binaries_that_boot_guests_are_left_out() {
        let binaries = test_binaries().unwrap();
        assert!(binaries.contains(&"snapshots".to_owned()));
        assert!(!binaries.iter().any(|s| NEED_GUESTS.contains(&s.as_str())));
    }
}
