//! Requirements on the host, and the checks for them.

use std::env;
use std::path::Path;

use xshell::cmd;

use crate::error::Result;
use crate::guest::{Guest, HostNeed};
use crate::image::archive::{self, Archive};
use crate::run;
use crate::toolchain::{self, OLDEST, Toolchain};

/// A requirement, and the Debian package that provides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// A program, by name.
    Program { name: String, package: String },
    /// A file, by absolute path.
    File { path: String, package: String },
    /// A C library with its headers, by its pkg-config name.
    Library { name: String, package: String },
    /// libclang, which bindgen needs.
    Clang,
    /// Debian's archive of a release, for the guests' packages.
    Archive { suite: String },
    /// A recent enough Rust toolchain with library sources that knows these targets.
    Rust { targets: Vec<String> },
}

impl Need {
    fn program(name: &str, package: &str) -> Self {
        Self::Program {
            name: name.into(),
            package: package.into(),
        }
    }

    /// A description for messages.
    pub fn what(&self) -> String {
        match self {
            Self::Program { name, .. } | Self::File { path: name, .. } => name.clone(),
            Self::Library { name, .. } => format!("{name} (for C programs)"),
            Self::Clang => "libclang".into(),
            Self::Archive { suite } => archive::what(suite),
            Self::Rust { targets } => {
                let targets = targets.join(", ");
                format!("Rust {OLDEST} or newer with library sources for {targets}")
            }
        }
    }

    /// The version or path found on the host, possibly empty; `None` if it is missing.
    pub fn found(&self) -> Result<Option<String>> {
        let sh = run::shell()?;
        Ok(match self {
            Self::Program { name, .. } => which(name).then(|| version(name)),
            Self::File { path, .. } => Path::new(path).exists().then(String::new),
            Self::Library { name, .. } => {
                run::read(cmd!(sh, "pkg-config --modversion {name}")).ok()
            }
            Self::Clang => libclang(),
            Self::Archive { suite } => Archive::locate(suite).map(|archive| archive.main),
            Self::Rust { targets } => {
                let targets: Vec<_> = targets.iter().map(String::as_str).collect();
                Toolchain::find(&targets)?.map(|t| t.version)
            }
        })
    }

    /// Whether the host has it.
    pub fn is_met(&self) -> Result<bool> {
        match self {
            Self::Program { name, .. } => Ok(which(name)),
            _ => Ok(self.found()?.is_some()),
        }
    }

    /// Whether a package of this version satisfies it.
    pub fn accepts(&self, version: &str) -> bool {
        match self {
            Self::Rust { .. } => toolchain::is_recent(version),
            _ => true,
        }
    }

    /// The packages that provide it.
    pub fn packages(&self) -> Vec<String> {
        match self {
            Self::Program { package, .. }
            | Self::File { package, .. }
            | Self::Library { package, .. } => vec![package.clone()],
            Self::Clang => vec!["libclang-dev".into()],
            Self::Archive { .. } => vec![archive::TEMPLATES_PACKAGE.into()],
            Self::Rust { .. } => rust_packages(),
        }
    }
}

impl From<&HostNeed> for Need {
    fn from(HostNeed { needs, package }: &HostNeed) -> Self {
        let package = package.clone();
        match needs.clone() {
            path if path.starts_with('/') => Self::File { path, package },
            name => Self::Program { name, package },
        }
    }
}

/// Requirements for building and testing the workspace itself.
pub fn of_workspace() -> Vec<Need> {
    let openssl = Need::Library {
        name: "openssl".into(),
        package: "libssl-dev".into(),
    };
    vec![
        Need::program("gcc", "gcc"),
        Need::program("pkg-config", "pkg-config"),
        openssl,
    ]
}

/// What the tests need beyond that: one compares our types with another converter's, some trace
/// programs in C++, and one has a shell complete lines.
pub fn of_tests() -> Vec<Need> {
    vec![
        Need::program("pahole", "pahole"),
        Need::program("g++", "g++"),
        Need::program("fish", "fish"),
    ]
}

/// Those of the workspace and of the judges of the instruction tables.
pub fn of_judges() -> Vec<Need> {
    let mut needs = of_workspace();
    let tools = [("cmake", "cmake"), ("make", "make")];
    needs.extend(tools.map(|(name, package)| Need::program(name, package)));
    needs.push(Need::Clang);
    needs
}

/// What the harness's own tests need beyond the workspace: one attaches a debugger to a guest.
pub fn of_harness() -> Vec<Need> {
    vec![Need::program("gdb-multiarch", "gdb-multiarch")]
}

/// What `deb` needs beyond a guest's.
pub fn of_packaging() -> Vec<Need> {
    let tools = [
        ("dh", "debhelper"),
        ("dh_dkms", "dh-dkms"),
        ("dpkg-buildpackage", "dpkg-dev"),
    ];
    tools
        .map(|(name, package)| Need::program(name, package))
        .into()
}

