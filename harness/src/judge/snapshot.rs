//! The reviewed text of a run: compared here, kept in insta's format, reviewed with `cargo insta`.
//!
//! insta's assertions panic and print on their own; a verdict needs a value. So the files are read
//! and written here, and a test sees to it that insta reads the same in them.

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

/// A snapshot's file and what its head says.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The `.snap` file.
    pub path: PathBuf,
    /// The scenario's file, as seen from the workspace.
    pub source: String,
    /// The scenario's claim.
    pub asserts: String,
}

/// What to do with a text that is not the reviewed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// Leave it in a `.snap.new` for review.
    Propose,
    /// Take it.
    Accept,
    /// Take it where there is no snapshot yet, else propose it.
    AcceptUnseen,
    /// Write nothing, and go only by what this run took: what was there before is on its way out.
    OnlyTaken,
    /// Write nothing.
    Nothing,
}

/// How a text compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// It is the reviewed one.
    Same,
    /// It was written as the reviewed one, because [`Update`] said so.
    Accepted,
    /// It differs.
    Differs {
        /// From the snapshot to the text.
        diff: String,
    },
    /// There is nothing to compare it with.
    Unseen,
}

impl Update {
    /// What insta's own variable asks for.
    pub fn from_environment() -> Self {
        let is_ci = env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false");
        Self::from_words(env::var("INSTA_UPDATE").ok().as_deref(), is_ci)
    }

    fn from_words(word: Option<&str>, is_ci: bool) -> Self {
        match word {
            // Nobody reviews there what would be taken.
            Some("always" | "force" | "unseen") if is_ci => Self::Nothing,
            Some("always" | "force") => Self::Accept,
            Some("unseen") => Self::AcceptUnseen,
            Some("new") => Self::Propose,
            Some("no") => Self::Nothing,
            _ if is_ci => Self::Nothing,
            _ => Self::Propose,
        }
    }

    /// Whether a text can become the reviewed one without a review.
    pub fn is_accepting(self) -> bool {
        matches!(self, Self::Accept | Self::AcceptUnseen)
    }

    /// For the control of a scenario's mutants, which must say what the scenario itself says.
    pub fn for_control(self) -> Self {
        match self {
            Self::Accept => Self::OnlyTaken,
            _ => Self::Nothing,
        }
    }

    fn is_writing(self) -> bool {
        !matches!(self, Self::Nothing | Self::OnlyTaken)
    }

    fn accepts(self, is_unseen: bool) -> bool {
        self == Self::Accept || (self == Self::AcceptUnseen && is_unseen)
    }
}

/// The snapshots that jobs of this run have taken their text for. Guests share a snapshot, so if each
/// took its own text, the last one would stand there and all would pass.
static TAKEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

impl Snapshot {
    /// Compares `text` with the reviewed one and writes what `update` says. What one job has taken in
    /// this run, no other replaces.
    pub fn compare(&self, text: &str, update: Update) -> Result<Comparison, HostError> {
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = taken.contains(&self.path);
        if update == Update::OnlyTaken && !is_taken {
            return Ok(Comparison::Unseen);
        }
        let update = match update {
            Update::Accept if is_taken => Update::Propose,
            update => update,
        };
        let compared = self.compare_alone(text.trim_end(), update)?;
        if update == Update::Accept || compared == Comparison::Accepted {
            taken.insert(self.path.clone());
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

    /// Where a text waits for its review.
    pub fn pending(&self) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(".new");
        path.into()
    }

    /// Nothing waits for review any more, if it was this that waited; another text is not ours.
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

/// A snapshot's text, if there is one.
fn read(path: &Path) -> Result<Option<String>, HostError> {
    match fs::read_to_string(path) {
        Ok(file) => Ok(Some(body(&file).trim_end().to_owned())),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(HostError::file("read", path)(e)),
    }
}

/// What stands below the head.
fn body(file: &str) -> &str {
    file.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(file, |(_, body)| body)
}

/// A string of JSON is one of YAML too.
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
    fn a_new_text_is_proposed_accepted_and_then_the_same() {
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
    fn another_text_differs_and_leaves_the_reviewed_one_alone() {
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
    fn a_run_takes_one_text_and_goes_by_it_from_then_on() {
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
    fn a_text_that_was_the_reviewed_one_already_is_taken_as_well() {
        let folder = tempfile::tempdir().expect("a folder");
        let snap = snapshot(folder.path());
        let compare = |text, update| snap.compare(text, update).expect("writable");
        atomic_write::replace(&snap.path, "one").expect("writable");
        assert_eq!(compare("one", Update::Accept), Comparison::Same);
        let other = compare("two", Update::Accept);
        assert!(matches!(other, Comparison::Differs { .. }));
    }

    #[test]
    fn nothing_is_written_or_removed_where_that_was_asked() {
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
    fn the_words_are_those_of_insta() {
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
