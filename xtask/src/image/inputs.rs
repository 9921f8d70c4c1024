//! The inputs of a build step, as one SHA-256.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::files::{self, workspace_root};

/// A sum over everything that a result depends on, including the code of the step.
pub struct Inputs(Sha256);

impl Inputs {
    /// No inputs.
    pub fn empty() -> Self {
        Self(Sha256::new())
    }

    /// Starts with the code of the step: a module of xtask, all modules it uses, and Cargo.lock. A
    /// changed step runs again; a change elsewhere in xtask does not repeat it.
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

    /// Adds a value, with its length, so that the concatenation is unambiguous.
    pub fn add(&mut self, value: impl AsRef<[u8]>) -> &mut Self {
        let value = value.as_ref();
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
        self
    }

    /// Adds a file's name and contents. Names in the workspace are relative to it.
    pub fn add_file(&mut self, path: &Path) -> Result<&mut Self> {
        let name = path.strip_prefix(workspace_root()).unwrap_or(path);
        self.add(name.as_os_str().as_encoded_bytes());
        Ok(self.add(files::read(path)?))
    }

    /// Adds files by name only, for names that are hashes of the contents, as in the cache.
    pub fn add_named(&mut self, paths: &[PathBuf]) -> &mut Self {
        for name in paths.iter().filter_map(|p| p.file_name()) {
            self.add(name.as_encoded_bytes());
        }
        self
    }

    /// Adds inputs and outputs of another step: its stamp, which must be up to date.
    pub fn add_stamp(&mut self, dir: &Path, name: &str) -> &mut Self {
        self.add(fs::read(stamp_of(dir, name)).unwrap_or_default())
    }

    /// The sum, in hexadecimal.
    pub fn sum(self) -> String {
        files::hex(&self.0.finalize())
    }
}

/// Every source file of xtask, by path below `src`, with its text.
const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
/// Modules that report on steps or decide whether one runs, but do not affect what it makes.
const IGNORED: [&str; 4] = ["error", "progress", "image::inputs", "image::stamp"];
/// The versions of all crates.
const CRATES: &str = include_str!("../../../Cargo.lock");

/// The source of a module, such as `image::kernel`.
fn source(module: &str) -> Option<&'static str> {
    let file = module.replace("::", "/") + ".rs";
    let found = SOURCES.iter().find(|(path, _)| *path == file);
    found.map(|(_, text)| *text)
}

/// A module and those it reaches through paths that begin with `crate::`.
fn uses(module: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next = vec![module.to_owned()];
    while let Some(module) = next.pop() {
        if IGNORED.contains(&&*module) {
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

/// Path of the stamp of a step.
pub fn stamp_of(dir: &Path, name: &str) -> PathBuf {
    dir.join("stamps").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_covers_only_the_modules_it_uses() {
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
        // A grouped import would hide its modules from `named_in`.
        let grouped = ["crate", "::{"].concat();
        let code = |text: &'static str| text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(
            SOURCES
                .iter()
                .all(|(_, text)| !code(text).contains(&grouped))
        );
    }
}
