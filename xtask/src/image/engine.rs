//! The Rust half of `trapline.ko`: builds the engine for a guest's kernel and links it into one
//! object whose only global symbols are the entry points for C.

use std::path::{Path, PathBuf};

use object::ObjectSymbol;
use xshell::cmd;

use crate::error::{Error, Result};
use crate::files;
use crate::guest::Guest;
use crate::image::elf;
use crate::image::frames;
use crate::image::hardening::Config;
use crate::progress::Step;
use crate::run;
use crate::toolchain::{self, Toolchain};

/// Name prefix of the functions that C calls.
const ENTRY_PREFIX: &str = "trapline_";

/// The profile in the workspace's Cargo.toml.
pub const PROFILE: &str = "module";

/// The module loader relocates neither position-independent code nor a GOT, through which rustc
/// would otherwise call memcpy and the like on some targets.
const STATIC_CODE: &str = "-Crelocation-model=static -Zplt=yes";

/// The compiler's list of where it has left space at functions.
pub const PADDING_LIST: &str = "__patchable_function_entries";

/// Emits each function's frame size, for [`frames::check`].
const FRAMES: &str = "-Zemit-stack-sizes";

/// The two modules built from the same sources.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    /// The tracer.
    Plain,
    /// The tracer with seeded defects, which can be switched on one at a time.
    Mutants,
}

impl Variant {
    /// The module's file name without `.ko`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "trapline",
            Self::Mutants => "trapline-mutants",
        }
    }

    /// Flags for `engine-kernel` only, where the two differ, so that its dependencies are built
    /// once.
    fn rustflags(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[],
            Self::Mutants => &["--cfg", "trapline_mutants"],
        }
    }

    /// Flags for the C half.
    pub fn cflags(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Mutants => "-DTRAPLINE_MUTANTS",
        }
    }
}

/// Builds the engine as a static library and returns its path.
pub fn compile(
    step: &Step,
    guest: &Guest,
    toolchain: &Toolchain,
    config: &Config,
    variant: Variant,
) -> Result<PathBuf> {
    let sh = run::shell()?;
    let target = &guest.build.module_target;
    let flags = format!("{STATIC_CODE} {FRAMES} {}", config.rustflags());
    let cargo = toolchain
        .cargo(&sh, "rustc", PROFILE, target, &flags)
        .args(["--package", "engine-kernel", "--lib"])
        .args(["--crate-type", "staticlib", "-Zbuild-std=core,alloc", "--"])
        .args(variant.rustflags());
    run::quietly(step, cargo)?;
    Ok(toolchain::output(PROFILE, target, "libengine_kernel.a"))
}

/// Links everything that the entry points reach into one object, its sections merged by `script`.
/// All other symbols become local, so that they cannot clash with the kernel's.
pub fn link(
    step: &Step,
    guest: &Guest,
    archive: &Path,
    script: &Path,
    object: &Path,
) -> Result<()> {
    let sh = run::shell()?;
    let entries = entry_points(archive)?;
    let cross = &guest.build.cross_compile;
    let (ld, objcopy) = (format!("{cross}ld"), format!("{cross}objcopy"));
    let roots = entries.iter().map(|e| format!("--undefined={e}"));
    run::quietly(
        step,
        cmd!(
            sh,
            "{ld} -r --gc-sections -T {script} {roots...} -o {object} {archive}"
        ),
    )?;
    frames::check(object)?;
    let keep = entries.iter().map(|e| format!("--keep-global-symbol={e}"));
    let unused = [".llvmbc", ".llvmcmd", PADDING_LIST, frames::SECTION];
    let unused = unused.map(|s| format!("--remove-section={s}"));
    run::quietly(step, cmd!(sh, "{objcopy} {keep...} {unused...} {object}"))
}

fn entry_points(archive: &Path) -> Result<Vec<String>> {
    let bad = |e: object::Error| Error::Content {
        path: archive.into(),
        why: e.to_string(),
    };
    let data = files::read(archive)?;
    let mut entries = Vec::new();
    for member in object::read::archive::ArchiveFile::parse(&*data)
        .map_err(bad)?
        .members()
    {
        let member = member.map_err(bad)?.data(&*data).map_err(bad)?;
        let is_entry = |s: &object::Symbol<'_, '_>| {
            s.is_global()
                && s.is_definition()
                && s.name().is_ok_and(|n| n.starts_with(ENTRY_PREFIX))
        };
        entries.extend(elf::symbols(member, is_entry).map_err(bad)?);
    }
    entries.sort();
    if entries.is_empty() {
        let why = format!("it defines no {ENTRY_PREFIX}* function for C to call");
        return Err(Error::Content {
            path: archive.into(),
            why,
        });
    }
    Ok(entries)
}
