//! The part of a guest's root that changes with the engine, and the two parts together as the
//! archive QEMU loads.

use std::path::{Path, PathBuf};

use xshell::{Shell, cmd};

use crate::engine::{self, Variant};
use crate::error::{At, Result};
use crate::files;
use crate::guest::Guest;
use crate::headers;
use crate::initramfs::Archive;
use crate::manifest::{MODULE, MUTANTS_MODULE};
use crate::module;
use crate::progress::Step;
use crate::run;
use crate::stamp::{Inputs, unless_current};
use crate::toolchain::{self, Toolchain};

/// Where the dtrace command lies inside a guest.
const DTRACE: &str = "/usr/sbin/dtrace";

/// Builds the modules and dtrace, and puts them behind the base archive.
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
    let dtrace = make_dtrace(guest, &toolchain)?;
    let parts = [
        (MODULE, 0o644, plain),
        (MUTANTS_MODULE, 0o644, mutants),
        (DTRACE, 0o755, dtrace),
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

/// The dtrace command, static: a guest has only the libraries its own programs need.
fn make_dtrace(guest: &Guest, toolchain: &Toolchain) -> Result<PathBuf> {
    let dir = guest.dir();
    let dtrace = dir.join("dtrace");
    let mut inputs = engine::inputs(guest, toolchain)?;
    inputs.add(format!("{:?}", guest.build));
    inputs.add_file(&libc_of(guest)?)?;
    unless_current(
        &dir,
        "dtrace",
        inputs,
        std::slice::from_ref(&dtrace),
        || {
            let step = Step::begin(format!("{}: dtrace", guest.name));
            let _lock = toolchain::lock()?;
            let built = compile_dtrace(&step, &run::shell()?, guest, toolchain)?;
            files::write_with_mode(&dtrace, &files::read(&built)?, 0o755)?;
            step.done();
            Ok(())
        },
    )?;
    Ok(dtrace)
}

/// The C library that becomes a part of it.
fn libc_of(guest: &Guest) -> Result<PathBuf> {
    let (sh, cc) = (run::shell()?, &guest.build.cc);
    let path = run::read(cmd!(sh, "{cc} -print-file-name=libc.a"))?;
    Ok(path.trim().into())
}

fn compile_dtrace(
    step: &Step,
    sh: &Shell,
    guest: &Guest,
    toolchain: &Toolchain,
) -> Result<PathBuf> {
    let target = &guest.build.program_target;
    let linker = format!(
        "CARGO_TARGET_{}_LINKER",
        target.to_uppercase().replace('-', "_")
    );
    let build_std = (!toolchain.brings_std(target)).then_some("-Zbuild-std=std,panic_abort");
    let cargo = toolchain
        .cargo(sh, "build", target, "-Ctarget-feature=+crt-static")
        .env(linker, &guest.build.cc)
        .args(["--package", "engine-dtrace"])
        .args(build_std);
    run::quietly(step, cargo)?;
    Ok(toolchain::output(target, "dtrace"))
}
