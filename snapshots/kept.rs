//! Snapshots and scenarios belong together: none without the other, and all of them well-formed.
//!
//! This test lies beside the snapshots because `cargo insta review --include-ignored` looks for
//! pending snapshots in the folders of test sources.

mod compat;
mod mutants;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harness::guest::SLOWEST;
use harness::guest::image_file;
use harness::run::plan::{self, Item};
use harness::run::suite;
use harness::scenario::variant;
use harness::tree::{self, Tree};

/// Every `.snap` below `folder`, as seen from it and without its extension.
fn kept(folder: &Path) -> BTreeSet<String> {
    let providers = entries(folder).into_iter().filter(|path| path.is_dir());
    let files = providers.flat_map(|provider| entries(&provider));
    files
        .filter(|path| path.extension().is_some_and(|e| e == "snap"))
        .filter_map(|path| {
            let name = path.strip_prefix(folder).ok()?.with_extension("");
            Some(name.to_str()?.to_owned())
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).expect("a folder that can be listed");
    found.map(|e| e.expect("an entry").path()).collect()
}

#[test]
fn every_scenario_parses_and_has_its_snapshots_and_no_other_exists() {
    let tree = Tree::own();
    let sources = suite::sources(&tree, &[]).expect("every scenario parses");
    assert!(!sources.is_empty());
    let mut expected = BTreeSet::new();
    for source in &sources {
        let guests = image_file::names(&tree).expect("images can be listed");
        let is_for = |guest: &&String| {
            let listed = source.scenario.guests.as_ref();
            listed.is_none_or(|listed| variant::is_listed(listed, guest))
                && !source.scenario.excludes.contains_key(*guest)
        };
        for guest in guests.iter().filter(is_for) {
            let own = variant::stated(&source.scenario.differs, guest);
            let at = own.map_or(String::new(), |(guest, _)| format!("@{guest}"));
            expected.insert(format!("{}{at}", source.id));
        }
    }
    assert_eq!(kept(&tree.snapshots()), expected);
}

/// A snapshot that was blessed for other commands is found out here, before a guest is booted for it.
#[test]
fn every_snapshot_is_of_the_commands_that_its_scenario_has() {
    let tree = Tree::own();
    for source in suite::sources(&tree, &[]).expect("every scenario parses") {
        let own = source
            .scenario
            .differs
            .keys()
            .map(|guest| Some(guest.as_str()));
        for guest in own.chain([None]) {
            let path = tree::snapshot(&tree, &source, guest);
            let Ok(kept) = fs::read_to_string(&path) else {
                continue;
            };
            for role in ["trace", "workload"] {
                let command = source.scenario.command(role);
                let shown = command.is_none_or(|c| kept.contains(&format!("{role}: {c}\n")));
                assert!(shown, "{}: another {role}", path.display());
            }
        }
    }
}

/// What is run by nobody is not put to the test, however good a run of all guests looks.
#[test]
fn every_scenario_and_every_seeded_defect_runs_on_some_guest() {
    let tree = Tree::own();
    let sources = suite::sources(&tree, &[]).expect("every scenario parses");
    let guests = image_file::guests(&tree).expect("every guest is described");
    let mut untried: BTreeSet<String> = sources.iter().map(|s| s.id.clone()).collect();
    for guest in &guests {
        let mut unseeded: BTreeSet<String> = guest.mutants.iter().cloned().collect();
        for item in plan::plan(&sources, guest, true).expect("names are known") {
            if let Item::Run(job) = item {
                untried.remove(&job.id.scenario);
                unseeded.remove(&job.id.mutant.unwrap_or_default());
            }
        }
        assert!(
            unseeded.is_empty(),
            "{}: nothing seeds {unseeded:?}",
            guest.guest
        );
    }
    assert!(untried.is_empty(), "no guest runs {untried:?}");
}

/// What nextest kills must have overrun every limit of its own, on the slowest host.
#[test]
fn no_test_runner_ends_a_job_before_the_job_does() {
    let tree = Tree::own();
    let settings = tree.absolute(Path::new(".config/nextest.toml"));
    let settings = fs::read_to_string(settings).expect("nextest's settings");
    let number = |key: &str| -> u64 {
        let (_, rest) = settings.split_once(key).expect(key);
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect(key)
    };
    let kills_after = number("period = \"") * number("terminate-after = ");
    let sources = suite::sources(&tree, &[]).expect("every scenario parses");
    let limits = sources.iter().map(|source| source.scenario.time_limit);
    let longest = limits.map(|limit| limit.duration()).max();
    // Booting, saving, loading and unloading have a quarter of an hour beside it.
    let longest = longest.unwrap_or_default().mul_f64(SLOWEST).as_secs() + 900;
    assert!(
        kills_after > longest,
        "{kills_after} s, and not {longest} s"
    );
}
