//! Whole jobs in guests that misbehave. Each must get the right verdict, failure kind and reason,
//! within the scenario's time limit plus five seconds, scaled to the host's pace. Each row here
//! belongs to a file in `misbehaving/`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use harness::guest::image::Image;
use harness::judge::snapshot::Update;
use harness::judge::verdict::{Kind, Verdict};
use harness::run::job::{self, Done};
use harness::run::plan::{self, Item, Job};
use harness::run::progress::Progress;
use harness::scenario::Source;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::tools::{emulators, expect, within};

/// Time after the limit by which the job must be over.
const GRACE: Duration = Duration::from_secs(5);
/// How long QEMU is stopped: longer than a healthy guest needs for any short command.
const STANDSTILL: Duration = Duration::from_secs(6);
/// Time for the workload to start.
const START: Duration = Duration::from_secs(60);

/// The expected result of a job.
#[derive(Clone, Copy)]
pub struct Row {
    /// The scenario in `misbehaving/`.
    pub claim: &'static str,
    /// The mutant, if any.
    mutant: Option<&'static str>,
    verdict: Verdict,
    /// The first failure's kind and the start of the reason; one of these.
    reasons: &'static [(Kind, &'static str)],
    /// A guest with another result, and that result.
    except: Option<(&'static str, Kind, &'static str)>,
    /// Seconds until the result, where it must come before the scenario's limit.
    within: Option<u64>,
}

