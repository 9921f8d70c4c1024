//! Reviewed output: compared here, stored in insta's format, reviewed with `cargo insta`.
//!
//! insta's assertions panic and print, but a verdict needs a value. So the files are read and
//! written here, and a test checks that insta reads the same from them.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use similar::TextDiff;

use crate::atomic_write;
use crate::error::HostError;

/// A snapshot file and its header.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The `.snap` file.
    pub path: PathBuf,
    /// The scenario's file, relative to the workspace.
    pub source: String,
    /// The scenario's claim.
    pub asserts: String,
}

/// What to do with a text that is not the reviewed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Write it to `.snap.new` for review.
    Propose,
    /// Make it the reviewed one.
    Accept,
    /// Accept it if there is no snapshot yet, else propose it.
    AcceptUnseen,
    /// Write nothing, and compare only with a text that this run has accepted: an older one is
    /// about to be replaced.
    OnlyAccepted,
    /// Write nothing.
    Nothing,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// Equal to the reviewed text.
    Same,
    /// Written as the reviewed text, as [`Update`] asked.
    Accepted,
    /// Different.
    Differs {
        /// Unified diff, from the snapshot to the text.
        diff: String,
    },
    /// There is no snapshot to compare with.
    Unseen,
}

impl Update {
    /// The mode that `INSTA_UPDATE` and `CI` select, as insta reads them.
    pub fn from_environment() -> Self {
        let is_ci = env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false");
        Self::from_words(env::var("INSTA_UPDATE").ok().as_deref(), is_ci)
    }

    fn from_words(word: Option<&str>, is_ci: bool) -> Self {
        match word {
            // In CI, nobody would review what is accepted.
            Some("always" | "force" | "unseen") if is_ci => Self::Nothing,
            Some("always" | "force") => Self::Accept,
            Some("unseen") => Self::AcceptUnseen,
            Some("new") => Self::Propose,
            Some("no") => Self::Nothing,
            _ if is_ci => Self::Nothing,
            _ => Self::Propose,
        }
    }

    /// Whether a text can be accepted without a review.
    pub fn is_accepting(self) -> bool {
        matches!(self, Self::Accept | Self::AcceptUnseen)
    }

    /// The mode for the control run of a scenario's mutants, which must print the scenario's own
    /// text.
    pub fn for_control(self) -> Self {
        match self {
            Self::Accept => Self::OnlyAccepted,
            _ => Self::Nothing,
        }
    }

    fn is_writing(self) -> bool {
        !matches!(self, Self::Nothing | Self::OnlyAccepted)
    }

    fn accepts(self, is_unseen: bool) -> bool {
        self == Self::Accept || (self == Self::AcceptUnseen && is_unseen)
    }
}

/// Snapshots that this process has accepted. Guests share a snapshot: if each replaced it with its
/// own text, the last one would remain and all would pass.
static ACCEPTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

impl Snapshot {
    /// Compares `text` and writes what `update` asks for. What one job of this run has accepted, no
    /// other job replaces.
    pub fn compare(&self, text: &str, update: Update) -> Result<Comparison, HostError> {
        let mut accepted = ACCEPTED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_accepted = accepted.contains(&self.path);
        if update == Update::OnlyAccepted && !is_accepted {
            return Ok(Comparison::Unseen);
        }
        let update = match update {
            Update::Accept if is_accepted => Update::Propose,
            update => update,
        };
        let compared = self.compare_alone(text.trim_end(), update)?;
        if update == Update::Accept || compared == Comparison::Accepted {
            accepted.insert(self.path.clone());
        }
        Ok(compared)
    }

    fn compare_alone(&self, text: &str, update: Update) -> Result<Comparison, HostError> {
        let reviewed = read(&self.path)?;
        if reviewed.as_deref() == Some(text) {
            if update.is_writing() {
                self.retire(text)?;
            }
            return Ok(Comparison::Same);
        }
        if update.accepts(reviewed.is_none()) {
            self.write(&self.path, text)?;
            self.retire(text)?;
            return Ok(Comparison::Accepted);
        }
        if update.is_writing() {
            self.write(&self.pending(), text)?;
        }
        Ok(match reviewed {
            Some(old) => Comparison::Differs {
                diff: diff(&old, text),
            },
            None => Comparison::Unseen,
        })
    }

    /// The file that waits for review.
    pub fn pending(&self) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(".new");
        path.into()
    }

    /// Removes the file that waits for review if it has this text; any other is not ours.
    fn retire(&self, text: &str) -> Result<(), HostError> {
        match read(&self.pending())? {
            Some(waiting) if waiting == text => remove(&self.pending()),
            _ => Ok(()),
        }
    }

    fn write(&self, path: &Path, text: &str) -> Result<(), HostError> {
        let file = format!(
            "---\nsource: {}\ndescription: {}\n---\n{text}\n",
            quoted(&self.source),
            quoted(&self.asserts)
        );
        atomic_write::replace(path, &file).map_err(HostError::file("write", path))
    }
}

