//! Builds modules with Kbuild in a copy of their sources, since it writes its output beside them.

use std::path::Path;
use std::thread::available_parallelism;

use xshell::cmd;

use crate::error::Result;
use crate::files;
use crate::guest::Guest;
use crate::progress::Step;
use crate::run;

/// Makes a fresh copy of the sources: objects of an earlier build may be of other headers.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    files::remove_dir(to)?;
    for file in files::walk(from, &[])? {
        if let Ok(name) = file.strip_prefix(from) {
            files::write(&to.join(name), &files::read(&file)?)?;
        }
    }
    Ok(())
}

/// Builds the modules whose sources and `Kbuild` are in `build`.
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
        // Nothing reads the module's own types, and making them takes pahole(1).
        "CONFIG_DEBUG_INFO_BTF_MODULES=".into(),
        // The kernel's compiler may be one that knows a flag for it; this one has another for the same.
        "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=".into(),
    ];
    // The flags of a make or cargo above us must not reach the kernel's build.
    let make = cmd!(sh, "make -j{jobs} -C {headers} {set...} modules");
    run::quietly(step, make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL"))
}
