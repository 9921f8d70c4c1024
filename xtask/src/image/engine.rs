//! The Rust half of `trapline.ko`: the engine built for a kernel and linked into one object that
//! shows nothing but its entry points.

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

/// How the names begin by which C calls Rust.
const ENTRY_PREFIX: &str = "trapline_";

/// How it is built, as the workspace has it.
const PROFILE: &str = "module";

/// A kernel's module loader knows no position-independent code and no global offset table, through
/// which rustc would otherwise call memcpy and its like on some targets.
const STATIC_CODE: &str = "-Crelocation-model=static -Zplt=yes";

/// The compiler is to state each function's frame.
const FRAMES: &str = "-Zemit-stack-sizes";

/// The two modules built from one source.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    /// The tracer.
    Plain,
    /// The tracer with defects that can be switched on one at a time.
    Mutants,
}

impl Variant {
    /// The file name of the module without `.ko`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "trapline",
            Self::Mutants => "trapline-mutants",
        }
    }

    /// Flags for the one crate in which the two differ; all that it is built on is built once.
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

/// The engine as a static library.
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

/// One object of all that the entry points reach, with one section for each kind of contents, as `script` has it; every
/// other name is local to it, so that it cannot clash.
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
    let unused = [".llvmbc", ".llvmcmd", frames::SECTION].map(|s| format!("--remove-section={s}"));
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
