//! The guest descriptions in `images/*.yaml`, built or not: the fields that scenarios refer to. The
//! others are for xtask.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::HostError;
use crate::run::plan::Target;
use crate::scenario::Names;
use crate::tree::Tree;

/// The fields that are read.
#[derive(Deserialize)]
struct Described {
    names: Names,
    capabilities: Vec<String>,
    mutants: Vec<String>,
    #[serde(default)]
    kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    version: String,
}

/// All described guests, with their default kernels.
pub fn guests(tree: &Tree) -> Result<Vec<Target>, HostError> {
    let names = tree.guests()?;
    let read = |guest: String| target(&tree.described(&guest), guest);
    names.into_iter().map(read).collect()
}

/// The names of all described guests, also with their other kernels: `<guest>@<version>`.
pub fn names(tree: &Tree) -> Result<Vec<String>, HostError> {
    let mut names = tree.guests()?;
    for guest in names.clone() {
        let kernels = described(&tree.described(&guest))?.kernels;
        let others = kernels.iter().skip(1);
        names.extend(others.map(|kernel| format!("{guest}@{}", kernel.version)));
    }
    Ok(names)
}

/// The whole description.
pub fn text(path: &Path) -> Result<String, HostError> {
    fs::read_to_string(path).map_err(HostError::file("read", path))
}

fn described(path: &Path) -> Result<Described, HostError> {
    serde_yaml::from_str(&text(path)?).map_err(|why| HostError::File {
        action: "understand",
        path: path.to_owned(),
        cause: std::io::Error::other(why),
    })
}

fn target(path: &Path, guest: String) -> Result<Target, HostError> {
    let described = described(path)?;
    Ok(Target {
        guest,
        names: described.names,
        capabilities: described.capabilities,
        mutants: described.mutants,
    })
}
