//! Locates the archive of the guests' packages, Debian's or Ubuntu's, whatever distribution the host runs.

use std::env;
use std::fs;

use xshell::cmd;

use crate::error::{Error, Result};
use crate::run;

/// What depends on whose archive it is.
struct Distribution {
    name: &'static str,
    /// The file of the keys that sign it, and the package that has it.
    keyring: (&'static str, &'static str),
    components: &'static str,
    /// The environment variable that overrides the mirror.
    variable: &'static str,
    /// Where security updates are.
    security: Security,
    /// python-apt's list of mirrors, under its current name and the one before 3.0. Comes with
    /// [`TEMPLATES_PACKAGE`], which Ubuntu installs by default.
    templates: [&'static str; 2],
    /// What precedes the address of the main one there.
    template: &'static str,
}

enum Security {
    /// In another archive, beside the main one unless the host's sources have it.
    Sibling(&'static str),
    SameArchive,
}

const DEBIAN: Distribution = Distribution {
    name: "Debian",
    keyring: (
        "/usr/share/keyrings/debian-archive-keyring.gpg",
        "debian-archive-keyring",
    ),
    components: "main",
    variable: "TRAPLINE_ARCHIVE",
    security: Security::Sibling("debian-security"),
    templates: [
        "/usr/share/python-apt/templates/debian.info",
        "/usr/share/python-apt/templates/Debian.info",
    ],
    template: "BaseURI:",
};

/// Its archive for x86-64.
const UBUNTU: Distribution = Distribution {
    name: "Ubuntu",
    keyring: (
        "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
        "ubuntu-keyring",
    ),
    components: "main universe",
    variable: "TRAPLINE_UBUNTU_ARCHIVE",
    security: Security::SameArchive,
    templates: [
        "/usr/share/python-apt/templates/ubuntu.info",
        "/usr/share/python-apt/templates/Ubuntu.info",
    ],
    template: "BaseURI-amd64:",
};

/// The releases of Ubuntu that are used; others are Debian's.
const UBUNTU_RELEASES: [&str; 1] = ["noble"];

fn distribution(suite: &str) -> &'static Distribution {
    match UBUNTU_RELEASES.contains(&suite) {
        true => &UBUNTU,
        false => &DEBIAN,
    }
}

/// The file of the keys that sign a suite's archive, and the package that has it.
pub fn keyring(suite: &str) -> (&'static str, &'static str) {
    distribution(suite).keyring
}

/// The package that provides python-apt's lists of mirrors.
pub const TEMPLATES_PACKAGE: &str = "python-apt-common";

/// A release on a mirror.
#[derive(Debug, PartialEq, Eq)]
pub struct Archive {
    suite: String,
    /// URL of the archive.
    pub main: String,
    /// URL of its security updates.
    security: String,
    /// Further suites, which only some packages are from.
    further: Vec<String>,
}

impl Archive {
    /// The archive of a suite: the variable's, else the mirror that the host's own sources
    /// have for this suite, else the first one that python-apt lists.
    pub fn locate(suite: &str) -> Option<Self> {
        let distribution = distribution(suite);
        let sources = Source::of_host();
        let of_suite = |suite: &str| sources.iter().find(|s| s.suite == suite).map(Source::url);
        let named = env::var(distribution.variable).ok();
        let named = named.filter(|url| !url.is_empty());
        let own_security = named
            .is_none()
            .then(|| of_suite(&format!("{suite}-security")));
        let from_template = || of_templates(distribution);
        let main = named.or_else(|| of_suite(suite)).or_else(from_template)?;
        Some(Self::at(suite, &main, own_security.flatten()))
    }

    /// As [`Self::locate`], with an error that says how to provide one.
    pub fn require(suite: &str) -> Result<Self> {
        let Distribution { name, variable, .. } = distribution(suite);
        Self::locate(suite).ok_or_else(|| Error::Host {
            missing: what(suite),
            fix: format!(
                "apt-get install {TEMPLATES_PACKAGE}, or export {variable}=<URL of a mirror of {name}>"
            ),
        })
    }

    /// The security archive defaults to the distribution's own place.
    pub fn at(suite: &str, main: &str, security: Option<String>) -> Self {
        let main = main.trim_end_matches('/');
        let default = || match distribution(suite).security {
            Security::Sibling(name) => {
                let parent = main.strip_suffix("/debian").unwrap_or(main);
                format!("{parent}/{name}")
            }
            Security::SameArchive => main.to_owned(),
        };
        Self {
            suite: suite.into(),
            main: main.into(),
            security: security.unwrap_or_else(default),
            further: Vec::new(),
        }
    }

    /// The same archive, with suites that only some packages are from.
    pub fn with_suites(self, further: &[&str]) -> Self {
        Self {
            further: further.iter().map(|&suite| suite.to_owned()).collect(),
            ..self
        }
    }

