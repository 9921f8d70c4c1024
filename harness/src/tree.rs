//! Where things lie in the workspace.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::scenario::Source;

/// The workspace.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// The workspace that this harness was built in.
    pub fn own() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: package.parent().unwrap_or(package).to_owned(),
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
        self.root.join("target/trapline")
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
