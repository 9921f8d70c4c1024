//! Access to Debian's packages through a private apt root with its own sources: needs no root,
//! changes nothing on the host, and leaves checking signatures and hashes to apt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use xshell::{Shell, cmd};

use crate::error::{At, Error, Result};
use crate::files;
use crate::image::archive::Archive;
use crate::progress::{Step, say};
use crate::run;

/// Delay before each try; a mirror may be in the middle of a sync.
const PATIENCE: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(5),
    Duration::from_secs(20),
];

/// A package in one version for one architecture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The architecture it was looked up for, also if the package itself is `all`.
    pub architecture: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of the .deb, from the signed index.
    pub sha256: String,
    /// Names of the dependencies: no versions, and the first of alternatives only.
    pub depends: Vec<String>,
}

/// A private apt root for one guest.
pub struct Apt {
    dir: PathBuf,
    config: PathBuf,
    archive: Archive,
    sh: Shell,
}

impl Apt {
    /// Lays out the root in `dir`. The guest's architecture comes first.
    pub fn new(dir: &Path, archive: Archive, architectures: &[&str]) -> Result<Self> {
        for part in ["state/lists/partial", "cache/archives/partial"] {
            files::create_dir(&dir.join(part))?;
        }
        let config = dir.join("apt.conf");
        files::write(&config, configuration(dir, architectures).as_bytes())?;
        files::write(&dir.join("sources.list"), archive.source_list().as_bytes())?;
        files::write(&dir.join("preferences"), archive.preferences().as_bytes())?;
        let sh = run::shell()?;
        sh.set_var("LC_ALL", "C");
        sh.set_var("DEBIAN_FRONTEND", "noninteractive");
        Ok(Self {
            dir: dir.to_path_buf(),
            config,
            archive,
            sh,
        })
    }

    /// Looks up `name:architecture`s, or `name:architecture/suite`s, in an index that is fetched first, and again with growing
    /// delays while one is missing.
    pub fn look_up(&self, step: &Step, wanted: &[String]) -> Result<Vec<Package>> {
        let mut missing = Error::Package("no package was requested".into());
        for pause in PATIENCE {
            sleep(pause);
            // A source that no guest needs may fail; the look-up decides.
            let updated = self.update(step);
            match self.show(wanted) {
                Ok(packages) => {
                    if let Err(error) = updated {
                        say!(
                            "{error}\nnot every source could be reached; continuing with the known package lists"
                        );
                    }
                    return Ok(packages);
                }
                Err(error) => missing = updated.err().unwrap_or(error),
            }
        }
        Err(missing)
    }

    /// As [`Self::look_up`], but in the index as last fetched.
    pub fn show(&self, wanted: &[String]) -> Result<Vec<Package>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let config = &self.config;
        let show = cmd!(
            self.sh,
            "apt-cache -c={config} show --no-all-versions {wanted...}"
        );
        // It fails with no output if it knows none of the packages.
        let text = run::read(show.ignore_status())?;
        let known: Vec<Package> = text.split("\n\n").filter_map(parse_stanza).collect();
        wanted
            .iter()
            .map(|w| pick(&known, w, &self.archive))
            .collect()
    }

    fn update(&self, step: &Step) -> Result<()> {
        let config = &self.config;
        let update = cmd!(self.sh, "apt-get -c={config} update");
        run::quietly(step, update).map_err(|e| self.in_short(e))
    }

    /// Downloads all of the packages into a directory with one call of apt.
    pub fn download(&self, step: &Step, packages: &[&Package], into: &Path) -> Result<()> {
        let config = &self.config;
        let names = packages
            .iter()
            .map(|p| format!("{}:{}={}", p.name, p.architecture, p.version));
        let _dir = self.sh.push_dir(into);
        let download = cmd!(self.sh, "apt-get -c={config} download {names...}");
        run::quietly(step, download).map_err(|e| self.in_short(e))
    }

    /// Reduces apt's output to its errors, and turns a full disk into [`Error::File`].
    fn in_short(&self, error: Error) -> Error {
        let Error::Command { status, output, .. } = error else {
            return error;
        };
        if output.contains("No space left on device") {
            let source = io::Error::from(io::ErrorKind::StorageFull);
            return Error::File {
                doing: "write in",
                path: self.dir.clone(),
                source,
            };
        }
        let errors = output.lines().filter(|l| l.starts_with("E:"));
        let output = errors.flat_map(|l| [l, "\n"]).collect();
        Error::Command {
            command: "apt-get".into(),
            status,
            output,
        }
    }
}

/// dpkg's architecture of the host.
pub fn host_architecture() -> Result<String> {
    let sh = run::shell()?;
    Ok(run::read(cmd!(sh, "dpkg --print-architecture"))?
        .trim()
        .to_owned())
}

