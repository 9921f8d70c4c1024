//! Paths in the workspace.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::scenario::{Source, variant};

/// The folder of built guests and of evidence, relative to the workspace root.
pub const EVIDENCE: &str = "target/trapline";

/// A workspace, by its root.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Finds the workspace of this harness: the one it runs in, else the one it was built in.
    ///
    /// A test that was built elsewhere and unpacked from an archive gets its package's current path
    /// from the runner, in `CARGO_MANIFEST_DIR`.
    pub fn own() -> Self {
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = package.and_then(|package| workspace_of(&package));
        let built = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: root.unwrap_or_else(|| built.parent().unwrap_or(built).to_owned()),
        }
    }

    /// The `snapshots/` folder.
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// The description that the build of `guest` wrote.
    pub fn guest_json(&self, guest: &str) -> PathBuf {
        self.guest_dir(guest).join("guest.json")
    }

    /// The folder with a guest's image and its evidence.
    pub fn guest_dir(&self, guest: &str) -> PathBuf {
        self.evidence().join(guest)
    }

    /// The folder of built guests and of evidence.
    pub fn evidence(&self) -> PathBuf {
        self.root.join(EVIDENCE)
    }

    /// Sorted names of the guests described in `images/`, with their default kernels.
    pub fn guests(&self) -> Result<Vec<String>, HostError> {
        let mut names: Vec<String> = yaml_files(&self.root.join("images"))?
            .iter()
            .filter_map(|path| stem(path))
            .collect();
        names.sort();
        Ok(names)
    }

    /// The guest's description in `images/`, which all of its kernels share.
    pub fn described(&self, guest: &str) -> PathBuf {
        let guest = variant::base(guest);
        self.root.join("images").join(format!("{guest}.yaml"))
    }

    /// All scenarios, as id (`provider/claim`) and file, sorted by id.
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

    /// Whether `path` is below `scenarios/`.
    pub fn owns(&self, path: &Path) -> bool {
        path.starts_with(self.root.join("scenarios"))
    }

    /// `path` relative to the workspace root if it is inside, else unchanged.
    pub fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The inverse of [`Self::relative`].
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }
}

/// The root of the workspace that contains `package`, if it is a Trapline workspace: cargo may run
/// the harness from a package of another one.
fn workspace_of(package: &Path) -> Option<PathBuf> {
    let root = package.parent()?;
    let ours = ["images", "scenarios", "snapshots"];
    ours.iter()
        .all(|folder| root.join(folder).is_dir())
        .then(|| root.to_owned())
}

/// The snapshot file of a scenario: below `snapshots/`, or beside a scenario outside the workspace.
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

/// A file's name without its extension, if it is UTF-8.
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
    fn only_a_trapline_package_has_a_workspace() {
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
