//! Where guests' packages come from: Debian's archive, whatever distribution the host runs.

use std::env;
use std::fs;

use xshell::cmd;

use crate::error::{Error, Result};
use crate::run;

/// The keys that sign Debian's archive; from the package `debian-archive-keyring`.
pub const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Names a mirror of Debian's archive, before anything else does.
const VARIABLE: &str = "TRAPLINE_ARCHIVE";

/// The archives that python-apt knows for Debian, by the file's name of today and of before 3.0; from
/// [`TEMPLATES_PACKAGE`], which Ubuntu installs by default.
const TEMPLATES: [&str; 2] = [
    "/usr/share/python-apt/templates/debian.info",
    "/usr/share/python-apt/templates/Debian.info",
];

/// The package that brings [`TEMPLATES`].
pub const TEMPLATES_PACKAGE: &str = "python-apt-common";

/// One release of Debian, and where it is served.
#[derive(Debug, PartialEq, Eq)]
pub struct Archive {
    suite: String,
    /// URL of the archive.
    pub main: String,
    /// URL of its security updates.
    security: String,
}

impl Archive {
    /// The archive of a suite: `$TRAPLINE_ARCHIVE`, else the mirror that the host's own sources name for
    /// this suite, else the one that python-apt lists first; none where nothing names one.
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

    /// As [`Self::locate`], but that there is none is an error with the way out.
    pub fn require(suite: &str) -> Result<Self> {
        Self::locate(suite).ok_or_else(|| Error::Host {
            missing: what(suite),
            mend: format!(
                "apt-get install {TEMPLATES_PACKAGE}, or export {VARIABLE}=<URL of a mirror of Debian>"
            ),
        })
    }

    /// Security updates stand beside the archive where nothing says otherwise.
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
        }
    }

    /// The lines of a `sources.list` that has this archive and nothing else.
    pub fn source_list(&self) -> String {
        let Self {
            suite,
            main,
            security,
        } = self;
        let line =
            |url: &str, suite: &str| format!("deb [signed-by={KEYRING}] {url} {suite} main\n");
        [
            line(main, suite),
            line(main, &format!("{suite}-updates")),
            line(security, &format!("{suite}-security")),
        ]
        .concat()
    }
}

/// What a host lacks that has no archive, for people.
pub fn what(suite: &str) -> String {
    format!("an address of Debian's archive, for the guests' packages ({suite})")
}

/// A line of the host's own apt sources.
struct Source {
    url: String,
    suite: String,
}

impl Source {
    /// Those that apt reads; none where there is no apt.
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

/// The first archive of a template file: stanzas of `Name: value` lines.
fn first_archive(templates: &str) -> Option<String> {
    let archive = |line: &str| Some(line.strip_prefix("BaseURI:")?.trim().to_owned());
    templates.lines().find_map(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_updates_stand_beside_the_archive() {
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
    fn the_hosts_own_security_updates_are_taken_as_they_are() {
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
    fn the_first_archive_of_the_templates_counts() {
        let templates = "X: y\n\nSuite: a\nBaseURI: http://one.example/debian/\n\nBaseURI: http://two.example\n";
        assert_eq!(
            first_archive(templates).as_deref(),
            Some("http://one.example/debian/")
        );
        assert_eq!(first_archive("Suite: a\n"), None);
    }
}
