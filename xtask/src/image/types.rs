//! The types of a kernel that was built without BTF: its debug information, converted.

use std::path::{Path, PathBuf};

use engine_btf::dwarf;

use crate::cache::Cache;
use crate::error::{Error, Result};
use crate::files::{self, workspace_root};
use crate::guest::Guest;
use crate::image::apt::Package;
use crate::image::inputs::Inputs;
use crate::image::symbols;
use crate::progress::Step;

/// The parts of `engine/btf/src` that a conversion does not use.
const NOT_USED: [&str; 1] = ["find"];

/// Converts the types of the kernel in a package with debug symbols, unless the cache has them. The
/// cache must be locked.
pub fn make(guest: &Guest, cache: &Cache, release: &str, package: &Package) -> Result<PathBuf> {
    let converter = workspace_root().join("engine/btf/src");
    let path = cache.types(&inputs(package, &converter)?.sum());
    if path.exists() {
        return Ok(path);
    }
    let vmlinux = symbols::vmlinux(guest, cache, release, package)?;
    let step = Step::begin(format!("{}: kernel types", guest.name));
    let (btf, _) = dwarf::convert(&vmlinux).map_err(|why| Error::Content {
        path: format!("{}'s vmlinux", package.name).into(),
        why: why.to_string(),
    })?;
    files::write(&path, &btf)?;
    step.done();
    Ok(path)
}

/// The package and the converter's source. Cargo.lock is left out, since each change of it would
/// cost a download.
fn inputs(package: &Package, converter: &Path) -> Result<Inputs> {
    let mut inputs = Inputs::empty();
    inputs.add(&package.sha256);
    for file in files::walk(converter, &NOT_USED)? {
        inputs.add_file(&file)?;
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_converted_again_for_another_package_or_converter_only() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            files::write(&dir.path().join(name), text.as_bytes()).unwrap();
        };
        let sum = |sha256: &str| {
            let package = Package {
                name: "linux-image-6.1-dbg".into(),
                architecture: "armel".into(),
                version: "1".into(),
                sha256: sha256.into(),
                depends: Vec::new(),
            };
            inputs(&package, dir.path()).unwrap().sum()
        };
        write("write.rs", "a");
        let first = sum("00");
        assert_ne!(sum("11"), first);
        write("find/mod.rs", "a");
        assert_eq!(sum("00"), first);
        write("write.rs", "b");
        assert_ne!(sum("00"), first);
    }
}