/// What installing the packages in a guest of this release needs beyond the guest of a scenario.
pub fn of_trial(suite: &str) -> Vec<Need> {
    // Not in everybody's PATH.
    let resize = Need::File {
        path: "/usr/sbin/resize2fs".into(),
        package: "e2fsprogs".into(),
    };
    let tools = ["mmdebstrap", "genext2fs"].map(|name| Need::program(name, name));
    // mmdebstrap maps user ids unless root runs it.
    let maps =
        (!rustix::process::geteuid().is_root()).then(|| Need::program("newuidmap", "uidmap"));
    tools
        .into_iter()
        .chain([resize])
        .chain(of_archive(suite))
        .chain(maps)
        .collect()
}

/// What building and booting a guest needs beyond the workspace.
pub fn of_guest(guest: &Guest) -> Vec<Need> {
    let targets = guest.build.targets().into_iter().map(str::to_owned);
    let rust = Need::Rust {
        targets: targets.collect(),
    };
    let tools = [
        ("make", "make"),
        ("setpriv", "util-linux"),
        ("apt-cache", "apt"),
        ("dpkg", "dpkg"),
    ];
    let tools = tools.map(|(name, package)| Need::program(name, package));
    let suite = &guest.packages.suite;
    tools
        .into_iter()
        .chain(guest.host.iter().map(Need::from))
        .chain(of_archive(suite))
        .chain([rust])
        .collect()
}

fn of_archive(suite: &str) -> [Need; 2] {
    let (path, package) = archive::keyring(suite);
    let keyring = Need::File {
        path: path.into(),
        package: package.into(),
    };
    let archive = Need::Archive {
        suite: suite.into(),
    };
    [keyring, archive]
}

/// The distribution's packages of Rust with sources: some releases carry a newer toolchain under
/// other names. None if what the release has is known, and too old.
fn rust_packages() -> Vec<String> {
    let show = |package: &str| {
        let sh = run::shell().ok()?;
        run::read(cmd!(sh, "apt-cache show --no-all-versions {package}")).ok()
    };
    let names = match (show("rust-web-src"), show("rustc")) {
        (Some(_), _) => ["rustc-web", "cargo-web", "rust-web-src"],
        (None, Some(shown)) if is_too_old(&shown) => return Vec::new(),
        (None, _) => ["rustc", "cargo", "rust-src"],
    };
    names.map(str::to_owned).to_vec()
}

/// Whether a package, as apt-cache(8) shows it, is a Rust that cannot build the workspace.
fn is_too_old(shown: &str) -> bool {
    let version = shown
        .lines()
        .find_map(|line| line.strip_prefix("Version: "));
    version.is_some_and(|version| !toolchain::is_recent(version))
}

/// The version of a libclang installed with its own headers, in Debian's layout, or the value of
/// LIBCLANG_PATH if it exists.
fn libclang() -> Option<String> {
    if let Some(path) = env::var_os("LIBCLANG_PATH") {
        let there = Path::new(&path).exists();
        return there.then(|| path.to_string_lossy().into_owned());
    }
    let installed = Path::new("/usr/lib")
        .read_dir()
        .ok()?
        .filter_map(std::result::Result::ok);
    installed.map(|entry| entry.path()).find_map(|llvm| {
        let version = llvm
            .file_name()?
            .to_str()?
            .strip_prefix("llvm-")?
            .to_owned();
        let complete = llvm.join("lib/libclang.so").exists() && llvm.join("lib/clang").exists();
        complete.then_some(version)
    })
}

/// Whether a program is in the PATH.
pub fn which(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

fn version(program: &str) -> String {
    let text = run::shell().and_then(|sh| run::read(cmd!(sh, "{program} --version")));
    text.ok()
        .and_then(|t| t.lines().next().map(str::to_owned))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_whose_rust_is_too_old_has_no_package_of_it() {
        let shown = |version: &str| format!("Package: rustc\nVersion: {version}\n");
        assert!(is_too_old(&shown("1.75.0+dfsg0ubuntu1-0ubuntu7.4")));
        assert!(!is_too_old(&shown("1.96.0+dfsg1-1")));
        // What is not known may do.
        assert!(!is_too_old(""));
    }

    fn is_met(needs: &str) -> bool {
        Need::from(&HostNeed {
            needs: needs.into(),
            package: "p".into(),
        })
        .is_met()
        .unwrap()
    }

    #[test]
    fn programs_and_files_are_distinguished_and_found() {
        assert!(is_met("sh"));
        assert!(is_met("/etc/passwd"));
        assert!(!is_met("no-such-program"));
        assert!(!is_met("/no/such/file"));
    }
}
