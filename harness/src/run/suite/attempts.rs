//! Runs a job until it succeeds or its retries are used up, and sums up the attempts.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::time::Instant;

use super::Request;
use crate::guest::image::Image;
use crate::guest::overrides::Overrides;
use crate::guest::quote::quote;
use crate::guest::start;
use crate::judge::snapshot::Update;
use crate::judge::verdict::Verdict;
use crate::report::evidence::{self, Evidence, attempt_folder};
use crate::report::{Entry, JobReport, keep};
use crate::run::interrupt;
use crate::run::job::{self, Done};
use crate::run::plan::{Item, Job, JobId};
use crate::run::progress::Board;
use crate::tree::Tree;

/// Bytes of console to read from the end.
const CONSOLE: u64 = 32 * 1024;

/// What all jobs of a run share.
pub struct RunContext<'a> {
    pub tree: &'a Tree,
    pub request: &'a Request,
    pub board: &'a Board,
    pub update: Update,
    /// The run's start, from which times count.
    pub clock: Instant,
}

impl RunContext<'_> {
    /// Handles one item of the plan, to its final entry.
    pub fn settle(&self, image: &Image, item: &Item, worker: usize) -> Entry {
        match item {
            Item::Skip { id, why } => {
                let report = JobReport::not_run(id, Verdict::Skip, why.clone());
                self.entry(Done::without_a_run(report), worker, self.now())
            }
            Item::Run(job) => self.run_job(image, job, worker),
        }
    }

    /// Runs a job with its retries. The evidence folder stays locked until the console has been
    /// read, so that another harness running the same job cannot clear it in between.
    fn run_job(&self, image: &Image, job: &Job, worker: usize) -> Entry {
        let mut since = self.now();
        let held = match Evidence::locked(evidence::folder(self.tree, &job.id)) {
            Ok(held) => held,
            Err(error) => return self.attempt_entry(Done::broken(job, &error), job, worker, since),
        };
        let mut job = job.clone();
        let mut earlier = Vec::new();
        loop {
            let began = self.now();
            let done = self.attempt(image, &job, &held);
            let is_over = done.interrupted || interrupt::is_pending();
            let mut entry = self.attempt_entry(done, &job, worker, since);
            entry.job.waited_ms += began.saturating_sub(since);
            if !entry.job.verdict.is_good() {
                entry.console = keep::end(&tail(&held.console()).unwrap_or_default());
            }
            if is_over || !should_retry(entry.job.verdict, job.attempt, self.request.retries) {
                return sum_up(entry, earlier);
            }
            earlier.push(entry);
            job.attempt += 1;
            since = self.now();
        }
    }

    fn attempt(&self, image: &Image, job: &Job, held: &Evidence) -> Done {
        let progress = self.board.line(&named(&job.id, job.attempt));
        let run = |evidence| {
            let (overrides, tree) = (Overrides::default(), self.tree);
            job::run_with(
                evidence,
                &overrides,
                job,
                image,
                tree,
                self.update,
                &progress,
            )
        };
        match held.for_attempt(job.attempt) {
            Ok(evidence) => catch_panic(job, || run(evidence)),
            Err(error) => Done::broken(job, &error),
        }
    }

    /// The entry of one attempt.
    fn attempt_entry(&self, done: Done, job: &Job, worker: usize, started_ms: u64) -> Entry {
        let mut entry = self.entry(done, worker, started_ms);
        entry.attempts = job.attempt;
        entry.rerun = rerun(job, self.tree, self.request.repeat, start::forbidden());
        entry
    }

    fn entry(&self, done: Done, worker: usize, started_ms: u64) -> Entry {
        let mut job = done.report;
        job.why = keep::line(&job.why);
        let id = job.id.clone();
        Entry {
            job,
            started_ms,
            worker,
            attempts: 0,
            evidence: format!("{}/{}", id.guest, id.scenario_and_mutant()),
            rerun: String::new(),
            failures: keep::failures(&done.failures),
            console: String::new(),
            earlier: Vec::new(),
        }
    }

    fn now(&self) -> u64 {
        job::millis(self.clock.elapsed())
    }
}

/// Turns a panic into a broken job; other jobs continue, and all are reported.
fn catch_panic(job: &Job, run: impl FnOnce() -> Done) -> Done {
    panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panicked| {
        let said = panicked.downcast_ref::<&str>().copied();
        let said = said.or_else(|| Some(panicked.downcast_ref::<String>()?.as_str()));
        let said = said.unwrap_or("no reason given");
        Done::broken(job, &format!("the harness panicked: {said}"))
    })
}

fn named(id: &JobId, attempt: u32) -> String {
    match attempt {
        1 => id.to_string(),
        _ => format!("{id} (attempt {attempt})"),
    }
}

/// A job that failed is run again while retries remain.
fn should_retry(verdict: Verdict, attempt: u32, retries: u32) -> bool {
    !verdict.is_good() && attempt <= retries
}

/// The last attempt with those before it. Success after a failure is flaky, with the first reason.
fn sum_up(mut last: Entry, mut earlier: Vec<Entry>) -> Entry {
    for entry in &mut earlier {
        let folder = attempt_folder(entry.attempts);
        entry.evidence = format!("{}/{folder}", entry.evidence);
    }
    if let Some(first) = earlier.first()
        && last.job.verdict.is_good()
    {
        let (good, bad) = (last.job.verdict, first.job.verdict);
        let (attempt, why) = (last.attempts, &first.job.why);
        last.job.why = keep::line(&format!("{good} at attempt {attempt}; first {bad}: {why}"));
        last.job.verdict = Verdict::Flaky;
    }
    last.earlier = earlier;
    last
}

