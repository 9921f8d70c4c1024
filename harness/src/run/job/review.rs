//! The job's transcript and its snapshot.

use super::Run;
use crate::error::HostError;
use crate::judge::normalise;
use crate::judge::snapshot::{Comparison, Snapshot, Update};
use crate::judge::verdict::{Failure, Kind};
use crate::scenario::{Pass, variant};
use crate::tree::{self, Tree};

impl Run<'_> {
    /// Compares the transcript with its snapshot, if nothing else has failed.
    pub fn snapshot(&mut self, tree: &Tree, update: Update) -> Result<(), HostError> {
        let text = self.normalised();
        self.evidence.write("got.txt", &text)?;
        if !self.failures.is_empty() {
            return Ok(());
        }
        let is_mutant = self.job.mutant.is_some();
        let update = self.update(update);
        let snapshot = self.reviewed(tree);
        let compared = snapshot.compare(&text, update)?;
        self.accepted = compared == Comparison::Accepted;
        let (what, detail) = match compared {
            Comparison::Same | Comparison::Accepted => return Ok(()),
            // There is nothing from which a defect could be seen to differ.
            Comparison::Unseen if is_mutant => return Ok(()),
            Comparison::Differs { diff } => ("the transcript is not the snapshot's", diff),
            Comparison::Unseen => ("there is no snapshot yet", text),
        };
        let detail = format!("{detail}\n{}", self.review_hint(tree, &snapshot));
        self.failures
            .push(Failure::new(Kind::SnapshotDiffers, what).with_detail(detail));
        Ok(())
    }

    /// A mutant's text is never proposed for review; the control must match the scenario's own.
    fn update(&self, asked: Update) -> Update {
        match &self.job.mutant {
            None => asked,
            Some(mutant) if mutant.expected.is_none() => asked.for_control(),
            Some(_) => Update::Nothing,
        }
    }

    /// How to accept the text; `cargo insta` searches only the workspace.
    fn review_hint(&self, tree: &Tree, snapshot: &Snapshot) -> String {
        let review = if tree.owns(&self.job.source.path) {
            "cargo insta review --include-ignored".to_owned()
        } else {
            let new = snapshot.pending();
            format!("mv {} {}", new.display(), snapshot.path.display())
        };
        format!("review: {review}\naccept: the same command with INSTA_UPDATE=always")
    }

    /// The transcript that all guests share, with commands as the scenario has them.
    fn normalised(&self) -> String {
        let passes = normalise::passes(&self.job.scenario.normalise);
        let facts = self.image.facts();
        let transcript = self.observed.transcript.clone();
        let transcript = transcript.with_commands_of(&self.job.source.scenario);
        let text = transcript.map_streams(|stream| normalise::apply(&passes, stream, &facts));
        format!("{text}normalised by: {}\n", self.pass_names().join(", "))
    }

    pub fn pass_names(&self) -> Vec<&'static str> {
        let passes = normalise::passes(&self.job.scenario.normalise);
        passes.into_iter().map(Pass::name).collect()
    }

    fn reviewed(&self, tree: &Tree) -> Snapshot {
        let own = variant::stated(&self.job.scenario.differs, &self.job.id.guest);
        let guest = own.map(|(guest, _)| guest);
        Snapshot {
            path: tree::snapshot(tree, &self.job.source, guest),
            source: tree.relative(&self.job.source.path).display().to_string(),
            asserts: self.job.scenario.asserts.clone(),
        }
    }
}
