//! What can happen to a guest is told apart, soon and by name, and no QEMU outlives its harness.
//!
//! These tests boot real guests and then do to them what a bad engine would. They need images but
//! no module; a guest without an image has its tests listed and ignored.
//!
//! What depends on a machine or on its kernel is checked on each guest. What depends on the harness,
//! on QEMU and on the ssh server, which are the same for all, is checked on one.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use harness::error::HostError;
use harness::evidence::Evidence;
use harness::ftrace::Ftrace;
use harness::guest::{Guest, Stop};
use harness::health::Trouble;
use harness::image::Image;
use harness::machine::Launch;
use harness::scenario::Processor;
use harness::shell;
use harness::text::{self, TextJudge};
use harness::transcript::Ending;
use harness::tree::Tree;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

type Check = fn(&Tree, &Image) -> Result<(), Failed>;

/// What "soon" is on a machine that is busy.
const SOON: Duration = Duration::from_secs(8);
const SHORT: Duration = Duration::from_secs(20);
/// What switches the function tracer off.
const DISARM: &str =
    "cd /sys/kernel/tracing && echo nop > current_tracer && echo > set_ftrace_filter";
/// How many CPUs a guest is given that can have several.
const MANY: &str = "4";

const ON_EACH: &[(&str, Check)] = &[
    ("commands_are_answered_and_overruns_are_values", answers),
    ("a_panic_is_a_panic", panics),
    ("a_panic_before_init_is_a_boot_panic", boot_panics),
    ("a_change_of_text_is_seen_where_it_is", changes_text),
    ("hits_on_every_cpu_are_counted", counts_hits),
];

const ON_ONE: &[(&str, Check)] = &[
    ("a_warning_is_found_in_the_log", warns),
    ("a_guest_that_stops_answering_hangs", hangs),
    ("the_end_of_qemu_is_an_early_exit", qemu_dies),
    ("a_qemu_that_refuses_says_why", qemu_refuses),
    ("a_guest_that_never_answers_times_out", boot_is_slow),
    ("a_wrong_host_key_is_refused", wrong_host_key),
    ("no_qemu_survives_a_killed_harness", killed_harness),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&Tree::own(), arguments.list) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("guests: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(tree: &Tree, are_listed: bool) -> Result<Vec<Trial>, HostError> {
    let guests = tree.guests()?;
    let images: Vec<_> = guests
        .iter()
        .map(|guest| Image::read(tree, guest))
        .collect();
    let one = images.iter().position(Result::is_ok).unwrap_or(0);
    let mut trials = Vec::new();
    for (row, (guest, image)) in guests.iter().zip(&images).enumerate() {
        let alone: &[_] = if row == one { ON_ONE } else { &[] };
        let checks = ON_EACH.iter().chain(alone);
        trials.extend(checks.map(|(name, check)| {
            let name = format!("{guest}::{name}");
            trial(tree, name, image, *check, are_listed)
        }));
    }
    Ok(trials)
}

/// Without an image there is nothing to test, which a list says too; any other trouble with it is a
/// failure.
fn trial(
    tree: &Tree,
    name: String,
    image: &Result<Image, HostError>,
    check: Check,
    is_listed: bool,
) -> Trial {
    let tree = tree.clone();
    match image {
        Ok(image) => {
            let image = image.clone();
            Trial::test(name, move || check(&tree, &image))
        }
        Err(error) => {
            let is_missing = matches!(error, HostError::NoImage { .. });
            let why = error.to_string();
            let trial = Trial::ignorable_test(name, move || match is_missing {
                true => Ok(Completion::ignored_with(why)),
                false => Err(why.into()),
            });
            trial.with_ignored_flag(is_listed && is_missing)
        }
    }
}

fn start(tree: &Tree, image: &Image, name: &str) -> Result<(Guest, Evidence), Failed> {
    launch(tree, image, Launch::Cold, name)
}

fn launch(
    tree: &Tree,
    image: &Image,
    launch: Launch<'_>,
    name: &str,
) -> Result<(Guest, Evidence), Failed> {
    let folder = tree.guest_dir(&image.guest).join("self-test").join(name);
    let evidence = Evidence::cleared(folder)?;
    let machine = image.machine().ok_or("no machine")?;
    let guest = Guest::start(machine, image, launch, &evidence)?;
    Ok((guest, evidence))
}

fn boot(tree: &Tree, image: &Image, name: &str) -> Result<Guest, Failed> {
    let (mut guest, _) = start(tree, image, name)?;
    guest.wake().map_err(told)?;
    Ok(guest)
}

