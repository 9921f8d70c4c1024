//! The guests as `images/*.yaml` describe them, whether or not they were built: what scenarios may
//! ask of them. Everything else in those files is for who builds the guests.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::error::HostError;
use crate::run::plan::Target;
use crate::scenario::Names;
use crate::tree::Tree;

/// What is read of a guest's description.
#[derive(Deserialize)]
struct Described {
    names: Names,
    capabilities: Vec<String>,
    mutants: Vec<String>,
}

/// All guests.
pub fn guests(tree: &Tree) -> Result<Vec<Target>, HostError> {
    let names = tree.guests()?;
    let read = |guest: String| target(&tree.described(&guest), guest);
    names.into_iter().map(read).collect()
}

/// All that a description says.
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