/// The apt.conf that makes the root private. The host's hooks are cleared, since they act on the
/// host's own root.
fn configuration(dir: &Path, architectures: &[&str]) -> String {
    let dir = dir.display();
    let first = architectures.first().unwrap_or(&"");
    let all: String = architectures.iter().map(|a| format!(" \"{a}\";")).collect();
    format!(
        r#"Dir::State "{dir}/state";
Dir::State::status "/dev/null";
Dir::Etc::sourcelist "{dir}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "{dir}/preferences";
Dir::Etc::preferencesparts "/dev/null";
Dir::Cache "{dir}/cache";
APT::Architecture "{first}";
#clear APT::Architectures;
APT::Architectures {{{all} }};
APT::Sandbox::User "root";
Debug::NoLocking "1";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"#
    )
}

fn pick(known: &[Package], wanted: &str, archive: &Archive) -> Result<Package> {
    let (wanted, _suite) = wanted.split_once('/').unwrap_or((wanted, ""));
    let (name, architecture) = wanted.split_once(':').unwrap_or((wanted, ""));
    let fits =
        |p: &&Package| p.name == name && [architecture, "all"].contains(&p.architecture.as_str());
    let mut package = known.iter().find(fits).cloned().ok_or_else(|| {
        Error::Package(format!(
            "no package {name} for {architecture} at {} (TRAPLINE_ARCHIVE=<URL> names another mirror of Debian)",
            archive.main
        ))
    })?;
    package.architecture = architecture.into();
    Ok(package)
}

/// Parses a stanza of the index; `None` unless it describes a package.
fn parse_stanza(stanza: &str) -> Option<Package> {
    let field = |name: &str| {
        let found = stanza
            .lines()
            .find_map(|l| l.strip_prefix(name)?.strip_prefix(':'));
        found.map(|v| v.trim().to_owned())
    };
    Some(Package {
        name: field("Package")?,
        architecture: field("Architecture")?,
        version: field("Version")?,
        sha256: field("SHA256")?,
        depends: field("Depends")
            .map(|d| dependency_names(&d))
            .unwrap_or_default(),
    })
}

/// `a (= 1), b:any | c` gives `a`, `b`.
fn dependency_names(field: &str) -> Vec<String> {
    let first_word = |d: &str| {
        let word = d.trim().split([' ', '|', ':', '(']).next();
        word.unwrap_or_default().to_owned()
    };
    field
        .split(',')
        .map(first_word)
        .filter(|d| !d.is_empty())
        .collect()
}

/// The files in a download directory.
pub fn downloaded(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).at("list", dir)?;
    let paths = entries.map(|e| Ok(e.at("list", dir)?.path()));
    paths
        .filter(|p| !matches!(p, Ok(p) if !p.is_file()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "\
Package: linux-image-x
Version: 6.1.2-1
Architecture: armel
Depends: linux-image-6.1.0-2-x (= 6.1.2-1), kmod:any | modutils
Description: first line
 SHA256: not a field
SHA256: 00aa

Package: common
Version: 1
Architecture: all
SHA256: 11bb
";

    fn archive() -> Archive {
        Archive::at("bookworm", "http://mirror.example/debian", None)
    }

    fn known() -> Vec<Package> {
        INDEX.split("\n\n").filter_map(parse_stanza).collect()
    }

    #[test]
    fn a_stanza_gives_version_hash_and_bare_dependencies() {
        let package = pick(&known(), "linux-image-x:armel", &archive()).unwrap();
        assert_eq!(
            (package.version.as_str(), package.sha256.as_str()),
            ("6.1.2-1", "00aa")
        );
        assert_eq!(package.depends, ["linux-image-6.1.0-2-x", "kmod"]);
    }

    #[test]
    fn an_architecture_independent_package_matches_any() {
        assert_eq!(
            pick(&known(), "common:armel", &archive())
                .unwrap()
                .architecture,
            "armel"
        );
    }

    #[test]
    fn only_apts_errors_are_passed_on() {
        let dir = tempfile::tempdir().unwrap();
        let apt = Apt::new(dir.path(), archive(), &["armel"]).unwrap();
        let failed = |output: &str| {
            let output = output.into();
            apt.in_short(Error::Command {
                command: "apt-get".into(),
                status: "1".into(),
                output,
            })
            .to_string()
        };
        assert_eq!(
            failed("Get:1 x\nE: gone\n"),
            "E: gone\n`apt-get` failed (1)"
        );
        assert!(failed("Err: write (28: No space left on device)\n").contains("disk is full"));
    }

    #[test]
    fn a_missing_package_is_named_with_its_architecture() {
        let text = pick(&known(), "linux-image-x:mips", &archive())
            .unwrap_err()
            .to_string();
        assert!(text.contains("linux-image-x for mips"), "{text}");
    }
}
