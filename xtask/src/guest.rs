//! The guests: one `images/<name>.yaml` each, which holds everything that differs from guest to
//! guest.
//!
//! A guest has a default kernel, and may have others: `x86_64@6.12` is the guest `x86_64` with its
//! kernel 6.12. Each has its own name, and so its own directory and its own pinned packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::error::{At, Error, Result};
use crate::files::{read, workspace_root};

/// A guest, as parsed from its file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Guest {
    /// The file's name without `.yaml`.
    #[serde(skip)]
    pub name: String,
    /// The file's text.
    #[serde(skip)]
    pub text: String,
    /// Key of the harness's machine table.
    pub machine: String,
    /// Memory size, in QEMU's syntax.
    pub memory: String,
    /// Number of virtual processors.
    pub cpus: u32,
    /// What the host must have for this guest, beyond what every guest needs.
    pub host: Vec<HostNeed>,
    /// The Debian packages.
    pub packages: Packages,
    /// Its kernels, the default first; empty if it has only that.
    #[serde(default)]
    pub kernels: Vec<Version>,
    /// Absolute paths of the programs to install; their shared libraries come along.
    pub programs: Vec<String>,
    /// Absolute paths of the packages' other files to install.
    #[serde(default)]
    pub files: Vec<String>,
    /// What only some scenarios need, by the name of its archive.
    #[serde(default)]
    pub bundles: BTreeMap<String, Bundle>,
    /// How to boot its kernel.
    pub kernel: Kernel,
    /// The guest's device node of the serial line to the harness.
    pub line: String,
    /// What brings up the network, where requested.
    pub network: Network,
    /// How to build the module and our programs for it.
    pub build: Build,
    /// Values for `${...}` in scenarios.
    pub names: BTreeMap<String, String>,
    /// The capabilities that a scenario's `needs:` may name.
    pub capabilities: Vec<String>,
    /// The mutants compiled into its mutants module.
    pub mutants: Vec<String>,
}

/// A requirement on the host.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct HostNeed {
    /// A program's name, or a file's absolute path.
    pub needs: String,
    /// The Debian package that provides it.
    pub package: String,
}

/// A guest's Debian packages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packages {
    /// Debian's code name of the release.
    pub suite: String,
    /// Debian's name of the architecture.
    pub architecture: String,
    /// The meta package that depends on the current kernel image.
    pub kernel: String,
    /// Package names of programs and libraries.
    pub userland: Vec<String>,
    /// The suite of the kernel, if it is not `suite`; from [`Version::suite`].
    #[serde(skip)]
    pub kernel_suite: Option<String>,
    /// From [`Version::tools`].
    #[serde(skip)]
    pub tools: Option<Tools>,
}

impl Packages {
    /// The suites beside `suite` that some of the packages are from.
    pub fn further_suites(&self) -> Vec<&str> {
        let tools = self.tools.as_ref().map(|tools| &tools.suite);
        let further = self.kernel_suite.iter().chain(tools);
        further.map(String::as_str).collect()
    }
}

/// What a kernel's build tools run with, where the host's libraries may be too old for them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// The suite of the libraries.
    pub suite: String,
    /// Their packages, of the host's architecture; the C library is one of them.
    pub libraries: Vec<String>,
}

/// Programs and files beside those of the guest's root.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Further package names.
    pub packages: Vec<String>,
    /// Absolute paths of programs; their shared libraries come along.
    pub programs: Vec<String>,
    /// Absolute paths of other files.
    #[serde(default)]
    pub files: Vec<String>,
}

/// A kernel of a guest, and what it does not share with the guest's default kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Version {
    /// What follows the `@` in the guest's name.
    pub version: String,
    /// The suite that the kernel's packages are from, if it is not that of all packages.
    #[serde(default)]
    pub suite: Option<String>,
    /// What its build tools run with, if not with the host's libraries.
    #[serde(default)]
    pub tools: Option<Tools>,
    /// Modules for /init to load in addition to the guest's.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Values for `${...}` in scenarios, in place of the guest's.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
}

