//! A harness that is killed leaves no QEMU, no temporary file, and nothing that the next run could
//! take for complete.
//!
//! It runs in a workspace of its own, so that its files can be counted. Some runs find a saved
//! guest, others have to make one.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use harness::guest::image::Image;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::tools::{emulators, expect, harness, within};

/// Environment variable: the number of harnesses to kill.
const TIMES: &str = "TRAPLINE_KILLS";
/// Environment variable: the seed of the times at which they are killed.
const SEED: &str = "TRAPLINE_SEED";
const USUALLY: u64 = 50;
/// The saved guest is invalidated before every run of this many.
const ROUND: u64 = 10;
/// Time by which QEMU must be gone after its harness.
const GONE: Duration = Duration::from_secs(1);
const FACTS: &str = "facts.json";
const SCENARIO: &str = "cli/no-such-probe";

/// A workspace with one guest's image, by symbolic links to the real one.
struct Place {
    root: PathBuf,
    guest: PathBuf,
    name: String,
}

/// No QEMU survives its harness, and the last run succeeds and leaves the usual files.
pub fn check(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let place = Place::new(tree, image)?;
    let (making, whole) = (place.run()?, place.files()?);
    let going_on = place.run()?;
    expect(place.files()? == whole, "two runs leave different files")?;
    let mut random = Random::begin();
    let (times, mut half_made) = (number(TIMES).unwrap_or(USUALLY), 0);
    for time in 0..times {
        if time % ROUND == 0 {
            place.outdate()?;
        }
        let longest = if place.is_saved() { going_on } else { making };
        place.kill(&mut random, longest)?;
        half_made += u64::from(place.is_half_made());
    }
    eprintln!("{times} were killed, {half_made} of them while they made a guest");
    place.run()?;
    let left = place.files()?;
    let differing: Vec<_> = left.symmetric_difference(&whole).collect();
    expect(
        differing.is_empty(),
        format!("other files than usual: {differing:?}"),
    )?;
    expect(place.is_saved(), "the guest was not saved in the end")
}

impl Place {
    fn new(tree: &Tree, image: &Image) -> Result<Self, Failed> {
        let real = tree.guest_dir(&image.guest);
        let root = real.join("self-test/killed");
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let guest = root.join("target/trapline").join(&image.guest);
        for folder in [&guest, &root.join("harness"), &root.join("tmp")] {
            fs::create_dir_all(folder)?;
        }
        let workspace = tree.snapshots();
        let workspace = workspace.parent().ok_or("no workspace")?;
        for name in ["images", "scenarios", "snapshots"] {
            symlink(workspace.join(name), root.join(name))?;
        }
        let keys = [&image.ssh.private_key, &image.ssh.public_key];
        let files = [&image.kernel, &image.initrd].into_iter().chain(keys);
        for file in files
            .chain(&image.dtb)
            .chain([&tree.guest_json(&image.guest)])
        {
            symlink(file, guest.join(file.file_name().ok_or("no file")?))?;
        }
        let name = image.guest.clone();
        Ok(Self { root, guest, name })
    }

    fn harness(&self) -> Command {
        let mut harness = harness();
        harness
            .args(["run", &self.name, SCENARIO])
            .env("CARGO_MANIFEST_DIR", self.root.join("harness"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("INSTA_UPDATE", "no")
            .env_remove("TRAPLINE_BOOT");
        harness
    }

    /// Runs to completion, which must succeed, and returns the duration.
    fn run(&self) -> Result<Duration, Failed> {
        let started = Instant::now();
        let run = self.harness().output()?;
        let said = [run.stdout, run.stderr].concat();
        expect(run.status.success(), String::from_utf8_lossy(&said))?;
        expect(self.is_saved(), "no guest was saved")?;
        Ok(started.elapsed())
    }

    /// Kills a harness at a pseudo-random time within `longest`; retries if it had exited by then.
    fn kill(&self, random: &mut Random, longest: Duration) -> Result<(), Failed> {
        let mut moment = longest.mul_f64(random.fraction());
        while !self.is_killed(moment)? {
            moment = longest.mul_f64(random.fraction());
        }
        let place = self.root.display().to_string();
        let is_gone = within(GONE, || emulators(&place).is_empty());
        let left = emulators(&place);
        expect(
            is_gone,
            format!("killed after {moment:?}, it left {left:?}"),
        )
    }

    fn is_killed(&self, moment: Duration) -> Result<bool, Failed> {
        let mut silent = self.harness();
        let mut run = silent.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        thread::sleep(moment);
        let is_running = run.try_wait()?.is_none();
        run.kill()?;
        run.wait()?;
        Ok(is_running)
    }

    /// Whether the next run can restore a saved guest.
    fn is_saved(&self) -> bool {
        self.saved().is_ok_and(|folder| folder.join(FACTS).exists())
    }

    /// Whether the last run left an incomplete saved guest.
    fn is_half_made(&self) -> bool {
        let new = self.saved().map(|folder| folder.with_extension("new"));
        new.is_ok_and(|new| new.exists())
    }

    /// Invalidates the saved guest, so that the next run replaces it.
    fn outdate(&self) -> Result<(), Failed> {
        match fs::remove_file(self.saved()?.join(FACTS)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The folder of the only saved guest.
    fn saved(&self) -> Result<PathBuf, Failed> {
        let all = fs::read_dir(self.guest.join("saved"))?;
        let mut folders = all.filter_map(|entry| Some(entry.ok()?.path()));
        let one = folders.find(|path| path.is_dir() && path.extension().is_none());
        one.ok_or_else(|| "no saved guest".into())
    }

    /// All files in the workspace.
    fn files(&self) -> Result<BTreeSet<PathBuf>, Failed> {
        let mut files = BTreeSet::new();
        walk(&self.root, &mut files)?;
        Ok(files)
    }
}

/// Collects the files below `folder`, without following links.
fn walk(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Failed> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => walk(&entry.path(), files)?,
            false => drop(files.insert(entry.path())),
        }
    }
    Ok(())
}

/// Pseudo-random times (xorshift), reproducible from their seed.
struct Random(u64);

impl Random {
    fn begin() -> Self {
        let seed = number(SEED).unwrap_or_else(|| RandomState::new().build_hasher().finish());
        eprintln!("{SEED}={seed}");
        Self(seed)
    }

    /// The next value, from 0 to 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.max(1);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as f64 / f64::from(u32::MAX)
    }
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}