fn told(stop: Stop) -> Failed {
    format!("{stop:?}").into()
}

/// The trouble that running `command` leads to, and how long it took to notice.
fn trouble(guest: &mut Guest, command: &str) -> Result<(Trouble, Duration), Failed> {
    let started = Instant::now();
    match guest.run(command, SHORT) {
        Err(Stop::Guest(finding)) => Ok((finding.trouble, started.elapsed())),
        other => Err(format!("no trouble: {other:?}").into()),
    }
}

fn expect(is_so: bool, what: String) -> Result<(), Failed> {
    is_so.then_some(()).ok_or_else(|| what.into())
}

fn answers(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "answers")?;
    let answer = guest
        .run("echo out; echo err >&2; exit 3", SHORT)
        .map_err(told)?;
    let got = (
        answer.stdout.as_str(),
        answer.stderr.as_str(),
        answer.ending,
    );
    expect(
        got == ("out\n", "err\n", Ending::Status(3)),
        format!("{got:?}"),
    )?;
    let answer = guest.run("kill -SEGV $$", SHORT).map_err(told)?;
    let signal = Ending::Signal("SIGSEGV".to_owned());
    expect(answer.ending == signal, format!("{answer:?}"))?;
    let limit = Duration::from_secs(1);
    let answer = guest.run("echo before; sleep 60", limit).map_err(told)?;
    let got = (answer.stdout.as_str(), answer.ending);
    expect(
        got == ("before\n", Ending::TimedOut(limit)),
        format!("{got:?}"),
    )?;
    guest.pulse().map_err(told)?;
    guest.quit();
    Ok(())
}

fn panics(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "panics")?;
    let (trouble, took) = trouble(&mut guest, "echo c > /proc/sysrq-trigger")?;
    expect(
        trouble == Trouble::Panic && took < SOON,
        format!("{trouble:?} in {took:?}"),
    )?;
    let found = guest.watch().findings();
    let is_told = found
        .iter()
        .any(|f| f.line.contains("sysrq triggered crash"));
    expect(is_told, format!("{found:?}"))
}

/// The function tracer changes text and puts it back, as an engine does, and needs no module.
fn changes_text(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let (mut guest, evidence) = start(tree, image, "text")?;
    guest.wake().map_err(told)?;
    let machine = image.machine().ok_or("no machine")?;
    let chdir = chdir(image)?;
    // What was on once becomes another no-op than the compiler's, so the first copy comes after it.
    arm(&mut guest, &chdir)?;
    guest.ask(DISARM).map_err(told)?;
    let symbols = text::symbols(&mut guest, machine).map_err(told)?;
    let text = TextJudge::before(&mut guest, machine, symbols, &evidence).map_err(told)?;
    arm(&mut guest, &chdir)?;
    let compared = text.compare(&mut guest, "now", &evidence).map_err(told)?;
    let seen = compared.failure.map(|f| f.detail).unwrap_or_default();
    let patched = seen.contains(&format!(" {chdir}+"));
    expect(patched, format!("{chdir} is not among: {seen}"))?;
    guest.ask(DISARM).map_err(told)?;
    let compared = text.compare(&mut guest, "then", &evidence).map_err(told)?;
    expect(compared.failure.is_none(), format!("{compared:?}"))?;
    guest.quit();
    Ok(())
}

fn counts_hits(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let is_smp = image.capabilities.iter().any(|can| can == "smp");
    let many = is_smp.then(|| serde_yaml::from_str(MANY)).transpose()?;
    let image = image.clone().with_cpus(many, Processor::Usual);
    let mut guest = boot(tree, &image, "counts")?;
    let ftrace = arm(&mut guest, &chdir(&image)?)?;
    let pinned = "taskset -c $cpu bash -c 'cd /; cd /; cd /'";
    let last = image.cpus - 1;
    let all = format!("for cpu in $(seq 0 {last}); do {pinned} || exit; done");
    ftrace.record(&mut guest, true).map_err(told)??;
    guest.ask(&all).map_err(told)?;
    ftrace.record(&mut guest, false).map_err(told)??;
    let counted = ftrace.count(&mut guest).map_err(told)??;
    expect(
        counted == 3 * u64::from(image.cpus),
        format!("{counted} hits"),
    )?;
    guest.quit();
    Ok(())
}

/// What the guest calls chdir's kernel entry.
fn chdir(image: &Image) -> Result<String, Failed> {
    Ok(image.names.expand("${syscall.chdir}")?)
}