/// How to boot a guest's kernel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kernel {
    /// The form of the kernel that QEMU is given.
    pub image: Form,
    /// Load and entry address of a bare kernel, if not QEMU's default.
    pub load_address: Option<u32>,
    /// File name of the device tree blob in the kernel package.
    pub dtb: Option<String>,
    /// Device-tree nodes to enable, each by path or alias.
    #[serde(default)]
    pub dtb_enable: Vec<String>,
    /// Modules for /init to load; their dependencies come along.
    pub modules: Vec<String>,
    /// Modules that lie in /lib/modules for scenarios to load.
    #[serde(default)]
    pub spare_modules: Vec<String>,
    /// Kernel command line.
    pub append: String,
    /// Whether it has no BTF, so that its debug information is converted.
    #[serde(default)]
    pub convert_types: bool,
}

/// A guest's network, brought up only for an interactive shell.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The interface of the emulated network card.
    pub interface: String,
    /// Further modules for /init to load; their dependencies come along.
    pub modules: Vec<String>,
}

/// The form of a packaged kernel that QEMU is given.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The file as packaged.
    Packaged,
    /// The bare kernel inside a self-extracting image.
    Payload,
}

/// How to build the module and our programs for a guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Build {
    /// The kernel's `ARCH`.
    pub kernel_arch: String,
    /// Prefix of the cross binutils.
    pub cross_compile: String,
    /// The C compiler that built the kernel.
    pub cc: String,
    /// Rust target of the module's Rust half.
    pub module_target: String,
    /// Rust target of user programs.
    pub program_target: String,
    /// How to build programs with shorter words, if its kernel runs such.
    pub compat: Option<Compat>,
}

/// How to build programs whose words are shorter than the kernel's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compat {
    /// The C compiler.
    pub cc: String,
    /// The Rust target.
    pub target: String,
}

impl Build {
    /// The Rust targets.
    pub fn targets(&self) -> Vec<&str> {
        let compat = self.compat.iter().map(|compat| compat.target.as_str());
        let own = [&*self.module_target, &*self.program_target].into_iter();
        own.chain(compat).collect()
    }
}

impl Guest {
    /// Reads and parses `images/<guest>.yaml`; `name` is the guest's, or `<guest>@<version>`.
    pub fn load(name: &str) -> Result<Self> {
        let known = names()?;
        let (file, version) = match name.split_once('@') {
            Some((file, version)) => (file, Some(version)),
            None => (name, None),
        };
        if !known.iter().any(|k| k == file) {
            return Err(Error::UnknownGuest {
                name: name.into(),
                known: known.join(", "),
            });
        }
        let path = file_of(file);
        let text = read(&path)?;
        let guest = Self::parse(file, &text)
            .map_err(|e| Error::Usage(format!("{}: {e}", path.display())))?;
        match version {
            Some(version) => guest.with_kernel(version),
            None => Ok(guest),
        }
    }

    /// The guest with another of its kernels.
    fn with_kernel(mut self, version: &str) -> Result<Self> {
        let mut others = self.kernels.iter().skip(1);
        let Some(chosen) = others.find(|kernel| kernel.version == version) else {
            let known = std::iter::once(self.name.clone()).chain(self.others());
            return Err(Error::UnknownGuest {
                name: format!("{}@{version}", self.name),
                known: known.collect::<Vec<_>>().join(", "),
            });
        };
        self.packages.kernel_suite.clone_from(&chosen.suite);
        self.packages.tools.clone_from(&chosen.tools);
        self.names.extend(chosen.names.clone());
        self.kernel.modules.extend(chosen.modules.clone());
        self.name = format!("{}@{version}", self.name);
        Ok(self)
    }

    /// The names of the guest with its other kernels.
    fn others(&self) -> impl Iterator<Item = String> {
        let versions = self.kernels.iter().skip(1);
        versions.map(|kernel| format!("{}@{}", self.name, kernel.version))
    }

