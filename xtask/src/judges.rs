//! `judge`: runs every judge of the instruction tables, and records the pass. That takes some
//! twenty minutes and depends only on the tables and the judges, so a change to neither is not
//! judged again. The record is a checked-in file; the nightly run ignores it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::error::Result;
use crate::files::{self, workspace_root};
use crate::fuzz::FuzzIsa;
use crate::host;
use crate::image::inputs::Inputs;
use crate::needs;
use crate::progress::say;
use crate::run;
use crate::sweep::{self, Set};
use crate::test;

const PACKAGE: &str = "engine-isa-judge";
/// The sources of tables and judges, beside their dependencies.
const FOLDERS: [&str; 2] = ["engine/isa", "engine/isa-judge"];
const FILES: [&str; 3] = [
    ".cargo/config.toml",
    "xtask/src/fuzz.rs",
    "xtask/src/sweep.rs",
];

/// Judges the tables, unless their sum is the one recorded at the last pass.
pub fn of_change() -> Result<()> {
    let now = sum()?;
    if recorded()? == now {
        say!("isa: tables and judges are unchanged since they passed: {now}");
        return Ok(());
    }
    say!(
        "isa: {now} is not in {}: running all judges",
        record().display()
    );
    all()
}

/// Judges the tables: the plan of every word, cross-checked, then the judges' own tests, then
/// `isa-fuzz` with a fixed seed.
pub fn all() -> Result<()> {
    host::ensure(&needs::of_judges())?;
    test::all([
        sweep::run(Set::Arm, false),
        sweep::run(Set::T32, false),
        sweep::run(Set::Arm64, false),
        cargo(&["clippy", "--all-targets"], &["--", "-D", "warnings"]),
        cargo(&["test"], &[]),
        FuzzIsa::of_changes().exec(),
    ])
}

/// Judges the tables and records the pass.
pub fn and_record() -> Result<()> {
    let before = sum()?;
    all()?;
    files::write(&record(), format!("{before}\n").as_bytes())
}

/// Tests which judge catches which seeded defect of the tables, in a build of its own.
pub fn mutants() -> Result<()> {
    host::ensure(&needs::of_judges())?;
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let test = ["test", "--quiet", "--release", "--package", PACKAGE];
    let which = ["--features", "unicorn", "--test", "mutants"];
    run::openly(
        run::cargo(&sh)
            .args(test)
            .args(which)
            .args(["--", "--nocapture"])
            .env("RUSTFLAGS", "--cfg trapline_mutants")
            .env("CARGO_TARGET_DIR", workspace_root().join("target/mutants")),
    )
}

/// A cargo command on `engine-isa-judge`, with the profile and features of `fuzz`: one build serves
/// both.
fn cargo(command: &[&str], more: &[&str]) -> Result<()> {
    let sh = run::shell()?;
    sh.change_dir(workspace_root());
    let judges = ["--release", "--package", PACKAGE, "--features", "unicorn"];
    run::openly(run::cargo(&sh).args([command, &judges, more].concat()))
}

fn record() -> PathBuf {
    workspace_root().join("engine/isa-judge/judged.txt")
}

