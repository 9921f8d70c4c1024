//! The Rust toolchain for what runs in guests: any installed one that has library sources and knows
//! the targets, since most targets come without a built library.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use xshell::{Cmd, Shell, cmd};

use crate::error::{Error, Result};
use crate::files::{self, Lock, workspace_root};
use crate::guest::Guest;
use crate::image::inputs::Inputs;
use crate::run;

/// The oldest compiler that builds the workspace.
pub const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Subfolders of the sources that no guest contains.
const NOT_BUILT: [&str; 3] = ["isa-judge", "target", "tests"];

/// A toolchain with library sources.
pub struct Toolchain {
    sysroot: PathBuf,
    rustc: PathBuf,
    cargo: PathBuf,
    /// What `rustc --version` prints.
    pub version: String,
}

impl Toolchain {
    /// The active toolchain if it qualifies, else the distribution's.
    pub fn find(targets: &[&str]) -> Result<Option<Self>> {
        let sh = run::shell()?;
        let usable = |rustc| Self::examine(&sh, rustc, targets);
        Ok(["rustc", "/usr/bin/rustc"].into_iter().find_map(usable))
    }

    /// The toolchain for a guest; after `host::ensure` it is there.
    pub fn require(guest: &Guest) -> Result<Self> {
        let targets = guest.build.targets();
        Self::find(&targets)?.ok_or_else(|| Error::Host {
            missing: format!("Rust with library sources for {}", targets.join(", ")),
            fix: "cargo xtask doctor".into(),
        })
    }

    fn examine(sh: &Shell, rustc: &str, targets: &[&str]) -> Option<Self> {
        let sysroot = run::read(cmd!(sh, "{rustc} --print sysroot")).ok()?;
        let sysroot = Path::new(sysroot.trim());
        let (rustc, cargo) = (sysroot.join("bin/rustc"), sysroot.join("bin/cargo"));
        let sources = sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs");
        if ![&sources, &rustc, &cargo].iter().all(|p| p.exists()) {
            return None;
        }
        let known = run::read(cmd!(sh, "{rustc} --print target-list")).ok()?;
        let knows = |target: &&str| known.lines().any(|line| line == *target);
        let version = run::read(cmd!(sh, "{rustc} --version"))
            .ok()?
            .trim()
            .to_owned();
        let found = Self {
            sysroot: sysroot.into(),
            rustc,
            cargo,
            version,
        };
        (is_recent(number(&found.version)) && targets.iter().all(knows)).then_some(found)
    }

    /// Whether the toolchain has a built standard library for a target.
    pub fn has_std(&self, target: &str) -> bool {
        let built = self.sysroot.join("lib/rustlib").join(target).join("lib");
        let is_std = |file: &DirEntry| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        };
        fs::read_dir(built).is_ok_and(|files| files.flatten().any(|f| is_std(&f)))
    }

    /// The inputs of a step (a module of xtask) that builds from folders of the workspace: sources,
    /// tools and lock file.
    pub fn inputs(&self, step: &str, guest: &Guest, folders: &[&str]) -> Result<Inputs> {
        let root = workspace_root();
        let sh = run::shell()?;
        let mut inputs = Inputs::of_step(step);
        inputs.add(&self.version);
        let linker = format!("{}ld", guest.build.cross_compile);
        for tool in [&guest.build.cc, &linker] {
            inputs.add(run::read(cmd!(sh, "{tool} --version"))?);
        }
        inputs
            .add_file(&root.join(".cargo/config.toml"))?
            .add_file(&root.join("Cargo.toml"))?
            .add_file(&root.join("Cargo.lock"))?;
        for folder in folders {
            for file in files::walk(&root.join(folder), &NOT_BUILT)? {
                inputs.add_file(&file)?;
            }
        }
        Ok(inputs)
    }

    /// A build command of this toolchain's cargo for a target, at the workspace root, without the
    /// environment set by the cargo that started xtask.
    pub fn cargo<'a>(
        &self,
        sh: &'a Shell,
        command: &str,
        profile: &str,
        target: &str,
        rustflags: &str,
    ) -> Cmd<'a> {
        sh.change_dir(workspace_root());
        sh.cmd(&self.cargo)
            .env("RUSTC", &self.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", rustflags)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET")
            .env_remove("RUSTUP_TOOLCHAIN")
            .args([command, "--profile", profile, "--target", target])
            .arg("--target-dir")
            .arg(target_dir(profile))
    }
}

/// Whether a compiler of this version, such as `1.90.0+suffix`, can build the workspace.
pub fn is_recent(version: &str) -> bool {
    parts(version) >= parts(OLDEST)
}

/// The version in the output of `rustc --version`: `rustc 1.88.0 (6b00bc388 2025-06-23)`.
fn number(words: &str) -> &str {
    words.split(' ').nth(1).unwrap_or_default()
}

/// Major and minor version.
fn parts(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// Path of a file built by [`Toolchain::cargo`].
pub fn output(profile: &str, target: &str, file: &str) -> PathBuf {
    target_dir(profile).join(target).join(profile).join(file)
}

/// Held from a build until its output is used: another guest's build for the same target replaces
/// it.
pub fn lock(profile: &str) -> Result<Lock> {
    Lock::take(&target_dir(profile))
}

/// Shared by all guests, as are macros and build scripts built for the host. Each profile has its
/// own, so that one guest's module is built beside another's programs.
fn target_dir(profile: &str) -> PathBuf {
    workspace_root().join("target/guest").join(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain_in(sysroot: &Path) -> Toolchain {
        Toolchain {
            sysroot: sysroot.into(),
            rustc: PathBuf::new(),
            cargo: PathBuf::new(),
            version: String::new(),
        }
    }

    #[test]
    fn a_compiler_older_than_the_workspaces_minimum_is_refused() {
        let can = |words| is_recent(number(words));
        assert!(can("rustc 1.90.0 (1159e78c4 2025-09-14)"));
        assert!(!can("rustc 1.88.0 (6b00bc388 2025-06-23)"));
        assert!(can("rustc 1.196.0-nightly (abc 2030-01-01)"));
        assert!(can("rustc 2.0.0"));
        assert!(!can(
            "rustc 1.85.0 (4d91de4e4 2025-02-17) (built from a source tarball)"
        ));
        assert!(!can("rustc"));
        assert!(is_recent("1.96.0+dfsg1-1~deb12u1"));
        assert!(!is_recent("1.85.0+dfsg3-1~deb12u3"));
    }

    #[test]
    fn a_built_std_is_an_rlib() {
        let dir = tempfile::tempdir().unwrap();
        let lib = dir.path().join("lib/rustlib/x/lib");
        fs::create_dir_all(&lib).unwrap();
        fs::write(lib.join("libstd-0123.so"), "").unwrap();
        assert!(!toolchain_in(dir.path()).has_std("x"));
        fs::write(lib.join("libstd-0123.rlib"), "").unwrap();
        assert!(toolchain_in(dir.path()).has_std("x"));
        assert!(!toolchain_in(dir.path()).has_std("y"));
    }
}
