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
}

/// All described guests.
pub fn guests(tree: &Tree) -> Result<Vec<Target>, HostError> {
    let names = tree.guests()?;
    let read = |guest: String| target(&tree.described(&guest), guest);
    names.into_iter().map(read).collect()
}

/// The whole description.
pub fn text(path: &Path) -> Result<String, HostError> {
    fs::read_to_string(path).map_err(HostError::file("read", path))
}

fn target(path: &Path, guest: String) -> Result<Target, HostError> {
    let text = text(path)?;
    let described: Described = serde_yaml::from_str(&text).map_err(|why| HostError::File {
        action: "understand",
        path: path.to_owned(),
        cause: std::io::Error::other(why),
    })?;
    Ok(Target {
        guest,
        names: described.names,
        capabilities: described.capabilities,
        mutants: described.mutants,
    })
}
