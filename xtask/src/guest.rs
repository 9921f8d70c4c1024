//! The guests: one `images/<name>.yaml` each, and everything that differs from guest to guest
//! stands there.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::error::{At, Error, Result};
use crate::files::{read, workspace_root};

/// A guest as its file describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Guest {
    /// The file's name without `.yaml`.
    #[serde(skip)]
    pub name: String,
    /// All that its file says.
    #[serde(skip)]
    pub text: String,
    /// Key of the harness's machine table.
    pub machine: String,
    /// Size of the guest's memory, as QEMU takes it.
    pub memory: String,
    /// How many processors it boots with.
    pub cpus: u32,
    /// What the host must have for this guest.
    pub host: Vec<HostNeed>,
    /// What comes from the distribution.
    pub packages: Packages,
    /// Absolute paths of the programs to put in, with the libraries they need.
    pub programs: Vec<String>,
    /// How its kernel is booted.
    pub kernel: Kernel,
    /// The device in it at whose other end the harness is.
    pub line: String,
    /// What brings its network up, where that is asked for.
    pub network: Network,
    /// How our parts are built for it.
    pub build: Build,
    /// Values for `${...}` in scenarios.
    pub names: BTreeMap<String, String>,
    /// What a scenario's `needs:` may ask of it.
    pub capabilities: Vec<String>,
    /// The seeded defects that its module with mutants knows.
    pub mutants: Vec<String>,
}

/// One thing to look for on the host.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct HostNeed {
    /// A program by name, or a file by absolute path.
    pub needs: String,
    /// The Debian package that brings it.
    pub package: String,
}

/// The distribution's packages for a guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packages {
    /// The release of Debian, by its code name.
    pub suite: String,
    /// Debian's name of the architecture.
    pub architecture: String,
    /// The meta package that depends on the current kernel.
    pub kernel: String,
    /// Programs and libraries, by package name.
    pub userland: Vec<String>,
}

/// How a guest's kernel is booted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kernel {
    /// What of the packaged image QEMU is given.
    pub image: Form,
    /// Where a bare kernel is loaded and entered, if QEMU would put it elsewhere.
    pub load_address: Option<u32>,
    /// File name of the device tree in the kernel package.
    pub dtb: Option<String>,
    /// Nodes of the device tree to enable, each by its path or an alias.
    #[serde(default)]
    pub dtb_enable: Vec<String>,
    /// Modules for /init to load; those they depend on come along.
    pub modules: Vec<String>,
    /// The kernel's command line.
    pub append: String,
}

/// A guest's network, which only a shell in it takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The interface that appears when the network card is found.
    pub interface: String,
    /// Modules for /init to load for it; those they depend on come along.
    pub modules: Vec<String>,
}

/// What of a kernel's packaged image QEMU is given.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The file as it is.
    Packaged,
    /// The kernel inside a file that would unpack itself.
    Payload,
}

/// How our module and programs are built for a guest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Build {
    /// The kernel's own name of the architecture.
    pub kernel_arch: String,
    /// Prefix of the cross binutils.
    pub cross_compile: String,
    /// The C compiler the kernel was built with.
    pub cc: String,
    /// Rust target of what goes into the kernel module.
    pub module_target: String,
    /// Rust target of programs.
    pub program_target: String,
}

impl Guest {
    /// Reads one guest's file.
    pub fn load(name: &str) -> Result<Self> {
        let known = names()?;
        if !known.iter().any(|k| k == name) {
            return Err(Error::UnknownGuest {
                name: name.into(),
                known: known.join(", "),
            });
        }
        let path = file_of(name);
        let text = read(&path)?;
        Self::parse(name, &text).map_err(|e| Error::Usage(format!("{}: {e}", path.display())))
    }

    fn parse(name: &str, text: &[u8]) -> std::result::Result<Self, serde_yaml::Error> {
        let mut guest: Self = serde_yaml::from_slice(text)?;
        guest.name = name.into();
        guest.text = String::from_utf8_lossy(text).into_owned();
        Ok(guest)
    }

    /// Where everything built for this guest is kept.
    pub fn dir(&self) -> PathBuf {
        workspace_root().join("target/trapline").join(&self.name)
    }
}

/// The guest with this name, or all of them for `all`.
pub fn select(name: &str) -> Result<Vec<Guest>> {
    if name == "all" {
        return names()?.iter().map(|n| Guest::load(n)).collect();
    }
    Ok(vec![Guest::load(name)?])
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

/// The file that describes a guest.
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
    fn an_unknown_guest_is_told_which_there_are() {
        let text = Guest::load("vax").unwrap_err().to_string();
        assert!(text.contains("`vax`") && text.contains("armv6"), "{text}");
    }
}
