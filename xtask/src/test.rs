//! `test`: everything that needs no guest.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::files::workspace_root;
use crate::host;
use crate::needs;
use crate::run;

/// The harness's test binaries that boot guests.
const NEED_GUESTS: [&str; 3] = ["conformance", "debugger", "guests"];

/// Runs the tests of all crates but those that boot guests, then the examples in comments. Both run,
/// whatever the first says.
pub fn run() -> Result<()> {
    host::ensure(&needs::of_workspace())?;
    let programs = ["--lib", "--bins", "--examples"].map(str::to_owned);
    let tests = [programs.to_vec(), test_binaries()?].concat();
    all([cargo_test(&tests), cargo_test(&["--doc".to_owned()])])
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

/// All crates at once, always: cargo builds what they depend on anew for another set of them.
fn cargo_test(selection: &[String]) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let test = run::cargo(&sh).args(["test", "--workspace"]);
    run::openly(test.args(selection))
}

/// What `cargo metadata` tells, as far as tests go.
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

/// Each test binary but those that boot guests, and those that are not built as a rule.
fn test_binaries() -> Result<Vec<String>> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let asked = run::cargo(&sh).args(["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Metadata = serde_json::from_str(&run::read(asked)?)
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
    fn the_harness_is_tested_without_what_boots_guests() {
        let binaries = test_binaries().unwrap();
        assert!(binaries.contains(&"snapshots".to_owned()));
        assert!(!binaries.iter().any(|s| NEED_GUESTS.contains(&s.as_str())));
    }
}