fn recorded() -> Result<String> {
    let text = files::read(&record())?;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

/// A sum over everything that the outcome depends on, except the host.
fn sum() -> Result<String> {
    let root = workspace_root();
    let mut inputs = Inputs::empty();
    for file in FILES {
        inputs.add_file(&root.join(file))?;
    }
    for folder in FOLDERS {
        for file in files::walk(&root.join(folder), &["target", "judged.txt"])? {
            inputs.add_file(&file)?;
        }
    }
    let lock = files::read(&root.join("Cargo.lock"))?;
    let lock = String::from_utf8_lossy(&lock);
    let packages = closure(PACKAGE, &lock);
    let manifest = files::read(&root.join("Cargo.toml"))?;
    let manifest = String::from_utf8_lossy(&manifest);
    for part in packages
        .iter()
        .copied()
        .chain(settings(&manifest, &packages))
    {
        inputs.add(part);
    }
    Ok(inputs.sum())
}

/// The lines of the workspace's manifest that matter to these packages: profiles, and the features
/// of dependencies. Other members and dependencies come and go without effect.
fn settings<'m>(manifest: &'m str, packages: &BTreeSet<&str>) -> Vec<&'m str> {
    let names: BTreeSet<&str> = packages
        .iter()
        .filter_map(|it| it.split('"').nth(1))
        .collect();
    let mut section = "";
    let mut kept = Vec::new();
    for line in manifest.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        }
        let key = line.split([' ', '=']).next().unwrap_or_default();
        let package = section.strip_prefix("profile.dev.package.");
        let package = package.map(|name| name.trim_matches('"'));
        let is_kept = match section {
            "workspace.dependencies" => names.contains(key),
            _ if package.is_some() => package.is_some_and(|it| it == "*" || names.contains(it)),
            _ => ["profile.", "workspace.package", "workspace.lints"]
                .iter()
                .any(|it| section.starts_with(it)),
        };
        if is_kept && !line.is_empty() {
            kept.push(line);
        }
    }
    kept
}

/// The lock-file entries of a package and of its transitive dependencies.
fn closure<'l>(package: &'l str, lock: &'l str) -> BTreeSet<&'l str> {
    let mut packages = BTreeMap::<_, Vec<_>>::new();
    for text in lock.split("\n[[package]]\n").skip(1) {
        let name = text.split('"').nth(1).unwrap_or_default();
        packages.entry(name).or_default().push(text);
    }
    let mut found = BTreeSet::new();
    let mut next = vec![package];
    while let Some(name) = next.pop() {
        for text in packages.get(name).into_iter().flatten() {
            if found.insert(*text) {
                next.extend(dependencies(text));
            }
        }
    }
    found
}

/// The names in an entry's list of dependencies: one per line, some followed by a version.
fn dependencies(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(" \""));
    lines.filter_map(|line| line.split([' ', '"']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closure_follows_dependencies() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\n \"b\",\n \"c 2.0\",\n]\n\
                    \n[[package]]\nname = \"b\"\nversion = \"1\"\n\n[[package]]\nname = \"c\"\nversion = \"2.0\"\n\
                    \n[[package]]\nname = \"d\"\nversion = \"1\"\n";
        let names = |package| {
            let found = closure(package, lock).into_iter();
            let names = found.map(|text| text.split('"').nth(1).unwrap_or_default());
            names.collect::<Vec<_>>().concat()
        };
        assert_eq!(names("a"), "abc");
        assert_eq!(names("d"), "d");
    }

    #[test]
    fn of_the_manifest_profiles_and_own_dependencies_matter() {
        let manifest = "[workspace]\nmembers = [\n    \"x\",\n]\n\n[workspace.package]\nedition = \"2024\"\n\n\
                        [workspace.dependencies]\na = \"1\"\nb = \"2\"\n\n[profile.release]\n# Why.\n\
                        debug = 1\n\n[profile.dev.package.\"*\"]\ndebug = 2\n\n\
                        [profile.dev.package.b]\ndebug = 3\n";
        let packages = BTreeSet::from(["name = \"a\"\nversion = \"1\""]);
        let expected = [
            "[workspace.package]",
            "edition = \"2024\"",
            "a = \"1\"",
            "[profile.release]",
            "debug = 1",
            "[profile.dev.package.\"*\"]",
            "debug = 2",
        ];
        assert_eq!(settings(manifest, &packages), expected);
    }

    #[test]
    fn the_judges_closure_has_emulator_and_disassembler() {
        let lock = files::read(&workspace_root().join("Cargo.lock")).unwrap();
        let lock = String::from_utf8(lock).unwrap();
        let found = closure(PACKAGE, &lock);
        let has = |name: &str| {
            found
                .iter()
                .any(|text| text.starts_with(&format!("name = \"{name}\"")))
        };
        assert!(has("capstone-sys") && has("unicorn-engine") && has("engine-isa"));
        assert!(!has("harness"));
    }
}
