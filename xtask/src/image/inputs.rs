//! What a step's result is made from, as one sum.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::files::{self, workspace_root};

/// The sum of everything a result is made from, the builder itself included.
pub struct Inputs(Sha256);

impl Inputs {
    /// Nothing yet.
    pub fn empty() -> Self {
        Self(Sha256::new())
    }

    /// Begins with the code of the step: this module of xtask and all that it uses, and the versions of
    /// the crates below them. A changed step runs again; a change elsewhere in xtask repeats nothing.
    pub fn of_step(module: &str) -> Self {
        assert!(source(module).is_some(), "no module {module} of xtask");
        let mut inputs = Self::empty();
        inputs.add(CRATES);
        for name in uses(module) {
            inputs.add(&name);
            inputs.add(source(&name).unwrap_or_default());
        }
        inputs
    }

    /// Adds a value.
    pub fn add(&mut self, value: impl AsRef<[u8]>) -> &mut Self {
        let value = value.as_ref();
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    /// Adds a file's name and contents. Of one in the workspace the name is the same wherever that is.
    pub fn add_file(&mut self, path: &Path) -> Result<&mut Self> {
        let name = path.strip_prefix(workspace_root()).unwrap_or(path);
        self.add(name.as_os_str().as_encoded_bytes());
        Ok(self.add(files::read(path)?))
    }

    /// Adds files whose names stand for their contents, as those in the cache do.
    pub fn add_named(&mut self, paths: &[PathBuf]) -> &mut Self {
        for name in paths.iter().filter_map(|p| p.file_name()) {
            self.add(name.as_encoded_bytes());
        }
        self
    }

    /// Adds what another step was made from and made, as it stands after that step.
    pub fn add_stamp(&mut self, dir: &Path, name: &str) -> &mut Self {
        self.add(fs::read(stamp_of(dir, name)).unwrap_or_default())
    }

    /// The sum, in hexadecimal.
    pub fn sum(self) -> String {
        files::hex(&self.0.finalize())
    }
}

/// Every source file of xtask, by its path below `src`.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
/// Modules that report on a step or decide whether it runs, and not what it makes.
const AROUND: [&str; 4] = ["error", "progress", "image::inputs", "image::stamp"];
/// The crates that xtask is built on, at their versions.
const CRATES: &str = include_str!("../../../Cargo.lock");

/// The text of a module, by its path: `image::kernel`.
fn source(module: &str) -> Option<&'static str> {
    let file = module.replace("::", "/") + ".rs";
    let found = SOURCES.iter().find(|(path, _)| *path == file);
    found.map(|(_, text)| *text)
}

/// A module and those that it reaches, by the paths that begin with `crate::`.
fn uses(module: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next = vec![module.to_owned()];
    while let Some(module) = next.pop() {
        if AROUND.contains(&&*module) {
            continue;
        }
        let text = source(&module).unwrap_or_default();
        if found.insert(module) {
            next.extend(named_in(text));
        }
    }
    found
}

/// The modules that a text names, the innermost of each path.
fn named_in(text: &str) -> impl Iterator<Item = String> {
    let is_outside = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':');
    text.split("crate::").skip(1).filter_map(move |rest| {
        let path = rest.split(is_outside).next()?;
        let mut segments = path.split("::").filter(|segment| !segment.is_empty());
        let outer = segments.next()?.to_owned();
        let inner = segments.next().map(|inner| format!("{outer}::{inner}"));
        Some(inner.filter(|path| source(path).is_some()).unwrap_or(outer))
    })
}

/// Where what the step of that name was made from, and made, is kept.
pub fn stamp_of(dir: &Path, name: &str) -> PathBuf {
    dir.join("stamps").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_covers_what_it_reaches_and_no_more() {
        let reached = uses("image::base");
        let is_there = |name: &&str| reached.contains(*name);
        let needed = ["base", "boot", "deb", "initramfs", "rootfs"];
        let needed = needed.map(|name| format!("image::{name}"));
        assert!(needed.iter().all(|name| is_there(&&**name)), "{reached:?}");
        assert!(
            !["ci", "image", "image::program", "vm_test"]
                .iter()
                .any(is_there),
            "{reached:?}"
        );
        let of_module = uses("image::module");
        let others = ["image::boot", "image::program"];
        assert!(!others.iter().any(|name| of_module.contains(*name)));
        // A group would hide modules from the reading above.
        let grouped = ["crate", "::{"].concat();
        let code = |text: &'static str| text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(
            SOURCES
                .iter()
                .all(|(_, text)| !code(text).contains(&grouped))
        );
    }
}
