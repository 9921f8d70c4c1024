//! The harness's command line: `run`, `repro`, `hunt` and `shell`.
//!
//! Exit status: 0 if every job passed, was skipped, caught its mutant, or did one of these on a
//! retry; 1 if a job failed, missed its mutant or was broken, or the run was interrupted; 2 for a
//! bad command line or scenario; 3 if the host lacks something, or a report of an otherwise good
//! run cannot be written.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use harness::atomic_write;
use harness::guest::Stop;
use harness::guest::image::Image;
use harness::judge::verdict::Failure;
use harness::report::printable::{in_line, printable};
use harness::report::{Entry, Report, html};
use harness::run::hunt::{self, HuntError, HuntResult, HuntRun};
use harness::run::repro::{self, ReproError, With};
use harness::run::suite::{self, Batch, Request, SuiteError};
use harness::run::{interrupt, shell};
use harness::tree::Tree;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const HOST: u8 = 3;
/// Lines of a failure's detail to print; the evidence folder has all of them.
const SHOWN_LINES: usize = 60;

/// Boots guests and runs scenarios in them.
#[derive(Parser)]
#[command(name = "harness", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run scenarios in a guest and judge them
    Run(Run),
    /// Rerun one job from its evidence
    Repro(Repro),
    /// Run a scenario with one variation after the other until it fails
    Hunt(Hunt),
    /// Open a shell in a guest that has the module loaded
    Shell {
        /// A guest from images/
        guest: String,
    },
}

#[derive(Args)]
struct Run {
    /// A guest from images/, `all` or `all@all`
    guest: String,
    /// Parts of `provider/claim`, or paths of scenario files; none means all
    filters: Vec<String>,
    /// Also run each scenario with each of its seeded defects
    #[arg(long)]
    mutants: bool,
    /// Number of jobs to run at once [default: one per core, limited by memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Number of times to run each job, as separate jobs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: Option<u32>,
    /// Maximum number of reruns of a job that fails; it is flaky if one passes
    #[arg(long, value_name = "N", default_value_t, value_parser = clap::value_parser!(u32).range(..=100))]
    retries: u32,
    /// Write a report; may be given more than once
    #[arg(long, num_args = 2, value_names = ["FORMAT", "FILE"])]
    report: Vec<String>,
}

#[derive(Args)]
struct Repro {
    /// The job, by its name in a list, test or report, or a folder of evidence
    #[arg(required = true)]
    job: Vec<String>,
    /// Stop at the first probe hit and wait for gdb
    #[arg(long)]
    gdb: bool,
    /// Record the run in QEMU, for a replay
    #[arg(long, conflicts_with = "gdb")]
    record: bool,
    /// Replay the recording
    #[arg(long, conflicts_with = "record")]
    replay: bool,
}

#[derive(Args)]
struct Hunt {
    /// The scenario: `provider/claim`, a part of it, or its file
    scenario: String,
    /// Hunt in this guest only [default: the scenario's guests in turn]
    #[arg(long, default_value = "all", hide_default_value = true)]
    guest: String,
    /// Hunt with this seeded defect
    #[arg(long)]
    mutant: Option<String>,
    /// Maximum number of runs
    #[arg(long, value_name = "N", required_unless_present = "minutes", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Start no run after this many minutes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    minutes: Option<u32>,
    /// Start with the run of this number, as printed by an earlier hunt
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    from: u32,
    /// Seed of the variations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of runs at once [default: one per core, limited by memory]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Junit,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = interrupt::listen() {
        eprintln!("harness: cannot listen for signals: {error}");
        return ExitCode::from(HOST);
    }
    let tree = Tree::own();
    match cli.task {
        Task::Run(task) => {
            let request = Request {
                guest: task.guest,
                filters: task.filters,
                mutants: task.mutants,
                jobs: task.jobs.map(usize::from),
                repeat: task.repeat,
                retries: task.retries,
            };
            run(&tree, &request, &task.report)
        }
        Task::Repro(task) => run_repro(&tree, &task),
        Task::Hunt(task) => run_hunt(&tree, task),
        Task::Shell { guest } => run_shell(&tree, &guest),
    }
}

