//! What a restored guest could get wrong: the time, its timers, and what only one guest may have.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use harness::guest::Guest;
use harness::guest::image::Image;
use harness::guest::saved::Level;
use harness::guest::start;
use harness::tree::Tree;
use libtest_mimic::Failed;

use crate::tools::{evidence, expect, told};

/// How far off a clock of whole seconds may be.
const OFF: Duration = Duration::from_secs(2);
/// How long a second takes on a host that has others to serve.
const SECOND: Duration = Duration::from_millis(2500);
/// How many guests of one state are compared.
const SIBLINGS: usize = 8;

fn restore(tree: &Tree, image: &Image, name: &str) -> Result<Guest, Failed> {
    let machine = image.machine().ok_or("no machine")?;
    let evidence = evidence(tree, image, name)?;
    let started = start::guest(tree, image, machine, Level::Loaded, None, &evidence);
    let started = started.map_err(told)?;
    expect(
        started.cold.is_none(),
        format!("it booted: {:?}", started.cold),
    )?;
    expect(started.ready.map_err(told)?.is_loaded, "without the module")?;
    Ok(started.guest)
}

/// It is this moment in a guest that was saved at another.
pub fn clock(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = restore(tree, image, "clock")?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let says = guest.ask("date +%s").map_err(told)?;
    let says = Duration::from_secs(says.trim().parse()?);
    expect(
        says.abs_diff(since) <= OFF,
        format!("{says:?}, not {since:?}"),
    )
}

/// A timer that is set after the restore goes off, and when it should.
pub fn timers(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut guest = restore(tree, image, "timers")?;
    for _ in 0..3 {
        let started = Instant::now();
        guest.ask("sleep 1").map_err(told)?;
        let took = started.elapsed();
        let second = Duration::from_secs(1)..guest.paced(SECOND);
        expect(
            second.contains(&took),
            format!("{took:?} is not in {second:?}"),
        )?;
    }
    Ok(())
}

/// What guests draw from one state is random for each. Two can differ by chance, since each runs at its own
/// pace; that several all do is no chance.
pub fn randomness(tree: &Tree, image: &Image) -> Result<(), Failed> {
    let mut drawn = BTreeSet::new();
    for number in 1..=SIBLINGS {
        let mut guest = restore(tree, image, &format!("sibling-{number}"))?;
        let said = guest.ask("head -c 16 /dev/urandom | od -An -tx1");
        let said = said.map_err(told)?;
        expect(said.split_whitespace().count() == 16, said.clone())?;
        expect(drawn.insert(said.clone()), format!("two say{said}"))?;
        guest.quit();
    }
    Ok(())
}
