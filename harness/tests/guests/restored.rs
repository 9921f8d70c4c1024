//! What a restore can get wrong: the clock, timers, and entropy.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use harness::guest::Guest;
use harness::guest::image::Image;
use harness::guest::saved::Level;
use harness::guest::start;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::tools::{evidence, expect, to_failed};

/// Tolerance for a clock that reads whole seconds.
const OFF: Duration = Duration::from_secs(2);
/// Upper bound for `sleep 1` on a loaded host, before scaling.
const SECOND: Duration = Duration::from_millis(2500);
/// Number of guests restored from one state.
const SIBLINGS: usize = 8;

fn restore(tree: &Tree, image: &Image, name: &str) -> Result<Guest, Failed> {
    let machine = image.machine().ok_or("no machine")?;
    let evidence = evidence(tree, image, name)?;
    let started = start::guest(tree, image, machine, Level::Loaded, None, &evidence);
    let started = started.map_err(to_failed)?;
    expect(
        started.cold.is_none(),
        format!("it booted: {:?}", started.cold),
    )?;
    expect(
        started.ready.map_err(to_failed)?.is_loaded,
        "without the module",
    )?;
    Ok(started.guest)
}

/// A guest saved at another time has the current time.
pub fn clock(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = restore(tree, image, "clock")?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let says = guest.ask("date +%s").map_err(to_failed)?;
    let says = Duration::from_secs(says.trim().parse()?);
    expect(
        says.abs_diff(since) <= OFF,
        format!("{says:?}, not {since:?}"),
    )
}

/// A timer set after the restore fires, and on time.
pub fn timers(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = restore(tree, image, "timers")?;
    for _ in 0..3 {
        let started = Instant::now();
        guest.ask("sleep 1").map_err(to_failed)?;
        let took = started.elapsed();
        let second = Duration::from_secs(1)..guest.paced(SECOND);
        expect(
            second.contains(&took),
            format!("{took:?} is not in {second:?}"),
        )?;
    }
    Ok(())
}

/// Each guest restored from one state draws different random numbers. Timing alone could make two
/// differ; it would not separate all of them.
pub fn randomness(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut drawn = BTreeSet::new();
    for number in 1..=SIBLINGS {
        let mut guest = restore(tree, image, &format!("sibling-{number}"))?;
        let said = guest.ask("head -c 16 /dev/urandom | od -An -tx1");
        let said = said.map_err(to_failed)?;
        expect(said.split_whitespace().count() == 16, said.clone())?;
        expect(drawn.insert(said.clone()), format!("two say{said}"))?;
        guest.quit();
    }
    Ok(())
}
