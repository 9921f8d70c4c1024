//! Where things lie in the workspace.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::scenario::Source;

/// Where everything about guests and runs goes, as seen from the root of the workspace.
pub const EVIDENCE: &str = "target/trapline";

/// The workspace.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The workspace that this harness belongs to: where it is run, or else where it was built.
    ///
    /// A test that was built elsewhere and came in an archive is told by its runner where its package
    /// is now.
    pub fn own() -> Self {
        let told = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = told.and_then(|package| workspace_of(&package));
        let built = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: root.unwrap_or_else(|| built.parent().unwrap_or(built).to_owned()),
        }
    }

    /// The folder of `snapshots/`.
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// What the build of a guest says of it.
    pub fn guest_json(&self, guest: &str) -> PathBuf {
        self.guest_dir(guest).join("guest.json")
    }

    /// Where everything about a guest goes.
    pub fn guest_dir(&self, guest: &str) -> PathBuf {
        self.evidence().join(guest)
    }

    /// Where everything about guests and runs goes.
    pub fn evidence(&self) -> PathBuf {
        self.root.join(EVIDENCE)
    }

    /// The guests that have a description in `images/`.
    pub fn guests(&self) -> Result<Vec<String>, HostError> {
        let mut names: Vec<String> = yaml_files(&self.root.join("images"))?
            .iter()
            .filter_map(|path| stem(path))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Where a guest is described.
    pub fn described(&self, guest: &str) -> PathBuf {
        self.root.join("images").join(format!("{guest}.yaml"))
    }

    /// The scenarios, as id and file, by id.
    pub fn scenarios(&self) -> Result<Vec<(String, PathBuf)>, HostError> {
        let mut all = Vec::new();
        for provider in subfolders(&self.root.join("scenarios"))? {
            for path in yaml_files(&provider)? {
                if let (Some(provider), Some(claim)) = (stem(&provider), stem(&path)) {
                    all.push((format!("{provider}/{claim}"), path));
                }
            }
        }
        all.sort();
        Ok(all)
    }

    /// Whether `path` is one of the workspace's own scenarios.
    pub fn owns(&self, path: &Path) -> bool {
        path.starts_with(self.root.join("scenarios"))
    }

    /// `path` as seen from the root of the workspace, where it is inside.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// What [`Self::relative`] was made from.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}

/// The workspace that a package is in, if it is one of ours: the harness may have been started by
/// something that cargo runs in another workspace.
fn workspace_of(package: &Path) -> Option<PathBuf> {
    let root = package.parent()?;
    let ours = ["images", "scenarios", "snapshots"];
    ours.iter()
        .all(|folder| root.join(folder).is_dir())
        .then(|| root.to_owned())
}

/// The snapshot of a scenario: under `snapshots/`, or beside a file from outside the workspace.
pub fn snapshot(tree: &Tree, source: &Source, guest: Option<&str>) -> PathBuf {
    let at = guest.map_or(String::new(), |guest| format!("@{guest}"));
    if tree.owns(&source.path) {
        tree.snapshots().join(format!("{}{at}.snap", source.id))
    } else {
        let mut path = OsString::from(&source.path);
        path.push(format!("{at}.snap"));
        path.into()
    }
}

/// A file's name without its extension.
pub fn stem(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_str()?.to_owned())
}

fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>, HostError> {
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|e| e == "yaml");
    Ok(entries(folder)?.into_iter().filter(is_yaml).collect())
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, HostError> {
    Ok(entries(folder)?
        .into_iter()
        .filter(|p| p.is_dir())
        .collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, HostError> {
    fs::read_dir(folder)
        .and_then(|found| found.map(|entry| Ok(entry?.path())).collect())
        .map_err(HostError::file("list", folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_package_of_this_workspace_tells_where_it_is() {
        let root = tempfile::tempdir().expect("a folder");
        let package = root.path().join("harness");
        assert_eq!(workspace_of(&package), None);
        for folder in ["images", "scenarios", "snapshots"] {
            fs::create_dir(root.path().join(folder)).expect("writable");
        }
        assert_eq!(workspace_of(&package).as_deref(), Some(root.path()));
        assert_eq!(workspace_of(Path::new("/")), None);
    }
}