/// The body of a snapshot file, `None` if there is no file.
fn read(path: &Path) -> Result<Option<String>, HostError> {
    match fs::read_to_string(path) {
        Ok(file) => Ok(Some(body(&file).trim_end().to_owned())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(HostError::file("read", path)(e)),
    }
}

/// What follows the header.
fn body(file: &str) -> &str {
    file.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(file, |(_, body)| body)
}

/// Quotes for YAML; every JSON string is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn remove(path: &Path) -> Result<(), HostError> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(HostError::file("remove", path)(e)),
        _ => Ok(()),
    }
}

fn diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(3)
        .missing_newline_hint(false)
        .header("snapshot", "this run")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(folder: &Path) -> Snapshot {
        Snapshot {
            path: folder.join("fbt/claim.snap"),
            source: "scenarios/fbt/claim.yaml".to_owned(),
            asserts: "it's \"so\": yes".to_owned(),
        }
    }

    #[test]
    fn new_text_is_proposed_then_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        assert_eq!(compare("one\n", Update::Propose), Comparison::Unseen);
        assert!(snap.pending().exists() && !snap.path.exists());
        assert_eq!(compare("one\n", Update::AcceptUnseen), Comparison::Accepted);
        assert!(!snap.pending().exists());
        assert_eq!(compare("one\n\n", Update::Propose), Comparison::Same);
    }

    #[test]
    fn different_text_leaves_the_snapshot_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        compare("one\ntwo", Update::Accept);
        let Comparison::Differs { diff } = compare("one\nthree", Update::Nothing) else {
            panic!("must differ");
        };
        assert!(diff.contains("-two") && diff.contains("+three"), "{diff}");
        assert!(!snap.pending().exists());
        compare("one\nthree", Update::AcceptUnseen);
        assert!(snap.pending().exists());
        assert_eq!(compare("one\ntwo", Update::Propose), Comparison::Same);
        assert!(snap.pending().exists());
    }

    #[test]
    fn first_accepted_text_is_binding_for_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        atomic_write::replace(&snap.path, "of before").expect("writable");
        let control = Update::Accept.for_control();
        assert_eq!(compare("one", control), Comparison::Unseen);
        assert_eq!(compare("one", Update::Accept), Comparison::Accepted);
        assert_eq!(compare("one", Update::Accept), Comparison::Same);
        assert_eq!(compare("one", control), Comparison::Same);
        for other in [Update::Accept, control] {
            let compared = compare("two", other);
            assert!(matches!(compared, Comparison::Differs { .. }), "{other:?}");
        }
        assert_eq!(compare("one", Update::Nothing), Comparison::Same);
    }

    #[test]
    fn unchanged_text_counts_as_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        atomic_write::replace(&snap.path, "one").expect("writable");
        assert_eq!(compare("one", Update::Accept), Comparison::Same);
        let other = compare("two", Update::Accept);
        assert!(matches!(other, Comparison::Differs { .. }));
    }

    #[test]
    fn update_nothing_leaves_files_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        compare("one", Update::Propose);
        compare("one", Update::Nothing);
        fs::copy(snap.pending(), &snap.path).expect("as a review does");
        assert_eq!(compare("one", Update::Nothing), Comparison::Same);
        assert!(snap.pending().exists());
        assert_eq!(compare("one", Update::Propose), Comparison::Same);
        let left = fs::read_dir(folder.path().join("fbt")).expect("a folder");
        assert_eq!(left.count(), 1);
    }

    #[test]
    fn insta_reads_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = Snapshot {
            path: folder.path().join("claim.snap"),
            ..snapshot(folder.path())
        };
        let text = "trace: x\n| a\n|\n| ---\n\nends: status 0\n";
        snap.compare(text, Update::Accept).expect("writable");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder.path());
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!("claim", text));
    }

    #[test]
    fn insta_update_values_are_understood() {
        let update = Update::from_words;
        assert_eq!(update(None, false), Update::Propose);
        assert_eq!(update(None, true), Update::Nothing);
        assert_eq!(update(Some("auto"), true), Update::Nothing);
        assert_eq!(update(Some("always"), true), Update::Nothing);
        assert_eq!(update(Some("unseen"), true), Update::Nothing);
        assert_eq!(update(Some("always"), false), Update::Accept);
        assert_eq!(update(Some("no"), false), Update::Nothing);
        assert_eq!(update(Some("unseen"), false), Update::AcceptUnseen);
    }
}
