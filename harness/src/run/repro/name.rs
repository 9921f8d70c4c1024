//! Resolves a job's name, in any form that our output uses, to its evidence.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::guest::image_file;
use crate::run::job_file;
use crate::run::plan::JobId;
use crate::tree::Tree;

const NEAR: usize = 5;

/// A name that matches no evidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no evidence of a job `{name}`; {}", hint(near))]
pub struct NoJob {
    /// The name.
    pub name: String,
    /// The most similar names.
    pub near: Vec<String>,
}

fn hint(near: &[String]) -> String {
    match near {
        [] => "`cargo xtask vm-test` writes it".to_owned(),
        near => format!("similar: {}", near.join(", ")),
    }
}

/// Resolves `name`: a folder of evidence, or a job with evidence below `target/trapline`.
pub fn folder(tree: &Tree, name: &str) -> Result<Result<PathBuf, NoJob>, HostError> {
    let path = Path::new(name);
    if path.join(job_file::FILE).is_file() {
        let whole = fs::canonicalize(path);
        return whole.map(Ok).map_err(HostError::file("find", path));
    }
    let found = pick(&left(tree)?, name);
    Ok(found.map(|one| tree.evidence().join(one)))
}

/// All jobs with evidence, as `guest/provider/claim`.
fn left(tree: &Tree) -> Result<Vec<String>, HostError> {
    let mut all = Vec::new();
    for guest in image_file::names(tree)? {
        for provider in folders(&tree.evidence().join(&guest)) {
            for claim in folders(&provider) {
                let name = claim.strip_prefix(tree.evidence()).ok();
                let name = name.and_then(Path::to_str).map(str::to_owned);
                all.extend(name.filter(|_| claim.join(job_file::FILE).is_file()));
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Subfolders; none if it cannot be listed.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}

/// The entry of `left` that `name` refers to, in whatever notation.
fn pick(left: &[String], name: &str) -> Result<String, NoJob> {
    let wanted = plain(name);
    let found = left.iter().find(|one| **one == wanted);
    found.cloned().ok_or_else(|| NoJob {
        name: name.to_owned(),
        near: near(left, &wanted),
    })
}

/// Converts `armv6::fbt::claim` and `armv6 fbt/claim` to `armv6/fbt/claim`.
fn plain(name: &str) -> String {
    let words: Vec<_> = name.split_whitespace().collect();
    let plain = words.join("/").replace("::", "/");
    plain.trim_end_matches('/').to_owned()
}

/// The entries most similar to `wanted`, in the notation of result lists.
fn near(left: &[String], wanted: &str) -> Vec<String> {
    let likeness = |one: &str| strsim::normalized_damerau_levenshtein(one, wanted);
    let mut all: Vec<_> = left.iter().collect();
    all.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    let hint = all.into_iter().take(NEAR);
    hint.map(|one| one.replacen('/', " ", 1)).collect()
}

/// The name of the job's test, which is one shell word: `armv6::fbt::claim`.
pub fn word(id: &JobId) -> String {
    let path = id.scenario_and_mutant().replace('/', "::");
    format!("{}::{path}", id.guest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left() -> Vec<String> {
        let names = [
            "arm64/fbt/three-chdir",
            "armv6/cli/list",
            "armv6/fbt/three-chdir",
            "armv6/fbt/three-chdir#7",
            "armv6/fbt/three-chdir+push-into-frame",
        ];
        names.map(str::to_owned).to_vec()
    }

    #[test]
    fn jobs_resolve_in_every_notation() {
        let names = [
            "armv6::fbt::three-chdir+push-into-frame",
            "armv6 fbt/three-chdir+push-into-frame",
            "armv6/fbt/three-chdir+push-into-frame",
            " armv6  fbt/three-chdir+push-into-frame/",
        ];
        for name in names {
            assert_eq!(pick(&left(), name), Ok(left()[4].clone()), "{name}");
        }
        let id = JobId {
            scenario: "fbt/three-chdir".to_owned(),
            guest: "armv6".to_owned(),
            mutant: None,
            copy: Some(7),
        };
        assert_eq!(pick(&left(), &word(&id)), Ok(left()[3].clone()));
        assert_eq!(pick(&left(), &id.to_string()), Ok(left()[3].clone()));
    }

    #[test]
    fn wrong_name_suggests_similar_ones() {
        let error = pick(&left(), "armv6 fbt/tree-chdir").expect_err("a slip of the pen");
        insta::assert_snapshot!(error, @"no evidence of a job `armv6 fbt/tree-chdir`; similar: armv6 fbt/three-chdir, armv6 fbt/three-chdir#7, arm64 fbt/three-chdir, armv6 fbt/three-chdir+push-into-frame, armv6 cli/list");
        let error = pick(&[], "a b/c").expect_err("nothing there");
        insta::assert_snapshot!(error, @"no evidence of a job `a b/c`; `cargo xtask vm-test` writes it");
    }

    #[test]
    fn evidence_folder_resolves_to_itself() {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join(job_file::FILE), "{}").expect("writable");
        let path = root.path().to_str().expect("a name");
        let found = folder(&Tree::own(), path).expect("readable");
        let whole = fs::canonicalize(path).expect("there");
        assert_eq!(found, Ok(whole));
    }
}
