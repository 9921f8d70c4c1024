//! Runs a recorded failure again under gdb, with a script that reads what the mutant does to the
//! trap's frame: the example of `doc/debugging.md`.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;
use std::{env, fs};

use harness::guest::emulator;
use harness::guest::image::Image;
use harness::guest::overrides::Overrides;
use harness::judge::snapshot::Update;
use harness::run::job;
use harness::run::plan::{self, Item, Job};
use harness::run::progress::Progress;
use harness::run::repro::gdb;
use harness::run::suite;
use harness::tree::Tree;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

const GUEST: &str = "armv6";
const SCENARIO: &str = "fbt/three-chdir";
const MUTANT: &str = "push-into-frame";
/// From the start of the child harness to its end; it takes some seconds.
const LIMIT: Duration = Duration::from_secs(300);
/// The bit that the engine clears in the word that it stores; see the mutant.
const TAKEN_OUT: u32 = 1 << 20;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let name = "a_script_reads_the_clobbered_frame";
    let trial = match absent(&Tree::own()) {
        None => Trial::test(name, || reads_the_frame(&Tree::own())),
        Some(why) => Trial::ignorable_test(name, move || Ok(Completion::ignored_with(why)))
            .with_ignored_flag(arguments.list),
    };
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

/// Why the test cannot run here.
fn absent(tree: &Tree) -> Option<String> {
    let debugger = emulator::find(gdb::PROGRAM, gdb::REMEDY).map(drop);
    let image = Image::read(tree, GUEST).map(drop);
    debugger.and(image).err().map(|error| error.to_string())
}

fn reads_the_frame(tree: &Tree) -> Result<(), Failed> {
    let folder = keep_a_failure(tree)?;
    let mut harness = held(&folder)?;
    let said = debug(tree, &folder.join("repro").join(gdb::SCRIPT))?;
    let status = harness.0.wait()?;
    if !status.success() {
        return Err(format!("repro ended with {status}; gdb said:\n{said}").into());
    }
    check(&said).map_err(|error| format!("{error}; gdb said:\n{said}").into())
}

/// Runs the mutant's job and returns its evidence folder.
fn keep_a_failure(tree: &Tree) -> Result<PathBuf, Box<dyn Error>> {
    let image = Image::read(tree, GUEST)?;
    let folder = tree.guest_dir(GUEST).join("self-test/debugger");
    let overrides = Overrides {
        folder: Some(folder.clone()),
        ..Overrides::default()
    };
    let job = mutants_job(tree, &image)?;
    let (nothing, quietly) = (Update::Nothing, Progress::hidden());
    let done = job::run_in(&overrides, &job, &image, tree, nothing, &quietly);
    match done.report.verdict.is_good() {
        true => Ok(folder),
        false => Err(done.story().into()),
    }
}

fn mutants_job(tree: &Tree, image: &Image) -> Result<Job, Box<dyn Error>> {
    let sources = suite::sources(tree, &[SCENARIO.to_owned()])?;
    let items = plan::plan(&sources, &image.target(), true)?;
    let mut jobs = items.into_iter().filter_map(|item| match item {
        Item::Run(job) if job.id.mutant.as_deref() == Some(MUTANT) => Some(*job),
        _ => None,
    });
    jobs.next().ok_or_else(|| "no such mutant".into())
}

/// A child harness, killed on drop.
struct Harness(Child);

impl Drop for Harness {
    fn drop(&mut self) {
        // Errors mean that it has exited.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Starts a harness that runs the job again, and waits until it holds the guest for gdb.
fn held(folder: &Path) -> Result<Harness, Box<dyn Error>> {
    // In a nextest archive the binary is not where it was built.
    let moved = env::var_os("NEXTEST_BIN_EXE_harness");
    let program = moved.unwrap_or_else(|| env!("CARGO_BIN_EXE_harness").into());
    let mut harness = Harness(
        Command::new(program)
            .arg("repro")
            .arg(folder)
            .arg("--gdb")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?,
    );
    end_in_time(&harness.0)?;
    let mut said = String::new();
    let mut out = BufReader::new(harness.0.stdout.take().ok_or("no output")?);
    while !said.contains(gdb::STOPPED) {
        if out.read_line(&mut said)? == 0 {
            return Err(format!("the guest is not held: {said}").into());
        }
    }
    // Drain the pipe, or the child blocks on it.
    std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    Ok(harness)
}

/// Kills the child after [`LIMIT`]: neither it nor gdb, which is attached to its guest, ends by
/// itself when one waits for the other.
fn end_in_time(child: &Child) -> Result<(), Box<dyn Error>> {
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    std::thread::spawn(move || {
        std::thread::sleep(LIMIT);
        // An error means that it has exited.
        pidfd_send_signal(process, Signal::KILL).ok();
    });
    Ok(())
}

fn debug(tree: &Tree, script: &Path) -> Result<String, Box<dyn Error>> {
    let example = tree.absolute(Path::new("doc/examples/frame.gdb"));
    let output = Command::new(gdb::PROGRAM)
        .args(["-batch", "-nx", "-x"])
        .arg(script)
        .arg("-x")
        .arg(example)
        .stdin(Stdio::null())
        .output()?;
    fs::write(script.with_extension("said"), &output.stdout)?;
    let both = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&both).into_owned())
}

/// The emulated push must have stored its first register, r4, over the saved CPSR.
fn check(said: &str) -> Result<(), Box<dyn Error>> {
    let line = |begin: &str| {
        let mut lines = said.lines();
        let found = lines.find(|line| line.starts_with(begin));
        found.ok_or_else(|| format!("no line `{begin}`"))
    };
    if !line("probed: ")?.starts_with("probed: sys_chdir") {
        return Err("another function was probed".into());
    }
    let (before, after) = (words(line("before: ")?)?, words(line("after: ")?)?);
    let ([r4, saved], [_, clobbered]) = (before, after);
    if clobbered != r4 & !TAKEN_OUT || clobbered == saved {
        return Err(format!("{saved:08x} became {clobbered:08x} where r4 is {r4:08x}").into());
    }
    Ok(())
}

/// Parses `before: r4 005279d8, saved CPSR 80000013`.
fn words(line: &str) -> Result<[u32; 2], Box<dyn Error>> {
    let hex = |word: &str| u32::from_str_radix(word.trim_end_matches(','), 16).ok();
    let found: Vec<u32> = line
        .split_whitespace()
        .filter(|word| word.trim_end_matches(',').len() == 8)
        .filter_map(hex)
        .collect();
    <[u32; 2]>::try_from(found).map_err(|_| format!("not two words: {line}").into())
}
