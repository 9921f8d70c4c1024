//! Every scenario in every guest as a test of its own: `armv6::fbt::three-chdir`.
//!
//! Tests run through the same code as the command line. Their set and names follow from
//! `scenarios/` and `images/` alone, so that every host lists the same. A built guest is read only
//! by the test that boots it, since a runner may start this program once per test.

use std::env;
use std::process::ExitCode;

use harness::error::HostError;
use harness::guest::image::Image;
use harness::guest::image_file;
use harness::judge::snapshot::Update;
use harness::run::job;
use harness::run::plan::{self, Item, Job, JobId};
use harness::run::progress::Progress;
use harness::run::suite::{self, SuiteError};
use harness::tree::Tree;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&Tree::own(), &arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}

fn trials(tree: &Tree, arguments: &Arguments) -> Result<Vec<Trial>, SuiteError> {
    let sources = suite::sources(tree, &[])?;
    let mut trials = Vec::new();
    for target in image_file::targets(tree)? {
        let absent = absent(tree, &target.guest);
        for item in plan::plan(&sources, &target, true)? {
            trials.push(match (item, &absent) {
                (Item::Skip { id, why }, _) => ignored(&id, why, arguments),
                (Item::Run(job), Some(why)) => ignored(&job.id, why.clone(), arguments),
                (Item::Run(job), None) => {
                    let tree = tree.clone();
                    Trial::test(name(&job.id), move || run(&tree, &job))
                }
            });
        }
    }
    Ok(trials)
}

/// Why a guest's tests are ignored; any other trouble with its image is a failure.
fn absent(tree: &Tree, guest: &str) -> Option<String> {
    let (guest, path) = (guest.to_owned(), tree.guest_json(guest));
    let is_there = path.exists();
    (!is_there).then(|| HostError::NoImage { guest, path }.to_string())
}

/// An ignored test with its reason. In a list it is flagged, which is all that a runner sees that
/// starts tests one by one; run regardless with `--ignored`, it fails.
fn ignored(id: &JobId, why: String, arguments: &Arguments) -> Trial {
    let is_forced = arguments.ignored || arguments.include_ignored;
    let trial = Trial::ignorable_test(name(id), move || match is_forced {
        true => Err(why.into()),
        false => Ok(Completion::ignored_with(why)),
    });
    trial.with_ignored_flag(arguments.list || is_forced)
}

fn run(tree: &Tree, job: &Job) -> Result<(), Failed> {
    let image = current(tree, &job.id.guest)?;
    let update = Update::from_environment();
    let attempt = attempt();
    let job = Job {
        attempt,
        ..job.clone()
    };
    let done = job::run(&job, &image, tree, update, &Progress::hidden());
    if done.report.verdict.is_good() {
        Ok(())
    } else {
        Err(done.story().into())
    }
}

/// The number of the attempt, if the runner retries.
fn attempt() -> u32 {
    let attempt = env::var("NEXTEST_ATTEMPT").ok();
    attempt.and_then(|number| number.parse().ok()).unwrap_or(1)
}

/// The image, if it was built from the description that the tests were derived from.
fn current(tree: &Tree, guest: &str) -> Result<Image, HostError> {
    let image = Image::read(tree, guest)?;
    image.check_host(guest)?;
    let described = tree.described(guest);
    if image.description == image_file::text(&described)? {
        return Ok(image);
    }
    Err(HostError::BadImage {
        guest: guest.to_owned(),
        path: tree.guest_json(guest),
        what: format!(
            "not of {} as it is now",
            tree.relative(&described).display()
        ),
    })
}

fn name(id: &JobId) -> String {
    let path = id.scenario_and_mutant().replace('/', "::");
    format!("{}::{path}", id.guest)
}
