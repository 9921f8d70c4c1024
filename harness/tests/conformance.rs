//! Every scenario in every guest, as tests of their own: `armv6::fbt::three-chdir`.
//!
//! They run through the same code as the command line. A guest without an image lists its tests
//! and ignores them, with the command that builds it.

use std::process::ExitCode;
use std::sync::Arc;

use harness::described;
use harness::error::HostError;
use harness::image::Image;
use harness::job;
use harness::plan::{self, Item, JobId, Target};
use harness::progress::Progress;
use harness::scenario::Source;
use harness::snapshot::Update;
use harness::suite::{self, SuiteError};
use harness::tree::Tree;
use libtest_mimic::{Arguments, Completion, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}

fn trials() -> Result<Vec<Trial>, SuiteError> {
    let tree = Tree::own();
    let sources = suite::sources(&tree, &[])?;
    let mut trials = Vec::new();
    for described in described::guests(&tree)? {
        let guest = &described.guest;
        match Image::read(&tree, guest).and_then(|i| i.check_host(guest).map(|()| i)) {
            Ok(image) => trials.extend(live(&tree, &sources, &image)?),
            Err(error) => trials.extend(absent(&sources, &described, &error)?),
        }
    }
    Ok(trials)
}

fn live(tree: &Tree, sources: &[Arc<Source>], image: &Image) -> Result<Vec<Trial>, SuiteError> {
    let items = plan::plan(sources, &image.target(), true)?;
    let trial = |item| match item {
        Item::Run(job) => {
            let (tree, image) = (tree.clone(), image.clone());
            Trial::test(name(&job.id), move || {
                let done = job::run(
                    &job,
                    &image,
                    &tree,
                    Update::from_environment(),
                    &Progress::hidden(),
                );
                if done.report.verdict.is_good() {
                    Ok(())
                } else {
                    Err(done.story().into())
                }
            })
        }
        Item::Skip { id, why } => {
            Trial::ignorable_test(name(&id), move || Ok(Completion::ignored_with(why)))
        }
    };
    Ok(items.into_iter().map(trial).collect())
}

/// Without an image there is nothing to test; any other trouble with it is a failure.
fn absent(
    sources: &[Arc<Source>],
    guest: &Target,
    error: &HostError,
) -> Result<Vec<Trial>, SuiteError> {
    let is_missing = matches!(error, HostError::NoImage { .. });
    let ids = plan::plan(sources, guest, true)?.into_iter().map(Item::id);
    let trial = |id: JobId| {
        let why = error.to_string();
        Trial::ignorable_test(name(&id), move || match is_missing {
            true => Ok(Completion::ignored_with(why)),
            false => Err(why.into()),
        })
    };
    Ok(ids.map(trial).collect())
}

fn name(id: &JobId) -> String {
    let path = id.scenario_and_mutant().replace('/', "::");
    format!("{}::{path}", id.guest)
}
