//! Modules by the kernel's own build system, in a copy of their sources: what it makes lies beside
//! them, and the checkout stays clean.

use std::path::Path;
use std::thread::available_parallelism;

use xshell::cmd;

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::progress::Step;
use crate::run;

/// A fresh copy of the sources: what an earlier build left may have been made with other headers.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    files::remove_dir(to)?;
    for file in files::walk(from, &[])? {
        if let Ok(name) = file.strip_prefix(from) {
            files::write(&to.join(name), &files::read(&file)?)?;
        }
    }
    Ok(())
}

/// Makes the modules whose sources and `Kbuild` are in `build`.
pub fn compile(
    step: &Step,
    guest: &Guest,
    headers: &Path,
    build: &Path,
    cflags: &str,
) -> Result<()> {
    let sh = run::shell()?;
    let jobs = available_parallelism().map_or(1, usize::from).to_string();
    let set = [
        format!("M={}", build.display()),
        format!("ARCH={}", guest.build.kernel_arch),
        format!("CROSS_COMPILE={}", guest.build.cross_compile),
        format!("CC={}", guest.build.cc),
        format!("KCFLAGS={cflags}"),
    ];
    // A make or cargo above us must not pass its own settings into the kernel's build.
    let make = cmd!(sh, "make -j{jobs} -C {headers} {set...} modules");
    run::quietly(step, make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL"))
}
