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
    /// Names that differ from those of the default kernel.
    #[serde(default)]
    names: Names,
}

impl Described {
    /// The guest with its default kernel.
    fn guest(&self, name: &str) -> Target {
        Target {
            guest: name.to_owned(),
            names: self.names.clone(),
            capabilities: self.capabilities.clone(),
            mutants: self.mutants.clone(),
        }
    }

    /// The guest with each of its kernels, the default one first.
    fn targets(&self, name: &str) -> Vec<Target> {
        let others = self.kernels.iter().skip(1).map(|kernel| Target {
            guest: format!("{name}@{}", kernel.version),
            names: self.names.merged(&kernel.names),
            ..self.guest(name)
        });
        std::iter::once(self.guest(name)).chain(others).collect()
    }
}

/// All described guests, with their default kernels.
pub fn guests(tree: &Tree) -> Result<Vec<Target>, HostError> {
    let names = tree.guests()?;
    let read = |name: String| Ok(described(&tree.described(&name))?.guest(&name));
    names.into_iter().map(read).collect()
}

/// All described guests, each with each of its kernels: `<guest>`, and `<guest>@<version>`.
pub fn targets(tree: &Tree) -> Result<Vec<Target>, HostError> {
    let mut targets = Vec::new();
    for guest in tree.guests()? {
        targets.extend(described(&tree.described(&guest))?.targets(&guest));
    }
    Ok(targets)
}

/// The names of all [`targets`].
pub fn names(tree: &Tree) -> Result<Vec<String>, HostError> {
    let targets = targets(tree)?.into_iter();
    Ok(targets.map(|target| target.guest).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_has_its_guests_names_but_for_its_own() {
        let text = "names: { a: one, b: two }\ncapabilities: [fbt]\nmutants: [m]\nkernels:\n  \
            - { version: \"1\" }\n  - { version: \"2\", names: { b: three } }\n";
        let described: Described = serde_yaml::from_str(text).unwrap();
        let [first, second] = &described.targets("g")[..] else {
            panic!("not two targets");
        };
        assert_eq!((&*first.guest, &*second.guest), ("g", "g@2"));
        assert_eq!(first.names, Names::from([("a", "one"), ("b", "two")]));
        assert_eq!(second.names, Names::from([("a", "one"), ("b", "three")]));
        assert_eq!(second.capabilities, ["fbt"]);
        assert_eq!(second.mutants, ["m"]);
    }
}