/// The command that runs a job again, with the environment variables for its extent and start. All
/// copies are repeated: one alone did not find the failure.
fn rerun(job: &Job, tree: &Tree, repeat: Option<u32>, boot: Option<String>) -> String {
    let path = &job.source.path;
    let what = match tree.owns(path) {
        true => job.id.scenario.clone(),
        false => path.display().to_string(),
    };
    let words = job.scenario.extent.setting().into_iter().chain(boot);
    let environment: String = words.map(|word| word + " ").collect();
    let guest = &job.id.guest;
    let mut command = format!("{environment}cargo xtask vm-test {guest} {}", quote(&what));
    if job.mutant.is_some() {
        command += " --mutants";
    }
    if let Some(times) = repeat {
        command += &format!(" --repeat {times}");
    }
    command
}

/// The last [`CONSOLE`] bytes of a file.
fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(CONSOLE);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(CONSOLE).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::run::plan::Mutant;
    use crate::scenario::Source;

    fn entry(attempt: u32, verdict: Verdict, why: &str) -> Entry {
        let id = JobId {
            scenario: "fbt/a".to_owned(),
            guest: "armv6".to_owned(),
            mutant: None,
            copy: None,
        };
        Entry {
            job: JobReport::not_run(&id, verdict, why.to_owned()),
            started_ms: 0,
            worker: 1,
            attempts: attempt,
            evidence: "armv6/fbt/a".to_owned(),
            rerun: String::new(),
            failures: Vec::new(),
            console: String::new(),
            earlier: Vec::new(),
        }
    }

    #[test]
    fn only_failures_are_retried_up_to_the_limit() {
        for good in [Verdict::Pass, Verdict::Skip, Verdict::Caught] {
            assert!(!should_retry(good, 1, 9));
        }
        for bad in [Verdict::Fail, Verdict::Broken, Verdict::Missed] {
            assert!(!should_retry(bad, 1, 0));
            assert!(should_retry(bad, 1, 2) && should_retry(bad, 2, 2));
            assert!(!should_retry(bad, 3, 2));
        }
    }

    #[test]
    fn success_after_failure_is_flaky_with_first_reason() {
        let earlier = vec![
            entry(1, Verdict::Fail, "2 records, not 3"),
            entry(2, Verdict::Broken, "no QEMU"),
        ];
        let flaky = sum_up(entry(3, Verdict::Caught, "bash died"), earlier);
        assert_eq!(flaky.job.verdict, Verdict::Flaky);
        insta::assert_snapshot!(flaky.job.why, @"caught at attempt 3; first fail: 2 records, not 3");
        let folders: Vec<_> = flaky.tries().map(|one| one.evidence.as_str()).collect();
        assert_eq!(
            folders,
            [
                "armv6/fbt/a/attempt-1",
                "armv6/fbt/a/attempt-2",
                "armv6/fbt/a"
            ]
        );
    }

    #[test]
    fn first_success_and_last_failure_keep_their_verdict() {
        let pass = sum_up(entry(1, Verdict::Pass, ""), Vec::new());
        assert_eq!(
            (pass.job.verdict, pass.job.why.as_str()),
            (Verdict::Pass, "")
        );
        let earlier = vec![entry(1, Verdict::Broken, "no QEMU")];
        let fail = sum_up(entry(2, Verdict::Fail, "2 records, not 3"), earlier);
        assert_eq!(fail.job.verdict, Verdict::Fail);
        assert_eq!(
            fail.to_string().split("  ").last(),
            Some("2 records, not 3 (2 attempts)")
        );
    }

    fn job(path: &Path, mutant: Option<&str>) -> Job {
        let text = "asserts: a\ntrace: b\nstop: exits\n";
        let source = Source::parse("fbt/a", path, text).expect("valid");
        Job {
            id: entry(1, Verdict::Pass, "").job.id,
            scenario: source.scenario.clone(),
            source: Arc::new(source),
            mutant: mutant.map(|name| Mutant {
                name: name.to_owned(),
                expected: None,
            }),
            attempt: 1,
        }
    }

    #[test]
    fn panic_breaks_only_its_job() {
        let job = job(Path::new("a.yaml"), None);
        let number = 7;
        for done in [
            catch_panic(&job, || panic!("no such row")),
            catch_panic(&job, || panic!("no such row: {number}")),
        ] {
            assert_eq!(done.report.verdict, Verdict::Broken);
            let why = &done.report.why;
            assert!(
                why.starts_with("the harness panicked: no such row"),
                "{why}"
            );
        }
        let well = catch_panic(&job, || Done::broken(&job, &"no QEMU"));
        assert_eq!(well.report.why, "no QEMU");
    }

    #[test]
    fn rerun_command_uses_id_or_path() {
        let tree = Tree::own();
        let path = Path::new("/my files/a.yaml");
        let outside = rerun(&job(path, None), &tree, Some(40), None);
        assert_eq!(
            outside,
            "cargo xtask vm-test armv6 '/my files/a.yaml' --repeat 40"
        );
        let scenarios = tree.scenarios().expect("readable");
        let own = job(&scenarios[0].1, Some("none"));
        assert_eq!(
            rerun(&own, &tree, None, Some("TRAPLINE_BOOT=cold".to_owned())),
            "TRAPLINE_BOOT=cold cargo xtask vm-test armv6 fbt/a --mutants"
        );
    }

    #[test]
    fn tail_reads_the_end_of_a_large_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("console.log");
        fs::write(&path, format!("{}end\n", "x\n".repeat(100_000))).expect("writable");
        let last = tail(&path).expect("readable");
        assert!(last.len() == 32 * 1024 && last.ends_with("x\nend\n"));
        assert!(tail(&folder.path().join("none")).is_err());
    }
}
