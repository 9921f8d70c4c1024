//! Guest trouble is classified correctly and promptly.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use harness::guest::command_line::Launch;
use harness::guest::image::Image;
use harness::guest::{Guest, Stop};
use harness::judge::ftrace::Ftrace;
use harness::judge::health::Trouble;
use harness::judge::text::{self, TextJudge};
use harness::judge::transcript::Ending;
use harness::run::shell;
use harness::scenario::Processor;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::tools::{SHORT, SOON, boot, expect, harness, launch, to_failed};

/// Turns the function tracer off.
const DISARM: &str =
    "cd /sys/kernel/tracing && echo nop > current_tracer && echo > set_ftrace_filter";
/// Number of CPUs for guests that support several.
const MANY: &str = "4";

/// Runs a command that causes trouble; returns the trouble and the time until it was noticed.
fn trouble(guest: &mut Guest, command: &str) -> Result<(Trouble, Duration), Failed> {
    let started = Instant::now();
    match guest.run(command, SHORT) {
        Err(Stop::Guest(finding)) => Ok((finding.trouble, started.elapsed())),
        other => Err(format!("no trouble: {other:?}").into()),
    }
}

pub fn answers(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "answers")?;
    let answer = guest
        .run("echo out; echo err >&2; exit 3", SHORT)
        .map_err(to_failed)?;
    let got = (
        answer.stdout.as_str(),
        answer.stderr.as_str(),
        answer.ending,
    );
    expect(
        got == ("out\n", "err\n", Ending::Status(3)),
        format!("{got:?}"),
    )?;
    let answer = guest.run("kill -SEGV $$", SHORT).map_err(to_failed)?;
    let signal = Ending::Signal("SIGSEGV".to_owned());
    expect(answer.ending == signal, format!("{answer:?}"))?;
    let limit = Duration::from_secs(1);
    let answer = guest
        .run("echo before; sleep 60", limit)
        .map_err(to_failed)?;
    let is_over = matches!(answer.ending, Ending::TimedOut(took) if took >= limit);
    expect(
        answer.stdout == "before\n" && is_over,
        format!("{answer:?}"),
    )?;
    guest.pulse().map_err(to_failed)?;
    guest.quit();
    Ok(())
}

pub fn panics(tree: &Tree, image: &Image) -> Result<(), Failed> {
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

/// ftrace patches text and restores it as the engine does, and needs no module.
pub fn changes_text(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let (mut guest, evidence) = launch(tree, image, Launch::Cold, "text")?;
    guest.wake().map_err(to_failed)?;
    let machine = image.machine().ok_or("no machine")?;
    let chdir = chdir(image)?;
    // Disarming once replaces the compiler's no-op by ftrace's, so this precedes the first copy.
    arm(&mut guest, &chdir)?;
    guest.ask(DISARM).map_err(to_failed)?;
    let symbols = text::symbols(&mut guest, machine).map_err(to_failed)?;
    let text = TextJudge::before(&mut guest, machine, symbols, &evidence).map_err(to_failed)?;
    arm(&mut guest, &chdir)?;
    let compared = text
        .compare(&mut guest, "now", &evidence)
        .map_err(to_failed)?;
    let seen = compared.failure.map(|f| f.detail).unwrap_or_default();
    let patched = seen.contains(&format!(" {chdir}+"));
    expect(patched, format!("{chdir} is not among: {seen}"))?;
    guest.ask(DISARM).map_err(to_failed)?;
    let compared = text
        .compare(&mut guest, "then", &evidence)
        .map_err(to_failed)?;
    expect(compared.failure.is_none(), format!("{compared:?}"))?;
    guest.quit();
    Ok(())
}

pub fn counts_hits(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let is_smp = image.capabilities.iter().any(|can| can == "smp");
    let many = is_smp.then(|| serde_yaml::from_str(MANY)).transpose()?;
    let image = image.clone().with_cpus(many, Processor::Usual);
    let mut guest = boot(tree, &image, "counts")?;
    let ftrace = arm(&mut guest, &chdir(&image)?)?;
    let pinned = "taskset -c $cpu bash -c 'cd /; cd /; cd /'";
    let last = image.cpus - 1;
    let all = format!("for cpu in $(seq 0 {last}); do {pinned} || exit; done");
    ftrace.record(&mut guest, true).map_err(to_failed)??;
    guest.ask(&all).map_err(to_failed)?;
    ftrace.record(&mut guest, false).map_err(to_failed)??;
    let counted = ftrace.count(&mut guest).map_err(to_failed)??;
    expect(
        counted == 3 * u64::from(image.cpus),
        format!("{counted} hits"),
    )?;
    guest.quit();
    Ok(())
}

/// The guest's name for chdir's entry in the kernel.
fn chdir(image: &Image) -> Result<String, Failed> {
    Ok(image.names.expand("${syscall.chdir}")?)
}

fn arm(guest: &mut Guest, function: &str) -> Result<Ftrace, Failed> {
    let armed = Ftrace::arm(guest, function).map_err(to_failed)?;
    armed.map_err(|failure| failure.what.into())
}

pub fn warns(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "warns")?;
    let line = "WARNING: CPU: 0 PID: 1 at test.c:1 test+0x0";
    guest
        .ask(&format!("echo '<4>{line}' > /dev/kmsg"))
        .map_err(to_failed)?;
    let log = guest.ask("dmesg").map_err(to_failed)?;
    let found = harness::judge::health::scan(&log);
    expect(
        found.len() == 1 && found[0].trouble == Trouble::Warn && found[0].line == line,
        format!("{found:?}"),
    )
}

