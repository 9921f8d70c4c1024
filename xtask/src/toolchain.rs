//! The Rust that builds what runs in guests: any installed toolchain that has the library's sources
//! and knows the targets, because the library is built anew for each of them.

use std::path::{Path, PathBuf};

use xshell::{Cmd, Shell, cmd};

use crate::error::{Error, Result};
use crate::files::workspace_root;
use crate::guest::Guest;
use crate::run;

/// A toolchain with library sources.
pub struct Toolchain {
    rustc: PathBuf,
    cargo: PathBuf,
    /// As rustc names itself.
    pub version: String,
}

impl Toolchain {
    /// The active toolchain if it will do, else the distribution's.
    pub fn find(targets: &[&str]) -> Result<Option<Self>> {
        let sh = run::shell()?;
        let usable = |rustc| Self::examine(&sh, rustc, targets);
        Ok(["rustc", "/usr/bin/rustc"].into_iter().find_map(usable))
    }

    /// The toolchain for a guest; `host::ensure` has seen to it that there is one.
    pub fn require(guest: &Guest) -> Result<Self> {
        let targets = [
            guest.build.module_target.as_str(),
            &guest.build.program_target,
        ];
        Self::find(&targets)?.ok_or_else(|| Error::Host {
            missing: format!("Rust with library sources for {}", targets.join(", ")),
            mend: "cargo xtask doctor".into(),
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
            rustc,
            cargo,
            version,
        };
        targets.iter().all(knows).then_some(found)
    }

    /// A call of this toolchain's cargo, in the workspace, free of what the cargo that started
    /// xtask has set.
    pub fn cargo<'a>(&self, sh: &'a Shell, rustflags: &str) -> Cmd<'a> {
        sh.change_dir(workspace_root());
        sh.cmd(&self.cargo)
            .env("RUSTC", &self.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", rustflags)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET")
            .env_remove("RUSTUP_TOOLCHAIN")
    }
}
