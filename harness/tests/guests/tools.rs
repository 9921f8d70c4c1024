//! Helpers of the guest tests.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use harness::guest::command_line::Launch;
use harness::guest::image::Image;
use harness::guest::{Guest, Stop};
use harness::report::evidence::Evidence;
use harness::tree::Tree;
use libtest_mimic::Failed;

/// The bound for prompt detection, on a busy host.
pub const SOON: Duration = Duration::from_secs(8);
/// Time for a command that does nothing slow.
pub const SHORT: Duration = Duration::from_secs(20);

/// A test's evidence folder, emptied.
pub fn evidence(tree: &Tree, image: &Image, name: &str) -> Result<Evidence, Failed> {
    let folder = tree.guest_dir(&image.guest).join("self-test").join(name);
    Ok(Evidence::cleared(folder)?)
}

/// Starts a guest, and returns it with its evidence.
pub fn launch(
    tree: &Tree,
    image: &Image,
    launch: Launch<'_>,
    name: &str,
) -> Result<(Guest, Evidence), Failed> {
    let evidence = evidence(tree, image, name)?;
    let machine = image.machine().ok_or("no machine")?;
    let guest = Guest::start(machine, image, launch, &evidence)?;
    Ok((guest, evidence))
}

/// Boots a guest and waits until it answers.
pub fn boot(tree: &Tree, image: &Image, name: &str) -> Result<Guest, Failed> {
    let (mut guest, _) = launch(tree, image, Launch::Cold, name)?;
    guest.wake().map_err(to_failed)?;
    Ok(guest)
}

/// A [`Stop`] as a test failure.
pub fn to_failed(stop: Stop) -> Failed {
    format!("{stop:?}").into()
}

/// Fails with `what` unless `is_so`.
pub fn expect(is_so: bool, what: impl Into<String>) -> Result<(), Failed> {
    is_so.then_some(()).ok_or_else(|| what.into().into())
}

/// Polls until `is_so`, for at most `limit`.
pub fn within(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    is_so()
}

/// The harness's binary. In a nextest archive it is not where it was built.
pub fn harness() -> Command {
    let moved = env::var_os("NEXTEST_BIN_EXE_harness");
    Command::new(moved.unwrap_or_else(|| env!("CARGO_BIN_EXE_harness").into()))
}

/// Process ids of QEMUs whose command line contains `words`, such as a file that they write.
pub fn emulators(words: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_one = |path: PathBuf| {
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.starts_with("qemu-system-") && line.contains(words)
    };
    processes
        .filter(|entry| is_one(entry.path()))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