    /// A `sources.list` of only this archive: main, updates and security, and the further suites.
    pub fn source_list(&self) -> String {
        let Self {
            suite,
            main,
            security,
            further,
        } = self;
        let Distribution {
            keyring: (keyring, _),
            components,
            ..
        } = distribution(suite);
        let line = |url: &str, suite: &str| {
            format!("deb [signed-by={keyring}] {url} {suite} {components}\n")
        };
        let further = further.iter().map(|suite| line(main, suite)).collect();
        [
            line(main, suite),
            line(main, &format!("{suite}-updates")),
            line(security, &format!("{suite}-security")),
            further,
        ]
        .concat()
    }

    /// An apt preferences file: what the further suites have is taken only by name.
    pub fn preferences(&self) -> String {
        let pin = |suite| format!("Package: *\nPin: release n={suite}\nPin-Priority: 1\n\n");
        self.further.iter().map(pin).collect()
    }
}

/// A description of the archive, for the message that the host has none.
pub fn what(suite: &str) -> String {
    let name = distribution(suite).name;
    format!("an address of {name}'s archive, for the guests' packages ({suite})")
}

/// An entry of the host's own apt sources.
struct Source {
    url: String,
    suite: String,
}

impl Source {
    /// The entries that apt uses; none on a host without apt.
    fn of_host() -> Vec<Self> {
        let list = || {
            let sh = run::shell()?;
            let format = "$(REPO_URI) $(RELEASE)";
            run::read(cmd!(
                sh,
                "apt-get indextargets --format {format} 'Identifier: Packages'"
            ))
        };
        list()
            .unwrap_or_default()
            .lines()
            .filter_map(Self::read)
            .collect()
    }

    fn read(line: &str) -> Option<Self> {
        let (url, suite) = line.trim().split_once(' ')?;
        Some(Self {
            url: url.into(),
            suite: suite.into(),
        })
    }

    fn url(&self) -> String {
        self.url.trim_end_matches('/').to_owned()
    }
}

fn of_templates(distribution: &Distribution) -> Option<String> {
    let mut files = distribution.templates.iter();
    let templates = files.find_map(|path| fs::read_to_string(path).ok())?;
    first_archive(&templates, distribution.template)
}

/// The first archive in a template file, which has stanzas of `Name: value` lines.
fn first_archive(templates: &str, name: &str) -> Option<String> {
    let archive = |line: &str| Some(line.strip_prefix(name)?.trim().to_owned());
    templates.lines().find_map(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_security_archive_defaults_to_a_sibling() {
        let archive = Archive::at("bookworm", "http://mirror.example/debian/", None);
        let keys = DEBIAN.keyring.0;
        assert_eq!(
            archive.source_list(),
            format!(
                "deb [signed-by={keys}] http://mirror.example/debian bookworm main\n\
                 deb [signed-by={keys}] http://mirror.example/debian bookworm-updates main\n\
                 deb [signed-by={keys}] http://mirror.example/debian-security bookworm-security main\n"
            )
        );
    }

    #[test]
    fn ubuntu_has_its_updates_in_one_archive() {
        let archive = Archive::at("noble", "http://mirror.example/ubuntu/", None);
        let list = archive.source_list();
        let keys = UBUNTU.keyring.0;
        let security = format!(
            "deb [signed-by={keys}] http://mirror.example/ubuntu noble-security main universe\n"
        );
        assert!(list.ends_with(&security), "{list}");
    }

    #[test]
    fn further_suites_are_on_the_same_mirror_and_taken_only_by_name() {
        let archive = Archive::at("bookworm", "http://mirror.example/debian", None);
        assert_eq!(archive.preferences(), "");
        let archive = archive.with_suites(&["bookworm-backports", "trixie"]);
        let list = archive.source_list();
        assert_eq!(list.lines().count(), 5);
        assert!(list.contains("http://mirror.example/debian bookworm-backports main\n"));
        let pinned = archive.preferences();
        assert!(
            pinned.contains("Pin: release n=trixie\nPin-Priority: 1\n"),
            "{pinned}"
        );
        assert_eq!(pinned.matches("Package: *\n").count(), 2);
    }

    #[test]
    fn the_hosts_security_archive_is_used_unchanged() {
        let own = Some("http://other.example/s".to_owned());
        let archive = Archive::at("bookworm", "http://mirror.example/debian", own);
        assert!(
            archive
                .source_list()
                .contains("http://other.example/s bookworm-security")
        );
    }

    #[test]
    fn a_source_is_its_url_and_its_suite() {
        let source = Source::read("http://mirror.example/debian/ bookworm").unwrap();
        assert_eq!(source.url(), "http://mirror.example/debian");
        assert_eq!(source.suite, "bookworm");
        assert!(Source::read("").is_none());
    }

    #[test]
    fn the_first_archive_in_the_templates_is_used() {
        let templates = "X: y\n\nSuite: a\nBaseURI: http://one.example/debian/\n\nBaseURI: http://two.example\n";
        assert_eq!(
            first_archive(templates, "BaseURI:").as_deref(),
            Some("http://one.example/debian/")
        );
        assert_eq!(first_archive("Suite: a\n", "BaseURI:"), None);
    }
}