fn arm(guest: &mut Guest, function: &str) -> Result<Ftrace, Failed> {
    let armed = Ftrace::arm(guest, function).map_err(told)?;
    armed.map_err(|failure| failure.what.into())
}

fn warns(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "warns")?;
    let line = "WARNING: CPU: 0 PID: 1 at test.c:1 test+0x0";
    guest
        .ask(&format!("echo '<4>{line}' > /dev/kmsg"))
        .map_err(told)?;
    let log = guest.ask("dmesg").map_err(told)?;
    let found = harness::health::scan(&log);
    expect(
        found.len() == 1 && found[0].trouble == Trouble::Warn && found[0].line == line,
        format!("{found:?}"),
    )
}

fn hangs(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "hangs")?;
    // Its answer can't come any more.
    let limit = Duration::from_secs(1);
    guest
        .run("kill -STOP $(pidof trapline-agent)", limit)
        .map_err(told)?;
    let started = Instant::now();
    match guest.pulse() {
        Err(Stop::Guest(finding)) if finding.trouble == Trouble::Hang => expect(
            started.elapsed() < 4 * SOON,
            format!("{:?}", started.elapsed()),
        ),
        other => Err(format!("no hang: {other:?}").into()),
    }
}

fn qemu_dies(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "qemu-dies")?;
    let id = guest.watch().qemu_id().to_string();
    Command::new("kill").args(["-KILL", &id]).status()?;
    let (trouble, took) = trouble(&mut guest, "sleep 30")?;
    expect(
        trouble == Trouble::EarlyExit && took < SOON,
        format!("{trouble:?} in {took:?}"),
    )
}

fn qemu_refuses(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut image = image.clone();
    image.kernel = PathBuf::from("/no/such/kernel");
    match boot(tree, &image, "refuses") {
        Err(failed) => {
            let said = failed.message().unwrap_or_default();
            expect(said.contains("/no/such/kernel"), said.to_owned())
        }
        Ok(_) => Err("it booted".into()),
    }
}

fn boot_panics(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut image = image.clone();
    let no_init = "rdinit=/no/such/init root=/dev/none";
    image.append = image.append.replace("rdinit=/init", no_init);
    let (guest, _) = start(tree, &image, "boot-panics")?;
    stillborn(guest, Trouble::BootPanic)
}

fn boot_is_slow(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let (guest, _) = start(tree, image, "slow")?;
    let guest = guest.with_boot_limit(Duration::from_millis(200));
    stillborn(guest, Trouble::BootTimeOut)
}

fn stillborn(mut guest: Guest, expected: Trouble) -> Result<(), Failed> {
    let woken = guest.wake();
    let took = guest.age();
    match woken {
        Err(Stop::Guest(finding)) => {
            let as_told = finding.trouble == expected && took < SOON;
            expect(as_told, format!("{finding} in {took:?}"))
        }
        Err(stop) => Err(told(stop)),
        Ok(()) => Err("it answers".into()),
    }
}

fn wrong_host_key(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut keys = image.ssh.clone();
    // The user's key is a good key, but not the guest's.
    keys.host_key = fs::read_to_string(&image.ssh.public_key)?.trim().to_owned();
    let (mut guest, _) = launch(tree, image, Launch::Networked, "wrong-host-key")?;
    guest.wake().map_err(told)?;
    match shell::connect(&mut guest, &keys) {
        Err(Stop::Host(error)) => {
            let said = error.to_string();
            expect(said.contains("host key is not the one"), said)
        }
        other => Err(format!("the guest was let in: {other:?}").into()),
    }
}

fn killed_harness(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let console = tree
        .guest_dir(&image.guest)
        .join("cli/no-such-probe/console.log");
    let console = console.display().to_string();
    // In an archive it is not where it was built.
    let moved = env::var_os("NEXTEST_BIN_EXE_harness");
    let program = moved.unwrap_or_else(|| env!("CARGO_BIN_EXE_harness").into());
    let mut harness = Command::new(program)
        .args(["run", &image.guest, "cli/no-such-probe"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let came = within(SOON, || emulators(&console) == 1);
    harness.kill()?;
    harness.wait()?;
    expect(came, "the harness started no QEMU".to_owned())?;
    let gone = within(Duration::from_secs(1), || emulators(&console) == 0);
    expect(gone, format!("{} QEMU left", emulators(&console)))
}

fn within(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    is_so()
}

/// How many emulators write to that console.
fn emulators(console: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .filter(|line| line.starts_with("qemu-system-") && line.contains(console))
        .count()
}