pub fn hangs(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "hangs")?;
    // The agent is stopped and cannot answer this.
    let limit = Duration::from_secs(1);
    guest
        .run("kill -STOP $(pidof trapline-agent)", limit)
        .map_err(to_failed)?;
    let started = Instant::now();
    match guest.pulse() {
        Err(Stop::Guest(finding)) if finding.trouble == Trouble::Hang => expect(
            started.elapsed() < 4 * SOON,
            format!("{:?}", started.elapsed()),
        ),
        other => Err(format!("no hang: {other:?}").into()),
    }
}

pub fn qemu_dies(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = boot(tree, image, "qemu-dies")?;
    let id = guest.watch().qemu_id().to_string();
    Command::new("kill").args(["-KILL", &id]).status()?;
    let (trouble, took) = trouble(&mut guest, "sleep 30")?;
    expect(
        trouble == Trouble::EarlyExit && took < SOON,
        format!("{trouble:?} in {took:?}"),
    )
}

pub fn qemu_refuses(tree: &Tree, image: &Image) -> Result<(), Failed> {
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

pub fn boot_panics(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut image = image.clone();
    let no_init = "rdinit=/no/such/init root=/dev/none";
    image.append = image.append.replace("rdinit=/init", no_init);
    let (guest, _) = launch(tree, &image, Launch::Cold, "boot-panics")?;
    expect_no_boot(guest, Trouble::BootPanic)
}

pub fn boot_is_slow(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let (guest, _) = launch(tree, image, Launch::Cold, "slow")?;
    let guest = guest.with_boot_limit(Duration::from_millis(200));
    expect_no_boot(guest, Trouble::BootTimeOut)
}

fn expect_no_boot(mut guest: Guest, expected: Trouble) -> Result<(), Failed> {
    let woken = guest.wake();
    let took = guest.age();
    match woken {
        Err(Stop::Guest(finding)) => {
            let as_told = finding.trouble == expected && took < SOON;
            expect(as_told, format!("{finding} in {took:?}"))
        }
        Err(stop) => Err(to_failed(stop)),
        Ok(()) => Err("it answers".into()),
    }
}

pub fn wrong_host_key(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut keys = image.ssh.clone();
    // A valid public key, but not the guest's host key.
    keys.host_key = fs::read_to_string(&image.ssh.public_key)?.trim().to_owned();
    let (mut guest, _) = launch(tree, image, Launch::Networked, "wrong-host-key")?;
    guest.wake().map_err(to_failed)?;
    match shell::connect(&mut guest, &keys) {
        Err(Stop::Host(error)) => {
            let said = error.to_string();
            expect(said.contains("host key is not the one"), said)
        }
        other => Err(format!("the guest was let in: {other:?}").into()),
    }
}

/// The user's shell ends, and the error names the ssh connection.
pub fn ssh_dies(_: &Tree, image: &Image) -> Result<(), Failed> {
    let mut shell = harness()
        .args(["shell", &image.guest])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut typed = shell.stdin.take().ok_or("no stdin")?;
    typed.write_all(b"kill -KILL $(pidof dropbear)\n")?;
    let ended = shell.wait_with_output()?;
    drop(typed);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    expect(
        ended.status.code() == Some(1) && said.contains("harness: ssh lost: "),
        said,
    )
}
