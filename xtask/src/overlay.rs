//! The part of a guest's root that is built here, and the two parts together as the archive QEMU
//! loads.

use std::path::{Path, PathBuf};

use crate::engine::Variant;
use crate::error::{At, Result};
use crate::files;
use crate::guest::Guest;
use crate::headers;
use crate::initramfs::Archive;
use crate::manifest::{MODULE, MUTANTS_MODULE};
use crate::module;
use crate::program;
use crate::stamp::{Inputs, unless_current};
use crate::toolchain::Toolchain;

/// Where the dtrace command lies inside a guest.
const DTRACE: &str = "/usr/sbin/dtrace";
/// Where the harness's agent lies inside a guest.
const AGENT: &str = "/sbin/trapline-agent";
/// Where the fuzzer lies inside a guest.
const FUZZ: &str = "/sbin/trapline-fuzz";

/// Where what compares instructions with themselves lies inside a guest.
const NATIVE: &str = "/sbin/trapline-native";

/// Builds the modules and programs, and puts them behind the base archive.
pub fn make(
    guest: &Guest,
    header_debs: &[PathBuf],
    kernel_release: &str,
    base: &Path,
) -> Result<PathBuf> {
    let toolchain = Toolchain::require(guest)?;
    let headers = headers::make(guest, header_debs, kernel_release)?;
    let plain = module::make(guest, &toolchain, &headers, Variant::Plain)?;
    let mutants = module::make(guest, &toolchain, &headers, Variant::Mutants)?;
    let dtrace = program::make(guest, &toolchain, &program::DTRACE)?;
    let agent = program::make(guest, &toolchain, &program::AGENT)?;
    let fuzz = program::make(guest, &toolchain, &program::FUZZ)?;
    let native = program::make(guest, &toolchain, &program::NATIVE)?;
    let parts = [
        (MODULE, 0o644, plain),
        (MUTANTS_MODULE, 0o644, mutants),
        (DTRACE, 0o755, dtrace),
        (AGENT, 0o755, agent),
        (FUZZ, 0o755, fuzz),
        (NATIVE, 0o755, native),
    ];
    concatenate(guest, base, &parts)
}

fn concatenate(guest: &Guest, base: &Path, parts: &[(&str, u32, PathBuf)]) -> Result<PathBuf> {
    let dir = guest.dir();
    let initrd = dir.join("initrd.cpio");
    let mut inputs = Inputs::new()?;
    inputs.add_stamp(&dir, "base");
    for (_, _, path) in parts {
        inputs.add_file(path)?;
    }
    unless_current(
        &dir,
        "initrd",
        inputs,
        std::slice::from_ref(&initrd),
        || {
            let mut overlay = Archive::default();
            for (path, mode, file) in parts {
                overlay.file(path, *mode, files::read(file)?);
            }
            let mut bytes = files::read(base)?;
            bytes.extend(overlay.into_bytes().at("write", &initrd)?);
            files::write(&initrd, &bytes)
        },
    )?;
    Ok(initrd)
}