const fn fails(claim: &'static str, reasons: &'static [(Kind, &'static str)]) -> Row {
    Row {
        claim,
        mutant: None,
        verdict: Verdict::Fail,
        reasons,
        except: None,
        within: None,
    }
}

const fn passes(claim: &'static str) -> Row {
    Row {
        verdict: Verdict::Pass,
        ..fails(claim, &[])
    }
}

/// Rows that depend on the kernel, the machine or its line.
pub const ON_EACH: &[Row] = &[
    fails(
        "boot-panics",
        &[(Kind::GuestCrash, "boot panic: Kernel panic - not syncing: ")],
    ),
    fails("panics", &[(Kind::GuestCrash, PANIC)]),
    // The raspi0 has no means to reset its machine.
    Row {
        except: Some(("armv6", Kind::GuestHang, HUNG)),
        ..fails(
            "resets",
            &[(Kind::GuestCrash, "guest reset: exit status: 0")],
        )
    },
    Row {
        mutant: Some("spin-in-trap"),
        verdict: Verdict::Caught,
        ..fails("spins", &[(Kind::GuestHang, HUNG)])
    },
    // With a thousand processes, scheduling and the OOM killer's choice vary; each time that kills, it
    // lists them all on the console.
    fails(
        "fork-bomb",
        &[
            (Kind::TimedOut, "workload still running after "),
            (Kind::GuestHang, HUNG),
            (Kind::GuestComplaint, "program died: Out of memory: "),
            (
                Kind::GuestComplaint,
                "console flooded: it printed more than 4 MiB",
            ),
        ],
    ),
    fails(
        "kills-agent",
        &[(Kind::GuestLost, "line lost: the agent restarted")],
    ),
    passes("jumps-in-time"),
    passes("says-every-byte"),
];

/// Rows that depend only on the harness.
pub const ON_ONE: &[Row] = &[
    fails(
        "ends-255",
        &[(
            Kind::WrongStatus,
            "workload ended with status 255, not status 0",
        )],
    ),
    fails(
        "floods-console",
        &[(
            Kind::GuestComplaint,
            "console flooded: it printed more than 4 MiB",
        )],
    ),
    fails(
        "says-50-megabytes",
        &[(
            Kind::WrongOutput,
            "too much output: a command printed more than 8 MiB",
        )],
    ),
    passes("is-stopped"),
    Row {
        mutant: Some("spin-in-trap"),
        verdict: Verdict::Caught,
        within: Some(60),
        ..fails("spins-under-a-long-limit", &[(Kind::GuestHang, HUNG)])
    },
];

/// The start of the reason for a guest that does not answer.
const HUNG: &str = "guest hung: no answer within ";
/// The start of the reason for a deliberate panic.
pub const PANIC: &str = "guest panic: Kernel panic - not syncing: sysrq triggered crash";

impl Row {
    /// The acceptable kinds and reasons in `guest`.
    fn reasons_in(&self, guest: &str) -> impl Iterator<Item = (Kind, &'static str)> {
        let except = self.except.filter(|(other, ..)| *other == guest);
        let usual = if except.is_some() { &[] } else { self.reasons };
        let except = except.map(|(_, kind, words)| (kind, words));
        usual.iter().copied().chain(except)
    }
}

/// Runs the job and checks its result and duration.
pub fn check(row: Row, tree: &Tree, image: &Image) -> Result<(), Failed> {
    let job = job(row.claim, row.mutant, image)?;
    let mut image = image.clone();
    if row.claim == "boot-panics" {
        image = without_init(image);
    }
    let done = thread::scope(|scope| {
        if row.claim == "is-stopped" {
            scope.spawn(|| stand_still(tree, &job));
        }
        run(&job, &image, tree)
    });
    let limit = limit(row, &job, &done);
    let took = took(tree, &job)?.unwrap_or(Duration::from_millis(done.report.run_ms));
    eprintln!("{}: {took:.1?} of {limit:.1?}: {}", job.id, done.report.why);
    expect(is_as_stated(row, &done), done.story())?;
    if row.claim == "is-stopped" {
        expect(
            took > STANDSTILL,
            format!("it went on all the time: {took:?}"),
        )?;
    }
    // The host's load may have changed since the job's pace was measured.
    expect(
        took < limit.mul_f64(1.25),
        format!("{took:?}, not {limit:?}: {}", done.story()),
    )
}

fn is_as_stated(row: Row, done: &Done) -> bool {
    let report = &done.report;
    let has_reason = match done.failures.first() {
        None => row.reasons.is_empty(),
        Some(first) => row
            .reasons_in(&report.id.guest)
            .any(|(kind, words)| kind == first.kind && report.why.starts_with(words)),
    };
    report.verdict == row.verdict && has_reason
}

/// The job of a scenario in `misbehaving/`.
pub fn job(claim: &str, mutant: Option<&str>, image: &Image) -> Result<Job, Failed> {
    let file = format!("tests/misbehaving/{claim}.yaml");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = fs::read_to_string(&path)?;
    let source = Source::parse(&format!("self-test/{claim}"), &path, &text)?;
    let items = plan::plan(&[Arc::new(source)], &image.target(), true)?;
    let wanted = items.into_iter().find_map(|item| match item {
        Item::Run(job) if job.id.mutant.as_deref() == mutant => Some(*job),
        _ => None,
    });
    wanted.ok_or_else(|| format!("{claim} has no job with {mutant:?}").into())
}

/// Runs the job. Snapshots are accepted with `INSTA_UPDATE`, as for any other scenario.
pub fn run(job: &Job, image: &Image, tree: &Tree) -> Done {
    job::run(
        job,
        image,
        tree,
        Update::from_environment(),
        &Progress::hidden(),
    )
}

/// Time from the release of the tracer: tracer, workload, and the commands after them. `None` if
/// the tracer was not released.
fn took(tree: &Tree, job: &Job) -> Result<Option<Duration>, Failed> {
    let folder = tree
        .guest_dir(&job.id.guest)
        .join(job.id.scenario_and_mutant());
    let commands = fs::read_to_string(folder.join("commands.txt")).unwrap_or_default();
    let tracer = format!("$ {}\n", job.scenario.trace);
    let Some((_, from_tracer)) = commands.split_once(&tracer) else {
        return Ok(None);
    };
    let workload = format!(
        "$ {}\n",
        job.scenario.workload.as_deref().unwrap_or_default()
    );
    let (tracer, after) = from_tracer.split_once(&workload).ok_or("no workload")?;
    let after = after.split_once("\n$ ").map_or("", |(_, after)| after);
    let tracer = tracer.lines().find_map(milliseconds).ok_or("no time")?;
    let after: u64 = after.lines().filter_map(milliseconds).sum();
    Ok(Some(Duration::from_millis(tracer + after)))
}

/// Parses `# status 0, 12 ms`.
fn milliseconds(line: &str) -> Option<u64> {
    let (_, time) = line.strip_prefix("# ")?.rsplit_once(", ")?;
    time.strip_suffix(" ms")?.parse().ok()
}

/// The limit for the job, at the pace that it ran at.
fn limit(row: Row, job: &Job, done: &Done) -> Duration {
    let stated = job.scenario.time_limit.duration();
    let stated = row.within.map_or(stated, Duration::from_secs);
    (stated + GRACE).mul_f64(done.report.pace.unwrap_or(1.0))
}

fn without_init(mut image: Image) -> Image {
    let none = "rdinit=/no/such/init root=/dev/none";
    image.append = image.append.replace("rdinit=/init", none);
    image
}

/// Stops the job's QEMU for a while, once the workload has printed to the console that it runs.
fn stand_still(tree: &Tree, job: &Job) {
    let folder = tree.guest_dir(&job.id.guest).join(&job.id.scenario);
    let console = folder.join("console.log");
    // A console file may be from an earlier run; a QEMU that writes to it is not.
    let name = console.display().to_string();
    let says_so = || fs::read_to_string(&console).is_ok_and(|said| said.contains("begun"));
    within(START, || !emulators(&name).is_empty() && says_so());
    for emulator in emulators(&name) {
        signal(emulator, "STOP");
        thread::sleep(STANDSTILL);
        signal(emulator, "CONT");
    }
}

/// The process may be gone; the job reports why.
fn signal(process: u32, name: &str) {
    let kill = Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .status();
    kill.expect("kill(1)");
}
