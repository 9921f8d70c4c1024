//! Guests restored from one saved guest are isolated: what one does to itself is invisible to
//! others.

use std::process::Command;
use std::thread;

use harness::guest::image::Image;
use harness::guest::saved::{Level, Saved};
use harness::judge::verdict::Verdict;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::misbehaving::{PANIC, job, run};
use crate::tools::{expect, to_failed};

/// One copy wrecks itself while another runs and before a third starts; the saved files stay
/// intact.
pub fn check(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let machine = image.machine().ok_or("no machine")?;
    // Held so that no other run replaces it meanwhile.
    let saved = Saved::of(tree, image, machine, Level::Loaded).map_err(to_failed)?;
    let before = sum(&saved)?;
    let (wreck, mut other) = (
        job("wrecks-itself", None, image)?,
        job("looks-around", None, image)?,
    );
    let (wrecked, beside) = thread::scope(|scope| {
        let beside = scope.spawn(|| run(&other, image, tree));
        (run(&wreck, image, tree), beside.join())
    });
    expect(wrecked.report.why.starts_with(PANIC), wrecked.story())?;
    other.id.copy = Some(3);
    let after = run(&other, image, tree);
    for done in [beside.map_err(|_| "it panicked")?, after] {
        expect(done.report.verdict == Verdict::Pass, done.story())?;
    }
    expect(sum(&saved)? == before, "the saved guest has changed")
}

fn sum(saved: &Saved) -> Result<String, Failed> {
    let sum = Command::new("sha256sum")
        .args([saved.memory(), saved.state()])
        .output()?;
    expect(sum.status.success(), String::from_utf8_lossy(&sum.stderr))?;
    Ok(String::from_utf8(sum.stdout)?)
}