fn run(tree: &Tree, request: &Request, reports: &[String]) -> ExitCode {
    let reports = match parse_reports(reports) {
        Ok(reports) => reports,
        Err(what) => return refuse(&what, USAGE),
    };
    let batches = match suite::batches(tree, request) {
        Ok(batches) => batches,
        Err(error) => return refuse(&error.to_string(), code_of(&error)),
    };
    let report = suite::run(tree, &batches, request, |entry| print_entry(tree, entry));
    sum_up(tree, &batches, &report);
    let unwritten = write_reports(tree, &report, &reports);
    let is_good = report.is_good() && !interrupt::is_pending();
    match unwritten.as_slice() {
        _ if !is_good => refuse_all(&unwritten, FAILED),
        [] => ExitCode::SUCCESS,
        _ => refuse_all(&unwritten, HOST),
    }
}

fn run_repro(tree: &Tree, task: &Repro) -> ExitCode {
    let name = task.job.join(" ");
    if task.replay {
        return run_replay(tree, &name, task.gdb);
    }
    let with = match (task.record, task.gdb) {
        (true, _) => With::Record,
        (false, true) => With::Gdb,
        (false, false) => With::Nothing,
    };
    match repro::run(tree, &name, with) {
        Err(error) => refuse(&error.to_string(), code_of_repro(&error)),
        Ok(again) => {
            say(format_args!("{}", in_line(&again.done.report.to_string())));
            print_failures(&again.done.failures);
            say(format_args!("{}", again.compared()));
            say(format_args!(
                "evidence: {}",
                tree.relative(&again.folder).display()
            ));
            let is_good = again.done.report.verdict.is_good();
            ExitCode::from(if is_good { 0 } else { FAILED })
        }
    }
}

fn run_replay(tree: &Tree, name: &str, gdb: bool) -> ExitCode {
    match repro::replay(tree, name, gdb) {
        Err(error) => refuse(&error.to_string(), code_of_repro(&error)),
        Ok(played) => {
            println!("{played}");
            ExitCode::from(if played.is_good() { 0 } else { FAILED })
        }
    }
}

fn run_hunt(tree: &Tree, task: Hunt) -> ExitCode {
    let request = hunt::Request {
        scenario: task.scenario,
        guest: task.guest,
        mutant: task.mutant,
        runs: task.runs,
        time: task
            .minutes
            .map(|minutes| Duration::from_secs(60 * u64::from(minutes))),
        from: task.from,
        seed: task.seed,
        jobs: task.jobs.map(usize::from),
    };
    let print_entry = |run: &HuntRun| {
        let line = run.done.report.to_string();
        println!("{}  [{}]", printable(&line), run.setting);
    };
    match hunt::run(tree, &request, print_entry) {
        Err(error) => refuse(&error.to_string(), code_of_hunt(&error)),
        Ok(result) => print_hunt(tree, &request, &result),
    }
}

fn print_hunt(tree: &Tree, request: &hunt::Request, result: &HuntResult) -> ExitCode {
    let (runs, seed) = (result.runs, request.seed);
    let Some(hit) = &result.hit else {
        let was_ended_by_guest = interrupt::is_pending();
        let left = if was_ended_by_guest {
            "interrupted: "
        } else {
            ""
        };
        let next = result.next;
        println!("{left}nothing found, runs: {runs}; `--seed {seed} --from {next}` continues");
        return ExitCode::from(if was_ended_by_guest { FAILED } else { 0 });
    };
    println!(
        "found in run {}, runs: {runs}; variation: {}",
        hit.number, hit.setting
    );
    print_failures(&hit.done.failures);
    println!("evidence: {}", tree.relative(&hit.folder).display());
    println!("again: {}", hit.repro());
    println!(
        "continue: `--seed {seed} --from {}`",
        hit.number.saturating_add(1)
    );
    ExitCode::from(FAILED)
}

fn code_of_hunt(error: &HuntError) -> u8 {
    match error {
        HuntError::Suite(error) => code_of(error),
        HuntError::Many { .. } | HuntError::NoGuest { .. } => USAGE,
    }
}

