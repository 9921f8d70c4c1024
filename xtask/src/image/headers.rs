//! Unpacks the kernel's headers into the guest's directory, instead of installing them: a build
//! tree for modules of exactly the guest's kernel.

use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::image::deb;
use crate::image::inputs::Inputs;
use crate::image::stamp::unless_current;
use crate::image::tools;
use crate::progress::Step;

/// Unpacks the packages; returns the directory for `make -C`.
pub fn make(guest: &Guest, debs: &[PathBuf], kernel_release: &str) -> Result<PathBuf> {
    let dir = guest.dir();
    let tree = dir.join("headers");
    let build = format!("usr/src/linux-headers-{kernel_release}");
    let makefile = tree.join(&build).join("Makefile");
    let mut inputs = Inputs::of_step("image::headers");
    inputs.add_named(debs);
    unless_current(
        &dir,
        "headers",
        inputs,
        std::slice::from_ref(&makefile),
        || {
            let step = Step::begin(format!("{}: kernel headers", guest.name));
            let scratch = files::scratch_dir(&dir)?;
            for deb in debs {
                deb::unpack(deb, scratch.path())?;
            }
            relocate(&scratch.path().join(&build).join("Makefile"), &tree)?;
            tools::use_own_libraries(scratch.path(), &tree)?;
            files::remove_dir(&tree)?;
            files::rename(&scratch.keep(), &tree)?;
            step.done();
            Ok(())
        },
    )?;
    Ok(tree.join(build))
}

/// Redirects the packaged Makefile, which names others by their installed paths, to `tree`.
fn relocate(makefile: &Path, tree: &Path) -> Result<()> {
    let text = String::from_utf8_lossy(&files::read(makefile)?).into_owned();
    let relocated = [" ", "="].iter().fold(text, |text, before| {
        let here = format!("{before}{}/usr/src/", tree.display());
        text.replace(&format!("{before}/usr/src/"), &here)
    });
    files::write(makefile, relocated.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makefile_names_the_unpacked_tree() {
        let dir = tempfile::tempdir().unwrap();
        let makefile = dir.path().join("Makefile");
        files::write(
            &makefile,
            b"KBUILD_OUTPUT=/usr/src/linux-headers-x\ninclude /usr/src/linux-headers-x-common/Makefile\n",
        )
        .unwrap();
        relocate(&makefile, Path::new("/some/tree")).unwrap();
        let text = files::read(&makefile).unwrap();
        assert_eq!(
            text,
            b"KBUILD_OUTPUT=/some/tree/usr/src/linux-headers-x\ninclude /some/tree/usr/src/linux-headers-x-common/Makefile\n"
        );
    }
}
