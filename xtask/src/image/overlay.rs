//! The part of a guest's root that is built here, and `initrd.cpio`, which is the base archive with
//! this part appended.

use std::path::{Path, PathBuf};

use crate::error::{At, Result};
use crate::files;
use crate::guest::Guest;
use crate::image::engine::Variant;
use crate::image::headers;
use crate::image::initramfs::Archive;
use crate::image::inputs::Inputs;
use crate::image::module;
use crate::image::program;
use crate::image::stamp::unless_current;
use crate::image::test_module;
use crate::manifest::{MODULE, MUTANTS_MODULE};
use crate::toolchain::Toolchain;

/// Builds modules and programs, and appends them and the kernel's types, if it has none of its own,
/// to the base archive.
pub fn make(
    guest: &Guest,
    header_debs: &[PathBuf],
    types: Option<&Path>,
    kernel_release: &str,
    base: &Path,
) -> Result<PathBuf> {
    let toolchain = Toolchain::require(guest)?;
    let headers = headers::make(guest, header_debs, kernel_release)?;
    let plain = module::make(guest, &toolchain, &headers, Variant::Plain)?;
    let mutants = module::make(guest, &toolchain, &headers, Variant::Mutants)?;
    let mut parts = vec![
        Part::new(MODULE, 0o644, plain),
        Part::new(MUTANTS_MODULE, 0o644, mutants),
    ];
    if let Some(types) = types {
        let path = format!("/usr/lib/dtrace/btf/{kernel_release}.btf");
        parts.push(Part::new(path, 0o644, types.to_owned()));
    }
    let programs = program::make_all(guest, &toolchain)?;
    parts.extend(
        programs
            .into_iter()
            .map(|(path, file)| Part::new(path, 0o755, file)),
    );
    let modules = test_module::make_all(guest, &headers)?;
    parts.extend(
        modules
            .into_iter()
            .map(|(path, file)| Part::new(path, 0o644, file)),
    );
    concatenate(guest, base, &parts)
}

/// A file of ours in a guest.
struct Part {
    path: String,
    mode: u32,
    file: PathBuf,
}

impl Part {
    fn new(path: impl Into<String>, mode: u32, file: PathBuf) -> Self {
        let path = path.into();
        Self { path, mode, file }
    }
}

fn concatenate(guest: &Guest, base: &Path, parts: &[Part]) -> Result<PathBuf> {
    let dir = guest.dir();
    let initrd = dir.join("initrd.cpio");
    let mut inputs = Inputs::of_step("image::overlay");
    inputs.add_stamp(&dir, "base");
    for part in parts {
        inputs.add_file(&part.file)?;
    }
    unless_current(
        &dir,
        "initrd",
        inputs,
        std::slice::from_ref(&initrd),
        || {
            let mut overlay = Archive::default();
            for part in parts {
                overlay.file(&part.path, part.mode, files::read(&part.file)?);
            }
            let mut bytes = files::read(base)?;
            bytes.extend(overlay.into_bytes().at("write", &initrd)?);
            files::write(&initrd, &bytes)
        },
    )?;
    Ok(initrd)
}