fn sum_up(tree: &Tree, batches: &[Batch], report: &Report) {
    if batches.len() > 1 {
        for (guest, totals) in report.by_guest() {
            say(format_args!("{guest}: {totals}"));
        }
    }
    say(format_args!("{}", report.totals));
    let planned = report.span.planned;
    if report.jobs.len() < planned {
        let left = planned - report.jobs.len();
        say(format_args!(
            "interrupted: {left} of {planned} jobs were not started"
        ));
    }
    for batch in batches {
        let folder = tree.guest_dir(&batch.image.guest);
        say(format_args!(
            "evidence: {}",
            tree.relative(&folder).display()
        ));
    }
}

fn parse_reports(words: &[String]) -> Result<Vec<(Format, PathBuf)>, String> {
    words
        .chunks(2)
        .map(|pair| match pair {
            [format, file] => Ok((Format::from_str(format, false)?, PathBuf::from(file))),
            _ => Err("--report takes a format and a file".to_owned()),
        })
        .collect::<Result<_, String>>()
        .map_err(|what| format!("--report: {what}; the formats are json and junit"))
}

/// Writes the HTML page and the requested reports. One that fails does not stop the others; the
/// errors are returned.
fn write_reports(tree: &Tree, report: &Report, wanted: &[(Format, PathBuf)]) -> Vec<String> {
    let page = tree.evidence().join("report.html");
    let written = write(&page, Ok(html::page(report)));
    if written.is_ok() {
        say(format_args!("report: {}", tree.relative(&page).display()));
    }
    let others = wanted.iter().map(|(format, path)| {
        let text = match format {
            Format::Json => report.to_json().map_err(|e| e.to_string()),
            Format::Junit => report.to_junit().map_err(|e| e.to_string()),
        };
        write(path, text)
    });
    let all = [written].into_iter().chain(others);
    all.filter_map(Result::err).collect()
}

fn write(path: &Path, text: Result<String, String>) -> Result<(), String> {
    let written =
        text.and_then(|text| atomic_write::replace(path, &text).map_err(|e| e.to_string()));
    written.map_err(|why| format!("{}: cannot write: {why}", path.display()))
}

fn print_entry(tree: &Tree, entry: &Entry) {
    say(format_args!("{}", in_line(&entry.to_string())));
    let see = |one: &Entry| {
        let folder = tree.evidence().join(&one.evidence);
        say(format_args!(
            "       see {}",
            tree.relative(&folder).display()
        ));
    };
    if entry.job.verdict.is_good() {
        return entry.earlier.iter().for_each(see);
    }
    print_failures(&entry.failures);
    see(entry);
}

fn print_failures(failures: &[Failure]) {
    for failure in failures {
        say(format_args!(
            "       {}: {}",
            failure.kind,
            in_line(&failure.what)
        ));
        for line in failure.detail.lines().take(SHOWN_LINES) {
            say(format_args!("         {}", printable(line)));
        }
    }
}

fn run_shell(tree: &Tree, guest: &str) -> ExitCode {
    let image = suite::guests(tree, guest)
        .and_then(|_| Ok(Image::read(tree, guest)?))
        .and_then(|image| Ok(image.check_host(guest).map(|()| image)?));
    match image {
        Err(error) => refuse(&error.to_string(), code_of(&error)),
        Ok(image) => match shell::run(tree, &image) {
            Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(FAILED)),
            Err(Stop::Guest(finding)) => refuse(&finding.to_string(), FAILED),
            Err(Stop::Host(error)) => refuse(&error.to_string(), HOST),
            Err(Stop::Interrupted) => ExitCode::from(FAILED),
        },
    }
}

fn code_of(error: &SuiteError) -> u8 {
    match error {
        SuiteError::Host(_) => HOST,
        _ => USAGE,
    }
}

fn code_of_repro(error: &ReproError) -> u8 {
    match error {
        ReproError::Host(_) => HOST,
        _ => USAGE,
    }
}

/// Ignores a closed stdout (`| head`): the run continues without a reader.
fn say(line: fmt::Arguments<'_>) {
    writeln!(io::stdout(), "{line}").ok();
}

fn refuse(what: &str, code: u8) -> ExitCode {
    writeln!(io::stderr(), "harness: {what}").ok();
    ExitCode::from(code)
}

fn refuse_all(all: &[String], code: u8) -> ExitCode {
    for what in all {
        refuse(what, code);
    }
    ExitCode::from(code)
}
