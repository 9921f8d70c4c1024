//! Locates the archive of the guests' packages: Debian's, whatever distribution the host runs.

use std::env;
use std::fs;

use xshell::cmd;

use crate::error::{Error, Result};
use crate::run;

/// The keys that sign Debian's archive, from the package `debian-archive-keyring`.
pub const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Overrides the mirror.
const VARIABLE: &str = "TRAPLINE_ARCHIVE";

/// python-apt's list of Debian mirrors, under its current name and the one before 3.0. Comes with
/// [`TEMPLATES_PACKAGE`], which Ubuntu installs by default.
const TEMPLATES: [&str; 2] = [
    "/usr/share/python-apt/templates/debian.info",
    "/usr/share/python-apt/templates/Debian.info",
];

/// The package that provides [`TEMPLATES`].
pub const TEMPLATES_PACKAGE: &str = "python-apt-common";

/// A release of Debian on a mirror.
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
    /// The archive of a suite: `$TRAPLINE_ARCHIVE`, else the mirror that the host's own sources
    /// have for this suite, else the first one that python-apt lists.
    pub fn locate(suite: &str) -> Option<Self> {
        let sources = Source::of_host();
        let of_suite = |suite: &str| sources.iter().find(|s| s.suite == suite).map(Source::url);
        let named = env::var(VARIABLE).ok().filter(|url| !url.is_empty());
        let own_security = named
            .is_none()
            .then(|| of_suite(&format!("{suite}-security")));
        let main = named.or_else(|| of_suite(suite)).or_else(of_templates)?;
        Some(Self::at(suite, &main, own_security.flatten()))
    }

    /// As [`Self::locate`], with an error that says how to provide one.
    pub fn require(suite: &str) -> Result<Self> {
        Self::locate(suite).ok_or_else(|| Error::Host {
            missing: what(suite),
            fix: format!(
                "apt-get install {TEMPLATES_PACKAGE}, or export {VARIABLE}=<URL of a mirror of Debian>"
            ),
        })
    }

    /// The security archive defaults to the sibling `debian-security` of `main`.
    pub fn at(suite: &str, main: &str, security: Option<String>) -> Self {
        let main = main.trim_end_matches('/');
        let beside = || {
            let parent = main.strip_suffix("/debian").unwrap_or(main);
            format!("{parent}/debian-security")
        };
        Self {
            suite: suite.into(),
            main: main.into(),
            security: security.unwrap_or_else(beside),
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
        let line =
            |url: &str, suite: &str| format!("deb [signed-by={KEYRING}] {url} {suite} main\n");
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
    format!("an address of Debian's archive, for the guests' packages ({suite})")
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

fn of_templates() -> Option<String> {
    let templates = TEMPLATES
        .iter()
        .find_map(|path| fs::read_to_string(path).ok())?;
    first_archive(&templates)
}

/// The first archive in a template file, which has stanzas of `Name: value` lines.
fn first_archive(templates: &str) -> Option<String> {
    let archive = |line: &str| Some(line.strip_prefix("BaseURI:")?.trim().to_owned());
    templates.lines().find_map(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_security_archive_defaults_to_a_sibling() {
        let archive = Archive::at("bookworm", "http://mirror.example/debian/", None);
        assert_eq!(
            archive.source_list(),
            format!(
                "deb [signed-by={KEYRING}] http://mirror.example/debian bookworm main\n\
                 deb [signed-by={KEYRING}] http://mirror.example/debian bookworm-updates main\n\
                 deb [signed-by={KEYRING}] http://mirror.example/debian-security bookworm-security main\n"
            )
        );
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
            first_archive(templates).as_deref(),
            Some("http://one.example/debian/")
        );
        assert_eq!(first_archive("Suite: a\n"), None);
    }
}