    fn parse(name: &str, text: &[u8]) -> std::result::Result<Self, serde_yaml::Error> {
        let mut guest: Self = serde_yaml::from_slice(text)?;
        guest.name = name.into();
        guest.text = String::from_utf8_lossy(text).into_owned();
        Ok(guest)
    }

    /// Directory of everything built for this guest.
    pub fn dir(&self) -> PathBuf {
        workspace_root().join("target/trapline").join(&self.name)
    }
}

/// The guest of this name, every guest with its default kernel for `all`, or with each of its kernels
/// for `all@all`.
pub fn select(name: &str) -> Result<Vec<Guest>> {
    let names = match name {
        "all" => names()?,
        "all@all" => with_other_kernels()?,
        _ => vec![name.to_owned()],
    };
    names.iter().map(|name| Guest::load(name)).collect()
}

/// Every guest's name, also with its other kernels.
pub fn with_other_kernels() -> Result<Vec<String>> {
    let guests = select("all")?;
    let names = guests.iter().map(|guest| guest.name.clone());
    let others = guests.iter().flat_map(Guest::others);
    Ok(names.chain(others).collect())
}

/// Every guest's name, sorted.
pub fn names() -> Result<Vec<String>> {
    let dir = workspace_root().join("images");
    let mut names = Vec::new();
    for entry in fs::read_dir(&dir).at("list", &dir)? {
        let path = entry.at("list", &dir)?.path();
        if path.extension().is_some_and(|e| e == "yaml") {
            names.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Path of a guest's description.
pub fn file_of(name: &str) -> PathBuf {
    workspace_root().join("images").join(format!("{name}.yaml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guest_in_the_tree_reads() {
        let guests = select("all").unwrap();
        assert!(guests.iter().any(|g| g.name == "armv6"));
        let all = select("all@all").unwrap();
        assert!(all.len() > guests.len());
        assert!(all.iter().any(|g| g.name == "x86_64@6.12"));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_column() {
        let text = fs::read_to_string(file_of("armv6")).unwrap();
        let text = text.replace("memory: 512M", "memry: 512M");
        let line = 1 + text.lines().position(|l| l.starts_with("memry")).unwrap();
        let error = Guest::parse("armv6", text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains("memry"), "{error}");
        assert!(
            error.contains(&format!("at line {line} column 1")),
            "{error}"
        );
    }

    #[test]
    fn another_kernel_changes_the_name_the_suite_and_some_names() {
        let text = fs::read_to_string(file_of("armv6")).unwrap();
        let kernels = "kernels:\n  - { version: \"1\" }\n  - { version: \"2\", suite: newer, names: { vectors: v } }\n";
        let (before, after) = text.split_once("kernels:\n").unwrap();
        let (_, after) = after.split_once("\nkernel:\n").unwrap();
        let text = format!("{before}{kernels}kernel:\n{after}");
        let guest = || Guest::parse("armv6", text.as_bytes()).unwrap();
        let other = guest().with_kernel("2").unwrap();
        assert_eq!(other.name, "armv6@2");
        assert_eq!(other.packages.kernel_suite.as_deref(), Some("newer"));
        assert_eq!(other.names["vectors"], "v");
        assert_eq!(other.names["syscall.chdir"], guest().names["syscall.chdir"]);
        assert!(other.dir().ends_with("armv6@2"));
        let unknown = guest().with_kernel("3").unwrap_err().to_string();
        assert!(
            unknown.contains("`armv6@3`") && unknown.contains("armv6, armv6@2"),
            "{unknown}"
        );
    }

    #[test]
    fn every_kernel_in_the_tree_loads_by_its_name() {
        for guest in select("all").unwrap() {
            for name in guest.others() {
                assert_eq!(Guest::load(&name).unwrap().name, name);
            }
        }
    }

    #[test]
    fn an_unknown_guest_is_refused_with_the_known_names() {
        let text = Guest::load("vax").unwrap_err().to_string();
        assert!(text.contains("`vax`") && text.contains("armv6"), "{text}");
    }
}
